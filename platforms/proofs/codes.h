// SPDX-License-Identifier: Apache-2.0
// Tables of codes and streams of bits: every code at every place.

#pragma once

#include <stdint.h>

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "lutra/kernels/lookup/lookup.h"
#include "lutra/kernels/lut_decode/lut_decode.h"
#include "platforms/proofs/tally.h"
#include "runtime/kernels/test_data.h"

namespace lutra::platforms {

// 256 codes and the rest of a vector.
inline constexpr int32_t kCodes = 256 + 21;

struct CodeMemory {
  uint8_t table[256];
  uint8_t input[kCodes];
  uint8_t stream[(kCodes * 31 + 63) / 8 + 8];
  alignas(8) uint8_t values[256 * 8];
  alignas(8) uint8_t output[kCodes * 8];
  VariantMemory variant;
};

// A block is a kind of table and the first code; its codes put every code at every place of a vector. Tables
// are permutations, clamps and steps.
struct LookupProof {
  static constexpr int32_t kBlocks = 256 * 4;

  static void Run(const Variant<LookupFn>& variant, const Variant<LookupFn>& reference, int32_t block,
                  CodeMemory& memory, Tally* tally) {
    const int32_t kind = block / 256;
    for (int32_t code = 0; code < 256; ++code) {
      const int32_t signed_code = static_cast<int8_t>(code);
      const int32_t entry = kind == 0                                ? code * 167 + 91
                            : kind == 1                              ? code ^ 0xA5
                            : kind == 2 && signed_code < -60         ? -60
                            : kind == 2 && signed_code > block % 128 ? block % 128
                            : kind == 2                              ? signed_code
                                                                     : signed_code / (1 + block % 32);
      memory.table[code] = static_cast<uint8_t>(entry);
    }
    for (int32_t i = 0; i < kCodes; ++i) memory.input[i] = static_cast<uint8_t>(block + i);
    tally->Begin(block, RunVariant<LookupFn>(variant, reference,
                                             {.args = {memory.table, memory.input, memory.output, nullptr},
                                              .first = 0,
                                              .count = kCodes},
                                             memory.variant));
    for (int32_t i = 0; i < kCodes; ++i) tally->Compare(memory.output[i], memory.table[memory.input[i]]);
  }
};

// Writes a number of `width` bits from bit `at` on.
inline void PutBits(BitOrder order, int32_t at, int32_t width, uint32_t number, uint8_t* stream) {
  for (int32_t i = 0; i < width; ++i) {
    const int32_t bit = at + i;
    const uint32_t value = order == BitOrder::kMsbFirst ? number >> (width - 1 - i) & 1 : number >> i & 1;
    const int32_t in_byte = order == BitOrder::kMsbFirst ? 7 - bit % 8 : bit % 8;
    stream[bit / 8] = static_cast<uint8_t>(stream[bit / 8] | value << in_byte);
  }
}

// A block is a width, an order, the place of the first element in a vector's stream, and the code that stands
// there. Up to 8 bits a block of each code, so that each is at each place; wider ones are 256 codes apart,
// with single bits among them.
template <typename T>
struct LutDecodeProof {
  static constexpr int32_t kBlocks = 8 * 2 * 8 * 256;

  static void Run(const Variant<LutDecodeFn>& variant, const Variant<LutDecodeFn>& reference, int32_t block,
                  CodeMemory& memory, Tally* tally) {
    const int32_t width = 1 + block % 8;
    const BitOrder order = block / 8 % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
    const int32_t first = block / 16 % 8;
    const int32_t code = block / 128;
    const int32_t stride = 1 << width;
    uint32_t seed = static_cast<uint32_t>(block) + 1;
    T table[256];
    for (int32_t i = 0; i < stride; ++i) {
      uint64_t value = 0;
      for (size_t byte = 0; byte < sizeof(T); ++byte) {
        memory.values[static_cast<size_t>(i) * sizeof(T) + byte] = static_cast<uint8_t>(
            sizeof(T) == 1 ? static_cast<uint32_t>(i * 167 + 91) : NextRandom(&seed) >> 8);
        value |= uint64_t{memory.values[static_cast<size_t>(i) * sizeof(T) + byte]} << 8 * byte;
      }
      table[i] = static_cast<T>(value);
    }
    memset(memory.stream, 0, sizeof memory.stream);
    const auto code_of = [&](int32_t i) {
      return static_cast<uint32_t>(code + i) % static_cast<uint32_t>(stride);
    };
    const int32_t bits = (first + kCodes) * width;
    for (int32_t i = 0; i < first + kCodes; ++i) PutBits(order, i * width, width, code_of(i), memory.stream);
    const LutDecodeArgs args = {.stream = memory.stream,
                                .stream_bytes = static_cast<size_t>(bits + 7) / 8,
                                .order = order,
                                .width = width,
                                .values = memory.values,
                                .stride = stride,
                                .channels = 1,
                                .inner = 1,
                                .output = memory.output};
    tally->Begin(block,
                 RunVariant<LutDecodeFn>(variant, reference, {.args = args, .first = first, .count = kCodes},
                                         memory.variant));
    for (int32_t i = 0; i < kCodes; ++i) {
      T found = 0;
      memcpy(&found, memory.output + static_cast<size_t>(i) * sizeof(T), sizeof(T));
      tally->Compare(static_cast<int64_t>(found), static_cast<int64_t>(table[code_of(first + i)]));
    }
  }
};

template <typename T>
struct BitUnpackProof {
  static constexpr int32_t kWidths = sizeof(T) == 1 ? 8 : 31;
  static constexpr int32_t kBlocks = kWidths * 2 * 2 * 32 * 64;

  static void Run(const Variant<BitUnpackFn>& variant, const Variant<BitUnpackFn>& reference, int32_t block,
                  CodeMemory& memory, Tally* tally) {
    int32_t rest = block;
    const auto digit = [&rest](int32_t base) {
      const int32_t value = rest % base;
      rest /= base;
      return value;
    };
    const int32_t width = 1 + digit(kWidths);
    const BitOrder order = digit(2) == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
    const bool sign_extend = digit(2) == 1;
    const int32_t first_bit = digit(32);
    const auto turn = static_cast<uint32_t>(digit(64));
    const uint32_t mask = ~uint32_t{0} >> (32 - width);
    // Up to 8 bits one code after the other; wider ones also far apart, and single bits.
    const auto code_of = [&](int32_t i) {
      const auto at = static_cast<uint32_t>(i);
      if (width <= 8) return (turn * 4 + at) & mask;
      if (at % 3 == 0) return uint32_t{1} << (at + turn) % static_cast<uint32_t>(width);
      return (at * 2654435761u + turn * 40503u) & mask;
    };
    memset(memory.stream, 0, sizeof memory.stream);
    for (int32_t i = 0; i < kCodes; ++i)
      PutBits(order, first_bit + i * width, width, code_of(i), memory.stream);
    const BitUnpackArgs args = {.stream = memory.stream,
                                .stream_bytes = static_cast<size_t>(first_bit + kCodes * width + 7) / 8,
                                .order = order,
                                .width = width,
                                .sign_extend = sign_extend,
                                .first_bit = first_bit,
                                .output = memory.output};
    tally->Begin(block, RunVariant<BitUnpackFn>(variant, reference,
                                                {.args = args, .first = 0, .count = kCodes}, memory.variant));
    for (int32_t i = 0; i < kCodes; ++i) {
      T found = 0;
      memcpy(&found, memory.output + static_cast<size_t>(i) * sizeof(T), sizeof(T));
      uint32_t required = code_of(i);
      if (sign_extend && (required >> (width - 1) & 1) != 0) required |= ~mask;
      tally->Compare(found, static_cast<T>(required));
    }
  }
};

}  // namespace lutra::platforms

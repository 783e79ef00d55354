// SPDX-License-Identifier: Apache-2.0
// SparseLutDecode to bytes for Cortex-M: decodes two elements from each word of the stream, which is loaded
// from the byte in which the first begins.

#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"
#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/loops_armdsp.h"

namespace lutra {
namespace {

// A word that begins within a byte has the bits of two elements, of up to nine each.
constexpr uint32_t kMaxElementBits = 9;
constexpr uint32_t kWordBits = 32 + 7;

// Decodes elements from a word, the next bit of which is the highest, or the lowest. Returns the bits that
// they took.
template <bool kMsbFirst, int kElements>
[[gnu::always_inline]] inline uint32_t Decode(uint32_t word, const uint8_t* values, uint32_t width,
                                              uint8_t special, uint8_t* output) {
  uint32_t bits = 0;
#pragma GCC unroll 2
  for (int k = 0; k < kElements; ++k) {
    const bool indexed = kMsbFirst ? static_cast<int32_t>(word) < 0 : (word & 1) != 0;
    word = kMsbFirst ? word << 1 : word >> 1;
    ++bits;
    output[k] = special;
    if (!indexed) continue;
    output[k] = values[kMsbFirst ? word >> (32 - width) : word & ((1u << width) - 1)];
    word = kMsbFirst ? word << width : word >> width;
    bits += width;
  }
  return bits;
}

template <bool kMsbFirst>
LUTRA_OFTEN void DecodeElements(const SparseLutDecodeArgs& args) {
  const uint8_t* const stream = args.stream;  // A local copy, as writes might change `args`.
  const uint8_t* const values = args.values;
  const auto width = static_cast<uint32_t>(args.width);
  const auto special = static_cast<uint8_t>(args.special);
  auto* output = static_cast<uint8_t*>(args.output);
  auto bit = static_cast<uint32_t>(args.first_bit);
  int32_t left = args.count;
  while (left > 0) {
    // The stream has enough bits for this many pairs, whatever their elements are.
    const size_t bits_left = 8 * args.stream_bytes - bit;
    size_t pairs = bits_left < kWordBits ? 0 : (bits_left - kWordBits) / (2 * kMaxElementBits);
    if (pairs > static_cast<size_t>(left) / 2) pairs = static_cast<size_t>(left) / 2;
    for (const uint8_t* const end = output + 2 * pairs; output != end; output += 2) {
      const auto word = LoadElement<uint32_t>(stream + bit / 8);
      bit += Decode<kMsbFirst, 2>(kMsbFirst ? __builtin_bswap32(word) << (bit % 8) : word >> (bit % 8),
                                  values, width, special, output);
    }
    left -= static_cast<int32_t>(2 * pairs);
    if (pairs > 0) continue;
    const uint32_t word = LoadBig32Within(stream, args.stream_bytes, bit / 8);
    bit += Decode<kMsbFirst, 1>(kMsbFirst ? word << (bit % 8) : __builtin_bswap32(word) >> (bit % 8), values,
                                width, special, output++);
    --left;
  }
}

}  // namespace

void SparseLutDecodeArmdsp(const SparseLutDecodeArgs& args) {
  args.order == BitOrder::kMsbFirst ? DecodeElements<true>(args) : DecodeElements<false>(args);
}

}  // namespace lutra

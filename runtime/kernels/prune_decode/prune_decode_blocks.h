// SPDX-License-Identifier: Apache-2.0
// PruneDecode with one zero point for all elements, eight flags at a time, for vector instructions. For the
// variants' .cc files: all names are local.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/kernels/bit_stream.h"

namespace lutra {
namespace {

// For each byte of the map: the index of each element among the next values, or kPruned, and how many values
// they take. 2 * kPruned, and kPruned plus some values, have their highest bit set, too.
constexpr uint8_t kPruned = 0xC0;
struct Expansions {
  uint8_t from[256][8] = {};
  uint8_t kept[256] = {};

  constexpr Expansions() {
    for (int bits = 0; bits < 256; ++bits) {
      for (int k = 0; k < 8; ++k) from[bits][k] = (bits >> (7 - k) & 1) != 0 ? kept[bits]++ : kPruned;
    }
  }
};
constexpr Expansions kExpansions;

// Returns false if channels have different zero points.
template <typename T>
bool OneZeroPoint(const PruneDecodeArgs& args, T* zero_point) {
  const auto at = [&](int32_t channel) {
    if (args.zero_points.count == 0) return T{0};
    return static_cast<T>(
        LoadElement<uint64_t>(args.zero_points.bytes + size_t{8} * static_cast<size_t>(channel)));
  };
  *zero_point = at(0);
  for (int32_t channel = 1; channel < args.channels; ++channel) {
    if (at(channel) != *zero_point) return false;
  }
  return true;
}

// Returns the elements from `done` on, a multiple of eight; their values begin at `values`.
inline PruneDecodeArgs RestFrom(const PruneDecodeArgs& args, int32_t done, const uint8_t* values,
                                void* output) {
  PruneDecodeArgs rest = args;
  rest.map += done / 8;
  rest.values = values;
  rest.channels = 1;
  rest.inner = 1;
  rest.count -= done;
  rest.output = output;
  return rest;
}

// Returns how many values there are.
inline int64_t KeptValues(const PruneDecodeArgs& args) {
  int64_t kept = 0;
  for (int32_t byte = 0; byte < args.count / 8; ++byte) kept += kExpansions.kept[args.map[byte]];
  const int32_t rest = args.count % 8;
  if (rest != 0) kept += kExpansions.kept[args.map[args.count / 8] & (0xFF00 >> rest) & 0xFF];
  return kept;
}

// Set::Expand(bytes, values, zero_point, output) decodes the kMapBytes * 8 elements of kMapBytes map bytes.
// It may read as many values, and returns the address behind the values that it took.
template <typename Set>
void DecodeBlocks(PruneDecodeFn ref, const PruneDecodeArgs& args) {
  using T = typename Set::Element;
  T zero_point;
  if (!OneZeroPoint(args, &zero_point)) return ref(args);
  const uint8_t* const map = args.map;  // A local copy, as writes might change `args`.
  const int32_t count = args.count;
  const uint8_t* value = args.values;
  const uint8_t* const end = value + KeptValues(args) * static_cast<int64_t>(sizeof(T));
  auto* output = static_cast<T*>(args.output);
  const auto repeated = Set::Repeat(zero_point);
  constexpr int32_t kElements = 8 * Set::kMapBytes;
  int32_t done = 0;
  for (; count - done >= kElements && end - value >= static_cast<ptrdiff_t>(kElements * sizeof(T));
       done += kElements) {
    value = Set::Expand(map + done / 8, value, repeated, output + done);
  }
  if (done < count) ref(RestFrom(args, done, value, output + done));
}

}  // namespace
}  // namespace lutra

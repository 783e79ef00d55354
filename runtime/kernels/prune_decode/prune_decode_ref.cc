// SPDX-License-Identifier: Apache-2.0
// Writes zero points to all elements first, then the kept values over them, eight flags at a time.

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/kernels/bit_stream.h"

namespace lutra {
namespace {

template <typename T>
void FillWithZeroPoints(const PruneDecodeArgs& args, T* output) {
  int32_t channel = 0;
  for (int32_t i = 0; i < args.count;) {
    const T zero_point = args.zero_points.size() == 0 ? T{0} : static_cast<T>(args.zero_points[channel]);
    const int32_t run = args.channels == 1 || args.count - i < args.inner ? args.count - i : args.inner;
    for (const int32_t stop = i + run; i < stop; ++i) output[i] = zero_point;
    channel = channel + 1 == args.channels ? 0 : channel + 1;
  }
}

}  // namespace

template <typename T>
void PruneDecodeRef(const PruneDecodeArgs& args) {
  auto* output = static_cast<T*>(args.output);
  FillWithZeroPoints(args, output);
  const uint8_t* const map = args.map;  // A copy: stores to the output might alias `args`.
  const uint8_t* value = args.values;
  const int32_t count = args.count;
  const auto bits_at = [&](int32_t byte) {
    return static_cast<uint32_t>(map[byte]) & (count - 8 * byte >= 8 ? 0xFFu : 0xFF00u >> (count - 8 * byte));
  };
  // Up to the last kept element there is always a next value to read, also where a bit is not set.
  int32_t last = (count + 7) / 8 - 1;
  while (last > 0 && bits_at(last) == 0) --last;
  for (int32_t byte = 0; byte < last; ++byte, output += 8) {
    const uint32_t bits = map[byte];
    if (bits == 0) continue;
    if (bits == 0xFF) {
      for (int k = 0; k < 8; ++k) output[k] = LoadElement<T>(value + static_cast<size_t>(k) * sizeof(T));
      value += 8 * sizeof(T);
      continue;
    }
    // Bits are nearly random, so that no branch should depend on them.
    for (int k = 0; k < 8; ++k) {
      const uint32_t kept = bits >> (7 - k) & 1;
      const T next = LoadElement<T>(value);
      const T mask = static_cast<T>(T{0} - static_cast<T>(kept));
      output[k] = static_cast<T>((next & mask) | (output[k] & ~mask));
      value += kept * sizeof(T);
    }
  }
  for (uint32_t bits = count == 0 ? 0 : bits_at(last); bits != 0; bits = bits << 1 & 0xFF, ++output) {
    if ((bits & 0x80) == 0) continue;
    *output = LoadElement<T>(value);
    value += sizeof(T);
  }
}
template void PruneDecodeRef<uint8_t>(const PruneDecodeArgs&);
template void PruneDecodeRef<uint16_t>(const PruneDecodeArgs&);
template void PruneDecodeRef<uint32_t>(const PruneDecodeArgs&);
template void PruneDecodeRef<uint64_t>(const PruneDecodeArgs&);

}  // namespace lutra

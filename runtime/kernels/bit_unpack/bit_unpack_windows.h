// SPDX-License-Identifier: Apache-2.0
// BitUnpack of items of up to 25 bits, for SSE4.1 and AVX2. Items are cut out in the same way as indices of
// lookup tables, twice as many as a part has lanes; the shift to a lane's bottom extends their sign.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/kernels/bit_windows.h"

namespace lutra {

// Unpacks whole vectors of items from `first` on, while 16 bytes may be read for each half of a part. Returns
// the number of items.
template <typename Vector, typename T, int kLaneBits, bool kSigned>
static inline int32_t UnpackLanes(const BitUnpackArgs& args, int32_t first, int32_t count) {
  constexpr int32_t kLanes = FieldCut<kLaneBits>::kLanes;
  constexpr int32_t kItems = 2 * kLanes;  // Items of a part.
  constexpr int32_t kParts = Vector::kBytes / kPartBytes;
  constexpr int32_t kOutputBytes = kItems * static_cast<int32_t>(sizeof(T));
  const int32_t width = args.width;
  const uint64_t bit =
      static_cast<uint64_t>(args.first_bit) + static_cast<uint64_t>(first) * static_cast<uint64_t>(width);
  if (bit / 8 >= args.stream_bytes) return 0;
  const auto phase = static_cast<int32_t>(bit % 8);
  const int32_t middle = phase + kLanes * width;  // The bit at which the second half begins.
  FieldCut<kLaneBits> low_cut, high_cut;
  FindFieldCut(args.order, width, phase, &low_cut);
  FindFieldCut(args.order, width, middle % 8, &high_cut);
  const FieldCutter<Vector, kLaneBits> low(low_cut), high(high_cut);
  const uint8_t* in = args.stream + bit / 8;
  const uint8_t* const end = args.stream + args.stream_bytes;
  const int32_t step = kItems / 8 * width;
  auto* output = static_cast<uint8_t*>(args.output);
  int32_t made = 0;
  for (; count - made >= kParts * kItems && end - in >= (kParts - 1) * step + middle / 8 + kPartBytes;
       made += kParts * kItems) {
    const Vector first_half = Vector::LoadParts(in, step),
                 second_half = Vector::LoadParts(in + middle / 8, step);
    const Vector a = kSigned ? low.Signed(first_half, width) : low(first_half, width);
    const Vector b = kSigned ? high.Signed(second_half, width) : high(second_half, width);
    if constexpr (8 * sizeof(T) == kLaneBits) {
      StoreParts(a, output, kOutputBytes);
      StoreParts(b, output + kPartBytes, kOutputBytes);
    } else {
      StoreParts(PackLow<kLaneBits>(a, b), output, kOutputBytes);
    }
    in += kParts * step;
    output += kParts * kOutputBytes;
  }
  return made;
}

template <typename Vector, typename T, int kLaneBits>
static inline int32_t UnpackItems(const BitUnpackArgs& args, int32_t first, int32_t count) {
  return args.sign_extend ? UnpackLanes<Vector, T, kLaneBits, true>(args, first, count)
                          : UnpackLanes<Vector, T, kLaneBits, false>(args, first, count);
}

template <typename Vector, typename T>
static inline void UnpackByWindows(BitUnpackFn ref, BitUnpackArgs args, int32_t first, int32_t count) {
  int32_t made = 0;
  bool narrow = false;
  if constexpr (sizeof(T) <= 2) {
    narrow = args.width <= FieldCut<16>::kMaxWidth;
    if (narrow) made = UnpackItems<Vector, T, 16>(args, first, count);
  }
  if constexpr (sizeof(T) >= 2) {
    if (!narrow && args.width <= FieldCut<32>::kMaxWidth)
      made = UnpackItems<Vector, T, 32>(args, first, count);
  }
  if (made == count) return;
  args.output = static_cast<T*>(args.output) + made;
  ref(args, first + made, count - made);
}

}  // namespace lutra

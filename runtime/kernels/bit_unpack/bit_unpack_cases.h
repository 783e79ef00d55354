// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of bit_unpack. Needs no C++ library.

#pragma once

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/kernels/stream_cases.h"

namespace lutra {

template <typename Element>
inline constexpr auto kBitUnpackProblems = [](auto& memory, auto& problems) {
  for (int32_t width = 1; width <= 31; ++width) {
    for (const int32_t count : kStreamCounts) {
      const int32_t first = count % 3;
      const int32_t first_bit = (3 * count + width) % 32;
      const int32_t bytes = (first_bit + (first + count) * width + 7) / 8;
      problems.Add({.args = {.stream = Filled<uint8_t>(memory, static_cast<uint32_t>(count), bytes),
                             .stream_bytes = static_cast<size_t>(bytes),
                             .order = BitOrderOf(count),
                             .width = width,
                             .sign_extend = (count + width) % 2 != 0,
                             .first_bit = first_bit,
                             .output = Output<Element>(memory, count)},
                    .first = first,
                    .count = count});
    }
  }
};

}  // namespace lutra

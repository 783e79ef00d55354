// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of lut_decode. Needs no C++ library.

#pragma once

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/stream_cases.h"

namespace lutra {

template <typename Element>
inline constexpr auto kLutDecodeProblems = [](auto& memory, auto& problems) {
  for (int32_t width = 1; width <= 8; ++width) {
    for (const int32_t count : kStreamCounts) {
      for (const bool one_table : kFalseAndTrue) {
        const int32_t channels = one_table ? 1 : 3;
        const int32_t first = count % 3;
        const int32_t bytes = ((first + count) * width + 7) / 8;
        const int32_t table_bytes = static_cast<int32_t>(sizeof(Element)) << width;
        problems.Add({.args = {.stream = Filled<uint8_t>(memory, static_cast<uint32_t>(count), bytes),
                               .stream_bytes = static_cast<size_t>(bytes),
                               .order = BitOrderOf(count / 4),
                               .width = width,
                               .values = Filled<uint8_t>(memory, 1, channels * table_bytes),
                               .stride = 1 << width,
                               .channels = channels,
                               .inner = count % 4 == 1 ? 5 : 1,
                               .output = Output<Element>(memory, count)},
                      .first = first,
                      .count = count});
      }
    }
  }
};

}  // namespace lutra

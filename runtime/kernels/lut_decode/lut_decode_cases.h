// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of lut_decode. Needs no C++ library.

#pragma once

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/stream_cases.h"

namespace lutra {

// Runs are long enough for a table of several indices, or not; some tables lack the entries that no index
// names.
template <typename Element>
void AddRandomLutDecodeProblems(auto& memory, auto& problems) {
  constexpr int32_t kElementBytes = sizeof(Element);
  StreamDice dice;
  for (int32_t i = 0; i < kRandomStreams; ++i) {
    const int32_t width = 1 + i % 8;
    const int32_t first = dice.Below(40);
    const int32_t count = i % 16 < 8 ? 1100 / kElementBytes + dice.Below(500) : dice.Count(kElementBytes);
    const int32_t channels = i % 3 == 0 ? 1 + dice.Below(5) : 1;
    const int32_t bytes = ((first + count) * width + 7) / 8;
    auto* const stream = Filled<uint8_t>(memory, static_cast<uint32_t>(dice.Below(1000)), bytes);
    const bool all_indices = dice.Below(4) != 0;
    for (int32_t k = 0; !all_indices && k < bytes; ++k) stream[k] = 0;
    const int32_t stride = all_indices ? (1 << width) + dice.Below(3) : 1 + dice.Below(1 << width);
    problems.Add({.args = {.stream = stream,
                           .stream_bytes = static_cast<size_t>(bytes),
                           .order = dice.Order(),
                           .width = width,
                           .values = Filled<uint8_t>(memory, 3, channels * stride * kElementBytes),
                           .stride = stride,
                           .channels = channels,
                           .inner = 1 + dice.Below(count),
                           .output = Output<Element>(memory, count)},
                  .first = first,
                  .count = count});
  }
}

template <typename Element>
inline constexpr auto kLutDecodeProblems = [](auto& memory, auto& problems) {
  AddRandomLutDecodeProblems<Element>(memory, problems);
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

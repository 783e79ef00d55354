// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of sparse_lut_decode. Needs no C++ library.

#pragma once

#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"
#include "runtime/kernels/stream_cases.h"

namespace lutra {

template <typename Element>
void AddRandomSparseLutProblems(auto& memory, auto& problems) {
  constexpr int32_t kElementBytes = sizeof(Element);
  StreamDice dice;
  for (int32_t i = 0; i < kRandomStreams; ++i) {
    const int32_t width = 1 + i % 8;
    const int32_t count = dice.Count(kElementBytes);
    const int32_t first_bit = dice.Below(32);
    const int32_t bytes = (first_bit + count * (1 + width) + 7) / 8;
    problems.Add({.args = {.stream = Filled<uint8_t>(memory, static_cast<uint32_t>(dice.Below(1000)), bytes),
                           .stream_bytes = static_cast<size_t>(bytes),
                           .order = dice.Order(),
                           .width = width,
                           .first_bit = first_bit,
                           .values = Filled<uint8_t>(memory, 6, kElementBytes << width),
                           .special = static_cast<uint32_t>(dice.Below(256)),
                           .count = count,
                           .output = Output<Element>(memory, count)}});
  }
}

template <typename Element>
inline constexpr auto kSparseLutDecodeProblems = [](auto& memory, auto& problems) {
  AddRandomSparseLutProblems<Element>(memory, problems);
  for (int32_t width = 1; width <= 8; ++width) {
    for (const int32_t count : kStreamCounts) {
      const int32_t first_bit = (count + width) % 32;
      const int32_t bytes = (first_bit + count * (1 + width) + 7) / 8;
      const int32_t table_bytes = static_cast<int32_t>(sizeof(Element)) << width;
      problems.Add({.args = {.stream = Filled<uint8_t>(memory, static_cast<uint32_t>(count), bytes),
                             .stream_bytes = static_cast<size_t>(bytes),
                             .order = BitOrderOf(count),
                             .width = width,
                             .first_bit = first_bit,
                             .values = Filled<uint8_t>(memory, 5, table_bytes),
                             .special = 0x81C2E3F4u,
                             .count = count,
                             .output = Output<Element>(memory, count)}});
    }
  }
};

}  // namespace lutra

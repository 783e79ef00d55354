// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of prune_decode. Needs no C++ library.

#pragma once

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/kernels/stream_cases.h"

namespace lutra {

// Some problems have the same zero point for all channels.
template <typename Element>
void AddRandomPruneProblems(auto& memory, auto& problems) {
  constexpr int32_t kElementBytes = sizeof(Element);
  StreamDice dice;
  for (int32_t i = 0; i < kRandomStreams; ++i) {
    const int32_t count = dice.Count(kElementBytes);
    const int32_t channels = 1 + dice.Below(4);
    auto* const zero_points = Filled<uint8_t>(memory, static_cast<uint32_t>(i), channels * 8);
    for (int32_t k = 8; i % 2 == 0 && k < channels * 8; ++k) zero_points[k] = zero_points[k % 8];
    const auto seed = static_cast<uint32_t>(dice.Below(1000));
    problems.Add({.args = {.map = Filled<uint8_t>(memory, seed, (count + 7) / 8),
                           .values = Filled<uint8_t>(memory, seed + 1, count * kElementBytes),
                           .zero_points = {zero_points, channels},
                           .channels = channels,
                           .inner = 1 + dice.Below(count),
                           .count = count,
                           .output = Output<Element>(memory, count)}});
  }
}

template <typename Element>
inline constexpr auto kPruneDecodeProblems = [](auto& memory, auto& problems) {
  AddRandomPruneProblems<Element>(memory, problems);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    constexpr int32_t kChannels = 5;
    const bool has_zero_points = sizeof(Element) == 1 && count % 2 == 0;
    auto* const map = Filled<uint8_t>(memory, static_cast<uint32_t>(count), (count + 7) / 8);
    // Of eight elements none is kept, or all are.
    if (count >= 24) {
      map[1] = 0x00;
      map[2] = 0xFF;
    }
    problems.Add(
        {.args = {.map = map,
                  .values = Filled<uint8_t>(memory, 3, count * static_cast<int32_t>(sizeof(Element))),
                  .zero_points = {Filled<uint8_t>(memory, 4, kChannels * 8), has_zero_points ? kChannels : 0},
                  .channels = has_zero_points ? kChannels : 1,
                  .inner = has_zero_points ? 1 + count % 3 : 1,
                  .count = count,
                  .output = Output<Element>(memory, count)}});
  }
};

}  // namespace lutra

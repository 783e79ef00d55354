// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of prune_decode. Needs no C++ library.

#pragma once

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/kernels/problem.h"

namespace lutra {

template <typename Element>
inline constexpr auto kPruneDecodeProblems = [](auto& memory, auto& problems) {
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    constexpr int32_t kChannels = 5;
    const bool has_zero_points = sizeof(Element) == 1 && count % 2 == 0;
    auto* const map = Filled<uint8_t>(memory, static_cast<uint32_t>(count), (count + 7) / 8);
    // Eight at once: none of them kept, all of them.
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

// SPDX-License-Identifier: Apache-2.0
// Sizes of real networks for tests of kernels.

#pragma once

#include <cstdint>
#include <vector>

namespace lutra {

// Powers of two up to `max`, and one beside each: where loops over vectors end, and where they do not.
inline std::vector<int32_t> NetworkSizes(int32_t max) {
  std::vector<int32_t> sizes = {1};
  for (int32_t power = 2; power <= max; power *= 2) {
    if (power > 2) sizes.push_back(power - 1);
    sizes.push_back(power);
    sizes.push_back(power + 1);
  }
  return sizes;
}

}  // namespace lutra

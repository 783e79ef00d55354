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

// Every number up to 130, which no loop over vectors or rest of one is beyond, and some larger ones.
inline std::vector<int32_t> EdgeSizes() {
  std::vector<int32_t> sizes;
  for (int32_t size = 1; size <= 130; ++size) sizes.push_back(size);
  for (const int32_t size : {255, 256, 257, 511, 513, 1024, 1031}) sizes.push_back(size);
  return sizes;
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Sizes of real networks for tests of kernels.

#pragma once

#include <cstdint>
#include <vector>

namespace lutra {

// Returns powers of two up to `max`, and one number next to each: loops over vectors end there, or just do
// not.
inline std::vector<int32_t> NetworkSizes(int32_t max) {
  std::vector<int32_t> sizes = {1};
  for (int32_t power = 2; power <= max; power *= 2) {
    if (power > 2) sizes.push_back(power - 1);
    sizes.push_back(power);
    sizes.push_back(power + 1);
  }
  return sizes;
}

// Returns every number up to 130, which covers all loops over vectors and their rests, and some larger ones.
inline std::vector<int32_t> EdgeSizes() {
  std::vector<int32_t> sizes;
  for (int32_t size = 1; size <= 130; ++size) sizes.push_back(size);
  for (const int32_t size : {255, 256, 257, 511, 513, 1024, 1031}) sizes.push_back(size);
  return sizes;
}

}  // namespace lutra

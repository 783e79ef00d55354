// SPDX-License-Identifier: Apache-2.0
// Sizes at which kernels change their way: blocks, tiles and unrolled loops end at a power of two, so one
// below, at and one above each, as far as networks go. Families draw their cases of real sizes from here.
//
//   for (const int32_t count : AroundPowers(4, 1024)) ...                      // 3, 4, 5, 7, 8, 9, ... 1025
//   for (const SizeList& s : PairedSizes({{4, 1024}, {1, 64}}, fits)) ...      // s[0] channels, s[1] width

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace lutra::conformance {

using SizeList = std::vector<int32_t>;

// Lists sizes from the power of two `least` to `most`, with the neighbours of each; ascending, no 0.
SizeList AroundPowers(int32_t least, int32_t most);
// Chooses as PairedSizes does, for one dimension: the power itself or a neighbour, by turns.
int32_t NextAround(int32_t power, int turn);

// The powers of two that a dimension comes near.
struct PowerRange {
  int32_t least, most;
};

// Sizes of several dimensions. Every two powers of two dimensions meet in one of them, as far as `fits`
// lets them; it is given the largest sizes, and must take the least powers together. Neighbours take turns.
std::vector<SizeList> PairedSizes(const std::vector<PowerRange>& ranges,
                                  const std::function<bool(const SizeList&)>& fits);

// No case multiplies more: the oracle is plain code.
inline constexpr int64_t kMostProducts = 2'000'000;
// Most cases keep to this many products.
inline constexpr int64_t kUsualProducts = 400'000;

int64_t Product(const SizeList& sizes);

}  // namespace lutra::conformance

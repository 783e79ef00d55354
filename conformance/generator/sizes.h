// SPDX-License-Identifier: Apache-2.0
// Sizes at which kernels take another path: blocks, tiles and unrolled loops end at powers of two, so the
// sizes are each power, one less and one more, up to those of networks. Cases of real sizes have these sizes.
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
// Chooses the power itself or a neighbour, in turns, as PairedSizes does for each dimension.
int32_t NextAround(int32_t power, int turn);

// The powers of two that a dimension comes near.
struct PowerRange {
  int32_t least, most;
};

// Returns sizes of several dimensions. For every two dimensions, each power of one meets each power of the
// other in some entry, if `fits` accepts it. `fits` gets the largest sizes of an entry, and must accept the
// least powers together. Each power and its neighbours are used in turns.
std::vector<SizeList> PairedSizes(const std::vector<PowerRange>& ranges,
                                  const std::function<bool(const SizeList&)>& fits);

// No case has more products, since the oracle is not optimised.
inline constexpr int64_t kMostProducts = 2'000'000;
// Most cases have at most this many products.
inline constexpr int64_t kUsualProducts = 400'000;

int64_t Product(const SizeList& sizes);

}  // namespace lutra::conformance

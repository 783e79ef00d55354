// SPDX-License-Identifier: Apache-2.0
// The planner against brute force and against its own lower bound, and safe distances against runs in place.

#include "runtime/memory_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace lutra {
namespace {

PlanResult Plan(std::vector<PlanBuffer>& buffers, const std::vector<PlanOverlap>& overlaps,
                const PlanOptions& options = {}) {
  std::vector<uint32_t> workspace(PlanWorkspaceBytes(buffers.size()) / 4 + 1);
  return PlanMemory({buffers.data(), buffers.size()}, {overlaps.data(), overlaps.size()}, options,
                    {reinterpret_cast<uint8_t*>(workspace.data()), workspace.size() * 4});
}

bool Collide(const PlanBuffer& a, const PlanBuffer& b) {
  const bool alive = a.first <= b.last && b.first <= a.last;
  return alive && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

TEST(MemoryPlanner, KeepsWhatIsAliveTogetherApart) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<PlanBuffer> buffers(1 + random() % 40);
    for (PlanBuffer& b : buffers) {
      b.bytes = static_cast<int32_t>(random() % 5000);
      b.first = static_cast<uint16_t>(random() % 30);
      b.last = static_cast<uint16_t>(b.first + random() % 6);
    }
    const PlanResult result = Plan(buffers, {}, {.search_moves = 50});
    ASSERT_TRUE(result.ok);
    EXPECT_GE(result.peak_bytes, result.bound_bytes);
    for (size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(buffers[i].offset % 16, 0);
      EXPECT_LE(buffers[i].offset + buffers[i].bytes, result.peak_bytes);
      for (size_t k = 0; k < i; ++k) EXPECT_FALSE(Collide(buffers[i], buffers[k])) << i << " and " << k;
    }
  }
}

TEST(MemoryPlanner, ReachesTheBoundOnAChain) {
  std::vector<PlanBuffer> buffers = {{.bytes = 640, .first = 0, .last = 1},
                                     {.bytes = 1600, .first = 1, .last = 2},
                                     {.bytes = 320, .first = 2, .last = 3}};
  const PlanResult result = Plan(buffers, {});
  EXPECT_EQ(result.bound_bytes, 2240);
  EXPECT_EQ(result.peak_bytes, 2240);
}

TEST(MemoryPlanner, PlacesElementwiseOutputsOnTheirInputs) {
  std::vector<PlanBuffer> buffers = {{.bytes = 640, .first = 0, .last = 1},
                                     {.bytes = 640, .first = 1, .last = 2}};
  const PlanResult result = Plan(buffers, {{.input = 0, .output = 1, .forward = 0, .reverse = 0}});
  EXPECT_EQ(result.peak_bytes, 640);
}

TEST(MemoryPlanner, OverlapsByTheSafeDistanceInEitherDirection) {
  for (const bool reverse : {false, true}) {
    std::vector<PlanBuffer> buffers = {{.bytes = 4000, .first = 0, .last = 1},
                                       {.bytes = 4000, .first = 1, .last = 2}};
    const PlanOverlap overlap = {
        .input = 0, .output = 1, .forward = reverse ? 4000 : 160, .reverse = reverse ? 160 : 4000};
    const PlanResult result = Plan(buffers, {overlap});
    EXPECT_EQ(result.peak_bytes, 4160);
    const RowOrder order = OrderOf(buffers[0], buffers[1], overlap.forward, overlap.reverse);
    EXPECT_EQ(order.upwards, !reverse);
    EXPECT_EQ(order.downwards, reverse);
    EXPECT_FALSE(order.disjoint);
  }
}

// Two dying inputs may not require two directions of one node.
TEST(MemoryPlanner, GivesANodeOneDirection) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<PlanBuffer> buffers(3);
    for (int i = 0; i < 3; ++i) {
      buffers[i].bytes = static_cast<int32_t>(16 + random() % 400);
      buffers[i].first = static_cast<uint16_t>(i == 2 ? 1 : 0);
      buffers[i].last = static_cast<uint16_t>(i == 2 ? 2 : 1);
    }
    std::vector<PlanOverlap> overlaps;
    for (uint16_t i = 0; i < 2; ++i) {
      overlaps.push_back({.input = i,
                          .output = 2,
                          .forward = static_cast<int32_t>(random() % 300) - 100,
                          .reverse = static_cast<int32_t>(random() % 300) - 100});
    }
    ASSERT_TRUE(Plan(buffers, overlaps).ok);
    bool upwards = true;
    bool downwards = true;
    for (const PlanOverlap& o : overlaps) {
      const RowOrder order = OrderOf(buffers[o.input], buffers[2], o.forward, o.reverse);
      upwards = upwards && order.upwards;
      downwards = downwards && order.downwards;
    }
    EXPECT_TRUE(upwards || downwards);
    EXPECT_FALSE(Collide(buffers[0], buffers[1]));
  }
}

TEST(MemoryPlanner, HonoursFixedPlacesAndNamesThoseThatCollide) {
  std::vector<PlanBuffer> buffers = {{.bytes = 100, .offset = 32, .first = 0, .last = 1},
                                     {.bytes = 100, .first = 1, .last = 2},
                                     {.bytes = 100, .offset = 160, .first = 0, .last = 2}};
  PlanResult result = Plan(buffers, {});
  ASSERT_TRUE(result.ok);
  EXPECT_EQ(buffers[0].offset, 32);
  EXPECT_EQ(buffers[2].offset, 160);
  EXPECT_FALSE(Collide(buffers[0], buffers[1]));
  buffers = {{.bytes = 100, .offset = 32, .first = 0, .last = 1},
             {.bytes = 100, .offset = 64, .first = 1, .last = 2}};
  result = Plan(buffers, {});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(std::set<int>({result.collision[0], result.collision[1]}), std::set<int>({0, 1}));
}

TEST(MemoryPlanner, NeedsItsWorkspace) {
  std::vector<PlanBuffer> buffers(3);
  std::vector<uint32_t> workspace(100);
  EXPECT_FALSE(PlanMemory({buffers.data(), 3}, {}, {},
                          {reinterpret_cast<uint8_t*>(workspace.data()), PlanWorkspaceBytes(3) - 1})
                   .ok);
}

// ---- The safe distance, against a simulation of every byte.

std::vector<int> RowsRead(const RowMap& map, int y) {
  const int image = y / map.out_rows;
  std::vector<int> rows;
  for (int k = 0; k < map.window; ++k) {
    const int row = (y % map.out_rows) * map.stride - map.pad_before + k * map.dilation;
    if (row >= 0 && row < map.in_rows) rows.push_back(image * map.in_rows + row);
  }
  return rows;
}

// Returns whether computing the rows one by one, in the given order, reads no byte of the input that an
// earlier row or the row itself has written, with the input `distance` bytes behind the output.
bool IsExact(const RowMap& map, int input_minus_output, bool downwards) {
  const int rows = map.out_rows * map.images;
  std::set<int> written;  // Bytes, relative to the output's start.
  for (int i = 0; i < rows; ++i) {
    const int y = downwards ? rows - 1 - i : i;
    for (int b = 0; b < map.out_row_bytes; ++b) written.insert(y * map.out_row_bytes + b);
    for (const int row : RowsRead(map, y)) {
      for (int b = 0; b < map.in_row_bytes; ++b) {
        if (written.count(input_minus_output + row * map.in_row_bytes + b) != 0) return false;
      }
    }
  }
  return true;
}

TEST(SafeDistance, IsMinimalForRandomWindows) {
  std::mt19937 random(3);
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int tight = 0;
  for (int round = 0; round < 1500; ++round) {
    RowMap map;
    map.access = RowMap::Access::kRows;
    map.images = 1 + below(3);
    map.in_rows = 1 + below(7);
    map.window = 1 + below(4);
    map.stride = 1 + below(3);
    map.dilation = 1 + below(3);
    map.in_row_bytes = 1 + below(4);
    map.out_row_bytes = 1 + below(4);
    const int reach = (map.window - 1) * map.dilation + 1;
    if (below(2) == 0) {
      map.out_rows = (map.in_rows + map.stride - 1) / map.stride;
      map.pad_before = std::max(0, (map.out_rows - 1) * map.stride + reach - map.in_rows) / 2;
    } else {
      if (reach > map.in_rows) continue;
      map.out_rows = (map.in_rows - reach) / map.stride + 1;
    }
    const int in = map.in_rows * map.in_row_bytes * map.images;
    const int out = map.out_rows * map.out_row_bytes * map.images;
    const Overlap overlap = SafeDistance(map);
    EXPECT_TRUE(IsExact(map, overlap.forward, false));
    // (O + out) - (I + in) >= reverse, so I - O <= out - in - reverse.
    EXPECT_TRUE(IsExact(map, out - in - overlap.reverse, true));
    // One byte nearer it fails, unless the two are disjoint there.
    if (overlap.forward < out && overlap.forward > -in) {
      EXPECT_FALSE(IsExact(map, overlap.forward - 1, false));
      ++tight;
    }
    if (overlap.reverse < out && overlap.reverse > -in) {
      EXPECT_FALSE(IsExact(map, out - in - overlap.reverse + 1, true));
    }
  }
  EXPECT_GT(tight, 300);
}

TEST(SafeDistance, HasTheValuesOfKnownLayers) {
  // 3x3, stride 1, 25 x 5 x 64, and 96 x 96 x 3 to 48 x 48 x 8 with stride 2.
  RowMap depthwise = {.access = RowMap::Access::kRows,
                      .in_rows = 25,
                      .out_rows = 25,
                      .in_row_bytes = 320,
                      .out_row_bytes = 320,
                      .window = 3,
                      .pad_before = 1};
  EXPECT_EQ(SafeDistance(depthwise).forward, 640);
  EXPECT_EQ(SafeDistance(depthwise).reverse, 640);
  RowMap first = {.access = RowMap::Access::kRows,
                  .in_rows = 96,
                  .out_rows = 48,
                  .in_row_bytes = 288,
                  .out_row_bytes = 384,
                  .window = 3,
                  .stride = 2,
                  .pad_before = 0};
  EXPECT_EQ(SafeDistance(first).forward, 384);
  EXPECT_EQ(SafeDistance(first).reverse, 480);
  EXPECT_EQ(SafeDistance({}).forward, INT32_MAX);
  EXPECT_EQ(SafeDistance({.access = RowMap::Access::kElementwise}).forward, 0);
}

}  // namespace
}  // namespace lutra

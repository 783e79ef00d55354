// SPDX-License-Identifier: Apache-2.0
// Bytes by layer, for weights of each form that the engine can read, and of one that it cannot.

#include "bench/traffic.h"

#include <gtest/gtest.h>

#include "host/model_file.h"
#include "lutra/node_info.h"
#include "runtime/testing/model_builder.h"

namespace lutra::bench {
namespace {

using Bytes = std::vector<uint8_t>;

// A FULLY_CONNECTED of six filters with one weight each; if `ancillary` is not empty, `weights` is a stream.
std::vector<uint8_t> SixFilters(const Bytes& weights, const Bytes& ancillary) {
  ModelBuilder builder;
  const int in = builder.AddTensor({.shape = {1, 1}, .scale = 1});
  const int bias =
      builder.AddTensor({.shape = {6}, .type = TensorType::kInt32, .scale = 1, .data = Bytes(24)});
  const int out = builder.AddTensor({.shape = {1, 6}, .scale = 1});
  int filter = 0;
  if (ancillary.empty()) {
    filter = builder.AddTensor({.shape = {6, 1}, .scale = 1, .data = weights});
  } else {
    const auto count = [](const Bytes& bytes) { return static_cast<int32_t>(bytes.size()); };
    const int encoded =
        builder.AddTensor({.shape = {count(weights)}, .type = TensorType::kUInt8, .data = weights});
    const int tables =
        builder.AddTensor({.shape = {count(ancillary)}, .type = TensorType::kUInt8, .data = ancillary});
    filter = builder.AddTensor({.shape = {6, 1}, .scale = 1});
    builder.AddCustomOperator("TFLM_DECODE", {encoded, tables}, {filter});
  }
  builder.AddOperator(BuiltinOperator::kFullyConnected, {in, filter, bias}, {out});
  return builder.Finish({in}, {out});
}

host::TrafficResult Traffic(const std::vector<uint8_t>& file, int64_t tile_bytes) {
  Model model;
  Diagnosis diagnosis;
  const Status status = Model::Load({file.data(), file.size()}, &model, &diagnosis);
  EXPECT_EQ(status, Status::kOk);
  const host::TrafficResult result = Gap9Traffic(model, tile_bytes);
  EXPECT_EQ(result.engine, "gap9");
  EXPECT_EQ(result.layers.size(), 1u) << "decoding is no layer";
  EXPECT_EQ(result.total.l2_l1_bytes, result.layers[0].l2_l1_bytes);
  return result;
}

host::LayerTraffic Layer(const std::vector<uint8_t>& file, int64_t tile_bytes) {
  return Traffic(file, tile_bytes).layers[0];
}

TEST(Traffic, PlainWeights) {
  const host::LayerTraffic layer = Layer(SixFilters({1, 2, 3, 4, 5, 6}, {}), 4);
  EXPECT_EQ(layer.type, "FULLY_CONNECTED");
  EXPECT_EQ(layer.l3_l2_plain_bytes, 6 + 24);
  EXPECT_EQ(layer.l3_l2_bytes, 6 + 24);
  EXPECT_EQ(layer.l2_l1_plain_bytes, 6 + 24 + 1);
  EXPECT_EQ(layer.l1_l2_bytes, 6);
  EXPECT_EQ(layer.tiles, 2 + 6) << "four weights fit, or one bias";
  EXPECT_EQ(layer.commands, 0);
  EXPECT_EQ(layer.unaligned_starts, 0);
}

TEST(Traffic, SparseTablesNeedTheOffsetsOfTheirTiles) {
  // FORMAT.md's example: S 2 S S 1 3, least significant bit first.
  const Bytes stream = {0xCA, 0x0E};
  const Bytes ancillary = {130, 1, 0, 0, 1, 2, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0, 10, 20, 30, 40};
  const host::LayerTraffic whole = Layer(SixFilters(stream, ancillary), 32);
  EXPECT_EQ(whole.l3_l2_plain_bytes, 6 + 24);
  EXPECT_EQ(whole.l3_l2_bytes, 2 + 4 + 24);
  EXPECT_EQ(whole.offset_bytes, 0);
  EXPECT_EQ(whole.lut_bytes, 4 * 2);
  EXPECT_EQ(whole.commands, 1);
  EXPECT_EQ(whole.unaligned_starts, 0);
  // Tiles of two begin at bits 0, 4 and 6.
  const host::LayerTraffic tiles = Layer(SixFilters(stream, ancillary), 2);
  EXPECT_EQ(tiles.offset_bytes, 3 * 4);
  EXPECT_EQ(tiles.l3_l2_bytes, 2 + 4 + 3 * 4 + 24);
  EXPECT_EQ(tiles.l2_l1_bytes, tiles.l3_l2_bytes + 1);
  EXPECT_EQ(tiles.unaligned_starts, 2);
  EXPECT_EQ(tiles.commands, 3);
}

TEST(Traffic, TilesOfTheFileCount) {
  // FORMAT.md's example with tiles of two filters.
  const Bytes stream = {0xCA, 0x0E};
  const Bytes ancillary = {130, 1,  0,  0,  1, 2, 0, 0, 4, 0, 2, 0, 9, 0, 0, 0,
                           10,  20, 30, 40, 0, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0};
  const host::LayerTraffic layer = Layer(SixFilters(stream, ancillary), 32);
  EXPECT_EQ(layer.tiles, 3 + 1);
  EXPECT_EQ(layer.offset_bytes, 3 * 4);
  EXPECT_EQ(layer.l3_l2_bytes, 2 + 4 + 3 * 4 + 24);
  EXPECT_EQ(layer.unaligned_starts, 2);
}

TEST(Traffic, OtherTablesDoNot) {
  // Indices 0 1 2 3 3 2 of two bits, most significant bit first.
  const Bytes stream = {0x1B, 0xE0};
  const Bytes ancillary = {0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 20, 30, 40};
  const host::LayerTraffic tiles = Layer(SixFilters(stream, ancillary), 2);
  EXPECT_EQ(tiles.l3_l2_bytes, 2 + 4 + 24);
  EXPECT_EQ(tiles.offset_bytes, 0);
  EXPECT_EQ(tiles.unaligned_starts, 2) << "bits 4 and 8";
}

TEST(Traffic, WhatTheEngineCannotReadIsNotCompressed) {
  // Prune: a bit for each element, and the values that remain.
  const host::TrafficResult traffic =
      Traffic(SixFilters({0xA4}, {2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7}), 32);
  const host::LayerTraffic& layer = traffic.layers[0];
  EXPECT_EQ(layer.l3_l2_bytes, 6 + 24);
  EXPECT_EQ(layer.lut_bytes, 0);
  EXPECT_EQ(layer.commands, 0);
  ASSERT_EQ(traffic.unread.size(), 1u);
  EXPECT_EQ(traffic.unread[0].index, 5) << "the decoded tensor";
  EXPECT_EQ(traffic.unread[0].codec, "prune");
  EXPECT_TRUE(
      Traffic(SixFilters({0x1B, 0xE0}, {0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 20, 30, 40}),
              32)
          .unread.empty());
}

}  // namespace
}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// Compares with bytes that other tools and chips write or read.

#include <gtest/gtest.h>

#include <numeric>

#include "compressor/encode/bit_writer.h"
#include "compressor/encode/elements.h"
#include "lutra/compression/decode.h"
#include "lutra/compression/lut_metadata.h"
#include "lutra/rule.h"
#include "runtime/compression/tiles.h"

namespace lutra::compressor {
namespace {

using Bytes = std::vector<uint8_t>;
using Items = std::vector<uint32_t>;

Bytes Pack(const Items& indices, int width) {
  return PackIndices(LutTables{.width = width, .indices = indices});
}

Bytes Int16Bytes(const std::vector<int>& values) {
  Bytes bytes;
  for (int value : values) Append(static_cast<uint16_t>(value), 2, &bytes);
  return bytes;
}

TEST(Vectors, IndicesMostSignificantBitFirst) {
  EXPECT_EQ(Pack({7, 0, 3, 2}, 3), (Bytes{0xE1, 0xA0}));
  EXPECT_EQ(Pack({1, 3, 3, 2, 4, 5, 0, 2, 1, 3}, 3), (Bytes{0x2D, 0xA9, 0x42, 0x2C}));
  EXPECT_EQ(Pack({2, 3, 3, 1, 0, 3, 0, 1, 2, 4}, 3), (Bytes{0x4D, 0x90, 0xC1, 0x50}));
  EXPECT_EQ(Pack({1, 2, 3, 0}, 4), (Bytes{0x12, 0x30}));
  EXPECT_EQ(Pack({0, 1, 2, 3}, 2), (Bytes{0x1B}));
  EXPECT_EQ(Pack({0, 1, 2, 3, 4, 5, 6, 7}, 3), (Bytes{0x05, 0x39, 0x77}));
  EXPECT_EQ(Pack({0, 1, 0, 1, 1, 0, 1, 0}, 1), (Bytes{0x5A}));
  EXPECT_EQ(Pack({0, 1, 2}, 2), (Bytes{0x18}));
  EXPECT_EQ(Pack({0, 1, 2, 3, 4, 5, 9, 8, 7, 6, 0, 1, 2, 3, 4}, 4),
            (Bytes{0x01, 0x23, 0x45, 0x98, 0x76, 0x01, 0x23, 0x40}));
}

TEST(Vectors, DecodeLut) {
  const Bytes bytes = {1, 2, 3, 4, 4, 3, 2, 1};
  const Encodable lut = EncodeLut({.type = TensorType::kInt8, .shape = {1, 2, 4}, .bytes = bytes});
  ASSERT_TRUE(lut.result) << lut.why_not;
  EXPECT_EQ(lut.result->encoded, (Bytes{0x1B, 0xE4}));
  EXPECT_EQ(lut.result->ancillary, (Bytes{0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}));

  const Bytes wide = Int16Bytes({5, 6, 7, 8, 8, 7, 6, 5});
  const Encodable lut16 = EncodeLut({.type = TensorType::kInt16, .shape = {1, 2, 4}, .bytes = wide});
  ASSERT_TRUE(lut16.result) << lut16.why_not;
  EXPECT_EQ(lut16.result->encoded, (Bytes{0x1B, 0xE4}));
  EXPECT_EQ(lut16.result->ancillary,
            (Bytes{0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 6, 0, 7, 0, 8, 0}));
}

TEST(Vectors, Prune) {
  const Bytes bytes = Int16Bytes({5, 0, 6, 0, 0, 7, 0, 8, 0, 5, 0, 6, 7, 0, 8, 0});
  const Encodable prune = EncodePrune({.type = TensorType::kInt16, .shape = {16}, .bytes = bytes});
  ASSERT_TRUE(prune.result) << prune.why_not;
  EXPECT_EQ(prune.result->encoded, (Bytes{0xA5, 0x5A}));
  Bytes ancillary = {2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const Bytes kept = Int16Bytes({5, 6, 7, 8, 5, 6, 7, 8});
  ancillary.insert(ancillary.end(), kept.begin(), kept.end());
  EXPECT_EQ(prune.result->ancillary, ancillary);
}

TEST(Vectors, PruneTakesTheChannelsZeroPoint) {
  // Channel 0 has zero point -128 and 40 elements, and so many has channel 1.
  Bytes bytes;
  for (int i = 0; i < 80; ++i) {
    const bool kept = ((i / 8 % 2 == 0 ? 0xA5 : 0x5A) >> (7 - i % 8) & 1) != 0;
    bytes.push_back(kept ? static_cast<uint8_t>(1 + i) : (i < 40 ? 0x80 : 0));
  }
  TensorValues values{.type = TensorType::kInt8, .shape = {2, 5, 8, 1}, .bytes = bytes};
  values.zero_points = {-128, 0};
  const Encodable prune = EncodePrune(values);
  ASSERT_TRUE(prune.result) << prune.why_not;
  EXPECT_EQ(prune.result->encoded, (Bytes{0xA5, 0x5A, 0xA5, 0x5A, 0xA5, 0x5A, 0xA5, 0x5A, 0xA5, 0x5A}));
  EXPECT_EQ(prune.result->ancillary.size(), 16u + 40u);
}

TEST(Vectors, GapBitPack) {
  const Items items = {30, 19, 27, 3,  28, 5,  27, 26, 4,  5,  23, 1,  22, 17, 24,
                       27, 26, 15, 28, 13, 22, 28, 24, 17, 11, 4,  24, 8,  12, 8};
  Bytes words;
  for (uint32_t word : {0xCBC1EE7Eu, 0x60DCA4D6u, 0xF1FADE23u, 0x8B8E3966u, 0x0010C460u}) {
    Append(word, 4, &words);
  }
  Bytes bytes(items.begin(), items.end());
  const Encodable pack = EncodeBitPack({.type = TensorType::kInt8, .shape = {30}, .bytes = bytes});
  ASSERT_TRUE(pack.result) << pack.why_not;
  EXPECT_EQ(pack.result->bits, 5);
  EXPECT_EQ(pack.result->encoded, Bytes(words.begin(), words.begin() + 19));  // 150 bits.
  EXPECT_EQ(pack.result->ancillary, (Bytes{128, 1, 0, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));

  const Bytes small = {1, 2, 3, 4, 5, 6, 7, 0};
  const Encodable three = EncodeBitPack({.type = TensorType::kInt8, .shape = {8}, .bytes = small});
  ASSERT_TRUE(three.result) << three.why_not;
  EXPECT_EQ(three.result->encoded, (Bytes{0xD1, 0x58, 0x1F}));
}

TEST(Vectors, GapLut) {
  const Bytes bytes = {10, 20, 30, 40};
  const Encodable lut = EncodeWideLut({.type = TensorType::kInt8, .shape = {4}, .bytes = bytes});
  ASSERT_TRUE(lut.result) << lut.why_not;
  EXPECT_EQ(lut.result->encoded, (Bytes{0xE4}));
  EXPECT_EQ(lut.result->ancillary, (Bytes{129, 1, 0, 0, 1, 2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 10, 20, 30, 40}));
}

TEST(Vectors, GapSparseLut) {
  const Items items = {kSpecialItem, 2, kSpecialItem, kSpecialItem, 1, 3};
  const auto pack = [&](BitOrder order, int start_bit) {
    BitWriter writer(order);
    writer.Put(0, start_bit);
    PutSparseItems(items, 2, &writer);
    return writer.bytes();
  };
  EXPECT_EQ(pack(BitOrder::kLsbFirst, 0), (Bytes{0xCA, 0x0E}));
  EXPECT_EQ(pack(BitOrder::kLsbFirst, 5), (Bytes{0x40, 0xD9, 0x01}));
  EXPECT_EQ(pack(BitOrder::kMsbFirst, 0), (Bytes{0x62, 0xF0}));

  // The encoder gives these bits, too: -5 is the special symbol, and the table 1, 2, 3 has no unused entry.
  const Bytes bytes = {0xFB, 2, 0xFB, 0xFB, 1, 3};
  const Encodable sparse = EncodeSparseLut({.type = TensorType::kInt8, .shape = {6}, .bytes = bytes},
                                           {.order = BitOrder::kMsbFirst});
  ASSERT_TRUE(sparse.result) << sparse.why_not;
  EXPECT_EQ(sparse.result->encoded, (Bytes{0b01010010, 0b01100000}));
  EXPECT_EQ(sparse.result->ancillary, (Bytes{130, 1, 0, 0, 1, 2, 1, 0, 3, 0, 0, 0, 0xFB, 0, 0, 0, 1, 2, 3}));
}

TEST(Vectors, GapSparseLutSaysWhereTilesBegin) {
  const Bytes bytes = {9, 30, 9, 9, 20, 40};
  const TensorValues values = {.type = TensorType::kInt8, .shape = {6, 1}, .bytes = bytes};
  const Encodable whole = EncodeSparseLut(values), tiled = EncodeSparseLut(values, {.tile_rows = 2});
  ASSERT_TRUE(whole.result && tiled.result);
  EXPECT_EQ(tiled.result->encoded, whole.result->encoded);
  // The items are S 1 S S 0 2 of two bits: tiles begin at bits 0, 4 and 6; the table of three is padded to
  // four bytes.
  EXPECT_EQ(tiled.result->ancillary, (Bytes{130, 1,  0,  0, 1, 2, 0, 0, 3, 0, 2, 0, 9, 0, 0, 0,
                                            20,  30, 40, 0, 0, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0}));
  const Tiles tiles = ReadTiles({tiled.result->ancillary.data(), tiled.result->ancillary.size()}, 1,
                                Shape{.rank = 2, .dims = {6, 1}});
  EXPECT_EQ(tiles.rows, 2);
  ASSERT_EQ(tiles.count, 3);
  EXPECT_EQ(tiles.first_bit(1), 4u);
  EXPECT_EQ(tiles.first_bit(2), 6u);
  // Ancillary data that are cut short, or of one tile, have no tiles.
  EXPECT_EQ(ReadTiles({tiled.result->ancillary.data(), 28}, 1, Shape{.rank = 2, .dims = {6, 1}}).rows, 0);
  EXPECT_EQ(EncodeSparseLut(values, {.tile_rows = 6}).result->ancillary, whole.result->ancillary);
}

// Tests the examples of FORMAT.md that no other tool gives.

TEST(FormatExamples, BothBitOrders) {
  BitWriter msb_first(BitOrder::kMsbFirst);
  PutItems(Items{7, 0, 3, 2}, 3, &msb_first);
  EXPECT_EQ(msb_first.bytes(), (Bytes{0xE1, 0xA0}));
  BitWriter lsb_first(BitOrder::kLsbFirst);
  PutItems(Items{7, 0, 3, 2}, 3, &lsb_first);
  EXPECT_EQ(lsb_first.bytes(), (Bytes{0xC7, 0x04}));
}

TEST(FormatExamples, HuffmanLut) {
  const Bytes bytes = {4, 4, 4, 9};
  const Encodable coded = EncodeHuffmanLut({.type = TensorType::kInt8, .shape = {4}, .bytes = bytes});
  ASSERT_TRUE(coded.result) << coded.why_not;
  EXPECT_EQ(coded.result->encoded, (Bytes{0x10, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(coded.result->ancillary, (Bytes{0x83, 1, 0, 0, 1, 0, 0x0F, 0, 2,    0,    0,    0,
                                            4,    0, 0, 0, 4, 9, 0,    0, 0x00, 0x88, 0x01, 0x88}));
}

TEST(FormatExamples, Metadata) {
  alignas(8) static constexpr uint8_t kBytes[] = {
      0x0C, 0, 0, 0, 0x08, 0, 0x08, 0, 0,    0, 0x04, 0,    0x08, 0, 0,    0, 0x04, 0, 0,    0,
      0x01, 0, 0, 0, 0x0C, 0, 0,    0, 0,    0, 0x06, 0,    0x08, 0, 4,    0, 0x06, 0, 0,    0,
      0x04, 0, 0, 0, 0x01, 0, 0,    0, 0x10, 0, 0,    0,    0,    0, 0x0A, 0, 0x10, 0, 0x08, 0,
      0x0C, 0, 7, 0, 0x0A, 0, 0,    0, 0,    0, 0,    0x03, 0x01, 0, 0,    0, 0x04, 0, 0,    0};
  static_assert(sizeof(kBytes) == 80);
  LutMetadata metadata;
  ASSERT_EQ(metadata.Read(kBytes), Rule::kNone);
  ASSERT_EQ(metadata.subgraph_count(), 1);
  ASSERT_EQ(metadata.tensor_count(0), 1);
  EXPECT_EQ(metadata.tensor(0, 0).tensor, 1);
  EXPECT_EQ(metadata.tensor(0, 0).value_buffer, 4u);
  EXPECT_EQ(metadata.tensor(0, 0).index_bitwidth, 3);
}

}  // namespace
}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Tests that the runtime decodes what was encoded.

#include "compressor/encode/encode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

#include "compressor/encode/elements.h"
#include "lutra/compression/decode.h"
#include "lutra/compression/encoding.h"
#include "lutra/compression/format.h"
#include "lutra/cpu.h"
#include "lutra/diagnosis_text.h"
#include "lutra/rule.h"

namespace lutra::compressor {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr TensorType kTypes[] = {TensorType::kBool,  TensorType::kInt8,  TensorType::kInt16,
                                 TensorType::kInt32, TensorType::kInt64, TensorType::kFloat32};

// Expects that decoding elements [first, first + count) alone gives the same as in the whole.
void ExpectPart(const Encoding& encoding, const Bytes& whole, int32_t first, int32_t count,
                StreamPosition* position) {
  const size_t element = encoding.element_bytes;
  std::vector<uint64_t> aligned(static_cast<size_t>(count) * element / 8 + 2, 0xC3C3C3C3C3C3C3C3u);
  DecodePart(encoding, CpuFeaturesHere(), first, count, position, aligned.data());
  const size_t bytes = static_cast<size_t>(count) * element;
  const auto* part = reinterpret_cast<const uint8_t*>(aligned.data());
  EXPECT_EQ(std::memcmp(part, whole.data() + static_cast<size_t>(first) * element, bytes), 0)
      << ToString(encoding.type) << " " << first << ", " << count << " of " << encoding.elements;
  EXPECT_EQ(part[bytes], 0xC3) << ToString(encoding.type) << ": more than " << count;
}

// Decodes parts in blocks, with gaps, and in descending order.
void ExpectParts(const Encoding& encoding, const Bytes& whole) {
  const int32_t all = encoding.elements;
  StreamPosition blocks;
  StreamPosition gaps;
  StreamPosition backwards;
  const int32_t block = all / 5 + 1;
  for (int32_t first = 0; first < all; first += block) {
    ExpectPart(encoding, whole, first, std::min(block, all - first), &blocks);
  }
  for (int32_t first = all / 7; first < all; first += block) ExpectPart(encoding, whole, first, 1, &gaps);
  for (int32_t first = all - 1; first >= 0; first -= block) {
    ExpectPart(encoding, whole, first, std::min(3, all - first), &backwards);
  }
}

// Returns the values that the runtime decodes.
Bytes Decoded(const TensorValues& values, const EncodedTensor& tensor) {
  TensorInfo info;
  info.type = values.type;
  info.shape.rank = static_cast<int32_t>(values.shape.size());
  std::copy(values.shape.begin(), values.shape.end(), info.shape.dims);
  info.bytes = static_cast<int32_t>(values.bytes.size());
  Bytes zero_points;
  for (int64_t zero_point : values.zero_points) Append(static_cast<uint64_t>(zero_point), 8, &zero_points);
  const Bytes scales(values.zero_points.size() * 4, 0);
  info.zero_points = {zero_points.data(), static_cast<int32_t>(values.zero_points.size())};
  info.scales = {scales.data(), static_cast<int32_t>(values.zero_points.size())};
  info.quantized_dimension = values.zero_point_axis;
  Encoding encoding;
  Fault fault = ReadDecodePair({tensor.encoded.data(), tensor.encoded.size()},
                               {tensor.ancillary.data(), tensor.ancillary.size()}, info, &encoding);
  if (fault.rule == Rule::kNone) fault = CheckContents(encoding);
  if (fault.rule != Rule::kNone) {
    ADD_FAILURE() << ToString(tensor.type) << ": " << Describe(fault.rule).name << ": " << fault.found << ", "
                  << fault.required;
    return {};
  }
  std::vector<uint64_t> aligned(values.bytes.size() / 8 + 1);
  Decode(encoding, CpuFeaturesHere(), aligned.data());
  const auto* bytes = reinterpret_cast<const uint8_t*>(aligned.data());
  const Bytes whole(bytes, bytes + values.bytes.size());
  ExpectParts(encoding, whole);
  return whole;
}

size_t Count(const std::vector<int32_t>& shape) {
  size_t count = 1;
  for (int32_t dim : shape) count *= static_cast<size_t>(dim);
  return count;
}

// Returns `count` elements of up to `distinct` values; the first value is more frequent than the rest.
Bytes Values(TensorType type, size_t count, size_t distinct, std::mt19937* random) {
  std::vector<uint64_t> pool = {0};
  if (type == TensorType::kFloat32) pool = {0, 0x80000000u, 0x7FC00001u, 0xFFC00000u, 0x7F800000u};
  while (pool.size() < distinct) {
    pool.push_back(type == TensorType::kBool || type == TensorType::kInt8
                       ? (type == TensorType::kBool ? 1 : pool.size() * 37 & 0xFF)
                       : uint64_t{(*random)()} << 32 | (*random)());
  }
  pool.resize(distinct);
  Bytes bytes;
  for (size_t i = 0; i < count; ++i) {
    const size_t pick = i < distinct ? i : (*random)() % 3 == 0 ? 0 : (*random)() % distinct;
    Append(pool[pick], ElementBytes(type), &bytes);
  }
  return bytes;
}

size_t Distinct(const TensorValues& values) {
  const Elements elements(values);
  std::set<uint64_t> all;
  for (size_t i = 0; i < elements.size(); ++i) all.insert(elements.bits(i));
  return all.size();
}

bool Expected(DecodeType codec, const TensorValues& values, size_t distinct) {
  const int bytes = ElementBytes(values.type);
  const bool is_integer = values.type != TensorType::kFloat32;
  switch (codec) {
    case DecodeType::kLut:
      return distinct <= 128;
    case DecodeType::kHuffman:
      return values.type == TensorType::kInt8 || values.type == TensorType::kInt16;
    case DecodeType::kPrune:
      return true;
    case DecodeType::kBitPack: {
      if (!is_integer || bytes == 8) return false;
      // 31 bits hold any value that is not negative, or, with a sign, the smaller half.
      bool unsigned_fits = true;
      bool signed_fits = true;
      const Elements elements(values);
      for (size_t i = 0; i < elements.size(); ++i) {
        const int64_t value = elements.integer(i);
        unsigned_fits = unsigned_fits && value >= 0;
        signed_fits = signed_fits && value >= -(1 << 30) && value < 1 << 30;
      }
      return unsigned_fits || signed_fits;
    }
    case DecodeType::kWideLut:
      return bytes < 8 && distinct <= 256;
    case DecodeType::kSparseLut:
      return bytes < 8 && distinct <= 257;
    case DecodeType::kHuffmanLut:
      return distinct <= 256;
  }
  return false;
}

TEST(Encode, EveryCodecOfEveryTypeIsLossless) {
  const std::vector<int32_t> shapes[] = {{}, {1}, {7}, {3, 5}, {4, 3, 40}, {2, 2, 3, 61}, {1, 1024}};
  std::mt19937 random(1);
  int coded = 0;
  int refused = 0;
  for (TensorType type : kTypes) {
    for (const std::vector<int32_t>& shape : shapes) {
      for (size_t distinct : {1, 2, 3, 5, 16, 17, 100, 128, 129, 256, 257, 258, 300}) {
        const Bytes bytes = Values(type, Count(shape), distinct, &random);
        const TensorValues values{.type = type, .shape = shape, .bytes = bytes};
        const size_t found = Distinct(values);
        for (const CodecFacts& codec : AllCodecs()) {
          SCOPED_TRACE(testing::Message()
                       << ToString(type) << " " << codec.name << " " << found << " of " << Count(shape));
          const Encodable encodable = Encode(codec.type, values);
          ASSERT_EQ(encodable.result.has_value(), Expected(codec.type, values, found)) << encodable.why_not;
          ASSERT_EQ(encodable.why_not.empty(), encodable.result.has_value());
          ++(encodable.result ? coded : refused);
          if (!encodable.result) continue;
          ASSERT_EQ(encodable.result->type, codec.type);
          ASSERT_EQ(Decoded(values, *encodable.result), bytes);
        }
      }
    }
  }
  EXPECT_EQ(coded + refused, 6 * 7 * 13 * static_cast<int>(AllCodecs().size()));
  EXPECT_GT(coded, 2000);
  printf("%d tensors coded, %d refused\n", coded, refused);
}

TEST(Encode, BothBitOrdersAreLossless) {
  std::mt19937 random(2);
  for (size_t distinct = 1; distinct <= 257; ++distinct) {
    const Bytes bytes = Values(TensorType::kInt16, 300, distinct, &random);
    const TensorValues values{.type = TensorType::kInt16, .shape = {300}, .bytes = bytes};
    for (BitOrder order : {BitOrder::kLsbFirst, BitOrder::kMsbFirst}) {
      for (const CodecFacts& codec : AllCodecs()) {
        if (!codec.either_bit_order) continue;
        const Encodable encodable = Encode(codec.type, values, {.order = order});
        if (!encodable.result) continue;
        ASSERT_EQ(Decoded(values, *encodable.result), bytes);
      }
    }
  }
}

TEST(Encode, TablesOfEveryAxisAreLossless) {
  std::mt19937 random(3);
  for (TensorType type : kTypes) {
    for (int axis = 0; axis < 4; ++axis) {
      const Bytes bytes = Values(type, 5 * 3 * 2 * 7, 40, &random);
      const TensorValues values{.type = type, .shape = {5, 3, 2, 7}, .bytes = bytes, .axis = axis};
      for (const Encodable& encodable :
           {EncodeLut(values), EncodeLut(values, {.width = 7}), EncodeHuffmanLut(values)}) {
        ASSERT_TRUE(encodable.result) << encodable.why_not;
        EXPECT_EQ(encodable.result->tables, values.shape[static_cast<size_t>(axis)]);
        ASSERT_EQ(Decoded(values, *encodable.result), bytes);
      }
    }
  }
}

TEST(Encode, EveryWidthOfPackedItems) {
  for (TensorType type : {TensorType::kInt8, TensorType::kInt16, TensorType::kInt32}) {
    for (int width = 1; width <= 8 * ElementBytes(type); ++width) {
      for (int64_t extreme : {(int64_t{1} << width) - 1, -(int64_t{1} << (width - 1))}) {
        if (extreme >= int64_t{1} << (8 * ElementBytes(type) - 1)) continue;
        Bytes bytes;
        for (int64_t value : {int64_t{0}, extreme, extreme / 2, extreme}) {
          Append(static_cast<uint64_t>(value), ElementBytes(type), &bytes);
        }
        const TensorValues values{.type = type, .shape = {4}, .bytes = bytes};
        const Encodable pack = EncodeBitPack(values);
        if (width == 32) {
          EXPECT_EQ(pack.why_not, "values of 32 bits, items have at most 31");
          continue;
        }
        ASSERT_TRUE(pack.result) << pack.why_not;
        EXPECT_EQ(pack.result->bits, width) << extreme;
        EXPECT_EQ(Decoded(values, *pack.result), bytes);
      }
    }
  }
}

TEST(Encode, PruneKnowsZeroPoints) {
  const Bytes bytes = {1, 2, 3, 1, 2, 9};
  TensorValues values{.type = TensorType::kInt8, .shape = {2, 3}, .bytes = bytes};
  const auto kept = [&] { return EncodePrune(values).result->ancillary.size() - kDecodeHeaderBytes; };
  EXPECT_EQ(kept(), 6u);
  values.zero_points = {1};
  values.zero_point_axis = 1;
  EXPECT_EQ(kept(), 4u);
  values.zero_points = {1, 2, 3};
  EXPECT_EQ(kept(), 1u);
  EXPECT_EQ(Decoded(values, *EncodePrune(values).result), bytes);
  values.zero_points = {3, 1};
  values.zero_point_axis = 0;
  EXPECT_EQ(kept(), 4u);
  EXPECT_EQ(Decoded(values, *EncodePrune(values).result), bytes);

  values.zero_points = {3, 1, 2};
  EXPECT_EQ(EncodePrune(values).why_not, "3 zero points for 2 channels");
  values.zero_points = {128, 1};
  EXPECT_EQ(EncodePrune(values).why_not, "zero point 128 is no int8");
  values.shape = {1, 3, 2};
  values.zero_points = {1, 2, 3};
  values.zero_point_axis = 1;
  EXPECT_EQ(EncodePrune(values).why_not,
            "zero points along dimension 1, only the first and the last can be pruned");
  values = {.type = TensorType::kInt16, .shape = {3}, .bytes = bytes, .zero_points = {1}};
  for (int64_t zero_point : {-1, 1}) {
    values.zero_points = {zero_point};
    EXPECT_EQ(EncodePrune(values).why_not, "pruned elements are 0 in this type, its zero point is not");
  }
}

TEST(Encode, PruneKeepsMinusZero) {
  Bytes bytes;
  for (uint32_t bits : {0u, 0x80000000u, 0u}) Append(bits, 4, &bytes);
  const TensorValues values{.type = TensorType::kFloat32, .shape = {3}, .bytes = bytes};
  EXPECT_EQ(EncodePrune(values).result->encoded, Bytes{0x40});
}

TEST(Encode, TablesAscend) {
  Bytes bytes;
  for (float value : {0.5f, -0.0f, -3.0f, 0.0f, 1e9f, -0.5f}) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    Append(bits, 4, &bytes);
  }
  std::string why_not;
  const auto floats =
      BuildLutTables({.type = TensorType::kFloat32, .shape = {6}, .bytes = bytes}, 128, &why_not);
  ASSERT_TRUE(floats) << why_not;
  EXPECT_EQ(floats->indices, (std::vector<uint32_t>{4, 2, 0, 3, 5, 1}));

  const Bytes integers = {5, 0xFF, 0, 0x80, 7, 7, 7, 7};
  const auto rows =
      BuildLutTables({.type = TensorType::kInt8, .shape = {2, 4}, .bytes = integers, .axis = 0}, 4, &why_not);
  ASSERT_TRUE(rows) << why_not;
  EXPECT_EQ(rows->values, (Bytes{0x80, 0xFF, 0, 5, 7, 0, 0, 0}));
  EXPECT_EQ(rows->stride, 4);
  EXPECT_EQ(rows->width, 2);
}

TEST(Encode, TheHeaderNamesTheAxis) {
  const Bytes bytes = {1, 2, 3, 4, 5, 6};
  TensorValues values{.type = TensorType::kInt8, .shape = {2, 3}, .bytes = bytes};
  EXPECT_EQ(EncodeLut(values).result->ancillary[kLutWidthByte], 0xF3);
  values.axis = 0;
  EXPECT_EQ(EncodeLut(values).result->ancillary[kLutWidthByte], 0x02);
  EXPECT_EQ(EncodeHuffmanLut(values).result->ancillary[kHuffmanLutAxisByte], 0);
  values.axis = 1;
  EXPECT_EQ(EncodeLut(values).result->ancillary[kLutWidthByte], 0x11);
  EXPECT_EQ(EncodeLut(values, {.width = 5}).result->ancillary[kLutWidthByte], 0x15);
  EXPECT_EQ(EncodeLut(values, {.width = 5}).result->encoded.size(), 4u);
}

TEST(Encode, NoTablesAlongAnAxisThatReadersMistake) {
  const Bytes bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  TensorValues values{.type = TensorType::kInt8, .shape = {3, 3}, .bytes = bytes, .axis = 0};
  values.zero_points = {0, 0, 0};
  values.zero_point_axis = 1;
  EXPECT_EQ(EncodeLut(values).why_not,
            "tables along dimension 0 would be taken for tables along 1, as the scales are");
  values.axis = 1;
  EXPECT_EQ(Decoded(values, *EncodeLut(values).result), bytes);
  values.axis = values.zero_point_axis = 0;
  EXPECT_EQ(Decoded(values, *EncodeLut(values).result), bytes);
  values.shape = {9, 1};
  values.axis = 0;
  values.zero_points = {0};
  values.zero_point_axis = 1;
  EXPECT_EQ(Decoded(values, *EncodeLut(values).result), bytes);
}

TEST(Encode, SaysWhyNot) {
  Bytes bytes(300);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  TensorValues values{.type = TensorType::kInt8, .shape = {300}, .bytes = bytes};
  EXPECT_EQ(EncodeLut(values).why_not,
            "more than 128 distinct values in one table, the most that 7 bits can name");
  EXPECT_EQ(EncodeLut(values, {.width = 8}).why_not, "indices have 1 to 7 bits, not 8");
  EXPECT_TRUE(EncodeWideLut(values).result);
  values.shape = {299};
  EXPECT_EQ(EncodeLut(values).why_not, "the buffer has 300 bytes, the tensor's shape needs 299");
  values.shape = {0, 300};
  EXPECT_EQ(EncodeHuffman(values).why_not, "the tensor is empty");
  values = {.type = TensorType::kComplex64, .shape = {300}, .bytes = bytes};
  for (const CodecFacts& codec : AllCodecs()) {
    EXPECT_EQ(Encode(codec.type, values).why_not, "no decoder of this format makes complex64");
  }
  values = {.type = TensorType::kInt8, .shape = {300}, .bytes = bytes, .axis = 1};
  EXPECT_EQ(EncodeLut(values).why_not, "no dimension 1 for the tables, the tensor has 1");
  const Bytes few = {1, 2, 3};
  EXPECT_EQ(EncodeLut({.type = TensorType::kInt8, .shape = {3}, .bytes = few}, {.width = 1}).why_not,
            "indices need 2 bits, only 1 are asked for");
}

}  // namespace
}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0

#include "lutra/kernels/lut_decode/lut_decode.h"

#include "runtime/testing/decode_test.h"
#include "runtime/testing/plain_decode.h"

namespace lutra {
namespace {

template <typename T>
struct Variants;
template <>
struct Variants<uint8_t> {
  static constexpr auto& kTable = kLutDecode8;
};
template <>
struct Variants<uint16_t> {
  static constexpr auto& kTable = kLutDecode16;
};
template <>
struct Variants<uint32_t> {
  static constexpr auto& kTable = kLutDecode32;
};
template <>
struct Variants<uint64_t> {
  static constexpr auto& kTable = kLutDecode64;
};

template <typename T>
class LutDecodeTest : public testing::Test {};
using ElementTypes = testing::Types<uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(LutDecodeTest, ElementTypes);

struct Problem {
  ByteList stream;
  ByteList values;
  Encoding encoding;

  template <typename T>
  Problem(T, std::mt19937* random, BitOrder order, int width, int channels, int inner, int elements)
      : stream(RandomBytes(random, (static_cast<size_t>(elements) * static_cast<size_t>(width) + 7) / 8)),
        values(RandomBytes(random, (sizeof(T) << width) * static_cast<size_t>(channels) + 1)) {
    encoding.order = order;
    encoding.element_bytes = sizeof(T);
    encoding.width = static_cast<uint8_t>(width);
    encoding.elements = elements;
    encoding.channels = channels;
    encoding.inner = inner;
    encoding.stream = {stream.data(), stream.size()};
    // At no alignment.
    encoding.lut = {values.data() + 1, values.size() - 1, 1 << width};
  }
  LutDecodeArgs Args(void* output) const {
    return {.stream = stream.data(),
            .stream_bytes = stream.size(),
            .order = encoding.order,
            .width = encoding.width,
            .values = encoding.lut.value_table,
            .stride = encoding.lut.value_table_channel_stride,
            .channels = encoding.channels,
            .inner = encoding.inner,
            .output = output};
  }
};

TYPED_TEST(LutDecodeTest, EveryWidthOrderLayoutAndRange) {
  std::mt19937 random(1);
  int cases = 0;
  for (const BitOrder order : {BitOrder::kMsbFirst, BitOrder::kLsbFirst}) {
    for (int width = 1; width <= 8; ++width) {
      for (const int channels : {1, 2, 3, 11}) {
        for (const int length : kDecodeLengths) {
          for (const int inner : {1, 3, length}) {
            const int elements = channels * length;
            const Problem problem(TypeParam{}, &random, order, width, channels, inner, elements);
            const ByteList expected = PlainDecode(problem.encoding);
            // All, and some part of it.
            const int first = static_cast<int>(random() % static_cast<unsigned>(elements));
            const int count = 1 + static_cast<int>(random() % static_cast<unsigned>(elements - first));
            for (const auto& variant : Variants<TypeParam>::kTable) {
              GuardedOutput whole(expected.size());
              variant.run(problem.Args(whole.data()), 0, elements);
              ASSERT_EQ(whole.Take(), expected) << variant.name << " width " << width << " channels "
                                                << channels << " inner " << inner << " length " << length;
              GuardedOutput part(static_cast<size_t>(count) * sizeof(TypeParam));
              variant.run(problem.Args(part.data()), first, count);
              const auto from = expected.begin() + static_cast<std::ptrdiff_t>(sizeof(TypeParam)) * first;
              ASSERT_EQ(part.Take(),
                        ByteList(from, from + static_cast<std::ptrdiff_t>(sizeof(TypeParam)) * count));
              ++cases;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(cases, 2 * 8 * 4 * 22 * 3);
}

// The worked examples of FORMAT.md.
TEST(LutDecode, ThreeBitsIntoOneTable) {
  const ByteList stream = {0x2D, 0xA9, 0x42, 0x2C};
  const ByteList values = {99, 2, 10, 4, 1, 7};
  for (const auto& variant : kLutDecode8) {
    GuardedOutput output(10);
    variant.run({.stream = stream.data(),
                 .stream_bytes = stream.size(),
                 .order = BitOrder::kMsbFirst,
                 .width = 3,
                 .values = values.data(),
                 .stride = 6,
                 .channels = 1,
                 .inner = 1,
                 .output = output.data()},
                0, 10);
    EXPECT_EQ(output.Take(), (ByteList{2, 4, 4, 10, 1, 7, 99, 10, 2, 4}));
  }
}

TEST(LutDecode, ThreeBitsIntoTwoTables) {
  const ByteList stream = {0x4D, 0x90, 0xC1, 0x50};
  const ByteList values = {1, 10, 2, 4, 0, 99, 10, 2, 7, 4};
  for (const auto& variant : kLutDecode8) {
    GuardedOutput output(10);
    variant.run({.stream = stream.data(),
                 .stream_bytes = stream.size(),
                 .order = BitOrder::kMsbFirst,
                 .width = 3,
                 .values = values.data(),
                 .stride = 5,
                 .channels = 2,
                 .inner = 5,
                 .output = output.data()},
                0, 10);
    // Indices 2 3 3 1 0 | 3 0 1 2 4.
    EXPECT_EQ(output.Take(), (ByteList{2, 4, 4, 10, 1, 7, 99, 10, 2, 4}));
  }
}

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Every variant against a decoder that takes one bit at a time.

#include "lutra/kernels/lut_decode/lut_decode.h"

#include <tuple>

#include "runtime/testing/decode_test.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/plain_decode.h"
#include "runtime/testing/sanitized.h"

namespace lutra {
namespace {

struct Problem {
  ByteList stream;
  ByteList values;
  Encoding encoding;

  // Tables have `gap` entries more than indices can name.
  template <typename T>
  Problem(T, std::mt19937* random, BitOrder order, int width, int channels, int inner, int elements,
          int gap = 0)
      : stream(RandomBytes(random, (static_cast<size_t>(elements) * static_cast<size_t>(width) + 7) / 8)),
        values(RandomBytes(random, sizeof(T) * static_cast<size_t>(((1 << width) + gap) * channels) + 1)) {
    encoding.order = order;
    encoding.element_bytes = sizeof(T);
    encoding.width = static_cast<uint8_t>(width);
    encoding.elements = elements;
    encoding.channels = channels;
    encoding.inner = inner;
    encoding.stream = {stream.data(), stream.size()};
    // The values have no alignment.
    encoding.lut = {values.data() + 1, values.size() - 1, (1 << width) + gap};
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

template <typename T, typename Kernel>
void CheckAll(const Kernel& run) {
  std::mt19937 random(1);
  int cases = 0;
  for (const BitOrder order : {BitOrder::kMsbFirst, BitOrder::kLsbFirst}) {
    for (int width = 1; width <= 8; ++width) {
      for (const int channels : {1, 3, 11}) {
        if (kSanitized && channels == 11) continue;
        for (const int length : kDecodeLengths) {
          for (const int inner : {1, 3, length}) {
            if (kSanitized && inner == 3) continue;
            const int elements = channels * length;
            const Problem problem(T{}, &random, order, width, channels, inner, elements);
            const ByteList expected = PlainDecode(problem.encoding);
            // Decodes all elements, and a part of them.
            const int first = static_cast<int>(random() % static_cast<unsigned>(elements));
            const int count = 1 + static_cast<int>(random() % static_cast<unsigned>(elements - first));
            GuardedOutput whole(expected.size());
            run(problem.Args(whole.data()), 0, elements);
            ASSERT_EQ(whole.Take(), expected) << "width " << width << " channels " << channels << " inner "
                                              << inner << " length " << length;
            GuardedOutput part(static_cast<size_t>(count) * sizeof(T));
            run(problem.Args(part.data()), first, count);
            const auto from = expected.begin() + static_cast<std::ptrdiff_t>(sizeof(T)) * first;
            ASSERT_EQ(part.Take(), ByteList(from, from + static_cast<std::ptrdiff_t>(sizeof(T)) * count));
            ++cases;
          }
        }
      }
    }
  }
  if (!kSanitized) {
    EXPECT_EQ(cases, 2 * 8 * 3 * kDecodeLengthCount * 3);
  }
}

class LutDecode8 : public KernelTest<LutDecodeFn> {};
TEST_P(LutDecode8, EveryWidthOrderLayoutAndRange) { CheckAll<uint8_t>(kernel()); }
LUTRA_TEST_TABLE(LutDecode8, kLutDecode<uint8_t>);

class LutDecode16 : public KernelTest<LutDecodeFn> {};
TEST_P(LutDecode16, EveryWidthOrderLayoutAndRange) { CheckAll<uint16_t>(kernel()); }
LUTRA_TEST_TABLE(LutDecode16, kLutDecode<uint16_t>);

class LutDecode32 : public KernelTest<LutDecodeFn> {};
TEST_P(LutDecode32, EveryWidthOrderLayoutAndRange) { CheckAll<uint32_t>(kernel()); }
LUTRA_TEST_TABLE(LutDecode32, kLutDecode<uint32_t>);

class LutDecode64 : public KernelTest<LutDecodeFn> {};
TEST_P(LutDecode64, EveryWidthOrderLayoutAndRange) { CheckAll<uint64_t>(kernel()); }
LUTRA_TEST_TABLE(LutDecode64, kLutDecode<uint64_t>);

// Streams, tables without the entries that no index names, and outputs end, or begin, beside memory that must
// not be touched.
template <typename T, typename Kernel>
void CheckEdges(const Kernel& run) {
  std::mt19937 random(3);
  int cases = 0;
  for (int width = 1; width <= 8; ++width) {
    for (const auto& [channels, inner, rows] : {std::tuple{1, 1, 700},
                                                {3, 100, 1},
                                                {9, 1, 5},
                                                {9, 1, 40},
                                                {64, 1, 9},
                                                {64, 48, 1},
                                                {5, 1, 9},
                                                {7, 64, 2}}) {
      const PageEdge::Side side = random() % 4 == 0 ? PageEdge::kBegin : PageEdge::kEnd;
      const BitOrder order = random() % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
      const int stride = 1 + static_cast<int>(random() % (1u << width));
      const int elements = channels * inner * rows;
      std::vector<uint32_t> indices(static_cast<size_t>(elements));
      for (uint32_t& index : indices) index = random() % static_cast<uint32_t>(stride);
      Encoding encoding;
      encoding.order = order;
      encoding.element_bytes = sizeof(T);
      encoding.width = static_cast<uint8_t>(width);
      encoding.elements = elements;
      encoding.channels = channels;
      encoding.inner = inner;
      const ByteList stream = PackFields(indices, width, order);
      const ByteList values = RandomBytes(&random, static_cast<size_t>(stride * channels) * sizeof(T));
      encoding.stream = {stream.data(), stream.size()};
      encoding.lut = {values.data(), values.size(), stride};
      const ByteList expected = PlainDecode(encoding);
      const EdgeBytes edge_stream(stream, side), edge_values(values, side);
      const int first = random() % 2 == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(elements));
      const ByteList wanted(expected.begin() + static_cast<std::ptrdiff_t>(sizeof(T)) * first,
                            expected.end());
      const EdgeBytes output(ByteList(wanted.size()), side);
      run({.stream = edge_stream.data(),
           .stream_bytes = stream.size(),
           .order = order,
           .width = width,
           .values = edge_values.data(),
           .stride = stride,
           .channels = channels,
           .inner = inner,
           .output = output.data()},
          first, elements - first);
      ASSERT_EQ(ByteList(output.data(), output.data() + wanted.size()), wanted)
          << "width " << width << " stride " << stride << " channels " << channels << " inner " << inner
          << " from " << first;
      ++cases;
    }
  }
  EXPECT_EQ(cases, 8 * 8);
}
TEST_P(LutDecode8, AtTheEdgesOfPages) { CheckEdges<uint8_t>(kernel()); }
TEST_P(LutDecode16, AtTheEdgesOfPages) { CheckEdges<uint16_t>(kernel()); }
TEST_P(LutDecode32, AtTheEdgesOfPages) { CheckEdges<uint32_t>(kernel()); }
TEST_P(LutDecode64, AtTheEdgesOfPages) { CheckEdges<uint64_t>(kernel()); }

// Lengths are 0 to more than twice the widest vector, with one table, with rows of three channels, and with a
// table for each 40 elements. One memory serves all: each case ends with it.
template <typename T, typename Kernel>
void CheckLengths(const Kernel& run) {
  constexpr int kMost = 130;
  std::mt19937 random(4);
  const PageEdge stream(kMost, PageEdge::kEnd), output(kMost * sizeof(T), PageEdge::kEnd);
  int cases = 0;
  for (int width = 1; width <= 8; ++width) {
    for (const auto& [channels, inner] : {std::pair{1, 1}, {3, 1}, {5, 40}}) {
      for (int length = 0; length <= kMost; ++length) {
        const BitOrder order = random() % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
        const Problem problem(T{}, &random, order, width, channels, inner, length);
        const EdgeBytes values(ByteList(problem.values.begin() + 1, problem.values.end()), PageEdge::kEnd);
        uint8_t* const in = stream.data() + kMost - problem.stream.size();
        std::copy(problem.stream.begin(), problem.stream.end(), in);
        uint8_t* const out = output.data() + static_cast<size_t>(kMost - length) * sizeof(T);
        LutDecodeArgs args = problem.Args(out);
        args.stream = in;
        args.values = values.data();
        run(args, 0, length);
        ASSERT_EQ(ByteList(out, out + static_cast<size_t>(length) * sizeof(T)), PlainDecode(problem.encoding))
            << "width " << width << " channels " << channels << " length " << length;
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 8 * 3 * (kMost + 1));
}
TEST_P(LutDecode8, EveryLength) { CheckLengths<uint8_t>(kernel()); }
TEST_P(LutDecode16, EveryLength) { CheckLengths<uint16_t>(kernel()); }
TEST_P(LutDecode32, EveryLength) { CheckLengths<uint32_t>(kernel()); }
TEST_P(LutDecode64, EveryLength) { CheckLengths<uint64_t>(kernel()); }

// Depthwise layers of networks: a table for each channel, and any range of rows.
TEST_P(LutDecode8, RowsOfManyChannels) {
  std::mt19937 random(2);
  for (const int channels : {7, 8, 9, 65, 128, 1000, 4096, 4097}) {
    for (const int rows : channels < 200 ? std::vector<int>{1, 8, 25} : std::vector<int>{2}) {
      for (int width = 1; width <= 8; ++width) {
        const BitOrder order = random() % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
        const int elements = channels * rows;
        const Problem problem(uint8_t{}, &random, order, width, channels, 1, elements, rows % 2 == 0 ? 3 : 0);
        const ByteList expected = PlainDecode(problem.encoding);
        for (const auto& [from, to] :
             {std::pair{0, elements}, {channels / 2, elements}, {0, elements - channels / 3}}) {
          GuardedOutput output(static_cast<size_t>(to - from));
          Run(problem.Args(output.data()), from, to - from);
          ASSERT_EQ(output.Take(), ByteList(expected.begin() + from, expected.begin() + to))
              << "width " << width << " channels " << channels << " rows " << rows << " from " << from;
        }
      }
    }
  }
}

// The worked examples of FORMAT.md.
TEST_P(LutDecode8, ThreeBitsIntoOneTable) {
  const ByteList stream = {0x2D, 0xA9, 0x42, 0x2C};
  const ByteList values = {99, 2, 10, 4, 1, 7};
  GuardedOutput output(10);
  Run({.stream = stream.data(),
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

TEST_P(LutDecode8, ThreeBitsIntoTwoTables) {
  const ByteList stream = {0x4D, 0x90, 0xC1, 0x50};
  const ByteList values = {1, 10, 2, 4, 0, 99, 10, 2, 7, 4};
  GuardedOutput output(10);
  Run({.stream = stream.data(),
       .stream_bytes = stream.size(),
       .order = BitOrder::kMsbFirst,
       .width = 3,
       .values = values.data(),
       .stride = 5,
       .channels = 2,
       .inner = 5,
       .output = output.data()},
      0, 10);
  // The indices are 2 3 3 1 0 | 3 0 1 2 4.
  EXPECT_EQ(output.Take(), (ByteList{2, 4, 4, 10, 1, 7, 99, 10, 2, 4}));
}

}  // namespace
}  // namespace lutra

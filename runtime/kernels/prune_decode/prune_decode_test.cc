// SPDX-License-Identifier: Apache-2.0
// Every variant against a decoder that takes one bit at a time.

#include "lutra/kernels/prune_decode/prune_decode.h"

#include "runtime/testing/decode_test.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/plain_decode.h"

namespace lutra {
namespace {

template <typename T, typename Kernel>
void CheckAll(const Kernel& run) {
  std::mt19937 random(1);
  int cases = 0;
  for (const int channels : {1, 2, 5}) {
    for (const int length : kDecodeLengths) {
      for (const int inner : {1, 3, length}) {
        for (const bool with_zero_points : {false, true}) {
          const int elements = channels * length;
          const ByteList map = RandomBytes(&random, static_cast<size_t>(elements + 7) / 8);
          const ByteList values = RandomBytes(&random, static_cast<size_t>(elements) * sizeof(T) + 1);
          ByteList zero_points(8 * static_cast<size_t>(channels), 0);
          for (int c = 0; c < channels; ++c)
            zero_points[8 * static_cast<size_t>(c)] = static_cast<uint8_t>(100 - c);
          Encoding encoding;
          encoding.type = DecodeType::kPrune;
          encoding.element_bytes = sizeof(T);
          encoding.elements = elements;
          encoding.channels = channels;
          encoding.inner = inner;
          encoding.stream = {map.data(), map.size()};
          encoding.kept = {values.data() + 1, values.size() - 1};
          if (with_zero_points) encoding.zero_points = {zero_points.data(), channels};
          const ByteList expected = PlainDecode(encoding);
          GuardedOutput output(expected.size());
          run({.map = map.data(),
               .values = values.data() + 1,
               .zero_points = encoding.zero_points,
               .channels = channels,
               .inner = inner,
               .count = elements,
               .output = output.data()});
          ASSERT_EQ(output.Take(), expected) << "channels " << channels << " length " << length;
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, 3 * kDecodeLengthCount * 3 * 2);
}

class PruneDecode8 : public KernelTest<PruneDecodeFn> {};
TEST_P(PruneDecode8, EveryLayout) { CheckAll<uint8_t>(kernel()); }
LUTRA_TEST_TABLE(PruneDecode8, kPruneDecode<uint8_t>);

class PruneDecode16 : public KernelTest<PruneDecodeFn> {};
TEST_P(PruneDecode16, EveryLayout) { CheckAll<uint16_t>(kernel()); }
LUTRA_TEST_TABLE(PruneDecode16, kPruneDecode<uint16_t>);

class PruneDecode32 : public KernelTest<PruneDecodeFn> {};
TEST_P(PruneDecode32, EveryLayout) { CheckAll<uint32_t>(kernel()); }
LUTRA_TEST_TABLE(PruneDecode32, kPruneDecode<uint32_t>);

class PruneDecode64 : public KernelTest<PruneDecodeFn> {};
TEST_P(PruneDecode64, EveryLayout) { CheckAll<uint64_t>(kernel()); }
LUTRA_TEST_TABLE(PruneDecode64, kPruneDecode<uint64_t>);

// Few elements are kept, half, or all, with one zero point for all channels; map, values and output end
// beside memory that must not be touched.
template <typename T, typename Kernel>
void CheckEdges(const Kernel& run) {
  std::mt19937 random(2);
  for (const int elements : {1, 7, 8, 9, 16, 63, 64, 65, 100, 127, 128, 129, 192, 1000, 4096, 5003}) {
    for (const uint32_t kept_of_8 : {0u, 1u, 4u, 7u, 8u}) {
      ByteList map(static_cast<size_t>(elements + 7) / 8);
      size_t kept = 0;
      for (int i = 0; i < elements; ++i) {
        if (random() % 8 >= kept_of_8) continue;
        map[static_cast<size_t>(i) / 8] |= static_cast<uint8_t>(0x80 >> i % 8);
        ++kept;
      }
      // Bits behind the last element are ignored.
      if (elements % 8 != 0)
        map.back() = static_cast<uint8_t>(map.back() | (random() & 0xFFu >> elements % 8));
      const ByteList values = RandomBytes(&random, kept * sizeof(T));
      const ByteList zero_points = {0x85, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                    0x85, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
      Encoding encoding;
      encoding.type = DecodeType::kPrune;
      encoding.element_bytes = sizeof(T);
      encoding.elements = elements;
      encoding.channels = 2;
      encoding.inner = 3;
      encoding.stream = {map.data(), map.size()};
      encoding.kept = {values.data(), values.size()};
      if (random() % 2 == 0) encoding.zero_points = {zero_points.data(), 2};
      const ByteList expected = PlainDecode(encoding);
      const EdgeBytes edge_map(map, PageEdge::kEnd), edge_values(values, PageEdge::kEnd);
      const EdgeBytes output(ByteList(expected.size()), PageEdge::kEnd);
      run({.map = edge_map.data(),
           .values = edge_values.data(),
           .zero_points = encoding.zero_points,
           .channels = 2,
           .inner = 3,
           .count = elements,
           .output = output.data()});
      ASSERT_EQ(ByteList(output.data(), output.data() + expected.size()), expected)
          << elements << " elements, of 8 " << kept_of_8 << " kept";
    }
  }
}
TEST_P(PruneDecode8, AtTheEdgesOfPages) { CheckEdges<uint8_t>(kernel()); }
TEST_P(PruneDecode16, AtTheEdgesOfPages) { CheckEdges<uint16_t>(kernel()); }
TEST_P(PruneDecode32, AtTheEdgesOfPages) { CheckEdges<uint32_t>(kernel()); }
TEST_P(PruneDecode64, AtTheEdgesOfPages) { CheckEdges<uint64_t>(kernel()); }

TEST_P(PruneDecode16, TheExample) {
  const ByteList map = {0xA5, 0x5A};
  const ByteList values = {5, 0, 6, 0, 7, 0, 8, 0, 5, 0, 6, 0, 7, 0, 8, 0};
  const uint16_t expected[] = {5, 0, 6, 0, 0, 7, 0, 8, 0, 5, 0, 6, 7, 0, 8, 0};
  uint16_t output[16];
  Run({.map = map.data(),
       .values = values.data(),
       .zero_points = {},
       .channels = 1,
       .inner = 1,
       .count = 16,
       .output = output});
  for (int i = 0; i < 16; ++i) EXPECT_EQ(output[i], expected[i]) << i;
}

}  // namespace
}  // namespace lutra

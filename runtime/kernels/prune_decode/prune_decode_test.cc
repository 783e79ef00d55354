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
LUTRA_TEST_TABLE(PruneDecode8, kPruneDecode8);

class PruneDecode16 : public KernelTest<PruneDecodeFn> {};
TEST_P(PruneDecode16, EveryLayout) { CheckAll<uint16_t>(kernel()); }
LUTRA_TEST_TABLE(PruneDecode16, kPruneDecode16);

class PruneDecode32 : public KernelTest<PruneDecodeFn> {};
TEST_P(PruneDecode32, EveryLayout) { CheckAll<uint32_t>(kernel()); }
LUTRA_TEST_TABLE(PruneDecode32, kPruneDecode32);

class PruneDecode64 : public KernelTest<PruneDecodeFn> {};
TEST_P(PruneDecode64, EveryLayout) { CheckAll<uint64_t>(kernel()); }
LUTRA_TEST_TABLE(PruneDecode64, kPruneDecode64);

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

// SPDX-License-Identifier: Apache-2.0
// Every variant against a decoder that takes one bit at a time.

#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"

#include "runtime/testing/decode_test.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/plain_decode.h"

namespace lutra {
namespace {

template <typename Kernel>
void CheckAll(const Kernel& run, size_t element_bytes) {
  std::mt19937 random(1);
  int cases = 0;
  for (const BitOrder order : {BitOrder::kMsbFirst, BitOrder::kLsbFirst}) {
    for (int width = 1; width <= 8; ++width) {
      for (const int elements : kDecodeLengths) {
        const ByteList values = RandomBytes(&random, (element_bytes << width) + 1);
        Encoding encoding;
        encoding.type = DecodeType::kSparseLut;
        encoding.order = order;
        encoding.element_bytes = static_cast<uint8_t>(element_bytes);
        encoding.width = static_cast<uint8_t>(width);
        encoding.elements = elements;
        encoding.special = 0xABBAABBA;
        encoding.lut = {values.data() + 1, values.size() - 1, 1 << width};
        // Missing bits count as 0: special symbols.
        const ByteList stream = RandomBytes(&random, 1 + random() % static_cast<unsigned>(elements));
        encoding.stream = {stream.data(), stream.size()};
        const ByteList expected = PlainDecode(encoding);
        GuardedOutput output(expected.size());
        run({.stream = stream.data(),
             .stream_bytes = stream.size(),
             .order = order,
             .width = width,
             .first_bit = 0,
             .values = values.data() + 1,
             .special = 0xABBAABBA,
             .count = elements,
             .output = output.data()});
        ASSERT_EQ(output.Take(), expected) << "width " << width << " elements " << elements;
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 2 * 8 * kDecodeLengthCount);
}

class SparseLutDecode8 : public KernelTest<SparseLutDecodeFn> {};
TEST_P(SparseLutDecode8, EveryWidth) { CheckAll(kernel(), 1); }
LUTRA_TEST_TABLE(SparseLutDecode8, kSparseLutDecode<uint8_t>);

class SparseLutDecode16 : public KernelTest<SparseLutDecodeFn> {};
TEST_P(SparseLutDecode16, EveryWidth) { CheckAll(kernel(), 2); }
LUTRA_TEST_TABLE(SparseLutDecode16, kSparseLutDecode<uint16_t>);

class SparseLutDecode32 : public KernelTest<SparseLutDecodeFn> {};
TEST_P(SparseLutDecode32, EveryWidth) { CheckAll(kernel(), 4); }
LUTRA_TEST_TABLE(SparseLutDecode32, kSparseLutDecode<uint32_t>);

// S 2 S S 1 3 in indices of two bits, in both orders, and behind five other bits.
TEST_P(SparseLutDecode8, TheExampleInBothOrders) {
  struct Example {
    ByteList stream;
    BitOrder order;
    int32_t first_bit;
  };
  const Example examples[] = {{{0xCA, 0x0E}, BitOrder::kLsbFirst, 0},
                              {{0x40, 0xD9, 0x01}, BitOrder::kLsbFirst, 5},
                              {{0x62, 0xF0}, BitOrder::kMsbFirst, 0}};
  const ByteList values = {10, 20, 30, 40};
  for (const Example& example : examples) {
    GuardedOutput output(6);
    Run({.stream = example.stream.data(),
         .stream_bytes = example.stream.size(),
         .order = example.order,
         .width = 2,
         .first_bit = example.first_bit,
         .values = values.data(),
         .special = 0xABBAABBA,
         .count = 6,
         .output = output.data()});
    EXPECT_EQ(output.Take(), (ByteList{0xBA, 30, 0xBA, 0xBA, 20, 40}));
  }
}

}  // namespace
}  // namespace lutra

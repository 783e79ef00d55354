// SPDX-License-Identifier: Apache-2.0
// Every variant against a decoder that takes one bit at a time.

#include "lutra/kernels/bit_unpack/bit_unpack.h"

#include <algorithm>

#include "runtime/testing/decode_test.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/plain_decode.h"

namespace lutra {
namespace {

// Returns the stream without its first `skipped` bits.
ByteList WithoutBits(const ByteList& stream, int skipped, BitOrder order) {
  std::vector<uint32_t> bits;
  for (const uint8_t byte : stream) {
    for (int k = 0; k < 8; ++k) bits.push_back(byte >> (order == BitOrder::kMsbFirst ? 7 - k : k) & 1);
  }
  bits.erase(bits.begin(), bits.begin() + std::min(skipped, static_cast<int>(bits.size())));
  return PackFields(bits, 1, order);
}

template <typename Kernel>
void CheckAll(const Kernel& run, int element_bytes) {
  std::mt19937 random(1);
  int cases = 0;
  for (const BitOrder order : {BitOrder::kMsbFirst, BitOrder::kLsbFirst}) {
    for (int width = 1; width <= 31; ++width) {
      for (const bool sign_extend : {false, true}) {
        for (const int elements : kDecodeLengths) {
          const ByteList stream = RandomBytes(&random, static_cast<size_t>((elements * width + 7) / 8));
          Encoding encoding;
          encoding.type = DecodeType::kBitPack;
          encoding.order = order;
          encoding.element_bytes = static_cast<uint8_t>(element_bytes);
          encoding.width = static_cast<uint8_t>(width);
          encoding.sign_extend = sign_extend;
          encoding.elements = elements;
          encoding.stream = {stream.data(), stream.size()};
          const ByteList expected = PlainDecode(encoding);
          const int first = static_cast<int>(random() % static_cast<unsigned>(elements));
          GuardedOutput output(expected.size() - static_cast<size_t>(first * element_bytes));
          run({.stream = stream.data(),
               .stream_bytes = stream.size(),
               .order = order,
               .width = width,
               .sign_extend = sign_extend,
               .first_bit = 0,
               .output = output.data()},
              first, elements - first);
          ASSERT_EQ(output.Take(), ByteList(expected.begin() + first * element_bytes, expected.end()))
              << "width " << width << " elements " << elements;
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, 2 * 31 * 2 * kDecodeLengthCount);
}

class BitUnpack8 : public KernelTest<BitUnpackFn> {};
TEST_P(BitUnpack8, EveryWidth) { CheckAll(kernel(), 1); }
LUTRA_TEST_TABLE(BitUnpack8, kBitUnpack<uint8_t>);

class BitUnpack16 : public KernelTest<BitUnpackFn> {};
TEST_P(BitUnpack16, EveryWidth) { CheckAll(kernel(), 2); }
LUTRA_TEST_TABLE(BitUnpack16, kBitUnpack<uint16_t>);

class BitUnpack32 : public KernelTest<BitUnpackFn> {};
TEST_P(BitUnpack32, EveryWidth) { CheckAll(kernel(), 4); }
LUTRA_TEST_TABLE(BitUnpack32, kBitUnpack<uint32_t>);

// Lengths are 0 to more than twice the widest vector, from any bit on, and nothing behind stream and output
// may be touched; missing bytes at a stream's end count as zeros.
template <typename Kernel>
void CheckLengths(const Kernel& run, int element_bytes) {
  constexpr int kMost = 130;
  std::mt19937 random(2);
  const PageEdge stream(4 * kMost + 4, PageEdge::kEnd);
  const PageEdge output(static_cast<size_t>(kMost * element_bytes), PageEdge::kEnd);
  for (int width = 1; width <= 31; ++width) {
    for (int length = 0; length <= kMost; ++length) {
      const auto skipped = static_cast<int>(random() % 32);
      const int missing = random() % 4 == 0 ? static_cast<int>(random() % 9) : 0;
      const int bytes = std::max(1, (skipped + length * width + 7) / 8 - missing);
      const ByteList stored = RandomBytes(&random, static_cast<size_t>(bytes));
      const BitOrder order = random() % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
      Encoding encoding;
      encoding.type = DecodeType::kBitPack;
      encoding.order = order;
      encoding.element_bytes = static_cast<uint8_t>(element_bytes);
      encoding.width = static_cast<uint8_t>(width);
      encoding.sign_extend = random() % 2 == 0;
      encoding.elements = length;
      const ByteList from_bit = WithoutBits(stored, skipped, order);
      encoding.stream = {from_bit.data(), from_bit.size()};
      uint8_t* const in = stream.data() + 4 * kMost + 4 - bytes;
      std::copy(stored.begin(), stored.end(), in);
      uint8_t* const out = output.data() + (kMost - length) * element_bytes;
      run({.stream = in,
           .stream_bytes = stored.size(),
           .order = order,
           .width = width,
           .sign_extend = encoding.sign_extend,
           .first_bit = skipped,
           .output = out},
          0, length);
      ASSERT_EQ(ByteList(out, out + length * element_bytes), PlainDecode(encoding))
          << "width " << width << " length " << length << " from bit " << skipped << ", missing " << missing;
    }
  }
}
TEST_P(BitUnpack8, EveryLength) { CheckLengths(kernel(), 1); }
TEST_P(BitUnpack16, EveryLength) { CheckLengths(kernel(), 2); }
TEST_P(BitUnpack32, EveryLength) { CheckLengths(kernel(), 4); }

// GAP9's own test of its engine has these 30 items of 5 bits.
TEST_P(BitUnpack16, TheVectorOfTheHardware) {
  const uint32_t words[] = {0xCBC1EE7E, 0x60DCA4D6, 0xF1FADE23, 0x8B8E3966, 0x0010C460};
  ByteList stream;
  for (const uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) stream.push_back(static_cast<uint8_t>(word >> shift));
  }
  const uint16_t expected[] = {30, 19, 27, 3,  28, 5,  27, 26, 4,  5,  23, 1,  22, 17, 24,
                               27, 26, 15, 28, 13, 22, 28, 24, 17, 11, 4,  24, 8,  12, 8};
  uint16_t output[30];
  Run({.stream = stream.data(),
       .stream_bytes = stream.size(),
       .order = BitOrder::kLsbFirst,
       .width = 5,
       .sign_extend = false,
       .first_bit = 0,
       .output = output},
      0, 30);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(output[i], expected[i]) << i;
}

TEST_P(BitUnpack8, StartsAtAnyBit) {
  // The values 1 to 7 have three bits each, behind `first_bit` ones.
  for (int first_bit = 0; first_bit < 32; ++first_bit) {
    uint64_t bits = (uint64_t{1} << first_bit) - 1;
    for (uint64_t i = 0; i < 7; ++i) bits |= (i + 1) << (static_cast<uint64_t>(first_bit) + 3 * i);
    ByteList stream;
    for (int at = 0; at < (first_bit + 21 + 7) / 8; ++at)
      stream.push_back(static_cast<uint8_t>(bits >> (8 * at)));
    GuardedOutput output(7);
    Run({.stream = stream.data(),
         .stream_bytes = stream.size(),
         .order = BitOrder::kLsbFirst,
         .width = 3,
         .sign_extend = false,
         .first_bit = first_bit,
         .output = output.data()},
        0, 7);
    EXPECT_EQ(output.Take(), (ByteList{1, 2, 3, 4, 5, 6, 7})) << first_bit;
  }
}

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Every variant against a decoder that takes one bit at a time.

#include "lutra/kernels/huffman_decode/huffman_decode.h"

#include <cstring>
#include <string>

#include "runtime/testing/decode_test.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/plain_decode.h"

namespace lutra {
namespace {

// Sixteen letters in codes of three to six bits; lookups of three bits, then one to three more.
const uint16_t kLetterEntries[] = {0x986D, 0x9861, 0x986A, 0x0005, 0x0806, 0x0809, 0x000E, 0x000F,
                                   0x886F, 0x8868, 0x8864, 0x8864, 0x9069, 0x9066, 0x8863, 0x8863,
                                   0x0002, 0x906B, 0x8867, 0x886C, 0x8865, 0x8862, 0x8870, 0x886E};
const ByteList kLetterStream = {0xF0, 0x0D, 0x79, 0xFC, 0x9C, 0x1A, 0x6E, 0x4C, 0x32, 0xAF, 0x29,
                                0xB3, 0x5D, 0xF6, 0x36, 0x02, 0x50, 0x15, 0x8C, 0xA7, 0x95, 0xDB,
                                0x29, 0x68, 0x3F, 0xBA, 0xB7, 0xED, 0xB1, 0x19, 0xE2, 0xE0};
constexpr char kLetters[] = "nmmacnanefdacopjomeckifookhbdbdmjjdmjgojfecpbiibmanbbjbnlgjafejp";

// The entries in 16 or, with the count and the leaf bit moved up, 32 bits.
ByteList EntryBytes(bool wide) {
  ByteList bytes;
  for (const uint32_t entry : kLetterEntries) {
    const uint32_t value = wide ? (entry >> 11) << 27 | (entry & 0x7FF) : entry;
    for (int shift = 0; shift < (wide ? 32 : 16); shift += 8)
      bytes.push_back(static_cast<uint8_t>(value >> shift));
  }
  return bytes;
}

HuffmanDecodeArgs LetterArgs(const ByteList& codes, bool wide, void* output) {
  HuffmanDecodeArgs args = {};
  args.stream = kLetterStream.data();
  args.stream_bytes = kLetterStream.size();
  args.codes = codes.data();
  args.wide_codes = wide;
  args.first_bits = 3;
  args.count = 64;
  args.output = output;
  return args;
}

class HuffmanDecode8 : public KernelTest<HuffmanDecodeFn> {};
TEST_P(HuffmanDecode8, Letters) {
  for (const bool wide : {false, true}) {
    const ByteList codes = EntryBytes(wide);
    GuardedOutput output(64);
    Run(LetterArgs(codes, wide, output.data()));
    const ByteList bytes = output.Take();
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), kLetters);
  }
}
LUTRA_TEST_TABLE(HuffmanDecode8, kHuffmanDecode8);

class HuffmanDecode16 : public KernelTest<HuffmanDecodeFn> {};
TEST_P(HuffmanDecode16, Letters) {
  for (const bool wide : {false, true}) {
    const ByteList codes = EntryBytes(wide);
    GuardedOutput output(128);
    Run(LetterArgs(codes, wide, output.data()));
    const ByteList bytes = output.Take();
    for (size_t i = 0; i < 64; ++i) {
      uint16_t letter = 0;
      std::memcpy(&letter, &bytes[2 * i], sizeof(letter));
      EXPECT_EQ(letter, kLetters[i]) << i;
    }
  }
}
LUTRA_TEST_TABLE(HuffmanDecode16, kHuffmanDecode16);

// The letters as indices into tables, for every size of element and every layout.
template <typename T, typename Kernel>
void CheckLut(const Kernel& run) {
  std::mt19937 random(1);
  const ByteList codes = EntryBytes(false);
  for (const auto& [channels, inner] :
       {std::pair{1, 64}, std::pair{4, 16}, std::pair{4, 1}, std::pair{2, 4}, std::pair{64, 1}}) {
    const ByteList values = RandomBytes(&random, 256 * sizeof(T) * static_cast<size_t>(channels));
    Encoding encoding;
    encoding.type = DecodeType::kHuffmanLut;
    encoding.element_bytes = sizeof(T);
    encoding.width = 3;
    encoding.elements = 64;
    encoding.channels = channels;
    encoding.inner = inner;
    encoding.stream = {kLetterStream.data(), kLetterStream.size()};
    encoding.codes = {codes.data(), codes.size()};
    encoding.lut = {values.data(), values.size(), 256};
    const ByteList expected = PlainDecode(encoding);
    GuardedOutput output(expected.size());
    HuffmanDecodeArgs args = LetterArgs(codes, false, output.data());
    args.values = values.data();
    args.stride = 256;
    args.channels = channels;
    args.inner = inner;
    run(args);
    EXPECT_EQ(output.Take(), expected) << channels << " " << inner;
  }
}

class HuffmanLutDecode8 : public KernelTest<HuffmanDecodeFn> {};
TEST_P(HuffmanLutDecode8, EveryLayout) { CheckLut<uint8_t>(kernel()); }
LUTRA_TEST_TABLE(HuffmanLutDecode8, kHuffmanLutDecode8);

class HuffmanLutDecode16 : public KernelTest<HuffmanDecodeFn> {};
TEST_P(HuffmanLutDecode16, EveryLayout) { CheckLut<uint16_t>(kernel()); }
LUTRA_TEST_TABLE(HuffmanLutDecode16, kHuffmanLutDecode16);

class HuffmanLutDecode32 : public KernelTest<HuffmanDecodeFn> {};
TEST_P(HuffmanLutDecode32, EveryLayout) { CheckLut<uint32_t>(kernel()); }
LUTRA_TEST_TABLE(HuffmanLutDecode32, kHuffmanLutDecode32);

class HuffmanLutDecode64 : public KernelTest<HuffmanDecodeFn> {};
TEST_P(HuffmanLutDecode64, EveryLayout) { CheckLut<uint64_t>(kernel()); }
LUTRA_TEST_TABLE(HuffmanLutDecode64, kHuffmanLutDecode64);

// A code that ends with the stream's last bit, fetched by a lookup that would reach beyond it.
TEST_P(HuffmanDecode8, ReadsNothingBehindTheStream) {
  // 0 is A; 1 is B; lookups of eight bits.
  ByteList codes;
  for (int bits = 0; bits < 256; ++bits) {
    codes.push_back(bits < 128 ? 'A' : 'B');
    codes.push_back(0x88);
  }
  const ByteList stream = {0x00, 0xFF, 0x00, 0x0F};
  GuardedOutput output(32);
  HuffmanDecodeArgs args = {};
  args.stream = stream.data();
  args.stream_bytes = stream.size();
  args.codes = codes.data();
  args.first_bits = 8;
  args.count = 32;
  args.output = output.data();
  Run(args);
  const ByteList bytes = output.Take();
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "AAAAAAAABBBBBBBBAAAAAAAAAAAABBBB");
}

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Every variant against a decoder that takes one bit at a time.

#include "lutra/kernels/huffman_decode/huffman_decode.h"

#include <algorithm>
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

// Returns the entries in 16 bits or, with the count and the leaf bit moved up, in 32.
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
  args.codes_bytes = codes.size();
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
LUTRA_TEST_TABLE(HuffmanDecode8, kHuffmanDecode<uint8_t>);

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
LUTRA_TEST_TABLE(HuffmanDecode16, kHuffmanDecode<uint16_t>);

// Decodes letters as indices into tables, for every size of element and every layout.
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
LUTRA_TEST_TABLE(HuffmanLutDecode8, kHuffmanLutDecode<uint8_t>);

class HuffmanLutDecode16 : public KernelTest<HuffmanDecodeFn> {};
TEST_P(HuffmanLutDecode16, EveryLayout) { CheckLut<uint16_t>(kernel()); }
LUTRA_TEST_TABLE(HuffmanLutDecode16, kHuffmanLutDecode<uint16_t>);

class HuffmanLutDecode32 : public KernelTest<HuffmanDecodeFn> {};
TEST_P(HuffmanLutDecode32, EveryLayout) { CheckLut<uint32_t>(kernel()); }
LUTRA_TEST_TABLE(HuffmanLutDecode32, kHuffmanLutDecode<uint32_t>);

class HuffmanLutDecode64 : public KernelTest<HuffmanDecodeFn> {};
TEST_P(HuffmanLutDecode64, EveryLayout) { CheckLut<uint64_t>(kernel()); }
LUTRA_TEST_TABLE(HuffmanLutDecode64, kHuffmanLutDecode<uint64_t>);

// Codes end with the stream's last bit, but lookups would reach beyond it.
TEST_P(HuffmanDecode8, ReadsNothingBehindTheStream) {
  // Code 0 is A, code 1 is B; lookups have eight bits.
  ByteList codes;
  for (int bits = 0; bits < 256; ++bits) {
    codes.push_back(bits < 128 ? 'A' : 'B');
    codes.push_back(0x88);
  }
  std::mt19937 random(5);
  for (int i = 1; i <= 90; ++i) {
    const ByteList stream = RandomBytes(&random, static_cast<size_t>(4 * i));
    std::string symbols;
    for (const uint8_t byte : stream) {
      for (int bit = 7; bit >= 0; --bit) symbols += (byte >> bit & 1) != 0 ? 'B' : 'A';
    }
    // Decodes all symbols; and fewer, so that any number remains behind the thirty that are decoded at a
    // time.
    for (const size_t count :
         {symbols.size(), symbols.size() - static_cast<size_t>(i > 2 ? 64 + i % 30 : 0)}) {
      GuardedOutput output(count);
      HuffmanDecodeArgs args = {};
      args.stream = stream.data();
      args.stream_bytes = stream.size();
      args.codes = codes.data();
      args.codes_bytes = codes.size();
      args.first_bits = 8;
      args.count = static_cast<int32_t>(count);
      args.output = output.data();
      Run(args);
      const ByteList made = output.Take();
      ASSERT_EQ(std::string(made.begin(), made.end()), symbols.substr(0, count)) << i;
    }
  }
}

// ---- Many symbols of random codes.

uint16_t LeafEntry(uint32_t bits, uint32_t value) {
  return static_cast<uint16_t>(1u << 15 | bits << 11 | value);
}

// A table with codes of up to `first_bits` bits, and a few with one more bit, by a second lookup.
std::vector<uint16_t> RandomCodes(std::mt19937* random, int first_bits) {
  const uint32_t size = 1u << first_bits;
  std::vector<uint16_t> entries(size);
  for (uint32_t i = 0; i < size;) {
    // The code takes a part of the table that begins at a multiple of the part's size.
    uint32_t bits = 1 + (*random)() % static_cast<uint32_t>(first_bits);
    while (i % (size >> bits) != 0) ++bits;
    const uint32_t next = i + (size >> bits);
    const bool is_long = next == i + 1 && (*random)() % 4 == 0 && entries.size() - i < 2000;
    const uint32_t value = (*random)() % 256;
    for (; i < next; ++i) {
      entries[i] = is_long ? static_cast<uint16_t>(entries.size() - i) : LeafEntry(bits, value);
    }
    if (is_long) {
      for (const uint32_t last : {0u, 1u}) entries.push_back(LeafEntry(1, value ^ last));
    }
  }
  return entries;
}

// Leaves that form no prefix code, or take no bits at all: such a table can be decoded, too.
std::vector<uint16_t> RandomLeaves(std::mt19937* random, int first_bits) {
  std::vector<uint16_t> entries(size_t{1} << first_bits);
  for (uint16_t& entry : entries) {
    entry = LeafEntry((*random)() % static_cast<uint32_t>(first_bits + 1), (*random)() % 256);
  }
  return entries;
}

// Decodes `stream`, which has all bits that symbols may need and those of one more lookup. The memory behind
// the bytes that the kernel may read and write must not be touched.
void CheckSymbols(const KernelTest<HuffmanDecodeFn>::Kernel& run, const std::vector<uint16_t>& entries,
                  int first_bits, int count, const ByteList& stream, int element_bytes = 1) {
  ByteList codes;
  for (const uint16_t entry : entries) {
    codes.push_back(static_cast<uint8_t>(entry));
    codes.push_back(static_cast<uint8_t>(entry >> 8));
  }
  Encoding encoding;
  encoding.type = DecodeType::kHuffman;
  encoding.element_bytes = static_cast<uint8_t>(element_bytes);
  encoding.width = static_cast<uint8_t>(first_bits);
  encoding.elements = count;
  encoding.stream = {stream.data(), stream.size()};
  encoding.codes = {codes.data(), codes.size()};
  const EdgeBytes edge_stream(stream, PageEdge::kEnd), edge_codes(codes, PageEdge::kEnd);
  const EdgeBytes output(ByteList(static_cast<size_t>(count * element_bytes)), PageEdge::kEnd);
  HuffmanDecodeArgs args = {};
  args.stream = edge_stream.data();
  args.stream_bytes = stream.size();
  args.codes = edge_codes.data();
  args.codes_bytes = codes.size();
  args.first_bits = first_bits;
  args.count = count;
  args.output = output.data();
  run(args);
  EXPECT_EQ(ByteList(output.data(), output.data() + count * element_bytes), PlainDecode(encoding))
      << first_bits << " bits, " << count << " symbols";
}

TEST_P(HuffmanDecode8, ManySymbolsOfRandomCodes) {
  std::mt19937 random(3);
  for (const int first_bits : {1, 2, 3, 5, 8, 11, 12, 15}) {
    for (const int count : {1, 127, 128, 129, 300, 2048, 20008, 40001}) {
      const auto bytes = static_cast<size_t>(count * (first_bits + 1) + 7) / 8 + 4;
      const ByteList stream = RandomBytes(&random, bytes);
      CheckSymbols(kernel(), RandomCodes(&random, first_bits), first_bits, count, stream);
      if (count <= 2048) CheckSymbols(kernel(), RandomLeaves(&random, first_bits), first_bits, count, stream);
    }
  }
}

// Symbols of eleven bits.
TEST_P(HuffmanDecode16, ManySymbolsOfRandomCodes) {
  std::mt19937 random(9);
  for (const int first_bits : {1, 2, 3, 5, 8, 11, 12}) {
    for (const int count : {1, 15, 16, 17, 127, 128, 129, 300, 2048, 20008, 40001}) {
      std::vector<uint16_t> entries = RandomCodes(&random, first_bits);
      std::vector<uint16_t> high(256);
      for (uint16_t& bits : high) bits = static_cast<uint16_t>(random() % 8 << 8);
      for (uint16_t& entry : entries) {
        if (entry >> 15 != 0) entry = static_cast<uint16_t>(entry | high[entry & 0xFF]);
      }
      const auto bytes = static_cast<size_t>(count * (first_bits + 1) + 7) / 8 + 4;
      CheckSymbols(kernel(), entries, first_bits, count, RandomBytes(&random, bytes), 2);
    }
  }
}

// Loading reads only those entries to which the stream leads.
TEST_P(HuffmanDecode8, EntriesThatNoCodeLeadsToMayBeWrongOrMissing) {
  const int first_bits = 6, count = 5000;
  const ByteList zeros(count);
  std::vector<uint16_t> entries(size_t{1} << first_bits, LeafEntry(15, 1));
  std::fill(entries.begin(), entries.begin() + 8, LeafEntry(3, 65));
  CheckSymbols(kernel(), entries, first_bits, count, zeros);
  CheckSymbols(kernel(), {entries[0]}, first_bits, count, zeros);
}

// In these tables the bits behind a code select its symbol.
TEST_P(HuffmanDecode8, TablesThatAreNoPrefixCode) {
  std::mt19937 random(6);
  const ByteList stream = RandomBytes(&random, 2000);
  const std::vector<std::vector<uint16_t>> tables = {
      // Four pairs of bits lead to different leaves of one bit.
      {LeafEntry(1, 10), LeafEntry(1, 11), LeafEntry(1, 12), LeafEntry(1, 13)},
      // A leaf's entries begin in the middle of its code's range.
      {LeafEntry(2, 10), LeafEntry(1, 11), LeafEntry(1, 11), LeafEntry(2, 13)},
      // A code is longer if a certain bit follows.
      {LeafEntry(1, 10), LeafEntry(2, 10), LeafEntry(1, 12), LeafEntry(1, 12)}};
  for (const std::vector<uint16_t>& table : tables) CheckSymbols(kernel(), table, 2, 4000, stream);
}

// A leaf to which the stream does not lead may have any index.
TEST_P(HuffmanLutDecode8, OneTableThatEndsWhereNothingMayBeTouched) {
  // Code 0 is entry 0; 10 is entry 1; 11 would be entry 255.
  const uint16_t entries[] = {LeafEntry(1, 0), LeafEntry(1, 0), LeafEntry(2, 1), LeafEntry(2, 255)};
  ByteList codes;
  for (const uint16_t entry : entries) {
    codes.push_back(static_cast<uint8_t>(entry));
    codes.push_back(static_cast<uint8_t>(entry >> 8));
  }
  std::mt19937 random(8);
  const EdgeBytes values({7, 9}, PageEdge::kEnd);
  for (const int count : {5, 100, 3000, 50000}) {
    ByteList expected;
    std::vector<uint32_t> bits;
    for (int i = 0; i < count; ++i) {
      const bool second = random() % 3 == 0;
      expected.push_back(second ? 9 : 7);
      if (second) bits.push_back(1);
      bits.push_back(0);
    }
    const ByteList stream = PackFields(bits, 1, BitOrder::kMsbFirst);
    const EdgeBytes edge_stream(stream, PageEdge::kEnd);
    GuardedOutput output(expected.size());
    Run({.stream = edge_stream.data(),
         .stream_bytes = stream.size(),
         .codes = codes.data(),
         .codes_bytes = codes.size(),
         .wide_codes = false,
         .first_bits = 2,
         .count = count,
         .output = output.data(),
         .values = values.data(),
         .stride = 2,
         .channels = 1,
         .inner = count});
    EXPECT_EQ(output.Take(), expected) << count;
  }
}

// Tables begin and end at any of the elements that are decoded at a time.
TEST_P(HuffmanLutDecode8, ManyChannels) {
  std::mt19937 random(4);
  const int first_bits = 7;
  ByteList codes;
  for (const uint16_t entry : RandomCodes(&random, first_bits)) {
    codes.push_back(static_cast<uint8_t>(entry));
    codes.push_back(static_cast<uint8_t>(entry >> 8));
  }
  const int channels = 5, count = 12000;
  const ByteList stream = RandomBytes(&random, static_cast<size_t>(count) * 2);
  const ByteList values = RandomBytes(&random, size_t{256} * channels);
  for (const int inner : {1, 7, 700, 1024, 2400}) {
    Encoding encoding;
    encoding.type = DecodeType::kHuffmanLut;
    encoding.element_bytes = 1;
    encoding.width = first_bits;
    encoding.elements = count;
    encoding.channels = channels;
    encoding.inner = inner;
    encoding.stream = {stream.data(), stream.size()};
    encoding.codes = {codes.data(), codes.size()};
    encoding.lut = {values.data(), values.size(), 256};
    GuardedOutput output(static_cast<size_t>(count));
    Run({.stream = stream.data(),
         .stream_bytes = stream.size(),
         .codes = codes.data(),
         .codes_bytes = codes.size(),
         .wide_codes = false,
         .first_bits = first_bits,
         .count = count,
         .output = output.data(),
         .values = values.data(),
         .stride = 256,
         .channels = channels,
         .inner = inner});
    EXPECT_EQ(output.Take(), PlainDecode(encoding)) << inner;
  }
}

}  // namespace
}  // namespace lutra

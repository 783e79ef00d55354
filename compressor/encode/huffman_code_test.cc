// SPDX-License-Identifier: Apache-2.0
// Compares codes and tables with an exhaustive search, and decodes streams.

#include "compressor/encode/huffman_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <random>
#include <set>
#include <string>

#include "compressor/encode/elements.h"

namespace lutra::compressor {
namespace {

using Bytes = std::vector<uint8_t>;
using Counts = std::map<uint32_t, uint64_t>;

// Decodes a bit at a time, as the format's description says, and notes how many bits it fetched.
struct PlainDecoder {
  const Bytes& stream;
  const Bytes& table;
  int entry_bytes;
  int first_bits;
  size_t used_bits = 0;
  size_t fetched_bits = 0;
  size_t lookups = 0;

  uint32_t Fetch(int width) {
    uint32_t field = 0;
    for (int i = 0; i < width; ++i, ++used_bits) {
      field = field << 1 | (stream.at(used_bits / 8) >> (7 - used_bits % 8) & 1u);
    }
    fetched_bits = std::max(fetched_bits, used_bits);
    ++lookups;
    return field;
  }
  uint32_t Next() {
    const int value_bits = entry_bytes == 2 ? 11 : 27;
    size_t at = 0;
    int width = first_bits;
    for (;;) {
      at += Fetch(width);
      uint32_t entry = 0;
      for (int i = entry_bytes - 1; i >= 0; --i) {
        entry = entry << 8 | table.at(at * static_cast<size_t>(entry_bytes) + static_cast<size_t>(i));
      }
      const auto count = static_cast<int>(entry >> value_bits & 15);
      const uint32_t value = entry & ((1u << value_bits) - 1);
      if ((entry >> (value_bits + 4)) != 0) {
        EXPECT_LE(count, width);
        used_bits -= static_cast<size_t>(width - count);
        return value;
      }
      at += value;
      width = count + 1;
    }
  }
};

Counts CountsOf(const std::vector<uint32_t>& symbols) {
  Counts counts;
  for (uint32_t symbol : symbols) ++counts[symbol];
  return counts;
}

Bytes Write(const std::vector<uint32_t>& symbols, const HuffmanCode& code) {
  BitWriter writer(BitOrder::kMsbFirst);
  for (uint32_t symbol : symbols) writer.Put(code.codes.at(symbol).bits, code.codes.at(symbol).length);
  FinishHuffmanStream(&writer);
  return writer.bytes();
}

void ExpectDecodes(const std::vector<uint32_t>& symbols, int entry_bytes) {
  const HuffmanCode code = BuildHuffmanCode(CountsOf(symbols), entry_bytes);
  const Bytes stream = Write(symbols, code);
  ASSERT_EQ(stream.size() % 4, 0u);
  PlainDecoder decoder{stream, code.table, entry_bytes, code.first_bits};
  for (size_t i = 0; i < symbols.size(); ++i) ASSERT_EQ(decoder.Next(), symbols[i]) << i;
  // A decoder that fetches whole words may fetch one after the last code.
  EXPECT_LE((decoder.fetched_bits + 31) / 32 * 4, stream.size());
  EXPECT_EQ((decoder.used_bits + 31) / 32 * 4 + 4, stream.size());
}

constexpr char kPublished[] = "nmmacnanefdacopjomeckifookhbdbdmjjdmjgojfecpbiibmanbbjbnlgjafejp";
const Bytes kPublishedStream = {0xF0, 0x0D, 0x79, 0xFC, 0x9C, 0x1A, 0x6E, 0x4C, 0x32, 0xAF, 0x29,
                                0xB3, 0x5D, 0xF6, 0x36, 0x02, 0x50, 0x15, 0x8C, 0xA7, 0x95, 0xDB,
                                0x29, 0x68, 0x3F, 0xBA, 0xB7, 0xED, 0xB1, 0x19, 0xE2, 0xE0};
constexpr uint16_t kPublishedTable[] = {0x986D, 0x9861, 0x986A, 0x0005, 0x0806, 0x0809, 0x000E, 0x000F,
                                        0x886F, 0x8868, 0x8864, 0x8864, 0x9069, 0x9066, 0x8863, 0x8863,
                                        0x0002, 0x906B, 0x8867, 0x886C, 0x8865, 0x8862, 0x8870, 0x886E};

TEST(HuffmanCode, ThisDecoderReadsThePublishedVector) {
  Bytes table;
  for (uint16_t entry : kPublishedTable) Append(entry, 2, &table);
  PlainDecoder decoder{kPublishedStream, table, 2, 3};
  std::string text;
  while (text.size() < 64) text += static_cast<char>(decoder.Next());
  EXPECT_EQ(text, kPublished);
  EXPECT_EQ(decoder.used_bits, 252u);
}

TEST(HuffmanCode, CodesThePublishedTextInNoMoreBytes) {
  const std::vector<uint32_t> symbols(kPublished, kPublished + 64);
  const HuffmanCode code = BuildHuffmanCode(CountsOf(symbols), 2);
  EXPECT_LE(Write(symbols, code).size() - 4 + code.table.size(),
            kPublishedStream.size() + sizeof(kPublishedTable));
  ExpectDecodes(symbols, 2);
  ExpectDecodes(symbols, 4);
}

TEST(HuffmanCode, WritesEntriesAsDescribed) {
  // The codes are 0, 10, 110, 111. One lookup of 3 bits has 8 entries. Lookups of 2 and then 1 bits have 6,
  // as have lookups of 1, 1 and 1 bits.
  const Counts counts = {{'a', 1000}, {'b', 500}, {'c', 200}, {'d', 100}};
  const HuffmanCode code = BuildHuffmanCode(counts, 2, 4);
  EXPECT_EQ(code.longest, 3);
  EXPECT_EQ(code.first_bits, 2);
  EXPECT_EQ(code.codes.at('c').bits, 0b110u);
  const Bytes expected = {'a', 0x88, 'a', 0x88, 'b', 0x90, 1, 0, 'c', 0x88, 'd', 0x88};
  EXPECT_EQ(code.table, expected);
  // Up to the next multiple of 16 bytes, entries that save lookups are free.
  const HuffmanCode quick = BuildHuffmanCode(counts, 2, 0);
  EXPECT_EQ(quick.first_bits, 3);
  EXPECT_EQ(quick.table.size(), 16u);
}

TEST(HuffmanCode, ALoneSymbolHasAOneBitCode) {
  const HuffmanCode code = BuildHuffmanCode({{0x80, 5}}, 2);
  EXPECT_EQ(code.first_bits, 1);
  EXPECT_EQ(code.codes.at(0x80).length, 1);
  EXPECT_EQ(code.table, (Bytes{0x80, 0x88, 0x80, 0x88}));
  ExpectDecodes(std::vector<uint32_t>(100, 0x80), 2);
}

TEST(HuffmanCode, LengthsAreHuffmansWhereTheLimitAllows) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<uint64_t> weights(2 + random() % 40);
    for (uint64_t& weight : weights) weight = 1 + random() % (1u << (random() % 12));
    std::sort(weights.begin(), weights.end());
    std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> queue(weights.begin(),
                                                                               weights.end());
    uint64_t optimal_bits = 0;
    while (queue.size() > 1) {
      const uint64_t a = queue.top();
      queue.pop();
      const uint64_t both = a + queue.top();
      queue.pop();
      optimal_bits += both;
      queue.push(both);
    }
    const std::vector<int> lengths = LimitedCodeLengths(weights, 31);
    uint64_t bits = 0;
    for (size_t i = 0; i < weights.size(); ++i) bits += weights[i] * static_cast<uint64_t>(lengths[i]);
    ASSERT_EQ(bits, optimal_bits) << round;
  }
}

// Returns the least weighted sum of lengths over all complete codes within the limit, by trying them.
uint64_t BruteForce(std::span<const uint64_t> weights, int limit, uint64_t room) {
  if (weights.empty()) return room == 0 ? 0 : UINT64_MAX;
  uint64_t best = UINT64_MAX;
  for (int length = 1; length <= limit; ++length) {
    const uint64_t share = uint64_t{1} << (limit - length);
    if (share > room) continue;
    const uint64_t rest = BruteForce(weights.subspan(1), limit, room - share);
    if (rest != UINT64_MAX) best = std::min(best, rest + weights[0] * static_cast<uint64_t>(length));
  }
  return best;
}

TEST(HuffmanCode, LengthsAreOptimalWithinTheLimit) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint64_t> weights(2 + random() % 6);
    for (uint64_t& weight : weights) weight = 1 + random() % (1u << (random() % 10));
    std::sort(weights.begin(), weights.end());
    for (int limit = 1; limit <= 5; ++limit) {
      if (weights.size() > size_t{1} << limit) continue;
      const std::vector<int> lengths = LimitedCodeLengths(weights, limit);
      uint64_t bits = 0;
      uint64_t room = uint64_t{1} << limit;
      for (size_t i = 0; i < weights.size(); ++i) {
        ASSERT_LE(lengths[i], limit);
        bits += weights[i] * static_cast<uint64_t>(lengths[i]);
        room -= uint64_t{1} << (limit - lengths[i]);
      }
      ASSERT_EQ(room, 0u);
      ASSERT_EQ(bits, BruteForce(weights, limit, uint64_t{1} << limit)) << round << " " << limit;
    }
  }
}

TEST(HuffmanCode, LongCodesStayWithinWhatDecodersHold) {
  // Fibonacci weights: without a limit, the longest code would have 39 bits.
  Counts counts;
  uint64_t a = 1;
  uint64_t b = 1;
  for (uint32_t symbol = 0; symbol < 40; ++symbol) {
    counts[symbol] = a;
    a = std::exchange(b, a + b);
  }
  const HuffmanCode code = BuildHuffmanCode(counts, 2);
  EXPECT_LE(code.longest, 31);
  std::vector<uint32_t> symbols(40);
  for (uint32_t symbol = 0; symbol < 40; ++symbol) symbols[symbol] = 39 - symbol;
  const Bytes stream = Write(symbols, code);
  PlainDecoder decoder{stream, code.table, 2, code.first_bits};
  for (uint32_t symbol : symbols) ASSERT_EQ(decoder.Next(), symbol);
}

TEST(HuffmanCode, DecodesRandomSymbols) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const uint32_t symbols_end = 1 + random() % 256;
    const double skew = 0.5 + static_cast<double>(random() % 100) / 10;
    std::vector<uint32_t> symbols(1 + random() % 3000);
    for (uint32_t& symbol : symbols) {
      const double uniform = static_cast<double>(random()) / 0x1p32;
      symbol = static_cast<uint32_t>(symbols_end * std::pow(uniform, skew));
    }
    ExpectDecodes(symbols, 2);
    for (uint32_t& symbol : symbols) symbol = symbol * 0x9E37u & 0xFFFF;
    ExpectDecodes(symbols, 4);
  }
}

TEST(HuffmanCode, DecodesEverySymbolOf16Bits) {
  std::vector<uint32_t> symbols;
  for (uint32_t symbol = 0; symbol < 0x10000; ++symbol) {
    symbols.push_back(symbol);
    if (symbol % 3 == 0) symbols.push_back(symbol & 0xFF);
  }
  ExpectDecodes(symbols, 4);
  // All symbols are equally frequent: their codes have 16 bits, more than a leaf can count.
  symbols.resize(0x10000);
  for (uint32_t symbol = 0; symbol < 0x10000; ++symbol) symbols[symbol] = symbol;
  ExpectDecodes(symbols, 4);
}

TEST(HuffmanCode, SpendsFreeEntriesOnFewerLookups) {
  std::mt19937 random(7);
  size_t most_ways = 0;
  for (int round = 0; round < 50; ++round) {
    Counts counts;
    const uint32_t symbols_end = 20 + random() % 200;
    for (uint32_t symbol = 0; symbol < symbols_end; ++symbol)
      counts[symbol] = 1 + random() % (1u << random() % 12);
    std::vector<uint32_t> symbols;
    for (const auto& [symbol, count] : counts) symbols.insert(symbols.end(), count, symbol);
    std::set<size_t> table_bytes;
    std::set<size_t> lookups;
    for (size_t bytes_before = 0; bytes_before < 16; bytes_before += 2) {
      const HuffmanCode code = BuildHuffmanCode(counts, 2, bytes_before);
      const Bytes stream = Write(symbols, code);
      PlainDecoder decoder{stream, code.table, 2, code.first_bits};
      for (size_t i = 0; i < symbols.size(); ++i) decoder.Next();
      table_bytes.insert(code.table.size());
      lookups.insert(decoder.lookups);
    }
    EXPECT_LT(*table_bytes.rbegin(), *table_bytes.begin() + 16);
    most_ways = std::max(most_ways, lookups.size());
  }
  EXPECT_GT(most_ways, 2u);  // Much room, some room and none give different lookups.
}

}  // namespace
}  // namespace lutra::compressor

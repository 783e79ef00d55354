// SPDX-License-Identifier: Apache-2.0
// HuffmanCode: a prefix code for counted symbols, and the lookup tables that decode it, chosen so that stream
// and tables together are smallest.
//
//   const HuffmanCode code = BuildHuffmanCode({{'a', 70}, {'b', 20}, {'c', 10}}, /*entry_bytes=*/2);
//   writer.Put(code.codes.at('a').bits, code.codes.at('a').length);
//   FinishHuffmanStream(&writer);
//
// Codes are canonical and limited in length by package-merge (Larmore and Hirschberg). Every limit is
// tried, since a lower one costs bits and saves entries; for each, the cut of the code tree into tables is
// the cheapest there is. Of the cuts that take no more room in a file, whose buffers are aligned, the one
// with the fewest lookups for the average symbol is written. FORMAT.md describes entries and stream.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "compressor/encode/bit_writer.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {

struct HuffmanCode {
  struct Code {
    uint32_t bits = 0;
    int length = 0;
  };
  std::map<uint32_t, Code> codes;  // By symbol.
  int first_bits = 0;              // Bits of the first lookup.
  int longest = 0;                 // Bits of the longest code.
  int entry_bytes = 2;
  std::vector<uint8_t> table;  // Entries, little-endian.
};

// `counts`: how often each symbol occurs, at least one symbol, none of 0. entry_bytes is 2, for at most 256
// symbols of 8 bits, or 4, for symbols of 16 bits. bytes_before: what precedes the table in its buffer.
HuffmanCode BuildHuffmanCode(const std::map<uint32_t, uint64_t>& counts, int entry_bytes,
                             size_t bytes_before = kDecodeHeaderBytes);

// Lengths of the optimal code of at most `limit` bits, one for each weight; weights ascend, so lengths
// descend. At least two weights, at most 2^limit; limit 1 to 31.
std::vector<int> LimitedCodeLengths(std::span<const uint64_t> weights, int limit);

// Zero bits up to a whole word and one word more, so that a reader which fetches ahead stays inside.
void FinishHuffmanStream(BitWriter* writer);

}  // namespace lutra::compressor

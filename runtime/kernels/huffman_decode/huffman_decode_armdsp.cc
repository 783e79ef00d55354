// SPDX-License-Identifier: Apache-2.0
// HuffmanDecode to bytes for Cortex-M. A table of all short codes decodes each of them by one lookup,
// whatever the file's lookups are, and several symbols are decoded from each word of the stream, which is
// loaded from the byte in which the first begins.

#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/loops_armdsp.h"

namespace lutra {
namespace {

// No element takes more bits.
constexpr uint32_t kMaxSymbolBits = 31;
// The table has codes of up to kTableBits bits.
constexpr int32_t kTableBits = 8;
// A word that begins within a byte has this many short codes.
constexpr int32_t kTogether = 25 / kTableBits;
// The table takes less time than it saves if so many symbols are decoded.
constexpr int32_t kSymbolsForTable = 600;

// The leaf bit of an entry is its sign.
template <typename Entry>
struct EntryOf;
template <>
struct EntryOf<uint16_t> {
  using Signed = int16_t;
  static constexpr int kValueBits = 11;
};
template <>
struct EntryOf<uint32_t> {
  using Signed = int32_t;
  static constexpr int kValueBits = 27;
};
template <typename Entry>
int32_t LoadEntry(const uint8_t* codes, uint32_t index) {
  return LoadElement<typename EntryOf<Entry>::Signed>(codes + index * sizeof(Entry));
}
template <typename Entry>
uint32_t BitsOf(int32_t entry) {
  return static_cast<uint32_t>(entry) >> EntryOf<Entry>::kValueBits & 15;
}

template <typename Entry>
uint32_t ValueOf(int32_t entry) {
  return static_cast<uint32_t>(entry) & ((1u << EntryOf<Entry>::kValueBits) - 1);
}

template <typename Entry>
struct Codes {
  const uint8_t* stream;
  size_t stream_bytes;
  const uint8_t* entries;
  size_t entry_count;
  int32_t first_bits;
};

// Returns the symbol that begins at a bit, however many lookups it takes; the upper half is the bit behind
// it.
template <typename Entry>
LUTRA_OFTEN uint64_t DecodeOne(const Codes<Entry>& codes, uint32_t bit) {
  const uint8_t* entries = codes.entries;
  for (int32_t bits = codes.first_bits;;) {
    const uint32_t word = LoadBig32Within(codes.stream, codes.stream_bytes, bit / 8) << (bit % 8);
    const uint32_t index = word >> (32 - bits);
    const int32_t entry = LoadEntry<Entry>(entries, index);
    if (entry < 0) return uint64_t{bit + BitsOf<Entry>(entry)} << 32 | ValueOf<Entry>(entry);
    bit += static_cast<uint32_t>(bits);
    entries += (index + ValueOf<Entry>(entry)) * sizeof(Entry);
    bits = static_cast<int32_t>(BitsOf<Entry>(entry)) + 1;
  }
}

// ---- The table: for each value of the next kTableBits bits the symbol that they begin with and, from bit 8
// on, the bits of its code. 0: the code is longer or has no bits, or there is no code.

constexpr uint16_t kNotShort = 0;
constexpr uint16_t ShortCode(uint32_t value, uint32_t bits) {
  return bits == 0 ? kNotShort : static_cast<uint16_t>(bits << 8 | (value & 0xFF));
}

// Finds a code lookup by lookup, the first of which has at most kTableBits bits. Sets *last to the bits that
// are not read.
template <typename Entry>
uint16_t FindShortCode(const Codes<Entry>& codes, uint32_t pattern, int32_t* last) {
  size_t begin = 0;
  int32_t left = kTableBits;
  *last = 0;
  for (int32_t bits = codes.first_bits; bits <= left;) {
    left -= bits;
    *last = left;
    const size_t index = begin + (pattern >> left & ((1u << bits) - 1));
    if (index >= codes.entry_count) break;
    const int32_t entry = LoadEntry<Entry>(codes.entries, index);
    const uint32_t value = ValueOf<Entry>(entry);
    const uint32_t count = BitsOf<Entry>(entry);
    if (entry < 0) return ShortCode(value, static_cast<uint32_t>(kTableBits - left - bits) + count);
    begin = index + value;
    bits = static_cast<int32_t>(count) + 1;
  }
  return kNotShort;
}

// If the first lookup has more bits, all of its entries that begin with these bits must be the same.
template <typename Entry>
uint16_t FindSameCode(const Codes<Entry>& codes, uint32_t pattern) {
  const int32_t more_bits = codes.first_bits - kTableBits;
  const size_t first = pattern << more_bits;
  if (first + (size_t{1} << more_bits) > codes.entry_count) return kNotShort;
  const int32_t entry = LoadEntry<Entry>(codes.entries, first);
  if (entry >= 0 || BitsOf<Entry>(entry) > kTableBits) return kNotShort;
  for (size_t k = 1; k < size_t{1} << more_bits; ++k) {
    if (LoadEntry<Entry>(codes.entries, first + k) != entry) return kNotShort;
  }
  return ShortCode(ValueOf<Entry>(entry), BitsOf<Entry>(entry));
}

template <typename Entry>
LUTRA_OFTEN void FillTable(const Codes<Entry>& codes, uint16_t* table) {
  int32_t last = 0;
  for (uint32_t pattern = 0; pattern < 1u << kTableBits;) {
    const uint16_t code =
        codes.first_bits <= kTableBits ? FindShortCode(codes, pattern, &last) : FindSameCode(codes, pattern);
    for (const uint32_t next = pattern + (1u << last); pattern < next; ++pattern) table[pattern] = code;
  }
}

// ---- Symbols.

// Decodes kTogether * groups symbols; kMaxSymbolBits bits for each of them and a word must follow. Returns
// the bit behind them.
template <typename Entry, bool kMapped>
LUTRA_OFTEN uint32_t DecodeGroups(const Codes<Entry>& codes, const uint16_t* table, uint32_t bit,
                                  const uint8_t* map, size_t groups, uint8_t* output) {
  const uint8_t* const stream = codes.stream;  // A local copy, as writes might change `codes`.
  for (const uint8_t* const end = output + kTogether * groups; output != end; output += kTogether) {
    uint32_t window = 0;
    const auto load = [&] {
      window = __builtin_bswap32(LoadElement<uint32_t>(stream + bit / 8)) << (bit % 8);
    };
    load();
#pragma GCC unroll 3
    for (int k = 0; k < kTogether; ++k) {
      uint32_t code = table[window >> (32 - kTableBits)];
      const uint32_t used = code >> 8;
      if (used != 0) [[likely]] {
        window <<= used;
        bit += used;
      } else {
        const uint64_t symbol = DecodeOne(codes, bit);
        code = static_cast<uint32_t>(symbol);
        bit = static_cast<uint32_t>(symbol >> 32);
        load();
      }
      const auto value = static_cast<uint8_t>(code);
      output[k] = kMapped ? map[value] : value;
    }
  }
  return bit;
}

// Decodes the symbols from a bit on, and maps them through `map` unless it is null. Returns the bit behind
// them.
template <typename Entry>
uint32_t DecodeSymbols(const Codes<Entry>& codes, const uint16_t* table, uint32_t bit, const uint8_t* map,
                       int32_t count, uint8_t* output) {
  while (count > 0) {
    // The stream has enough bits for this many groups, whatever their symbols are.
    const size_t bits_left = 8 * codes.stream_bytes - bit;
    constexpr uint32_t kWordBits = 32 + 7;
    size_t groups = bits_left < kWordBits ? 0 : (bits_left - kWordBits) / (kTogether * kMaxSymbolBits);
    const size_t most = static_cast<size_t>(count) / kTogether;
    if (groups > most) groups = most;
    if (groups > 0 && table != nullptr) {
      bit = map == nullptr ? DecodeGroups<Entry, false>(codes, table, bit, map, groups, output)
                           : DecodeGroups<Entry, true>(codes, table, bit, map, groups, output);
      output += kTogether * groups;
      count -= static_cast<int32_t>(kTogether * groups);
    } else {
      const uint64_t symbol = DecodeOne(codes, bit);
      const auto value = static_cast<uint8_t>(symbol);
      *output++ = map == nullptr ? value : map[value];
      bit = static_cast<uint32_t>(symbol >> 32);
      --count;
    }
  }
  return bit;
}

// Decodes the elements of each table of values, one table after the other.
template <typename Entry>
void DecodeAll(const HuffmanDecodeArgs& args, bool mapped) {
  const Codes<Entry> codes = {args.stream, args.stream_bytes, args.codes, args.codes_bytes / sizeof(Entry),
                              args.first_bits};
  uint16_t table[1 << kTableBits];
  const int32_t looked_at = args.first_bits <= kTableBits ? 0 : args.first_bits - kTableBits;
  const bool pays = args.count >> looked_at >= kSymbolsForTable;
  if (pays) FillTable(codes, table);
  auto* output = static_cast<uint8_t*>(args.output);
  uint32_t bit = 0;
  int32_t channel = 0;
  for (int32_t left = args.count; left > 0;) {
    const int32_t run = !mapped || args.channels == 1 || left < args.inner ? left : args.inner;
    const uint8_t* const map = args.values + static_cast<intptr_t>(channel) * args.stride;
    bit = DecodeSymbols(codes, pays ? table : nullptr, bit, mapped ? map : nullptr, run, output);
    output += run;
    left -= run;
    channel = channel + 1 == args.channels ? 0 : channel + 1;
  }
}

}  // namespace

void HuffmanDecodeArmdsp(const HuffmanDecodeArgs& args) {
  args.wide_codes ? DecodeAll<uint32_t>(args, false) : DecodeAll<uint16_t>(args, false);
}

void HuffmanLutDecodeArmdsp(const HuffmanDecodeArgs& args) {
  args.wide_codes ? DecodeAll<uint32_t>(args, true) : DecodeAll<uint16_t>(args, true);
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Decodes several symbols by one lookup. This needs some 50 KB of stack, which x86 processors have and others
// may not. Filling the table takes a while: the reference decodes few symbols, and codes that are no prefix
// codes.

#include <string.h>

#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/map_indices.h"

namespace lutra {
namespace {

constexpr int32_t kMaxGroupBits = 11;
constexpr int32_t kMinGroupBits = 4;
// Fewer symbols would not save the time of filling a group; groups of as many bits as many codes have need
// fewer.
constexpr int32_t kSymbolsForAGroup = 8;
constexpr int32_t kSymbolsForAShortGroup = 4;

// The whole codes with which some bits begin; none if the first is longer or takes a second lookup. From the
// lowest byte on, a group has symbols, their count, their bits.
using Group = uint64_t;
constexpr int32_t kCountByte = 6;
constexpr int32_t kBitsByte = 7;

// An entry of the table of codes, with as many of the value's low bits as a symbol has.
template <typename Symbol>
struct Code {
  Symbol symbol;
  uint8_t bits;
  bool is_leaf;
};

// Decodes symbols of one byte or two.
template <typename Symbol>
class Decoder {
 public:
  // Returns false if the reference is faster. If `map` is not null, symbols are mapped through it.
  bool Prepare(const HuffmanDecodeArgs& args, const uint8_t* map) {
    args_ = &args;
    map_ = map;
    group_bits_ = kMaxGroupBits;
    const auto pays = [&] {
      const bool is_short = group_bits_ <= args.first_bits;
      return args.count >= (is_short ? kSymbolsForAShortGroup : kSymbolsForAGroup) << group_bits_;
    };
    while (!pays()) {
      if (--group_bits_ < kMinGroupBits) return false;
    }
    const size_t entries = args.codes_bytes / (args.wide_codes ? sizeof(uint32_t) : sizeof(uint16_t));
    if (entries < size_t{1} << args.first_bits || args.count < 2 << args.first_bits) return false;
    if (!(args.wide_codes ? FindLeaves<uint32_t>() : FindLeaves<uint16_t>())) return false;
    Fill();
    return true;
  }

  // Decodes the next symbols.
  void Decode(Symbol* output, int32_t count) {
    // A window has the bits of five groups.
    constexpr int32_t kGroups = kWindowBits / kMaxGroupBits;
    constexpr int32_t kStored = sizeof(Group) / sizeof(Symbol);
    constexpr int32_t kRoom = (kGroups - 1) * kMostSymbols + kStored;
    const uint8_t* const stream = args_->stream;
    const size_t bytes = args_->stream_bytes;
    const int shift = 64 - group_bits_;
    const Group* const groups = groups_ + (size_t{1} << group_bits_);
    while (count >= kRoom && bit_ / 8 + 8 <= bytes) {
      uint64_t bit = bit_;  // A local copy, as writes might change members.
      uint64_t window = __builtin_bswap64(LoadLittle64(stream + bit / 8)) << (bit % 8);
      Symbol* next = output;
      uint32_t made = 0;
      for (int32_t k = 0; k < kGroups; ++k) {
        const auto* const group = reinterpret_cast<const uint8_t*>(groups + (window >> shift));
        made = group[kCountByte];
        const uint32_t used = group[kBitsByte];
        memcpy(next, group, sizeof(Group));
        next += made;
        window <<= used;
        bit += used;
      }
      bit_ = bit;
      count -= static_cast<int32_t>(next - output);
      output = next;
      if (made == 0) {
        *output++ = Next();
        --count;
      }
    }
    for (; count > 0; --count) *output++ = Next();
  }

 private:
  static constexpr int32_t kMostSymbols = kCountByte / sizeof(Symbol);

  // A code of up to kMaxGroupBits bits.
  struct Leaf {
    uint16_t code;
    uint8_t bits;
    Symbol symbol;
  };

  template <typename Entry>
  static Code<Symbol> CodeOf(const uint8_t* entries, size_t index) {
    constexpr int kValueBits = sizeof(Entry) == 4 ? 27 : 11;
    const auto entry = LoadElement<Entry>(entries + index * sizeof(Entry));
    return {static_cast<Symbol>(entry & ((Entry{1} << kValueBits) - 1)),
            static_cast<uint8_t>(entry >> kValueBits & 15), entry >> (kValueBits + 4) != 0};
  }
  Code<Symbol> CodeAt(size_t index) const {
    return args_->wide_codes ? CodeOf<uint32_t>(args_->codes, index) : CodeOf<uint16_t>(args_->codes, index);
  }

  // A symbol to which no code leads may lie behind the map.
  Symbol Mapped(Symbol symbol) const {
    return map_ == nullptr ? symbol : symbol < args_->stride ? map_[symbol] : 0;
  }

  // Returns false unless all entries that begin with a leaf's code are this leaf: some tables that can be
  // decoded are not so.
  template <typename Entry>
  bool FindLeaves() {
    const uint8_t* const entries = args_->codes;
    const uint32_t size = 1u << args_->first_bits;
    leaf_count_ = 0;
    for (uint32_t i = 0; i < size;) {
      const Code<Symbol> code = CodeOf<Entry>(entries, i);
      if (!code.is_leaf) {
        ++i;
        continue;
      }
      if (code.bits == 0 || code.bits > args_->first_bits) return false;
      const uint32_t same = size >> code.bits;
      if (i % same != 0) return false;
      const auto entry = LoadElement<Entry>(entries + i * sizeof(Entry));
      uint32_t differences = 0;
      for (uint32_t k = 1; k < same; ++k) {
        differences |= static_cast<uint32_t>(entry ^ LoadElement<Entry>(entries + (i + k) * sizeof(Entry)));
      }
      if (differences != 0) return false;
      if (code.bits <= group_bits_) {
        leaves_[leaf_count_++] = {static_cast<uint16_t>(i / same), code.bits, Mapped(code.symbol)};
      }
      i += same;
    }
    return true;
  }

  // Fills groups of one bit, of two and so on: a code, followed by the group of the remaining bits.
  void Fill() {
    groups_[1] = 0;
    lengths_[1] = 0;
    for (int32_t bits = 1; bits < group_bits_; ++bits) FillLevel<false>(bits);
    FillLevel<true>(group_bits_);
  }
  template <bool kLast>
  void FillLevel(int32_t bits) {
    const size_t level = size_t{1} << bits;
    memset(groups_ + level, 0, level * sizeof(Group));
    if (!kLast) memset(lengths_ + level, 0, level * sizeof(uint32_t));
    for (int32_t i = 0; i < leaf_count_; ++i) {
      const Leaf leaf = leaves_[i];
      if (leaf.bits > bits) continue;
      const size_t rest = size_t{1} << (bits - leaf.bits);
      const size_t at = level + leaf.code * rest;
      for (size_t k = 0; k < rest; ++k) {
        const Group group = groups_[rest + k];
        const uint32_t lengths = lengths_[rest + k];
        // The length of the last of kMostSymbols symbols, which is dropped.
        const uint32_t lost = lengths >> 4 * (kMostSymbols - 1);
        constexpr Group kSymbols = (Group{1} << 8 * kCountByte) - 1;
        groups_[at + k] = ((group << 8 * sizeof(Symbol) | leaf.symbol) & kSymbols) +
                          ((group & ~kSymbols) + (Group{lost == 0} << 8 * kCountByte) +
                           (Group{leaf.bits - lost} << 8 * kBitsByte));
        if (!kLast) lengths_[at + k] = (lengths << 4 | leaf.bits) & ((1u << 4 * kMostSymbols) - 1);
      }
    }
  }

  // Decodes one symbol as the reference does.
  Symbol Next() {
    size_t at = 0;
    for (int32_t bits = args_->first_bits;;) {
      at += static_cast<size_t>(MsbWindow(args_->stream, args_->stream_bytes, bit_) >> (64 - bits));
      const Code<Symbol> code = CodeAt(at);
      bit_ += code.is_leaf ? code.bits : static_cast<uint64_t>(bits);
      if (code.is_leaf) return Mapped(code.symbol);
      at += ValueAt(at);
      bits = code.bits + 1;
    }
  }
  size_t ValueAt(size_t index) const {
    if (args_->wide_codes) {
      return LoadElement<uint32_t>(args_->codes + index * sizeof(uint32_t)) & ((1u << 27) - 1);
    }
    return LoadElement<uint16_t>(args_->codes + index * sizeof(uint16_t)) & ((1u << 11) - 1);
  }

  const HuffmanDecodeArgs* args_;
  uint64_t bit_ = 0;
  const uint8_t* map_;
  int32_t group_bits_;
  int32_t leaf_count_;
  Leaf leaves_[1 << kMaxGroupBits];
  // Groups of `bits` bits begin at 1 << bits. lengths_ has the lengths of their codes, four bits each, the
  // first in the lowest bits.
  Group groups_[2 << kMaxGroupBits];
  uint32_t lengths_[1 << kMaxGroupBits];
};

// Decodes the symbols of all elements, mapped by one table of values or as they are.
template <typename Symbol>
void DecodeSymbols(HuffmanDecodeFn ref, const HuffmanDecodeArgs& args, const uint8_t* map) {
  Decoder<Symbol> decoder;
  if (!decoder.Prepare(args, map)) return ref(args);
  decoder.Decode(static_cast<Symbol*>(args.output), args.count);
}

template <typename T>
void DecodeIndices(HuffmanDecodeFn ref, const HuffmanDecodeArgs& args) {
  if (sizeof(T) == 1 && args.channels == 1) return DecodeSymbols<uint8_t>(ref, args, args.values);
  Decoder<uint8_t> decoder;
  if (!decoder.Prepare(args, nullptr)) return ref(args);
  constexpr int32_t kIndices = 1024;
  uint8_t indices[kIndices];
  auto* const output = static_cast<T*>(args.output);
  const int32_t count = args.count;
  ChannelTables<T> tables(args.values, args.stride, args.channels, args.inner, 0);
  for (int32_t done = 0; done < count;) {
    const int32_t decoded = count - done < kIndices ? count - done : kIndices;
    decoder.Decode(indices, decoded);
    tables.Map(indices, decoded, output + done);
    done += decoded;
  }
}

}  // namespace

template <typename T>
void HuffmanDecodeSse41(const HuffmanDecodeArgs& args) {
  DecodeSymbols<T>(HuffmanDecodeRef<T>, args, nullptr);
}
template <typename T>
void HuffmanLutDecodeSse41(const HuffmanDecodeArgs& args) {
  DecodeIndices<T>(HuffmanLutDecodeRef<T>, args);
}
template void HuffmanDecodeSse41<uint8_t>(const HuffmanDecodeArgs&);
template void HuffmanDecodeSse41<uint16_t>(const HuffmanDecodeArgs&);
template void HuffmanLutDecodeSse41<uint8_t>(const HuffmanDecodeArgs&);
template void HuffmanLutDecodeSse41<uint16_t>(const HuffmanDecodeArgs&);
template void HuffmanLutDecodeSse41<uint32_t>(const HuffmanDecodeArgs&);
template void HuffmanLutDecodeSse41<uint64_t>(const HuffmanDecodeArgs&);

}  // namespace lutra

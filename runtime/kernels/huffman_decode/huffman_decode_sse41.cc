// SPDX-License-Identifier: Apache-2.0
// Several symbols by one lookup. What an x86 processor has and others may not is the room for it: some 20 KB
// of stack. It takes a while to fill: few symbols, and codes that are not what they seem, are the
// reference's.

#include <string.h>

#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "runtime/kernels/bit_stream.h"

namespace lutra {
namespace {

constexpr int32_t kMaxGroupBits = 11;
constexpr int32_t kMostSymbols = 6;

// The whole codes that some bits begin with; none if the first is longer or takes a second lookup.
struct Group {
  uint8_t symbols[kMostSymbols];
  uint8_t count;
  uint8_t bits;
};
static_assert(sizeof(Group) == 8);

// An entry of the codes' table, the value's low 8 bits alone.
struct Code {
  uint8_t symbol;
  uint8_t bits;
  bool is_leaf;
};

class Decoder {
 public:
  // False: the reference is better.
  bool Prepare(const HuffmanDecodeArgs& args) {
    args_ = &args;
    // Filling takes some nanoseconds for each group, and the look at the codes one.
    constexpr int32_t kSymbolsForAGroup = 8;
    for (group_bits_ = kMaxGroupBits; args.count < kSymbolsForAGroup << group_bits_;) {
      if (--group_bits_ < 4) return false;
    }
    const size_t entries = args.codes_bytes / (args.wide_codes ? sizeof(uint32_t) : sizeof(uint16_t));
    if (entries < size_t{1} << args.first_bits || args.count < 1 << args.first_bits || !IsPrefixCode()) {
      return false;
    }
    Fill();
    return true;
  }

  // The next symbols.
  void Decode(uint8_t* output, int32_t count) {
    // A window holds the bits of five groups.
    constexpr int32_t kGroups = kWindowBits / kMaxGroupBits;
    constexpr int32_t kRoom = kGroups * kMostSymbols + 2;
    const uint8_t* const stream = args_->stream;
    const size_t bytes = args_->stream_bytes;
    const int shift = 64 - group_bits_;
    while (count >= kRoom && bit_ / 8 + 8 <= bytes) {
      uint64_t bit = bit_;  // Bytes that are written might be those of a member.
      uint64_t window = __builtin_bswap64(LoadLittle64(stream + bit / 8)) << (bit % 8);
      uint8_t* next = output;
      uint32_t made = 0;
      for (int32_t k = 0; k < kGroups; ++k) {
        const Group& group = groups_[window >> shift];
        made = group.count;
        const uint32_t used = group.bits;
        memcpy(next, &group, sizeof(group));
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
  template <typename Entry>
  static Code CodeOf(const uint8_t* entries, size_t index) {
    constexpr int kValueBits = sizeof(Entry) == 4 ? 27 : 11;
    const auto entry = LoadElement<Entry>(entries + index * sizeof(Entry));
    return {static_cast<uint8_t>(entry), static_cast<uint8_t>(entry >> kValueBits & 15),
            entry >> (kValueBits + 4) != 0};
  }
  Code CodeAt(size_t index) const {
    return args_->wide_codes ? CodeOf<uint32_t>(args_->codes, index) : CodeOf<uint16_t>(args_->codes, index);
  }

  // All entries that begin with a leaf's code are that leaf: not so in every table that can be decoded.
  bool IsPrefixCode() const {
    const uint32_t size = 1u << args_->first_bits;
    for (uint32_t i = 0; i < size;) {
      const Code code = CodeAt(i);
      if (code.is_leaf && (code.bits == 0 || code.bits > args_->first_bits)) return false;
      const uint32_t same = code.is_leaf ? size >> code.bits : 1;
      if (i % same != 0) return false;
      for (const uint32_t end = i + same; i < end; ++i) {
        const Code other = CodeAt(i);
        if (other.is_leaf != code.is_leaf || other.bits != code.bits || other.symbol != code.symbol) {
          return false;
        }
      }
    }
    return true;
  }

  void Fill() {
    const int32_t first_bits = args_->first_bits;
    Code codes[1 << kMaxGroupBits];
    for (uint32_t i = 0; i < 1u << group_bits_; ++i) {
      codes[i] = CodeAt(first_bits < group_bits_ ? i >> (group_bits_ - first_bits)
                                                 : i << (first_bits - group_bits_));
      if (!codes[i].is_leaf) codes[i].bits = UINT8_MAX;
    }
    const uint32_t mask = (1u << group_bits_) - 1;
    for (uint32_t i = 0; i <= mask; ++i) {
      Group group = {};
      for (uint32_t bits = i; group.count < kMostSymbols; bits = i << group.bits & mask) {
        const Code& code = codes[bits];
        if (code.bits > group_bits_ - group.bits) break;
        group.symbols[group.count++] = code.symbol;
        group.bits = static_cast<uint8_t>(group.bits + code.bits);
      }
      groups_[i] = group;
    }
  }

  // As the reference.
  uint8_t Next() {
    size_t at = 0;
    for (int32_t bits = args_->first_bits;;) {
      at += static_cast<size_t>(MsbWindow(args_->stream, args_->stream_bytes, bit_) >> (64 - bits));
      const Code code = CodeAt(at);
      bit_ += code.is_leaf ? code.bits : static_cast<uint64_t>(bits);
      if (code.is_leaf) return code.symbol;
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
  int32_t group_bits_;
  Group groups_[1 << kMaxGroupBits];
};

template <typename T>
void MapIndices(const uint8_t* table, const uint8_t* indices, int32_t count, T* output) {
  int32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t eight = LoadLittle64(indices + i);
    for (int32_t k = 0; k < 8; ++k, eight >>= 8) {
      output[i + k] = LoadElement<T>(table + (eight & 0xFF) * sizeof(T));
    }
  }
  for (; i < count; ++i) output[i] = LoadElement<T>(table + indices[i] * sizeof(T));
}

template <typename T>
void DecodeIndices(HuffmanDecodeFn ref, const HuffmanDecodeArgs& args) {
  Decoder decoder;
  if (!decoder.Prepare(args)) return ref(args);
  constexpr int32_t kIndices = 1024;
  uint8_t indices[kIndices];
  auto* output = static_cast<T*>(args.output);
  const int32_t run = args.channels == 1 ? args.count : args.inner;
  int32_t left = run, channel = 0;
  for (int32_t done = 0; done < args.count;) {
    const int32_t decoded = args.count - done < kIndices ? args.count - done : kIndices;
    decoder.Decode(indices, decoded);
    for (int32_t i = 0; i < decoded;) {
      const uint8_t* const table =
          args.values + static_cast<size_t>(channel) * static_cast<size_t>(args.stride) * sizeof(T);
      const int32_t count = decoded - i < left ? decoded - i : left;
      MapIndices(table, indices + i, count, output);
      output += count;
      i += count;
      left -= count;
      if (left > 0) continue;
      left = run;
      channel = channel + 1 == args.channels ? 0 : channel + 1;
    }
    done += decoded;
  }
}

}  // namespace

void HuffmanDecode8Sse41(const HuffmanDecodeArgs& args) {
  Decoder decoder;
  if (!decoder.Prepare(args)) return HuffmanDecode8Ref(args);
  decoder.Decode(static_cast<uint8_t*>(args.output), args.count);
}
void HuffmanLutDecode8Sse41(const HuffmanDecodeArgs& args) {
  DecodeIndices<uint8_t>(HuffmanLutDecode8Ref, args);
}
void HuffmanLutDecode16Sse41(const HuffmanDecodeArgs& args) {
  DecodeIndices<uint16_t>(HuffmanLutDecode16Ref, args);
}
void HuffmanLutDecode32Sse41(const HuffmanDecodeArgs& args) {
  DecodeIndices<uint32_t>(HuffmanLutDecode32Ref, args);
}
void HuffmanLutDecode64Sse41(const HuffmanDecodeArgs& args) {
  DecodeIndices<uint64_t>(HuffmanLutDecode64Ref, args);
}

}  // namespace lutra

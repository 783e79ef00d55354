// SPDX-License-Identifier: Apache-2.0
// Decodes symbols one after the other from a window of bits, which is refilled word by word.

#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "runtime/kernels/bit_stream.h"

namespace lutra {
namespace {

template <typename Entry>
class Symbols {
 public:
  explicit Symbols(const HuffmanDecodeArgs& args)
      : stream_(args.stream), bytes_(args.stream_bytes), codes_(args.codes), first_bits_(args.first_bits) {}

  uint32_t Next() {
    if (valid_bits_ < 32) Refill();
    const uint8_t* entries = codes_;
    for (int bits = first_bits_;;) {
      entries += (window_ >> (64 - bits)) * sizeof(Entry);
      const auto entry = LoadElement<Entry>(entries);
      const int count = static_cast<int>(entry >> kValueBits & 15);
      const uint32_t value = entry & kValueMask;
      const bool is_leaf = entry >> (kValueBits + 4) != 0;
      const int used = is_leaf ? count : bits;
      window_ <<= used;
      valid_bits_ -= used;
      if (is_leaf) return value;
      entries += value * sizeof(Entry);
      bits = count + 1;
    }
  }

 private:
  static constexpr int kValueBits = sizeof(Entry) == 4 ? 27 : 11;
  static constexpr uint32_t kValueMask = (1u << kValueBits) - 1;

  // Refills by a word: no element takes more bits than are there then.
  void Refill() {
    const uint32_t word = LoadBig32Within(stream_, bytes_, at_);
    window_ |= static_cast<uint64_t>(word) << (32 - valid_bits_);
    valid_bits_ += 32;
    at_ += 4;
  }

  const uint8_t* stream_;
  size_t bytes_;
  const uint8_t* codes_;
  int first_bits_;
  size_t at_ = 0;
  uint64_t window_ = 0;  // The highest bit is the next; bits behind the valid ones are 0.
  int valid_bits_ = 0;
};

template <typename T, typename Entry>
void DecodeSymbols(const HuffmanDecodeArgs& args) {
  Symbols<Entry> symbols(args);
  auto* output = static_cast<T*>(args.output);
  const int32_t count = args.count;  // A local copy, as writes might change `args`.
  for (int32_t i = 0; i < count; ++i) output[i] = static_cast<T>(symbols.Next());
}

template <typename T, typename Entry>
void DecodeIndices(const HuffmanDecodeArgs& args) {
  Symbols<Entry> symbols(args);
  auto* output = static_cast<T*>(args.output);
  const uint8_t* table = args.values;
  int32_t channel = 0;
  for (int32_t i = 0; i < args.count;) {
    const int32_t run = args.channels == 1 || args.count - i < args.inner ? args.count - i : args.inner;
    for (const int32_t stop = i + run; i < stop; ++i) {
      output[i] = LoadElement<T>(table + (symbols.Next() & 0xFF) * sizeof(T));
    }
    channel = channel + 1 == args.channels ? 0 : channel + 1;
    table = args.values + static_cast<size_t>(channel) * static_cast<size_t>(args.stride) * sizeof(T);
  }
}

}  // namespace

template <typename T>
void HuffmanDecodeRef(const HuffmanDecodeArgs& args) {
  args.wide_codes ? DecodeSymbols<T, uint32_t>(args) : DecodeSymbols<T, uint16_t>(args);
}
template <typename T>
void HuffmanLutDecodeRef(const HuffmanDecodeArgs& args) {
  args.wide_codes ? DecodeIndices<T, uint32_t>(args) : DecodeIndices<T, uint16_t>(args);
}
template void HuffmanDecodeRef<uint8_t>(const HuffmanDecodeArgs&);
template void HuffmanDecodeRef<uint16_t>(const HuffmanDecodeArgs&);
template void HuffmanLutDecodeRef<uint8_t>(const HuffmanDecodeArgs&);
template void HuffmanLutDecodeRef<uint16_t>(const HuffmanDecodeArgs&);
template void HuffmanLutDecodeRef<uint32_t>(const HuffmanDecodeArgs&);
template void HuffmanLutDecodeRef<uint64_t>(const HuffmanDecodeArgs&);

}  // namespace lutra

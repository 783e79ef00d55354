// SPDX-License-Identifier: Apache-2.0
// Huffman codes: of elements, and of indices into value tables.

#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "runtime/compression/codec_functions.h"
#include "runtime/kernels/bit_stream.h"

namespace lutra {
namespace {

// TFLM's decoder holds no more bits of a code at a time.
constexpr int kHuffmanMaxCodeBits = 31;

void ReadHuffmanFlags(const uint8_t* header, Span<const uint8_t> codes, Encoding* e) {
  e->wide_codes = (header[kHuffmanFlagsByte] & kHuffmanWideBit) != 0;
  e->width = static_cast<uint8_t>((header[kHuffmanFlagsByte] >> kHuffmanFirstBitsShift) + 1);
  e->codes = codes;
}

// Decodes once, as the kernel will, and checks where it ends. `symbol_limit`: every symbol must be below it;
// 0: any symbol is valid.
Fault CheckCodes(const Encoding& e, int symbol_limit) {
  if (e.stream.size() % kHuffmanStreamUnit != 0) {
    return Fails(Rule::kHuffmanStream, static_cast<int64_t>(e.stream.size()));
  }
  const int entry_bytes = e.wide_codes ? 4 : 2;
  const int value_bits = e.wide_codes ? 27 : 11;
  const auto entries = static_cast<int64_t>(e.codes.size() / static_cast<size_t>(entry_bytes));
  FieldReader reader(e.stream, BitOrder::kMsbFirst);
  for (int32_t i = 0; i < e.elements; ++i) {
    int64_t at = 0;
    int fetched = 0;
    int bits = e.width;
    for (;;) {
      fetched += bits;
      if (fetched > kHuffmanMaxCodeBits) return Fails(Rule::kHuffmanTable, fetched, kHuffmanMaxCodeBits);
      at += reader.Read(bits);
      if (at >= entries) return Fails(Rule::kHuffmanTable, at, entries);
      const uint32_t entry = LittleEndian(e.codes.data() + at * entry_bytes, entry_bytes);
      const int count = static_cast<int>(entry >> value_bits & 15);
      const uint32_t value = entry & ((1u << value_bits) - 1);
      if ((entry >> (value_bits + 4) & 1) != 0) {
        if (count > bits) return Fails(Rule::kHuffmanTable, count, bits);
        reader.Unread(bits - count);
        if (symbol_limit > 0 && static_cast<int>(value & 0xFF) >= symbol_limit) {
          return Fails(Rule::kCompressionIndex, static_cast<int64_t>(value & 0xFF), symbol_limit);
        }
        break;
      }
      at += value;
      bits = count + 1;
    }
    if (reader.past_end()) return Fails(Rule::kHuffmanStream, i, e.elements);
  }
  return kSound;
}

HuffmanDecodeArgs ArgsOf(const Encoding& e, void* output) {
  return {
      .stream = e.stream.data(),
      .stream_bytes = e.stream.size(),
      .codes = e.codes.data(),
      .codes_bytes = e.codes.size(),
      .wide_codes = e.wide_codes,
      .first_bits = e.width,
      .count = e.elements,
      .output = output,
      .values = e.lut.value_table,
      .stride = e.lut.value_table_channel_stride,
      .channels = e.channels,
      .inner = e.inner,
  };
}

// Returns the symbol that begins at bit at->bit. No code has more bits than a window.
uint32_t NextSymbol(const Encoding& e, StreamPosition* at) {
  const int entry_bytes = e.wide_codes ? 4 : 2;
  const int value_bits = e.wide_codes ? 27 : 11;
  uint64_t window = MsbWindow(e.stream.data(), e.stream.size(), at->bit);
  const uint8_t* entries = e.codes.data();
  for (int bits = e.width;;) {
    entries += (window >> (64 - bits)) * static_cast<size_t>(entry_bytes);
    const uint32_t entry = LittleEndian(entries, entry_bytes);
    const int count = static_cast<int>(entry >> value_bits & 15);
    const uint32_t value = entry & ((1u << value_bits) - 1);
    const bool is_leaf = entry >> (value_bits + 4) != 0;
    const int used = is_leaf ? count : bits;
    window <<= used;
    at->bit += static_cast<uint64_t>(used);
    if (is_leaf) return value;
    entries += value * static_cast<size_t>(entry_bytes);
    bits = count + 1;
  }
}

}  // namespace

Fault ReadHuffman(const uint8_t* header, Span<const uint8_t> payload, const TensorInfo& output, Encoding* e) {
  ReadHuffmanFlags(header, payload, e);
  // Only 8 bits of the symbols of narrow entries count.
  const bool fits =
      Contains(kSymbolTypes, output.type) && (output.type == TensorType::kInt8 || e->wide_codes);
  if (fits) return kSound;
  return Fails(Rule::kCompressionType, static_cast<int32_t>(output.type),
               static_cast<int32_t>(TensorType::kInt8));
}

Fault ReadHuffmanLut(const uint8_t* header, Span<const uint8_t> payload, const TensorInfo& output,
                     Encoding* e) {
  const Fault fault = RequireType(kCompressibleTypes, output.type);
  if (fault.rule != Rule::kNone) return fault;
  const int axis = header[kHuffmanLutAxisByte];
  if (axis != kLutOneTable) {
    if (axis >= output.shape.rank) return Fails(Rule::kCompressionAxis, axis, output.shape.rank);
    SplitByAxis(output.shape, axis, e);
  }
  e->lut.value_table_channel_stride = static_cast<int32_t>(LittleEndian(header + kHuffmanLutStrideByte, 2));
  const size_t codes_at = LittleEndian(header + kHuffmanLutCodesByte, 4);
  const int64_t value_bytes = int64_t{e->channels} * e->lut.value_table_channel_stride * e->element_bytes;
  if (e->lut.value_table_channel_stride < 1 || e->lut.value_table_channel_stride > 256 ||
      codes_at % kHuffmanStreamUnit != 0 || codes_at > payload.size() ||
      value_bytes > static_cast<int64_t>(codes_at)) {
    return Fails(Rule::kCompressionTable, static_cast<int64_t>(codes_at), value_bytes);
  }
  e->lut.value_table = payload.data();
  e->lut.value_table_bytes = static_cast<size_t>(value_bytes);
  ReadHuffmanFlags(header, payload.Subspan(codes_at, payload.size() - codes_at), e);
  return kSound;
}

Fault CheckHuffman(const Encoding& e) { return CheckCodes(e, 0); }
Fault CheckHuffmanLut(const Encoding& e) { return CheckCodes(e, e.lut.value_table_channel_stride); }

void DecodeHuffman(const Encoding& e, CpuFeatures features, void* output) {
  const HuffmanDecodeArgs args = ArgsOf(e, output);
  WithElement<uint16_t>(e.element_bytes,
                        [&](auto zero) { Best(kHuffmanDecode<decltype(zero)>, features).run(args); });
}

void DecodeHuffmanLut(const Encoding& e, CpuFeatures features, void* output) {
  const HuffmanDecodeArgs args = ArgsOf(e, output);
  WithElement<uint64_t>(e.element_bytes,
                        [&](auto zero) { Best(kHuffmanLutDecode<decltype(zero)>, features).run(args); });
}

void DecodeHuffmanPart(const Encoding& e, CpuFeatures, int32_t first, int32_t count, StreamPosition* position,
                       void* output) {
  DecodeInOrder(e, first, count, position, output,
                [&e](StreamPosition* at) { return uint64_t{NextSymbol(e, at)}; });
}

void DecodeHuffmanLutPart(const Encoding& e, CpuFeatures, int32_t first, int32_t count,
                          StreamPosition* position, void* output) {
  DecodeInOrder(e, first, count, position, output,
                [&e](StreamPosition* at) { return TableEntry(e, at->element, NextSymbol(e, at) & 0xFF); });
}

}  // namespace lutra

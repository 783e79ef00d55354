// SPDX-License-Identifier: Apache-2.0
// Reads and checks what says how a tensor is compressed.

#include "lutra/compression/encoding.h"

#include <limits.h>

namespace lutra {
namespace {

// TFLM's decoder holds no more bits of a code at a time.
constexpr int kHuffmanMaxCodeBits = 31;
constexpr Fault kSound = {};

uint32_t LittleEndian(const uint8_t* bytes, int count) {
  uint32_t value = 0;
  for (int i = count - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

// Reads a stream field by field, for checks: decoding proper is the kernels' business.
class FieldReader {
 public:
  FieldReader(Span<const uint8_t> stream, BitOrder order) : stream_(stream), order_(order) {}

  // The next `width` bits, at most 31; bits past the end read as 0.
  uint32_t Read(int width) {
    uint32_t field = 0;
    for (int i = 0; i < width; ++i, ++position_) {
      const auto byte = static_cast<size_t>(position_ / 8);
      const int in_byte = static_cast<int>(position_ % 8);
      const int bits = byte < stream_.size() ? stream_[byte] : 0;
      if (order_ == BitOrder::kMsbFirst) {
        field = field << 1 | (bits >> (7 - in_byte) & 1);
      } else {
        field |= static_cast<uint32_t>(bits >> in_byte & 1) << i;
      }
    }
    return field;
  }
  void Unread(int bits) { position_ -= bits; }
  bool past_end() const { return position_ > static_cast<int64_t>(stream_.size()) * 8; }

 private:
  Span<const uint8_t> stream_;
  BitOrder order_;
  int64_t position_ = 0;
};

Fault Fails(Rule rule, int64_t found = kNoValue, int64_t required = kNoValue) {
  const auto figure = [](int64_t value) {
    return value > INT32_MAX ? INT32_MAX : static_cast<int32_t>(value);
  };
  return {rule, figure(found), figure(required)};
}

bool IsLutType(TensorType type) {
  switch (type) {
    case TensorType::kBool:
    case TensorType::kInt8:
    case TensorType::kInt16:
    case TensorType::kInt32:
    case TensorType::kInt64:
    case TensorType::kFloat32:
      return true;
    default:
      return false;
  }
}

bool IsPackType(TensorType type) {
  return IsLutType(type) && type != TensorType::kInt64 && type != TensorType::kFloat32;
}

bool IsDecodeType(int byte) {
  return byte <= static_cast<int>(DecodeType::kPrune) || (byte >= static_cast<int>(DecodeType::kBitPack) &&
                                                          byte <= static_cast<int>(DecodeType::kHuffmanLut));
}

int32_t TypeCode(TensorType type) { return static_cast<int32_t>(type); }

Fault RequireStreamBits(const Encoding& e, int64_t bits) {
  const int64_t bytes = (bits + 7) / 8;
  if (static_cast<int64_t>(e.stream.size()) < bytes) {
    return Fails(Rule::kCompressionStream, static_cast<int64_t>(e.stream.size()), bytes);
  }
  return kSound;
}

// Sets the tables to one for each channel of `axis`.
void SplitByAxis(const Shape& shape, int axis, Encoding* e) {
  e->channels = shape[axis];
  e->inner = shape.Count(axis + 1, shape.rank);
}

// The indices of a LUT are inside the stream and their tables.
Fault CheckIndices(const Encoding& e) {
  const Fault fault = RequireStreamBits(e, int64_t{e.elements} * e.width);
  if (fault.rule != Rule::kNone) return fault;
  if (e.lut.value_table_channel_stride >> e.width != 0)
    return kSound;  // Whatever the index, it has an entry.
  FieldReader reader(e.stream, e.order);
  for (int32_t i = 0; i < e.elements; ++i) {
    const auto index = static_cast<int32_t>(reader.Read(e.width));
    if (index >= e.lut.value_table_channel_stride)
      return Fails(Rule::kCompressionIndex, index, e.lut.value_table_channel_stride);
  }
  return kSound;
}

// Whose table an old file means: it has no axis field, and its tables follow the scales. Returns -1
// if they cannot. One that has the field and means axis 0 looks the same where both fit.
int AxisOfTables(const TensorInfo& output, int field, int64_t tables) {
  const int rank = output.shape.rank;
  if (field != 0) return field < rank && output.shape[field] == tables ? field : -1;
  const int quantized = output.quantized_dimension;
  const bool by_scales = output.scales.size() == tables && quantized >= 0 && quantized < rank &&
                         output.shape[quantized] == tables;
  if (by_scales) return quantized;
  return rank > 0 && output.shape[0] == tables ? 0 : -1;
}

Fault ReadLut(const uint8_t* header, Span<const uint8_t> payload, const TensorInfo& output, Encoding* e) {
  if (!IsLutType(output.type)) return Fails(Rule::kCompressionType, TypeCode(output.type));
  e->width = header[kLutWidthByte] & kLutWidthMask;
  if (e->width == 0) return Fails(Rule::kCompressionWidth, e->width, 1);
  e->lut.value_table_channel_stride = header[kLutStrideByte];
  const auto table_bytes = static_cast<size_t>(e->lut.value_table_channel_stride) * e->element_bytes;
  if (table_bytes == 0 || payload.size() == 0 || payload.size() % table_bytes != 0) {
    return Fails(Rule::kCompressionTable, static_cast<int64_t>(payload.size()),
                 static_cast<int64_t>(table_bytes));
  }
  const auto tables = static_cast<int64_t>(payload.size() / table_bytes);
  if (tables > 1) {
    const int field = header[kLutWidthByte] >> kLutAxisShift;
    const int axis = AxisOfTables(output, field, tables);
    if (axis < 0) return Fails(Rule::kCompressionAxis, field);
    SplitByAxis(output.shape, axis, e);
  }
  e->lut.value_table = payload.data();
  e->lut.value_table_bytes = payload.size();
  return kSound;
}

// Decodes once, as the kernel will, and looks where it gets to.
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

void ReadHuffmanFlags(const uint8_t* header, Span<const uint8_t> codes, Encoding* e) {
  e->wide_codes = (header[kHuffmanFlagsByte] & kHuffmanWideBit) != 0;
  e->width = static_cast<uint8_t>((header[kHuffmanFlagsByte] >> kHuffmanFirstBitsShift) + 1);
  e->codes = codes;
}

Fault ReadHuffman(const uint8_t* header, Span<const uint8_t> payload, const TensorInfo& output, Encoding* e) {
  ReadHuffmanFlags(header, payload, e);
  const bool fits = output.type == TensorType::kInt8 || (output.type == TensorType::kInt16 && e->wide_codes);
  if (!fits) return Fails(Rule::kCompressionType, TypeCode(output.type), TypeCode(TensorType::kInt8));
  return kSound;
}

Fault ReadHuffmanLut(const uint8_t* header, Span<const uint8_t> payload, const TensorInfo& output,
                     Encoding* e) {
  if (!IsLutType(output.type)) return Fails(Rule::kCompressionType, TypeCode(output.type));
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

// The zero points that pruned elements take.
Fault ReadZeroPoints(const TensorInfo& output, Encoding* e) {
  const bool codes = output.type == TensorType::kInt8;
  for (int32_t i = 0; i < output.zero_points.size(); ++i) {
    const int64_t zero_point = output.zero_points[i];
    if (codes ? zero_point < INT8_MIN || zero_point > INT8_MAX : zero_point != 0) {
      return Fails(Rule::kPruneZeroPoint, i);
    }
  }
  if (!codes) return kSound;
  e->zero_points = output.zero_points;
  if (output.scales.size() <= 1) return kSound;
  const int axis = output.quantized_dimension;
  if (axis != 0 && axis != output.shape.rank - 1) return Fails(Rule::kCompressionAxis, axis);
  if (output.shape.rank == 0 || output.scales.size() != output.shape[axis] ||
      output.zero_points.size() != output.shape[axis]) {
    return Fails(Rule::kCompressionChannels, output.zero_points.size());
  }
  SplitByAxis(output.shape, axis, e);
  return kSound;
}

Fault ReadPrune(Span<const uint8_t> payload, const TensorInfo& output, Encoding* e) {
  if (!IsLutType(output.type)) return Fails(Rule::kCompressionType, TypeCode(output.type));
  e->kept = payload;
  return ReadZeroPoints(output, e);
}

Fault CheckMap(const Encoding& e) {
  const Fault fault = RequireStreamBits(e, e.elements);
  if (fault.rule != Rule::kNone) return fault;
  FieldReader reader(e.stream, BitOrder::kMsbFirst);
  int64_t kept = 0;
  for (int32_t i = 0; i < e.elements; ++i) kept += reader.Read(1);
  const auto held = static_cast<int64_t>(e.kept.size() / e.element_bytes);
  return kept <= held ? kSound : Fails(Rule::kPruneCount, held, kept);
}

Fault ReadBitPack(const TensorInfo& output, Encoding* e) {
  if (!IsPackType(output.type)) return Fails(Rule::kCompressionType, TypeCode(output.type));
  if (e->width < 1 || e->width > kBitPackMaxWidth) {
    return Fails(Rule::kCompressionWidth, e->width, kBitPackMaxWidth);
  }
  return kSound;
}

Fault CheckSparseIndices(const Encoding& e) {
  FieldReader reader(e.stream, e.order);
  for (int32_t i = 0; i < e.elements; ++i) {
    if (reader.Read(1) == 0) continue;
    const auto index = static_cast<int32_t>(reader.Read(e.width));
    if (index >= e.lut.value_table_channel_stride)
      return Fails(Rule::kCompressionIndex, index, e.lut.value_table_channel_stride);
  }
  return reader.past_end() ? Fails(Rule::kCompressionStream, static_cast<int64_t>(e.stream.size())) : kSound;
}

Fault ReadPackedLut(const uint8_t* header, Span<const uint8_t> payload, const TensorInfo& output,
                    Encoding* e) {
  if (!IsLutType(output.type) || output.type == TensorType::kInt64) {
    return Fails(Rule::kCompressionType, TypeCode(output.type));
  }
  if (e->width < 1 || e->width > kWideLutMaxWidth) {
    return Fails(Rule::kCompressionWidth, e->width, kWideLutMaxWidth);
  }
  e->lut.value_table_channel_stride = static_cast<int32_t>(LittleEndian(header + kPackEntriesByte, 2));
  e->lut.value_table_bytes = static_cast<size_t>(e->lut.value_table_channel_stride) * e->element_bytes;
  if (e->lut.value_table_channel_stride < 1 || e->lut.value_table_channel_stride > 1 << kWideLutMaxWidth ||
      e->lut.value_table_bytes > payload.size()) {
    return Fails(Rule::kCompressionTable, static_cast<int64_t>(payload.size()),
                 static_cast<int64_t>(e->lut.value_table_bytes));
  }
  e->lut.value_table = payload.data();
  e->special = LittleEndian(header + kPackSpecialByte, 4);
  return kSound;
}

}  // namespace

const char* ToString(DecodeType type) {
  switch (type) {
    case DecodeType::kLut:
      return "lut";
    case DecodeType::kHuffman:
      return "huffman";
    case DecodeType::kPrune:
      return "prune";
    case DecodeType::kBitPack:
      return "bitpack";
    case DecodeType::kWideLut:
      return "wide-lut";
    case DecodeType::kSparseLut:
      return "sparse-lut";
    case DecodeType::kHuffmanLut:
      return "huffman-lut";
  }
  return "unknown";
}

Fault ReadDecodePair(Span<const uint8_t> encoded, Span<const uint8_t> ancillary, const TensorInfo& output,
                     Encoding* encoding) {
  Encoding& e = *encoding;
  e = Encoding();
  if (ancillary.size() < kDecodeHeaderBytes) {
    return Fails(Rule::kDecodeHeader, static_cast<int64_t>(ancillary.size()), kDecodeHeaderBytes);
  }
  const uint8_t* header = ancillary.data();
  if (header[kDecodeVersionByte] != kDecodeVersion) {
    return Fails(Rule::kDecodeVersion, header[kDecodeVersionByte], kDecodeVersion);
  }
  e.type = static_cast<DecodeType>(header[kDecodeTypeByte]);
  e.stream = encoded;
  e.elements = output.shape.Count();
  e.element_bytes = static_cast<uint8_t>(ElementBytes(output.type));
  const Span<const uint8_t> payload =
      ancillary.Subspan(kDecodeHeaderBytes, ancillary.size() - kDecodeHeaderBytes);
  if (!IsDecodeType(header[kDecodeTypeByte])) return Fails(Rule::kDecodeType, header[kDecodeTypeByte]);
  if (header[kDecodeTypeVersionByte] != kDecodeTypeVersion) {
    return Fails(Rule::kDecodeTypeVersion, header[kDecodeTypeVersionByte], kDecodeTypeVersion);
  }
  switch (e.type) {
    case DecodeType::kLut:
      return ReadLut(header, payload, output, &e);
    case DecodeType::kHuffman:
      return ReadHuffman(header, payload, output, &e);
    case DecodeType::kPrune:
      return ReadPrune(payload, output, &e);
    case DecodeType::kHuffmanLut:
      return ReadHuffmanLut(header, payload, output, &e);
    case DecodeType::kBitPack:
    case DecodeType::kWideLut:
    case DecodeType::kSparseLut:
      break;
  }
  e.width = header[kPackWidthByte];
  e.order = (header[kPackFlagsByte] & kPackMsbFirstBit) != 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
  e.sign_extend = (header[kPackFlagsByte] & kPackSignBit) != 0;
  return e.type == DecodeType::kBitPack ? ReadBitPack(output, &e)
                                        : ReadPackedLut(header, payload, output, &e);
}

Fault ReadLutTensor(Span<const uint8_t> indices, Span<const uint8_t> values, int width,
                    const TensorInfo& tensor, Encoding* encoding) {
  Encoding& e = *encoding;
  e = Encoding();
  if (width < 1 || width > kLutMaxWidth) return Fails(Rule::kCompressionWidth, width, kLutMaxWidth);
  if (tensor.shape.rank == 0) return Fails(Rule::kCompressionScalar);
  if (!IsLutType(tensor.type)) return Fails(Rule::kCompressionType, TypeCode(tensor.type));
  e.width = static_cast<uint8_t>(width);
  e.stream = indices;
  e.elements = tensor.shape.Count();
  e.element_bytes = static_cast<uint8_t>(ElementBytes(tensor.type));
  e.lut.value_table = values.data();
  e.lut.value_table_bytes = values.size();
  if (tensor.scales.size() > 1) {
    const int axis = tensor.quantized_dimension;
    if (axis != 0 && axis != tensor.shape.rank - 1) return Fails(Rule::kCompressionAxis, axis);
    if (tensor.scales.size() != tensor.shape[axis]) {
      return Fails(Rule::kCompressionChannels, tensor.scales.size(), tensor.shape[axis]);
    }
    SplitByAxis(tensor.shape, axis, &e);
  }
  const int64_t entry_bytes = int64_t{e.channels} * e.element_bytes;
  const auto held = static_cast<int64_t>(values.size());
  if (held == 0) return Fails(Rule::kCompressionBuffer);
  // TFLM counts the entries of a table with 8 bits.
  if (held % entry_bytes != 0 || held / entry_bytes > UINT8_MAX) {
    return Fails(Rule::kCompressionTable, held, entry_bytes);
  }
  e.lut.value_table_channel_stride = static_cast<int32_t>(held / entry_bytes);
  return kSound;
}

Fault CheckContents(const Encoding& e) {
  switch (e.type) {
    case DecodeType::kLut:
    case DecodeType::kWideLut:
      return CheckIndices(e);
    case DecodeType::kHuffman:
      return CheckCodes(e, 0);
    case DecodeType::kHuffmanLut:
      return CheckCodes(e, e.lut.value_table_channel_stride);
    case DecodeType::kPrune:
      return CheckMap(e);
    case DecodeType::kSparseLut:
      return CheckSparseIndices(e);
    case DecodeType::kBitPack:
      break;
  }
  return RequireStreamBits(e, int64_t{e.elements} * e.width);
}

}  // namespace lutra

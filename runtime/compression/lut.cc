// SPDX-License-Identifier: Apache-2.0
// Lookup tables: TFLM_DECODE's type 0 and COMPRESSION_METADATA. Wide LUTs are checked and decoded here, too.

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/compression/codec_functions.h"

namespace lutra {
namespace {

// Returns the axis of an old file's tables: such a file has no axis field, and its tables follow the scales;
// -1 if they cannot. A file with the field and axis 0 looks the same, if both are possible.
int AxisOfTables(const TensorInfo& output, int field, int64_t tables) {
  const int rank = output.shape.rank;
  if (field != 0) return field < rank && output.shape[field] == tables ? field : -1;
  const int quantized = output.quantized_dimension;
  const bool by_scales = output.scales.size() == tables && quantized >= 0 && quantized < rank &&
                         output.shape[quantized] == tables;
  if (by_scales) return quantized;
  return rank > 0 && output.shape[0] == tables ? 0 : -1;
}

}  // namespace

Fault ReadLut(const uint8_t* header, Span<const uint8_t> payload, const TensorInfo& output, Encoding* e) {
  const Fault fault = RequireType(kCompressibleTypes, output.type);
  if (fault.rule != Rule::kNone) return fault;
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

Fault ReadLutTensor(Span<const uint8_t> indices, Span<const uint8_t> values, int width,
                    const TensorInfo& tensor, Encoding* encoding) {
  Encoding& e = *encoding;
  e = Encoding();
  if (width < 1 || width > kLutMaxWidth) return Fails(Rule::kCompressionWidth, width, kLutMaxWidth);
  if (tensor.shape.rank == 0) return Fails(Rule::kCompressionScalar);
  const Fault fault = RequireType(kCompressibleTypes, tensor.type);
  if (fault.rule != Rule::kNone) return fault;
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
  if (values.empty()) return Fails(Rule::kCompressionBuffer);
  // The bytes of an entry of all channels might not fit 32 bits, so the table's size is divided twice.
  const size_t held = values.size() / e.element_bytes;
  const auto channels = static_cast<size_t>(e.channels);
  // TFLM stores the number of a table's entries in 8 bits.
  if (values.size() % e.element_bytes != 0 || held % channels != 0 || held / channels > UINT8_MAX) {
    return Fails(Rule::kCompressionTable, static_cast<int64_t>(values.size()),
                 int64_t{e.channels} * e.element_bytes);
  }
  e.lut.value_table_channel_stride = static_cast<int32_t>(held / channels);
  return kSound;
}

// Checks that every index is inside the stream and has an entry.
Fault CheckLut(const Encoding& e) {
  const Fault fault = RequireStreamBits(e, int64_t{e.elements} * e.width);
  if (fault.rule != Rule::kNone) return fault;
  if (e.lut.value_table_channel_stride >> e.width != 0)
    return kSound;  // Whatever the index is, it has an entry.
  FieldReader reader(e.stream, e.order);
  for (int32_t i = 0; i < e.elements; ++i) {
    const auto index = static_cast<int32_t>(reader.Read(e.width));
    if (index >= e.lut.value_table_channel_stride)
      return Fails(Rule::kCompressionIndex, index, e.lut.value_table_channel_stride);
  }
  return kSound;
}

bool DecodeLut(const Encoding& e, CpuFeatures features, void* output) {
  if (e.type != DecodeType::kLut && e.type != DecodeType::kWideLut) return false;
  if (output != nullptr) DecodeLutValues(e, features, output);
  return true;
}

void DecodeLutValues(const Encoding& e, CpuFeatures features, void* output) {
  DecodeLutPart(e, features, 0, e.elements, nullptr, output);
}

void DecodeLutPart(const Encoding& e, CpuFeatures features, int32_t first, int32_t count, StreamPosition*,
                   void* output) {
  const LutDecodeArgs args = {
      .stream = e.stream.data(),
      .stream_bytes = e.stream.size(),
      .order = e.order,
      .width = e.width,
      .values = e.lut.value_table,
      .stride = e.lut.value_table_channel_stride,
      .channels = e.channels,
      .inner = e.inner,
      .output = output,
  };
  WithElement<uint64_t>(e.element_bytes, [&](auto zero) {
    Best(kLutDecode<decltype(zero)>, features).run(args, first, count);
  });
}

}  // namespace lutra

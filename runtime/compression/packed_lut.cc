// SPDX-License-Identifier: Apache-2.0
// Wide and sparse LUTs: indices of 1 to 8 bits into one table; in sparse ones, a flag bit may stand for the
// special symbol instead of an index.

#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"
#include "runtime/compression/codec_functions.h"
#include "runtime/kernels/bit_stream.h"

namespace lutra {

Fault ReadPackedLut(const uint8_t* header, Span<const uint8_t> payload, const TensorInfo& output,
                    Encoding* e) {
  ReadPackedHeader(header, e);
  const Fault fault = RequireType(kPackedTableTypes, output.type);
  if (fault.rule != Rule::kNone) return fault;
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

// Checks that every index has an entry, and that the last one ends inside the stream.
Fault CheckSparseLut(const Encoding& e) {
  FieldReader reader(e.stream, e.order);
  for (int32_t i = 0; i < e.elements; ++i) {
    if (reader.Read(1) == 0) continue;
    const auto index = static_cast<int32_t>(reader.Read(e.width));
    if (index >= e.lut.value_table_channel_stride)
      return Fails(Rule::kCompressionIndex, index, e.lut.value_table_channel_stride);
  }
  return reader.past_end() ? Fails(Rule::kCompressionStream, static_cast<int64_t>(e.stream.size())) : kSound;
}

void DecodeSparseLut(const Encoding& e, CpuFeatures features, void* output) {
  const SparseLutDecodeArgs args = {
      .stream = e.stream.data(),
      .stream_bytes = e.stream.size(),
      .order = e.order,
      .width = e.width,
      .first_bit = 0,
      .values = e.lut.value_table,
      .special = e.special,
      .count = e.elements,
      .output = output,
  };
  WithElement<uint32_t>(e.element_bytes,
                        [&](auto zero) { Best(kSparseLutDecode<decltype(zero)>, features).run(args); });
}

void DecodeSparseLutPart(const Encoding& e, CpuFeatures, int32_t first, int32_t count,
                         StreamPosition* position, void* output) {
  const bool msb_first = e.order == BitOrder::kMsbFirst;
  DecodeInOrder(e, first, count, position, output, [&](StreamPosition* at) {
    const uint64_t window = msb_first ? MsbWindow(e.stream.data(), e.stream.size(), at->bit)
                                      : LsbWindow(e.stream.data(), e.stream.size(), at->bit);
    const bool indexed = (msb_first ? window >> 63 : window & 1) != 0;
    ++at->bit;
    if (!indexed) return uint64_t{e.special};
    at->bit += e.width;
    const uint64_t field = msb_first ? window >> (63 - e.width) : window >> 1;
    return TableEntry(e, at->element, field & ((1u << e.width) - 1));
  });
}

}  // namespace lutra

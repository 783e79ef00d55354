// SPDX-License-Identifier: Apache-2.0
// Bit packing: integers of 1 to 31 bits, zero or sign extended.

#include "lutra/compression/decode.h"
#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/compression/codec_functions.h"

namespace lutra {

Fault ReadBitPack(const uint8_t* header, Span<const uint8_t>, const TensorInfo& output, Encoding* e) {
  ReadPackedHeader(header, e);
  const Fault fault = RequireType(kItemTypes, output.type);
  if (fault.rule != Rule::kNone) return fault;
  if (e->width < 1 || e->width > kBitPackMaxWidth) {
    return Fails(Rule::kCompressionWidth, e->width, kBitPackMaxWidth);
  }
  return kSound;
}

Fault CheckBitPack(const Encoding& e) { return RequireStreamBits(e, int64_t{e.elements} * e.width); }

// A byte has two codes, the first in its low bits.
bool DecodeInt4(const Encoding& e, CpuFeatures, void* output) {
  const bool is_int4 = e.type == DecodeType::kBitPack && e.order == BitOrder::kLsbFirst && e.width == 4 &&
                       e.sign_extend && e.element_bytes == 1;
  if (!is_int4 || output == nullptr) return is_int4;
  auto* const codes = static_cast<int8_t*>(output);
  for (int32_t i = 0; i < e.elements; ++i) {
    const int byte = e.stream[static_cast<size_t>(i / 2)];
    const int code = i % 2 == 0 ? byte & 15 : byte >> 4;
    codes[i] = static_cast<int8_t>((code ^ 8) - 8);
  }
  return true;
}

void DecodeBitPack(const Encoding& e, CpuFeatures features, void* output) {
  DecodeBitPackPart(e, features, 0, e.elements, nullptr, output);
}

void DecodeBitPackPart(const Encoding& e, CpuFeatures features, int32_t first, int32_t count, StreamPosition*,
                       void* output) {
  const BitUnpackArgs args = {
      .stream = e.stream.data(),
      .stream_bytes = e.stream.size(),
      .order = e.order,
      .width = e.width,
      .sign_extend = e.sign_extend,
      .first_bit = 0,
      .output = output,
  };
  WithElement<uint32_t>(e.element_bytes, [&](auto zero) {
    Best(kBitUnpack<decltype(zero)>, features).run(args, first, count);
  });
}

}  // namespace lutra

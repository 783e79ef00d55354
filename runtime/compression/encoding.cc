// SPDX-License-Identifier: Apache-2.0
// Calls the reader and the check of a codec by its type.

#include "lutra/compression/encoding.h"

#include "runtime/compression/codec_functions.h"

namespace lutra {

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
  if (!IsCodec(e.type)) return Fails(Rule::kDecodeType, header[kDecodeTypeByte]);
  if (header[kDecodeTypeVersionByte] != kDecodeTypeVersion) {
    return Fails(Rule::kDecodeTypeVersion, header[kDecodeTypeVersionByte], kDecodeTypeVersion);
  }
  switch (e.type) {
#define LUTRA_READ(name, number, text, method, tflm, types, tables, order, read, check, decode, part) \
  case DecodeType::k##name:                                                                           \
    return read(header, payload, output, &e);
    LUTRA_CODECS(LUTRA_READ)
#undef LUTRA_READ
  }
  return kSound;
}

Fault CheckContents(const Encoding& e) {
  switch (e.type) {
#define LUTRA_CHECK(name, number, text, method, tflm, types, tables, order, read, check, decode, part) \
  case DecodeType::k##name:                                                                            \
    return check(e);
    LUTRA_CODECS(LUTRA_CHECK)
#undef LUTRA_CHECK
  }
  return kSound;
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Calls the decoders of a codec by its type.

#include "lutra/compression/decode.h"

#include "runtime/compression/codec_functions.h"

namespace lutra {

bool Decode(const Encoding& e, CpuFeatures features, void* output) {
  switch (e.type) {
#define LUTRA_DECODE(name, number, text, method, tflm, types, tables, order, read, check, decode, part) \
  case DecodeType::k##name:                                                                             \
    if (output != nullptr) decode(e, features, output);                                                 \
    return true;
    LUTRA_CODECS(LUTRA_DECODE)
#undef LUTRA_DECODE
  }
  return false;
}

void DecodePart(const Encoding& e, CpuFeatures features, int32_t first, int32_t count,
                StreamPosition* position, void* output) {
  // All elements are decoded at once; `position` stays at the start, as nothing is left to read.
  if (first == 0 && count == e.elements) {
    (void)Decode(e, features, output);
    return;
  }
  switch (e.type) {
#define LUTRA_DECODE(name, number, text, method, tflm, types, tables, order, read, check, decode, part) \
  case DecodeType::k##name:                                                                             \
    return part(e, features, first, count, position, output);
    LUTRA_CODECS(LUTRA_DECODE)
#undef LUTRA_DECODE
  }
}

}  // namespace lutra

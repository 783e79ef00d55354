// SPDX-License-Identifier: Apache-2.0
// From the type of a codec to its decoder.

#include "lutra/compression/decode.h"

#include "runtime/compression/codec_functions.h"

namespace lutra {

void Decode(const Encoding& e, CpuFeatures features, void* output) {
  switch (e.type) {
#define LUTRA_DECODE(name, number, text, method, tflm, types, tables, order, read, check, decode) \
  case DecodeType::k##name:                                                                       \
    return decode(e, features, output);
    LUTRA_CODECS(LUTRA_DECODE)
#undef LUTRA_DECODE
  }
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Calls the encoder of a codec.

#include "compressor/encode/encode.h"

#include "compressor/encode/elements.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {

Encodable Encode(DecodeType type, const TensorValues& values, const EncodeOptions& options) {
  switch (type) {
#define LUTRA_ENCODE(name, ...) \
  case DecodeType::k##name:     \
    return Encode##name(values, options);
    LUTRA_CODECS(LUTRA_ENCODE)
#undef LUTRA_ENCODE
  }
  return WhyNot("no such format");
}

}  // namespace lutra::compressor

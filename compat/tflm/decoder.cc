// SPDX-License-Identifier: Apache-2.0
// In a file of its own: a program that does not name it does not link the decoders.

#include "compat/tflm/held.h"
#include "lutra/compression/decode.h"

namespace lutra::compat {

extern const Decoder kDecoder = {Decode};

}  // namespace lutra::compat

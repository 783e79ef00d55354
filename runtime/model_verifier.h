// SPDX-License-Identifier: Apache-2.0
// Tells whether all that the runtime reads of a FlatBuffer lies inside it: every offset, vtable, number, list
// and text, each at a multiple of its size. What the runtime never reads is not looked at.
//
//   if (!VerifyModel(bytes)) return refuse(Rule::kFlatbuffer);
//
// FlatBuffers' own verifier knows every table of the format and takes nine times the flash. Tests show that
// VerifyModel accepts all files which that one accepts, and that the runtime can read all that it accepts.

#pragma once

#include <stdint.h>

#include "lutra/span.h"

namespace lutra {

// A .tflite file. `bytes` are aligned to kModelAlignment.
bool VerifyModel(Span<const uint8_t> bytes);

// The content of COMPRESSION_METADATA. `bytes` are aligned to 4.
bool VerifyCompressionMetadata(Span<const uint8_t> bytes);

}  // namespace lutra

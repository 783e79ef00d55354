// SPDX-License-Identifier: Apache-2.0
// Decode computes the values of a compressed tensor. A program that names it links every decoder; DecodeLut
// links that of lookup tables, the only codec in COMPRESSION_METADATA, DecodeInt4 that of constants of int4.
//
//   Decode(model.encoding(0, 17), CpuFeaturesHere(), values);

#pragma once

#include "lutra/compression/encoding.h"
#include "lutra/cpu.h"
#include "lutra/kernels/streamed_rows.h"
#include "lutra/options.h"

namespace lutra {

// A DecodeFn writes all elements, in the machine's byte order, to `output`: encoding.elements *
// encoding.element_bytes bytes, aligned to the element. The encoding has passed its checks. Returns false,
// and writes nothing, if this decoder does not read encoding.type. A null `output` only asks whether it does.
bool Decode(const Encoding& encoding, CpuFeatures features, void* output);
bool DecodeLut(const Encoding& encoding, CpuFeatures features, void* output);
bool DecodeInt4(const Encoding& encoding, CpuFeatures features, void* output);

// Elements [first, first + count): a StreamedRows::DecodeFn. Huffman codes, pruned and sparse tensors are
// read from `position` on, or from their start if it is beyond `first`.
using DecodePartFn = StreamedRows::DecodeFn;

void DecodePart(const Encoding& encoding, CpuFeatures features, int32_t first, int32_t count,
                StreamPosition* position, void* output);

}  // namespace lutra

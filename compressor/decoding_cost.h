// SPDX-License-Identifier: Apache-2.0
// The time that decoding takes, and an inference, as a checked-in table has it: the same on every machine and
// in every run, so that what is chosen by it is, too.
//
//   const double share = DecodingUs(DecodeType::kHuffman, 16, tensor.bytes) / InferenceUs(model);
//
// Microseconds of the processor that the table was measured on; only their ratios are meant.

#pragma once

#include "lutra/compression/codecs.h"
#include "lutra/model.h"

namespace lutra::compressor {

// Of a tensor of so many distinct values, in its largest table or all of it, and bytes when it is decoded.
double DecodingUs(DecodeType codec, int values, int64_t bytes);

// Whether decoding `a` takes no longer than `b`, whatever the tensor.
bool DecodesAsFast(DecodeType a, DecodeType b);

// Of one run of subgraph 0, by its multiply-accumulates. Without decoding.
double InferenceUs(const Model& model);

}  // namespace lutra::compressor

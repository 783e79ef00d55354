// SPDX-License-Identifier: Apache-2.0
// The time that decoding takes, and an inference, as a checked-in table has it: the same on every machine and
// in every run, so that what is chosen by it is, too.
//
//   const double share = DecodingUs(DecodeType::kHuffman, 16, tensor.bytes) / InferenceUs(model);
//
// Microseconds of the processor that the table was measured on; only their ratios are meant.

#pragma once

#include "lutra/compression/codecs.h"
#include "lutra/compression/format.h"
#include "lutra/model.h"

namespace lutra::compressor {

// The time to decode a tensor: `values` are the distinct ones, in its largest table or all of it, `bytes` the
// decoded.
double DecodingUs(DecodeType codec, int values, int64_t bytes);

// Returns whether decoding `a` takes no longer than `b`, whatever the tensor.
bool DecodesAsFast(DecodeType a, DecodeType b);

// Multiply-accumulates of a node of subgraph 0.
int64_t MacsOf(const Model& model, int node);

// The time of one run of subgraph 0 without decoding, by its multiply-accumulates.
double InferenceUs(const Model& model);

}  // namespace lutra::compressor

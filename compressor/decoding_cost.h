// SPDX-License-Identifier: Apache-2.0
// Estimates the time of decoding and of an inference from a checked-in table, the same on every machine and
// in every run, so that choices that depend on it are, too.
//
//   const double share = DecodingUs(DecodeType::kHuffman, 16, tensor.bytes) / InferenceUs(model);
//
// Microseconds of the processor that the table was measured on; only their ratios are meant.

#pragma once

#include "lutra/compression/codecs.h"
#include "lutra/compression/format.h"
#include "lutra/model.h"

namespace lutra::compressor {

// Returns the time to decode a tensor. `values`: the number of distinct values, in its largest table or in
// all of it; `bytes`: the size of the decoded tensor.
double DecodingUs(DecodeType codec, int values, int64_t bytes);

// Returns whether decoding `a` takes no longer than `b`, whatever the tensor.
bool DecodesAsFast(DecodeType a, DecodeType b);

// Multiply-accumulates of a node of subgraph 0.
int64_t MacsOf(const Model& model, int node);

// The time of one run of subgraph 0 without decoding, by its multiply-accumulates.
double InferenceUs(const Model& model);

}  // namespace lutra::compressor

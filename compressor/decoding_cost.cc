// SPDX-License-Identifier: Apache-2.0
// The costs, and how they were measured.

#include "compressor/decoding_cost.h"

#include "lutra/compression/format.h"
#include "lutra/node_info.h"
#include "lutra/ops/facts.h"

namespace lutra::compressor {
namespace {

// Measured at 19be1c2 on an AMD EPYC with AVX-512 VNNI and VBMI (g++ 12.2), by generic_benchmark: the
// shortest inference of bundled models (--memory fast; 0.0054 for a MAC of ic, 0.0067 kws, 0.0081 vww96,
// 0.011 ad), and the decompression of kws, binned and packed with --codec. Huffman's codes of many values are
// longer than one lookup decodes: 1.1 ns for 4 values, 1.4 for 8, 4.1 for 16, 19 to 22 for 32 and more.
// bitpack takes the time of wide-lut.
constexpr double kNsPerMac = 0.008;

// Returns the time for a decoded byte.
constexpr double NsPerByte(DecodeType codec, int values) {
  constexpr int kFewValues = 16;
  switch (codec) {
    case DecodeType::kLut:
    case DecodeType::kWideLut:
    case DecodeType::kBitPack:
      return 0.07;
    case DecodeType::kPrune:
      return 0.12;
    case DecodeType::kSparseLut:
      return 2.1;
    case DecodeType::kHuffman:
    case DecodeType::kHuffmanLut:
      return values <= kFewValues ? 4 : 20;
  }
  return 0;
}

}  // namespace

double DecodingUs(DecodeType codec, int values, int64_t bytes) {
  return NsPerByte(codec, values) * static_cast<double>(bytes) / 1e3;
}

bool DecodesAsFast(DecodeType a, DecodeType b) { return NsPerByte(a, 1) <= NsPerByte(b, 1); }

int64_t MacsOf(const Model& model, int node) {
  const OperatorFacts* const facts = FactsOf(model.node(0, node).code);
  return facts != nullptr && facts->macs != nullptr ? facts->macs(OperandShapes(model, 0, node)) : 0;
}

double InferenceUs(const Model& model) {
  int64_t macs = 0;
  for (int n = 0; n < model.node_count(0); ++n) macs += MacsOf(model, n);
  return kNsPerMac * static_cast<double>(macs) / 1e3;
}

}  // namespace lutra::compressor

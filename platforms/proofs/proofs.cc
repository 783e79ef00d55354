// SPDX-License-Identifier: Apache-2.0
// Maps tables to proofs, and selects their blocks.

#include "platforms/proofs/proofs.h"

#include <string.h>

#include "platforms/proofs/codes.h"
#include "platforms/proofs/pairs.h"
#include "platforms/proofs/requantisation.h"

namespace lutra::platforms {
namespace {

// Too large for the stack, and used by one proof at a time.
union Memory {
  LayerMemory layer;
  PairMemory pair;
  CodeMemory code;
  Memory() {}
};
Memory memory;

bool IsWanted(const Selection& selection, int32_t block, int32_t blocks) {
  if (block % selection.parts != selection.part - 1) return false;
  if (selection.one_of <= 1) return true;
  // A sample has at least one block.
  if (static_cast<uint32_t>(block) == selection.seed % static_cast<uint32_t>(blocks)) return true;
  uint32_t random = selection.seed ^ static_cast<uint32_t>(block) * 2654435761u;
  NextRandom(&random);
  NextRandom(&random);
  return (NextRandom(&random) >> 4) % static_cast<uint32_t>(selection.one_of) == 0;
}

class Prover {
 public:
  explicit Prover(const Selection& selection) : selection_(selection) {}

  template <typename Proof, typename Fn, int N, typename ProofMemory>
  void Table(const char* name, const Variant<Fn> (&variants)[N], ProofMemory& used) {
    if (selection_.table != nullptr && strcmp(name, selection_.table) != 0) return;
    for (const Variant<Fn>& variant : variants) {
      if (selection_.variant != nullptr && strcmp(variant.name, selection_.variant) != 0) continue;
      if (!CanRun(variant, CpuFeaturesHere())) {
        ReportLine("skipped").Text(name).Text(variant.name);
        continue;
      }
      Tally tally(name, variant.name);
      for (int32_t block = 0; block < Proof::kBlocks; ++block) {
        if (IsWanted(selection_, block, Proof::kBlocks))
          Proof::Run(variant, variants[N - 1], block, used, &tally);
      }
      ++proved_;
      if (tally.Report(Proof::kBlocks) != 0) ++wrong_;
    }
  }
  ProofEnd end() const {
    return proved_ == 0 ? ProofEnd::kNothing : wrong_ == 0 ? ProofEnd::kHolds : ProofEnd::kFails;
  }

 private:
  const Selection& selection_;
  int proved_ = 0;
  int wrong_ = 0;
};

}  // namespace

ProofEnd Prove(const Selection& selection) {
  Prover prover(selection);
  prover.Table<FullyConnectedProof>("fully_connected_int8", kFullyConnectedInt8, memory.layer);
  prover.Table<ConvolutionProof<false>>("conv_2d_int8", kConv2DInt8, memory.layer);
  prover.Table<ConvolutionProof<true>>("depthwise_conv_2d_int8", kDepthwiseConv2DInt8, memory.layer);
  prover.Table<PairsProof<PairOperator::kAdd>>("add_int8", kAddInt8, memory.pair);
  prover.Table<PairsProof<PairOperator::kSub>>("sub_int8", kSubInt8, memory.pair);
  prover.Table<PairsProof<PairOperator::kMul>>("mul_int8", kMulInt8, memory.pair);
  prover.Table<PairsProof<PairOperator::kSquaredDifference>>("squared_difference_int8",
                                                             kSquaredDifferenceInt8, memory.pair);
  prover.Table<LookupProof>("lookup", kLookup, memory.code);
  prover.Table<BitUnpackProof<uint8_t>>("bit_unpack_8", kBitUnpack<uint8_t>, memory.code);
  prover.Table<BitUnpackProof<uint16_t>>("bit_unpack_16", kBitUnpack<uint16_t>, memory.code);
  prover.Table<BitUnpackProof<uint32_t>>("bit_unpack_32", kBitUnpack<uint32_t>, memory.code);
  prover.Table<LutDecodeProof<uint8_t>>("lut_decode_8", kLutDecode<uint8_t>, memory.code);
  prover.Table<LutDecodeProof<uint16_t>>("lut_decode_16", kLutDecode<uint16_t>, memory.code);
  prover.Table<LutDecodeProof<uint32_t>>("lut_decode_32", kLutDecode<uint32_t>, memory.code);
  prover.Table<LutDecodeProof<uint64_t>>("lut_decode_64", kLutDecode<uint64_t>, memory.code);
  return prover.end();
}

}  // namespace lutra::platforms

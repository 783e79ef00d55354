// SPDX-License-Identifier: Apache-2.0
// Proofs find kernels that are wrong in one place, which random cases would miss; and the reference passes
// them.

#include <gtest/gtest.h>

#include <memory>

#include "platforms/proofs/codes.h"
#include "platforms/proofs/pairs.h"
#include "platforms/proofs/requantisation.h"

namespace lutra::platforms {
namespace {

// Proves all blocks from `first` on, `step` apart. Returns how many cases were wrong.
template <typename Proof, typename Memory, typename Fn>
int64_t WrongOf(Fn run, Fn reference, int32_t first = 0, int32_t step = 1) {
  const auto memory = std::make_unique<Memory>();
  const Variant<Fn> variants[] = {{"wrong", kCpuAny, run}, {"ref", kCpuAny, reference}};
  Tally tally("self-test", "wrong");
  for (int32_t block = first; block < Proof::kBlocks; block += step) {
    Proof::Run(variants[0], variants[1], block, *memory, &tally);
  }
  return tally.Report(Proof::kBlocks);
}

// Adds `more` to the first channel of the first row that has this value.
void Change(const Rows& output, int32_t channels, int8_t value, int8_t more) {
  for (int32_t i = 0; i < channels; ++i) {
    auto* const code = reinterpret_cast<int8_t*>(output.Row(0) + i);
    if (*code != value) continue;
    *code = static_cast<int8_t>(*code + more);
    return;
  }
}

// One multiplier of 4,096, with one shift.
constexpr int32_t kBlock = 1234 * kShifts + 20;
bool IsTheOne(const Multiplier& m) {
  return m.value == MultiplierOfBlock(kBlock).value && m.shift == MultiplierOfBlock(kBlock).shift;
}

void FullyConnectedWrong(const FullyConnectedArgs& args, const Rows& input, const Rows& output, int32_t first,
                         int32_t count) {
  FullyConnectedRef(args, input, output, first, count);
  if (IsTheOne(args.multipliers[0])) Change(output, args.channels, 17, 1);
}

TEST(Proofs, FindAFullyConnectedLayerWithOneWrongMultiplier) {
  using Proof = FullyConnectedProof;
  EXPECT_EQ((WrongOf<Proof, LayerMemory, FullyConnectedFn>(FullyConnectedWrong, FullyConnectedRef, kBlock,
                                                           1 << 20)),
            1);
  EXPECT_EQ((WrongOf<Proof, LayerMemory, FullyConnectedFn>(FullyConnectedRef, FullyConnectedRef, 11, 97)), 0);
}

// This kernel rounds ties upwards instead of away from zero. The second row's sums are one below the biases.
void Conv2DTiesUp(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first,
                  int32_t count) {
  Conv2DRef(args, input, output, first, count);
  const int32_t exponent = -args.multipliers[0].shift;
  if (exponent <= 0) return;
  for (int32_t i = 0; i < args.channel_count; ++i) {
    const int32_t high = DefinedHighProduct(args.bias[i] - 1, args.multipliers[i].value);
    const bool is_tie = (high & ((int64_t{1} << exponent) - 1)) == int64_t{1} << (exponent - 1);
    if (!is_tie || high >= 0) continue;
    const int64_t up = (int64_t{high} + (int64_t{1} << (exponent - 1))) >> exponent;
    output.Row(1)[i] = static_cast<uint8_t>(DefinedClamp(up + args.quantization.output_offset,
                                                         args.quantization.activation_min,
                                                         args.quantization.activation_max));
  }
}

TEST(Proofs, FindAConvolutionWithOtherTies) {
  using Proof = ConvolutionProof<false>;
  EXPECT_GT((WrongOf<Proof, LayerMemory, Conv2DFn>(Conv2DTiesUp, Conv2DRef, 0, 101)), 0);
  EXPECT_EQ((WrongOf<Proof, LayerMemory, Conv2DFn>(Conv2DRef, Conv2DRef, 3, 211)), 0);
}

// This kernel is wrong in the rest of a vector of sixteen.
void DepthwiseWrong(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output, int32_t first,
                    int32_t count) {
  DepthwiseConv2DRef(args, input, output, first, count);
  if (args.channel_count % 16 == 13 && args.multipliers[0].shift == -9)
    output.Row(1)[args.channel_count - 1] ^= 1;
}

TEST(Proofs, FindADepthwiseConvolutionWithAWrongRest) {
  using Proof = ConvolutionProof<true>;
  EXPECT_GT((WrongOf<Proof, LayerMemory, DepthwiseConv2DFn>(DepthwiseWrong, DepthwiseConv2DRef,
                                                            -9 - kLeastShift, kShifts)),
            0);
  EXPECT_EQ((WrongOf<Proof, LayerMemory, DepthwiseConv2DFn>(DepthwiseConv2DRef, DepthwiseConv2DRef, 5, 211)),
            0);
}

// This kernel is wrong for one pair of codes with one quantisation.
template <auto kRef>
void PairWrong(const BinaryArgs& args, int32_t first, int32_t count) {
  kRef(args, first, count);
  const auto* const a = static_cast<const int8_t*>(args.a);
  const auto* const b = static_cast<const int8_t*>(args.b);
  if (args.a_step == 0 ||
      args.quantization->out_zero_point != PairQuantizationOf(PairOperator::kAdd, 100).out_zero_point)
    return;
  for (int32_t i = first; i < first + count; ++i) {
    if (a[i] == 5 && b[i] == -77) static_cast<int8_t*>(args.output)[i] ^= 1;
  }
}

TEST(Proofs, FindOnePairOfCodes) {
  EXPECT_GT((WrongOf<PairsProof<PairOperator::kAdd>, PairMemory, BinaryFn>(PairWrong<AddRef>, AddRef, 100,
                                                                           1 << 20)),
            0);
  EXPECT_GT((WrongOf<PairsProof<PairOperator::kSub>, PairMemory, BinaryFn>(PairWrong<SubRef>, SubRef, 100,
                                                                           1 << 20)),
            0);
  EXPECT_GT((WrongOf<PairsProof<PairOperator::kMul>, PairMemory, BinaryFn>(PairWrong<MulRef>, MulRef, 100,
                                                                           1 << 20)),
            0);
  using SquaredDifference = PairsProof<PairOperator::kSquaredDifference>;
  EXPECT_GT((WrongOf<SquaredDifference, PairMemory, BinaryFn>(PairWrong<SquaredDifferenceRef>,
                                                              SquaredDifferenceRef, 100, 1 << 20)),
            0);
  EXPECT_EQ(
      (WrongOf<SquaredDifference, PairMemory, BinaryFn>(SquaredDifferenceRef, SquaredDifferenceRef, 0, 9)),
      0);
}

void LookupWrong(const LookupArgs& args, int32_t first, int32_t count) {
  LookupRef(args, first, count);
  // A code at a place of the vector.
  if (args.input[first + 29] == 0x80) args.output[first + 29] = args.table[0x81];
}

TEST(Proofs, FindACodeAtAPlace) {
  EXPECT_EQ((WrongOf<LookupProof, CodeMemory, LookupFn>(LookupWrong, LookupRef)), 3);
}

void LutDecodeWrong(const LutDecodeArgs& args, int32_t first, int32_t count) {
  LutDecodeRef<uint8_t>(args, first, count);
  if (args.width == 5 && args.order == BitOrder::kLsbFirst && first % 8 == 3)
    static_cast<uint8_t*>(args.output)[260] ^= 4;
}
void BitUnpackWrong(const BitUnpackArgs& args, int32_t first, int32_t count) {
  BitUnpackRef<uint16_t>(args, first, count);
  auto* const output = static_cast<uint16_t*>(args.output);
  if (args.width == 13 && args.first_bit == 31 && args.sign_extend && output[6] == 0xF000) output[6] = 0x1000;
}

TEST(Proofs, FindAWidthAndAnOffset) {
  EXPECT_EQ(
      (WrongOf<LutDecodeProof<uint8_t>, CodeMemory, LutDecodeFn>(LutDecodeWrong, LutDecodeRef<uint8_t>)),
      256);
  // Every 13th turn has the code of this width, sign and offset.
  constexpr int32_t kFirst = 12 + 31 * 2 * (1 + 2 * 31), kStep = 31 * 2 * 2 * 32;
  EXPECT_EQ((WrongOf<BitUnpackProof<uint16_t>, CodeMemory, BitUnpackFn>(
                BitUnpackWrong, BitUnpackRef<uint16_t>, kFirst, kStep)),
            5);
}

TEST(Proofs, SumsAreWhereResultsRise) {
  const auto sums = std::make_unique<SumsOfBlock>();
  for (int32_t block = 0; block < FullyConnectedProof::kBlocks; block += 1013) {
    FindSums(block, sums.get());
    ASSERT_LE(sums->count, SumsOfBlock::kMost);
    const Multiplier m = sums->multiplier;
    EXPECT_GE(m.value, 1 << 30);
    // Each result between those of the least and the largest sum is a sum's, and the next lower sum has
    // another result.
    int32_t results = 0;
    bool seen[256] = {};
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (int32_t i = 0; i < sums->count; ++i) {
      for (const int32_t sum : {sums->sums[i], sums->sums[i] - 1}) {
        const int32_t result = sums->Result(sum);
        if (sum < least) least = sum;
        if (sum > most) most = sum;
        results += seen[result + 128] ? 0 : 1;
        seen[result + 128] = true;
      }
    }
    const int32_t reach = sums->Result(most) - sums->Result(least) + 1;
    // With a larger shift, sums skip some results.
    if (m.shift >= 0) continue;
    EXPECT_EQ(results, reach) << block;
  }
}

}  // namespace
}  // namespace lutra::platforms

// SPDX-License-Identifier: Apache-2.0
// Computes eight output channels at a time. If the first sums are prepared, the input row is multiplied with
// four rows of weights at once: 19 instructions for 128 products. Otherwise with three, three and two rows,
// and the number that the input's zero point adds is computed from the sums of the same weights: 11
// instructions for 48 products.

#include <arm_mve.h>

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/kernels/codes_mve.h"
#include "runtime/kernels/scratch_mve.h"

namespace lutra {
namespace {

extern "C" {
// Adds products of an input row with rows of weights to eight sums at a time, in the order of codes_mve.h.
struct RowsJob {
  const int8_t* input;
  int32_t pairs;     // Pairs of whole vectors.
  int32_t tail;      // Values behind these vectors, fewer than 32.
  uint32_t rest;     // The lanes of the last values, fewer than 16.
  int32_t offset;    // Added to each value of the input.
  uint32_t step;     // From eight rows of weights to the next.
  uint32_t weights;  // The address of the first eight rows.
  int32_t eights;    // > 0.
  int32_t* sums;
  uint32_t rows[8];  // Offsets of eight rows from `weights`.
};
void LutraFourRowsMve(const RowsJob* job);   // Does not add the offset.
void LutraThreeRowsMve(const RowsJob* job);  // Adds it, with the sums of the weights.
}

// The sums of this many channels are computed before their codes.
constexpr int32_t kBlockChannels = 48;

// The last eight channels may overlap those before them.
int32_t FirstOfEight(int32_t next, int32_t channels) { return channels - next < 8 ? channels - 8 : next; }

// Points at the numbers of eight channels, whose successors are `step` further.
template <typename T>
struct PerChannel {
  const T* first;
  int32_t step;
};

// Finds the biases and multipliers of eight channels. Copies them if the layer has fewer channels.
class ChannelNumbers {
 public:
  explicit ChannelNumbers(const FullyConnectedArgs& args) : args_(args) {
    const int32_t count = args.channels < 8 ? args.channels : 8;
    for (int32_t i = 0; i < count; ++i) {
      multipliers_[i] = args.multipliers[args.one_multiplier ? 0 : i];
      if (args.bias != nullptr) biases_[i] = args.bias[i];
    }
  }
  PerChannel<Multiplier> MultipliersFrom(int32_t first) const {
    if (args_.one_multiplier || args_.channels < 8) return {multipliers_, 0};
    return {args_.multipliers + first, 8};
  }
  PerChannel<int32_t> BiasesFrom(int32_t first) const {
    if (args_.bias == nullptr || args_.channels < 8) return {biases_, 0};
    return {args_.bias + first, 8};
  }

 private:
  const FullyConnectedArgs& args_;
  Multiplier multipliers_[8] = {};
  int32_t biases_[8] = {};
};

// kPrepared: the biases are first sums, in the order in which sums are stored.
template <CodeSteps kSteps, bool kPrepared>
[[gnu::noinline]] void StoreCodes(const RowsJob& job, PerChannel<int32_t> biases,
                                  PerChannel<Multiplier> multipliers, int32_t zero_point, mve_pred16_t lanes,
                                  int8_t* codes) {
  const int32_t* sums = job.sums;
  for (int32_t left = job.eights; left > 0; --left, sums += 8, codes += 8) {
    int32x4x2_t first;
    if (kPrepared) {
      first.val[0] = vldrwq_s32(biases.first);
      first.val[1] = vldrwq_s32(biases.first + 4);
    } else {
      first = vld2q_s32(biases.first);
    }
    const int32x4x4_t scales = vld4q_s32(&multipliers.first->value);
    const int16x8_t made = CodesOf<kSteps>(
        vaddq_s32(vldrwq_s32(sums), first.val[0]), vaddq_s32(vldrwq_s32(sums + 4), first.val[1]),
        {scales.val[0], scales.val[1]}, {scales.val[2], scales.val[3]}, zero_point);
    vstrbq_p_s16(codes, made, lanes);
    // Otherwise GCC 12 would add the steps by an addressing mode that these loads do not have.
    __asm__("" : "+r"(biases.first), "+r"(multipliers.first));
    biases.first += biases.step;
    multipliers.first += multipliers.step;
  }
}

template <bool kPrepared>
void MakeRows(const FullyConnectedArgs& args, const Rows& input, const Rows& output, int32_t first_row,
              int32_t row_count) {
  const ChannelNumbers numbers(args);
  const CodeSteps steps =
      CodeStepsOf(args.quantization, args.multipliers, args.one_multiplier ? 1 : args.channels);
  const auto store = steps == CodeSteps::kFromZero ? StoreCodes<CodeSteps::kFromZero, kPrepared>
                     : steps == CodeSteps::kSigned ? StoreCodes<CodeSteps::kSigned, kPrepared>
                                                   : StoreCodes<CodeSteps::kAny, kPrepared>;
  const mve_pred16_t lanes = vctp16q(static_cast<uint32_t>(args.channels));
  int32_t sums[kBlockChannels];
  RowsJob job = {.pairs = args.depth / 32,
                 .tail = args.depth % 32,
                 .rest = vctp8q(static_cast<uint32_t>(args.depth % 16)),
                 .offset = args.quantization.input_offset,
                 .step = static_cast<uint32_t>(8 * args.depth),
                 .sums = sums};
  // The last channel is repeated for channels that are missing of eight.
  for (int32_t i = 0; i < 8; ++i) {
    const int32_t channel = kChannelsInOrder[i] < args.channels ? kChannelsInOrder[i] : args.channels - 1;
    job.rows[i] = static_cast<uint32_t>(channel * args.depth);
  }
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    job.input = reinterpret_cast<const int8_t*>(input.Row(row));
    auto* const codes = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t next = 0; next < args.channels; next += 8 * job.eights) {
      const int32_t first = args.channels < 8 ? 0 : FirstOfEight(next, args.channels);
      const int32_t left = args.channels - first;
      job.eights = left < 8 ? 1 : left < kBlockChannels ? left / 8 : kBlockChannels / 8;
      job.weights = static_cast<uint32_t>(
          reinterpret_cast<uintptr_t>(args.weights + static_cast<intptr_t>(first) * args.depth));
      kPrepared ? LutraFourRowsMve(&job) : LutraThreeRowsMve(&job);
      const PerChannel<int32_t> biases =
          kPrepared ? PerChannel<int32_t>{static_cast<const int32_t*>(args.prepared) + next, 8}
                    : numbers.BiasesFrom(first);
      store(job, biases, numbers.MultipliersFrom(first), args.quantization.output_offset, lanes,
            codes + first);
    }
    ClampCodes(args.quantization, args.channels, codes);
  }
}

}  // namespace

int32_t FullyConnectedPrepareMve(const FullyConnectedArgs& args, void* memory) {
  if (args.weights == nullptr || MveRowPreparedBytes(args.channels) == 0) return 0;
  auto* sums = static_cast<int32_t*>(memory);
  for (int32_t next = 0; memory != nullptr && next < args.channels; next += 8, sums += 8) {
    const int32_t first = FirstOfEight(next, args.channels);
    ComputeFirstSums(args.weights + static_cast<intptr_t>(first) * args.depth,
                     args.bias != nullptr ? args.bias + first : nullptr, 8, args.depth,
                     args.quantization.input_offset, sums);
  }
  return MveRowPreparedBytes(args.channels);
}

void FullyConnectedMve(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                       int32_t first_row, int32_t row_count) {
  if (args.prepared != nullptr) return MakeRows<true>(args, input, output, first_row, row_count);
  MakeRows<false>(args, input, output, first_row, row_count);
}

}  // namespace lutra

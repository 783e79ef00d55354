// SPDX-License-Identifier: Apache-2.0
// Reductions for Cortex-M with DSP instructions, four codes of a word at a time: sums in halves of words,
// extremes by the flags of a subtraction.

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/reduce/reduce_blocks.h"
#include "runtime/kernels/words_armdsp.h"

namespace lutra {
namespace {

// Four sums, of codes 0 and 2 and of codes 1 and 3; they are of int16 until they might overflow.
struct FourSums {
  int32_t sums[4] = {};
  int16x2_t even = 0;
  int16x2_t odd = 0;
  int32_t room = kMostInt16;

  [[gnu::always_inline]] void Add(const int8_t* codes) {
    const uint32_t word = LoadWord(codes);
    even = __sxtab16(even, static_cast<int8x4_t>(word));
    odd = __sxtab16(odd, static_cast<int8x4_t>(word >> 8 | word << 24));
  }
  void Flush() {
    const auto a = static_cast<int32_t>(even);
    const auto b = static_cast<int32_t>(odd);
    sums[0] += static_cast<int16_t>(a);
    sums[1] += static_cast<int16_t>(b);
    sums[2] += a >> 16;
    sums[3] += b >> 16;
    even = odd = 0;
    room = kMostInt16;
  }
  // `words` words that lie `step` bytes apart.
  [[gnu::always_inline]] void AddRun(const int8_t* from, int32_t step, int32_t words) {
    while (words > 0) {
      const int32_t some = words < room ? words : room;
      for (int32_t n = some; n > 0; --n, from += step) Add(from);
      words -= some;
      room -= some;
      if (room == 0) Flush();
    }
  }
};

struct SumArmdsp {
  static constexpr int32_t kOutputs = 4;

  const ReduceArgs& args;
  Run run;

  int8_t CodeOf(int32_t sum) const {
    const int32_t scaled = MultiplyByQuantizedMultiplier(sum + args.sum_offset, args.multiplier);
    return ClampToInt8(WrappingAdd(scaled, args.output_offset), INT8_MIN, INT8_MAX);
  }
  void Make(intptr_t offset, int32_t count, int8_t* output) const {
    FourSums four;
    if (count == kOutputs) {
      ForEachRun(args, offset, [&](const int8_t* in) { four.AddRun(in, run.stride, run.count); });
      four.Flush();
    } else {
      ForEachRun(args, offset, [&](const int8_t* in) {
        for (int32_t left = run.count; left > 0; --left, in += run.stride) {
          for (int32_t k = 0; k < count; ++k) four.sums[k] += in[k];
        }
      });
    }
    for (int32_t k = 0; k < count; ++k) output[k] = CodeOf(four.sums[k]);
  }
  void MakeOne(intptr_t offset, int8_t* output) const {
    FourSums four;
    ForEachRun(args, offset, [&](const int8_t* in) {
      four.AddRun(in, 4, run.count / 4);
      for (int32_t k = run.count & ~3; k < run.count; ++k) four.sums[0] += in[k];
    });
    four.Flush();
    *output = CodeOf(four.sums[0] + four.sums[1] + four.sums[2] + four.sums[3]);
  }
};

// Finds the largest or the smallest code of each output.
template <bool kLargest>
struct ExtremeArmdsp {
  static constexpr int32_t kOutputs = 4;
  static constexpr int8_t kStart = kLargest ? INT8_MIN : INT8_MAX;

  const ReduceArgs& args;
  Run run;

  [[gnu::always_inline]] static uint32_t BetterWord(uint32_t a, uint32_t b) {
    return kLargest ? LargerOf(a, b) : SmallerOf(a, b);
  }
  static int8_t Better(int8_t a, int8_t b) { return (a > b) == kLargest ? a : b; }

  void Make(intptr_t offset, int32_t count, int8_t* output) const {
    int8_t best[kOutputs] = {kStart, kStart, kStart, kStart};
    if (count == kOutputs) {
      uint32_t word = LoadWord(best);
      ForEachRun(args, offset, [&](const int8_t* in) {
        for (int32_t left = run.count; left > 0; --left, in += run.stride)
          word = BetterWord(word, LoadWord(in));
      });
      memcpy(output, &word, sizeof word);
      return;
    }
    ForEachRun(args, offset, [&](const int8_t* in) {
      for (int32_t left = run.count; left > 0; --left, in += run.stride) {
        for (int32_t k = 0; k < count; ++k) best[k] = Better(best[k], in[k]);
      }
    });
    for (int32_t k = 0; k < count; ++k) output[k] = best[k];
  }
  void MakeOne(intptr_t offset, int8_t* output) const {
    int8_t best[4] = {kStart, kStart, kStart, kStart};
    uint32_t word = LoadWord(best);
    ForEachRun(args, offset, [&](const int8_t* in) {
      for (int32_t left = run.count / 4; left > 0; --left, in += 4) word = BetterWord(word, LoadWord(in));
      for (int32_t k = 0; k < run.count % 4; ++k) best[0] = Better(best[0], in[k]);
    });
    int8_t words[4];
    memcpy(words, &word, sizeof word);
    for (const int8_t code : words) best[0] = Better(best[0], code);
    *output = best[0];
  }
};

}  // namespace

void ReduceSumArmdsp(const ReduceArgs& args) { ReduceBlocks(SumArmdsp{args, InnermostOf(args.shape)}); }
void ReduceMaxArmdsp(const ReduceArgs& args) {
  ReduceBlocks(ExtremeArmdsp<true>{args, InnermostOf(args.shape)});
}
void ReduceMinArmdsp(const ReduceArgs& args) {
  ReduceBlocks(ExtremeArmdsp<false>{args, InnermostOf(args.shape)});
}

}  // namespace lutra

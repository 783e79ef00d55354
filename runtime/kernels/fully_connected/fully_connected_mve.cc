// SPDX-License-Identifier: Apache-2.0
// The input row is multiplied with four rows of weights at a time, where the sums of these are prepared: 9
// instructions for 64 products. Else with three, and what the input's zero point adds is made of the sums of
// the same weights: 10 instructions for 48 products.

#include <arm_mve.h>

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/kernels/codes_mve.h"
#include "runtime/kernels/scratch_mve.h"

namespace lutra {
namespace {

constexpr int32_t kRows = 3;
// Whole groups of three rows, and of eight codes.
constexpr int32_t kBlockChannels = 24;

// Sums of a row with a row of weights.
struct RowSums {
  int32_t products = 0;
  int32_t weights = 0;

  [[gnu::always_inline]] void Add(int8x16_t x, int8x16_t w) {
    products = vmladavaq_s8(products, x, w);
    weights = vaddvaq_s8(weights, w);
  }
};

// The sums of some output channels are made of these, one channel after the other.
struct Parts {
  int32_t products[kBlockChannels];
  int32_t weights[kBlockChannels];
};

// Three rows of weights. kWhole: all of their vectors are whole.
template <bool kWhole>
[[gnu::always_inline]] inline void AddRows(const int8_t* x, const int8_t* u, int32_t depth, mve_pred16_t last,
                                           int32_t* products, int32_t* weights) {
  const int8_t* v = u + depth;
  const int8_t* w = v + depth;
  RowSums a;
  RowSums b;
  RowSums c;
  for (int32_t left = depth / 16; left > 0; --left, x += 16, u += 16, v += 16, w += 16) {
    const int8x16_t values = vldrbq_s8(x);
    a.Add(values, vldrbq_s8(u));
    b.Add(values, vldrbq_s8(v));
    c.Add(values, vldrbq_s8(w));
  }
  if (!kWhole) {
    const int8x16_t values = vldrbq_z_s8(x, last);
    a.Add(values, vldrbq_z_s8(u, last));
    b.Add(values, vldrbq_z_s8(v, last));
    c.Add(values, vldrbq_z_s8(w, last));
  }
  products[0] = a.products;
  products[1] = b.products;
  products[2] = c.products;
  weights[0] = a.weights;
  weights[1] = b.weights;
  weights[2] = c.weights;
}

// Multiplies three rows or more. The last three may be made once more.
template <bool kWhole>
[[gnu::noinline]] void AddAllRows(const int8_t* input, const int8_t* rows, int32_t depth, int32_t channels,
                                  Parts* parts) {
  const mve_pred16_t last = vctp8q(static_cast<uint32_t>(depth % 16));
  int32_t i = 0;
  for (; i + kRows <= channels; i += kRows, rows += kRows * depth) {
    AddRows<kWhole>(input, rows, depth, last, parts->products + i, parts->weights + i);
  }
  if (i == channels) return;
  rows -= (i - (channels - kRows)) * depth;
  i = channels - kRows;
  AddRows<kWhole>(input, rows, depth, last, parts->products + i, parts->weights + i);
}

// The last eight channels may begin within those before them.
int32_t FirstOfEight(int32_t next, int32_t channels) { return channels - next < 8 ? channels - 8 : next; }

// In the order of codes_mve.h.
void ComputeSums(const Parts& parts, const int32_t* biases, int32_t channels, int32_t offset, int32_t* sums) {
  int32_t last[8] = {};
  for (int32_t i = 0; i < channels; i += 8, sums += 8) {
    const int32x4x2_t products = vld2q_s32(parts.products + i);
    const int32x4x2_t weights = vld2q_s32(parts.weights + i);
    const int32_t* bias = last;
    if (biases != nullptr && channels - i >= 8) {
      bias = biases + i;
    } else if (biases != nullptr) {
      for (int32_t k = 0; k < channels - i; ++k) last[k] = biases[i + k];
    }
    const int32x4x2_t first = vld2q_s32(bias);
    for (int half = 0; half < 2; ++half) {
      const int32x4_t sum = vmlaq_n_s32(products.val[half], weights.val[half], offset);
      vstrwq_s32(sums + 4 * half, vaddq_s32(sum, first.val[half]));
    }
  }
}

// Eight rows, four at a time, in the order of codes_mve.h. kWhole: all of their vectors are whole.
template <bool kWhole>
[[gnu::noinline]] void MultiplyEight(const int8_t* input, const int8_t* rows, int32_t depth, int32_t* sums) {
#pragma GCC unroll 1
  for (int half = 0; half < 2; ++half, rows += depth, sums += 4) {
    const int8_t* x = input;
    const int8_t* s = rows;
    const int8_t* t = s + 2 * depth;
    const int8_t* u = t + 2 * depth;
    const int8_t* v = u + 2 * depth;
    int32_t a = 0;
    int32_t b = 0;
    int32_t c = 0;
    int32_t d = 0;
    const auto add = [&] {
      const int8x16_t values = vldrbq_s8(x);
      a = vmladavaq_s8(a, values, vldrbq_s8(s));
      b = vmladavaq_s8(b, values, vldrbq_s8(t));
      c = vmladavaq_s8(c, values, vldrbq_s8(u));
      d = vmladavaq_s8(d, values, vldrbq_s8(v));
      x += 16;
      s += 16;
      t += 16;
      u += 16;
      v += 16;
    };
    if ((depth & 16) != 0) add();
#pragma GCC unroll 1
    for (int32_t left = depth / 32; left > 0; --left) {
      add();
      add();
    }
    if (!kWhole) {
      const mve_pred16_t last = vctp8q(static_cast<uint32_t>(depth % 16));
      const int8x16_t values = vldrbq_z_s8(x, last);
      a = vmladavaq_s8(a, values, vldrbq_z_s8(s, last));
      b = vmladavaq_s8(b, values, vldrbq_z_s8(t, last));
      c = vmladavaq_s8(c, values, vldrbq_z_s8(u, last));
      d = vmladavaq_s8(d, values, vldrbq_z_s8(v, last));
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
  }
}

// Eight channels at a time, with prepared first sums.
void MakePreparedRows(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                      int32_t first_row, int32_t row_count) {
  const CodeSteps right_steps = RightStepsOf(args.quantization);
  const bool some_shift_left = SomeShiftLeft(args.multipliers, args.one_multiplier ? 1 : args.channels);
  Multiplier same[8];
  for (Multiplier& multiplier : same) multiplier = *args.multipliers;
  const auto multiply = args.depth % 16 == 0 ? MultiplyEight<true> : MultiplyEight<false>;
  int32_t sums[8];
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* const values = reinterpret_cast<const int8_t*>(input.Row(row));
    auto* const codes = reinterpret_cast<int8_t*>(output.Row(row));
    CodesJob job = {.pixels = 1,
                    .first_sums = static_cast<const int32_t*>(args.prepared),
                    .multipliers = same,
                    .channels = 8,
                    .zero_point = args.quantization.output_offset,
                    .output = codes,
                    .step = 0};
    for (int32_t next = 0; next < args.channels; next += 8, job.first_sums += 8) {
      const int32_t first = FirstOfEight(next, args.channels);
      multiply(values, args.weights + static_cast<intptr_t>(first) * args.depth, args.depth, sums);
      if (!args.one_multiplier) job.multipliers = args.multipliers + first;
      job.output = codes + first;
      StoreUpToEight(right_steps, some_shift_left, job, sums, 0);
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
  if (args.prepared != nullptr) return MakePreparedRows(args, input, output, first_row, row_count);
  if (args.channels < kRows) return FullyConnectedRef(args, input, output, first_row, row_count);
  const int32_t zeros[kBlockChannels] = {};
  Multiplier same[kBlockChannels];
  if (args.one_multiplier) {
    for (Multiplier& multiplier : same) multiplier = *args.multipliers;
  }
  const CodeSteps right_steps = RightStepsOf(args.quantization);
  const bool some_shift_left = SomeShiftLeft(args.multipliers, args.one_multiplier ? 1 : args.channels);
  int32_t sums[kBlockChannels];
  Parts parts = {};
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* const values = reinterpret_cast<const int8_t*>(input.Row(row));
    auto* const codes = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t next = 0; next < args.channels;) {
      // At the end there may be less than three, which are made with some before them.
      const int32_t first = args.channels - next < kRows ? args.channels - kRows : next;
      const int32_t left = args.channels - first;
      const int32_t channels = left < kBlockChannels ? left : kBlockChannels;
      next = first + channels;
      const int8_t* const rows = args.weights + static_cast<intptr_t>(first) * args.depth;
      const auto add = args.depth % 16 == 0 ? AddAllRows<true> : AddAllRows<false>;
      add(values, rows, args.depth, channels, &parts);
      ComputeSums(parts, args.bias != nullptr ? args.bias + first : nullptr, channels,
                  args.quantization.input_offset, sums);
      StoreCodes(right_steps, some_shift_left,
                 {.pixels = 1,
                  .first_sums = zeros,
                  .multipliers = args.one_multiplier ? same : args.multipliers + first,
                  .channels = channels,
                  .zero_point = args.quantization.output_offset,
                  .output = codes + first,
                  .step = 0},
                 sums);
    }
    ClampCodes(args.quantization, args.channels, codes);
  }
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Kernels that make a row of another row.

#include "lutra/kernels/l2_normalize/l2_normalize.h"
#include "lutra/kernels/log_softmax/log_softmax.h"
#include "lutra/kernels/softmax/softmax.h"
#include "platforms/variants/variants.h"

namespace lutra::platforms {
namespace {

// Three rows, of which some problems leave out the first.
template <typename Output, typename Args>
void AddRows(VariantChecker& checker, const Args& args, Problems<Args>* problems) {
  constexpr int32_t kRows = 3;
  const int32_t row_bytes = args.depth * static_cast<int32_t>(sizeof(Output));
  const int32_t first = problems->count() % 2;
  auto* const input = checker.Filled<uint8_t>(static_cast<uint32_t>(args.depth), kRows * args.depth);
  auto* const output = reinterpret_cast<uint8_t*>(checker.Output<Output>(kRows * args.depth));
  problems->Add({.args = args,
                 .first = first,
                 .count = kRows - first,
                 .input = {input, args.depth, 0},
                 .output = {output, row_bytes, 0}});
}

constexpr int32_t kLongDepths[] = {127, 255, 256, 300, 600};
// Scales of the input: from sums in which all elements count to those in which only the largest do.
constexpr double kScales[] = {0.004, 0.05, 0.3, 1.7, 8.0};

Multiplier InputMultiplier(double scale) { return QuantizeMultiplier(scale * (1 << 26)); }
int32_t DiffMin(Multiplier multiplier) { return -CalculateInputRadius(5, multiplier.shift); }

template <typename Output, int N>
void CheckSoftmax(VariantChecker& checker, const Variant<SoftmaxFn> (&variants)[N]) {
  Problems<SoftmaxArgs> problems(checker);
  const auto add = [&](int32_t depth) {
    for (const double scale : kScales) {
      const Multiplier multiplier = InputMultiplier(scale);
      AddRows<Output>(checker, SoftmaxArgs{depth, multiplier, DiffMin(multiplier)}, &problems);
    }
  };
  for (int32_t depth = 1; depth <= kMaxCount; ++depth) add(depth);
  for (const int32_t depth : kLongDepths) add(depth);
  checker.Check(variants, problems);
}

void CheckSoftmaxFloat(VariantChecker& checker) {
  constexpr int32_t kRows = 3;
  Problems<SoftmaxFloatArgs> problems(checker);
  for (const int32_t depth : kFewCounts) {
    const int32_t first = problems.count() % 2;
    auto* const input = checker.FilledReals(static_cast<uint32_t>(depth), kRows * depth);
    for (int32_t i = 0; i < kRows * depth; ++i) input[i] *= 7.0f;
    auto* const output = checker.OutputReals(kRows * depth);
    problems.Add({.args = {depth, 0.5f},
                  .first = first,
                  .count = kRows - first,
                  .input = {reinterpret_cast<uint8_t*>(input), depth * 4, 0},
                  .output = {reinterpret_cast<uint8_t*>(output), depth * 4, 0}});
  }
  checker.Check(kSoftmaxFloat, problems);
}

void CheckLogSoftmax(VariantChecker& checker) {
  Problems<LogSoftmaxArgs> problems(checker);
  const auto add = [&](int32_t depth) {
    for (const double scale : kScales) {
      const Multiplier multiplier = InputMultiplier(scale);
      const Multiplier reverse = QuantizeMultiplier(1 / (scale * (1 << 26)));
      AddRows<int8_t>(checker, LogSoftmaxArgs{depth, multiplier, reverse, DiffMin(multiplier)}, &problems);
    }
  };
  for (int32_t depth = 1; depth <= kMaxCount; ++depth) add(depth);
  for (const int32_t depth : kLongDepths) add(depth);
  checker.Check(kLogSoftmaxInt8, problems);
}

void CheckL2Normalize(VariantChecker& checker) {
  constexpr int32_t kZeroPoints[] = {-128, -3, 127};
  Problems<L2NormalizeArgs> problems(checker);
  for (int32_t depth = 1; depth <= kMaxCount; ++depth) {
    for (const int32_t zero_point : kZeroPoints) {
      AddRows<int8_t>(checker, L2NormalizeArgs{depth, zero_point}, &problems);
    }
  }
  for (const int32_t depth : kLongDepths) AddRows<int8_t>(checker, L2NormalizeArgs{depth, 1}, &problems);
  checker.Check(kL2NormalizeInt8, problems);
}

}  // namespace

void CheckRowwise(VariantChecker& checker) {
  CheckSoftmax<int8_t>(checker, kSoftmaxInt8);
  CheckSoftmax<int16_t>(checker, kSoftmaxInt16Output);
  CheckSoftmaxFloat(checker);
  CheckLogSoftmax(checker);
  CheckL2Normalize(checker);
}

}  // namespace lutra::platforms

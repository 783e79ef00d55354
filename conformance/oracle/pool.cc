// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D and MAX_POOL_2D do not rescale codes; elements outside the image do not count.

#include <algorithm>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {

int64_t MeanOf(const Codes& codes) {
  int64_t sum = 0;
  for (const int64_t q : codes) sum += q;
  const auto count = static_cast<int64_t>(codes.size());
  return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

int64_t MaximumOf(const Codes& codes) { return *std::max_element(codes.begin(), codes.end()); }

void PutPooled(const Node& node, int64_t (*combine)(const Codes&), Range range) {
  const auto& options = OptionsOf(node.op().builtin_options.AsPool2DOptions());
  const Image in = ImageOf(node, node.input(0)), out = ImageOf(node, node.output(0));
  if (in.batches != out.batches || in.channels != out.channels) {
    node.Refuse("input and output differ in batches or channels");
  }
  const Windows windows(options, in, options.filter_height, options.filter_width);
  const Codes x = node.Get(0);
  node.Put(0, ElementsOf(out, [&](int b, int oy, int ox, int c) {
             Codes window;
             windows.ForEachTap(oy, ox,
                                [&](int iy, int ix, int, int) { window.push_back(x[in.At(b, iy, ix, c)]); });
             if (window.empty()) node.Refuse("a window outside the image");
             return Clamp(combine(window), range.low, range.high);
           }));
}

namespace {

void EvalPool(const Node& node, int64_t (*combine)(const Codes&)) {
  const auto& options = OptionsOf(node.op().builtin_options.AsPool2DOptions());
  if (node.input(0).type != kInt8) node.Refuse("only int8 is specified");
  PutPooled(node, combine,
            ActivationRange(options.fused_activation_function, QuantizationOf(node.output(0))));
}

void EvalAveragePool2D(const Node& node, const ArithmeticRule&) { EvalPool(node, MeanOf); }
void EvalMaxPool2D(const Node& node, const ArithmeticRule&) { EvalPool(node, MaximumOf); }

constexpr Operator kPoolRows[] = {
    {BuiltinOperator::AVERAGE_POOL_2D, {"x", "x"}, {kExact}, EvalAveragePool2D},
    {BuiltinOperator::MAX_POOL_2D, {"x", "x"}, {kExact}, EvalMaxPool2D},
};

}  // namespace

const OperatorFamily kPoolOperators = kPoolRows;

}  // namespace lutra::conformance::oracle

// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D and MAX_POOL_2D: codes are not rescaled, elements outside the image do not count.

#include <algorithm>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// Input positions of one output position along an axis.
struct Window {
  int begin, end;
};

Window WindowAt(int position, int in, int out, int filter, int stride, bool same) {
  const int missing = same ? std::max(0, (out - 1) * stride + filter - in) : 0;
  const int begin = position * stride - missing / 2;
  return {std::max(begin, 0), std::min(begin + filter, in)};
}

// The mean of codes, halves away from code 0 (not from the zero point).
int64_t MeanOf(const Codes& codes) {
  int64_t sum = 0;
  for (const int64_t q : codes) sum += q;
  const auto count = static_cast<int64_t>(codes.size());
  return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

int64_t MaximumOf(const Codes& codes) { return *std::max_element(codes.begin(), codes.end()); }

void Pool(const Node& node, int64_t (*combine)(const Codes&)) {
  const auto& options = OptionsOf(node.op().builtin_options.AsPool2DOptions());
  const Shape &in = node.input(0).shape, &out = node.output(0).shape;
  if (node.input(0).type != kInt8) node.Refuse("only int8 is specified");
  if (in.size() != 4 || out.size() != 4) node.Refuse("an image has four dimensions");
  if (in[0] != out[0] || in[3] != out[3]) node.Refuse("input and output differ in batches or channels");
  const Range range = ActivationRange(options.fused_activation_function, QuantizationOf(node.output(0)));
  constexpr int8_t kSame = 0;
  const bool same = options.padding == kSame;
  const Codes x = node.Get(0);
  Codes y;
  for (int b = 0; b < out[0]; ++b) {
    for (int oy = 0; oy < out[1]; ++oy) {
      const Window rows = WindowAt(oy, in[1], out[1], options.filter_height, options.stride_h, same);
      for (int ox = 0; ox < out[2]; ++ox) {
        const Window columns = WindowAt(ox, in[2], out[2], options.filter_width, options.stride_w, same);
        for (int c = 0; c < out[3]; ++c) {
          Codes window;
          for (int iy = rows.begin; iy < rows.end; ++iy) {
            for (int ix = columns.begin; ix < columns.end; ++ix) {
              window.push_back(x[static_cast<size_t>(((b * in[1] + iy) * in[2] + ix) * in[3] + c)]);
            }
          }
          if (window.empty()) node.Refuse("a window outside the image");
          y.push_back(Clamp(combine(window), range.low, range.high));
        }
      }
    }
  }
  node.Put(0, y);
}

void EvalAveragePool2D(const Node& node, const ArithmeticRule&) { Pool(node, MeanOf); }
void EvalMaxPool2D(const Node& node, const ArithmeticRule&) { Pool(node, MaximumOf); }

constexpr Operator kPoolRows[] = {
    {BuiltinOperator::AVERAGE_POOL_2D, {"x", "x"}, {kExact}, EvalAveragePool2D},
    {BuiltinOperator::MAX_POOL_2D, {"x", "x"}, {kExact}, EvalMaxPool2D},
};

}  // namespace

const OperatorFamily kPoolOperators = kPoolRows;

}  // namespace lutra::conformance::oracle

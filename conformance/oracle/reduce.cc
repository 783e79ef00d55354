// SPDX-License-Identifier: Apache-2.0
// MEAN, SUM, REDUCE_MAX, REDUCE_MIN and REDUCE_ALL; L2_NORMALIZATION over the last axis.
//
//   SUM:  sum of (q - z_in), requantised with s_in / s_out
//   MEAN: the same with the multiplier's integer divided by the count, towards zero

#include <algorithm>
#include <cmath>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// With O-MEAN the zero point becomes a bias in code units, which is rounded by itself; ties go up in blocks
// of 16 channels.
constexpr ArithmeticRule kMeanOptimized = {"O-MEAN", Method::kOptimized, Rounding::kDoubleUp};
// O-SUM sums in float32, and rounds halves away from zero.
constexpr ArithmeticRule kSumOptimized = {"O-SUM", Method::kOptimized, Rounding::kDouble,
                                          ScalePrecision::kFloat};
// X-RED computes in float32 with ties to even, and adds the zero points before rounding.
constexpr ArithmeticRule kReduceXnnpack = {"X-RED", Method::kXnnpack, Rounding::kDouble,
                                           ScalePrecision::kFloat};
// With U8, LiteRT's reference kernel reads int8 as uint8 and clamps to [0, 255].
constexpr ArithmeticRule kSumUint8 = {"U8", Method::kDefect};

// Returns for each dimension whether it is reduced.
std::vector<bool> ReducedAxes(const Node& node) {
  const auto rank = static_cast<int64_t>(node.input(0).shape.size());
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (const int64_t axis : node.Get(1)) {
    if (axis < -rank || axis >= rank) node.Refuse("axis " + std::to_string(axis));
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  return reduced;
}

// Returns the input's codes that each element of the output combines.
std::vector<Codes> GroupsOf(const Node& node) {
  const Shape& shape = node.input(0).shape;
  const std::vector<bool> reduced = ReducedAxes(node);
  std::vector<size_t> steps(shape.size(), 0);  // Steps in the output; 0 along a reduced axis.
  size_t count = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (reduced[axis]) continue;
    steps[axis] = count;
    count *= static_cast<size_t>(shape[axis]);
  }
  const Codes codes = node.Get(0);
  if (codes.empty()) node.Refuse("a dimension of 0");
  std::vector<Codes> groups(count);
  for (size_t i = 0; i < codes.size(); ++i) {
    size_t rest = i, group = 0;
    for (size_t axis = shape.size(); axis-- > 0;) {
      const auto dim = static_cast<size_t>(shape[axis]);
      group += rest % dim * steps[axis];
      rest /= dim;
    }
    groups[group].push_back(codes[i]);
  }
  return groups;
}

// Sets each element of the output to f(codes, its index).
template <typename F>
void ForEachGroup(const Node& node, F&& f) {
  const std::vector<Codes> groups = GroupsOf(node);
  Codes result;
  for (const Codes& group : groups) result.push_back(f(group, result.size()));
  node.Put(0, result);
}

int64_t SumOf(const Codes& codes) {
  int64_t sum = 0;
  for (const int64_t q : codes) sum += q;
  return sum;
}

struct Reduction {
  Quantization in, out;
  int64_t count;  // The number of elements of a group.
};

Reduction ReductionOf(const Node& node) {
  const int64_t outputs = ElementCount(node.output(0).shape);
  if (outputs == 0) node.Refuse("a dimension of 0");
  const Reduction reduction = {QuantizationOf(node.input(0)), QuantizationOf(node.output(0)),
                               ElementCount(node.input(0).shape) / outputs};
  if (reduction.count == 0) node.Refuse("groups without an element");
  if (!(reduction.in.scale > 0) || !(reduction.out.scale > 0)) node.Refuse("a tensor without a scale");
  return reduction;
}

// Returns m / count, cut towards zero, after a shift to the left by the integer part of log2(count) if there
// is room.
Multiplier Divided(Multiplier m, int64_t count) {
  int bits = 0;
  while (count >> (bits + 1) != 0) ++bits;
  bits = std::min({bits, 32, 31 + m.shift});
  return {m.value * (int64_t{1} << bits) / count, m.shift - bits};
}

}  // namespace

void PutReduced(const Node& node, const ArithmeticRule& rule, bool is_mean, Range range) {
  const Reduction r = ReductionOf(node);
  Multiplier m = QuantizeMultiplier(double{r.in.scale} / double{r.out.scale}, rule.rounding);
  if (is_mean) m = Divided(m, r.count);
  ForEachGroup(node, [&](const Codes& codes, size_t) {
    const int64_t x = SumOf(codes) - r.in.zero_point * r.count;
    return Clamp(Scale(x, m, rule.rounding) + r.out.zero_point, range.low, range.high);
  });
}

namespace {

constexpr Range kInt8Codes = {INT8_MIN, INT8_MAX};

void Xnnpack(const Node& node, bool mean) {
  const Reduction r = ReductionOf(node);
  float ratio = r.in.scale / r.out.scale;
  if (mean) ratio *= 1.0f / static_cast<float>(r.count);
  const float zero = static_cast<float>(r.count * r.in.zero_point) * ratio;
  const float bias = static_cast<float>(r.out.zero_point) - zero;
  ForEachGroup(node, [&](const Codes& codes, size_t) {
    const float scaled = static_cast<float>(SumOf(codes)) * ratio;
    return RoundEven(std::min(std::max(scaled + bias, -128.0f), 127.0f));
  });
}

// FP32 is the rule of XNNPACK's pooling before it had reductions (2022). It adds the zero point after
// rounding.
void GlobalPoolMean(const Node& node) {
  const Reduction r = ReductionOf(node);
  const float ratio = r.in.scale / (r.out.scale * static_cast<float>(r.count));
  ForEachGroup(node, [&](const Codes& codes, size_t) {
    const int64_t sum = SumOf(codes) - r.count * r.in.zero_point;
    return Clamp(RoundEven(static_cast<float>(sum) * ratio) + r.out.zero_point, -128, 127);
  });
}

// The optimised kernel reduces axes 1 and 2 of images of rank 4, and keeps them as dimensions of 1.
bool IsMeanOfImage(const Node& node) {
  return OptionsOf(node.op().builtin_options.AsReducerOptions()).keep_dims &&
         ReducedAxes(node) == std::vector<bool>{false, true, true, false};
}

void OptimizedMean(const Node& node) {
  const Reduction r = ReductionOf(node);
  const float zero = static_cast<float>(r.in.zero_point) * r.in.scale / r.out.scale;
  const int64_t bias = r.out.zero_point - static_cast<int64_t>(zero > 0 ? zero + 0.5f : zero - 0.5f);
  const Multiplier m = QuantizeMultiplier(double{r.in.scale / (static_cast<float>(r.count) * r.out.scale)});
  const auto channels = static_cast<size_t>(node.input(0).shape[3]);
  ForEachGroup(node, [&](const Codes& codes, size_t i) {
    const bool in_block = i % channels < channels / 16 * 16;
    const int64_t mean = Scale(SumOf(codes), m, in_block ? Rounding::kDoubleUp : Rounding::kDouble);
    return Clamp(mean + bias, -128, 127);
  });
}

void OptimizedSum(const Node& node) {
  const Reduction r = ReductionOf(node);
  const float ratio = r.in.scale / r.out.scale;
  const float bias = static_cast<float>(-r.in.zero_point) * ratio * static_cast<float>(r.count);
  ForEachGroup(node, [&](const Codes& codes, size_t) {
    const float scaled = static_cast<float>(SumOf(codes)) * ratio;
    return Clamp(RoundAway(double{scaled + bias}) + r.out.zero_point, -128, 127);
  });
}

void Uint8Sum(const Node& node) {
  const Reduction r = ReductionOf(node);
  const Multiplier m = QuantizeMultiplier(double{r.in.scale} / double{r.out.scale});
  ForEachGroup(node, [&](const Codes& codes, size_t) {
    int64_t sum = -r.in.zero_point * r.count;
    for (const int64_t q : codes) sum += q & 255;
    return Clamp(Scale(sum, m, Rounding::kDouble) + r.out.zero_point, 0, 255);
  });
}

void RequireInt8(const Node& node) {
  if (node.input(0).type != kInt8 || node.output(0).type != kInt8) node.Refuse("only int8 is specified");
}

void EvalMean(const Node& node, const ArithmeticRule& rule) {
  RequireInt8(node);
  switch (rule.method) {
    case Method::kXnnpack:
      return Xnnpack(node, true);
    case Method::kFloat:
      return GlobalPoolMean(node);
    case Method::kOptimized:
      return IsMeanOfImage(node) ? OptimizedMean(node) : PutReduced(node, kDr, true, kInt8Codes);
    default:
      return PutReduced(node, rule, true, kInt8Codes);
  }
}

void EvalSum(const Node& node, const ArithmeticRule& rule) {
  RequireInt8(node);
  switch (rule.method) {
    case Method::kXnnpack:
      return Xnnpack(node, false);
    case Method::kOptimized:
      return OptimizedSum(node);
    case Method::kDefect:
      return Uint8Sum(node);
    default:
      return PutReduced(node, rule, false, kInt8Codes);
  }
}

// Codes are not rescaled, so both tensors must have one scale and zero point.
void RequireSameQuantization(const Node& node) {
  const Quantization in = QuantizationOf(node.input(0)), out = QuantizationOf(node.output(0));
  if (in.scale != out.scale || in.zero_point != out.zero_point) {
    node.Refuse("input and output differ in scale or zero point");
  }
}

void EvalReduceMax(const Node& node, const ArithmeticRule&) {
  RequireSameQuantization(node);
  ForEachGroup(node,
               [](const Codes& codes, size_t) { return *std::max_element(codes.begin(), codes.end()); });
}

void EvalReduceMin(const Node& node, const ArithmeticRule&) {
  RequireSameQuantization(node);
  ForEachGroup(node,
               [](const Codes& codes, size_t) { return *std::min_element(codes.begin(), codes.end()); });
}

void EvalReduceAll(const Node& node, const ArithmeticRule&) {
  if (node.input(0).type != kBool || node.output(0).type != kBool) node.Refuse("an operand that is no BOOL");
  ForEachGroup(node, [](const Codes& values, size_t) {
    return int64_t{std::count(values.begin(), values.end(), 0) == 0};
  });
}

void EvalL2Normalization(const Node& node, const ArithmeticRule& rule) {
  if (node.input(0).type != kInt8) node.Refuse("only int8 is specified");
  const Shape& shape = node.input(0).shape;
  if (shape.empty()) node.Refuse("a scalar");
  if (OptionsOf(node.op().builtin_options.AsL2NormOptions()).fused_activation_function != 0) {
    node.Refuse("a fused activation");
  }
  const int64_t z = QuantizationOf(node.input(0)).zero_point;
  Codes codes = node.Get(0);
  const auto depth = shape.back();
  for (auto row = codes.begin(); row != codes.end(); row += depth) {
    int64_t squares = 0;
    std::for_each(row, row + depth, [&](int64_t q) { squares += (q - z) * (q - z); });
    Multiplier m = InverseSqrt(squares);
    m.shift += 7;  // The output has scale 1/128 and zero point 0.
    std::for_each(row, row + depth,
                  [&](int64_t& q) { q = Clamp(Scale(q - z, m, rule.rounding), -128, 127); });
  }
  node.Put(0, codes);
}

constexpr Operator kReductionRows[] = {
    {BuiltinOperator::MEAN, {"xp", "x"}, {kDr, kSr, kMeanOptimized, kReduceXnnpack, kFp32}, EvalMean},
    {BuiltinOperator::SUM, {"xp", "x"}, {kDr, kSr, kSumOptimized, kReduceXnnpack, kSumUint8}, EvalSum},
    {BuiltinOperator::REDUCE_MAX, {"xp", "x"}, {kExact}, EvalReduceMax},
    {BuiltinOperator::REDUCE_MIN, {"xp", "x"}, {kExact}, EvalReduceMin},
    {BuiltinOperator::REDUCE_ALL, {"-p", "-"}, {kExact}, EvalReduceAll},
    {BuiltinOperator::L2_NORMALIZATION, {"x", "x"}, {kDr, kSr}, EvalL2Normalization},
};

}  // namespace

const OperatorFamily kReductionOperators = kReductionRows;

}  // namespace lutra::conformance::oracle

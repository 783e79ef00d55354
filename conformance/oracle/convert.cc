// SPDX-License-Identifier: Apache-2.0
// QUANTIZE, DEQUANTIZE, CAST.

#include <cmath>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// O-REQ is for int8 only: in blocks of 16 elements, the second rounding has its ties up.
constexpr ArithmeticRule kRequantizeOptimized = {"O-REQ", Method::kOptimized};
// X-CVT is for int8 only, with a factor of 8 fractional bits; nodes that it does not take follow O-REQ.
constexpr ArithmeticRule kRequantizeXnnpack = {"X-CVT", Method::kXnnpack};
// DIV is v / s in float32, ties away from zero.
constexpr ArithmeticRule kByDivision = {"DIV", Method::kFloat, Rounding::kDouble, ScalePrecision::kFloat};
// O-QUANT is for int8 and int16: in blocks of 8 elements v * f32(1 / s), ties to even; after them v / s in
// double.
constexpr ArithmeticRule kQuantizeOptimized = {"O-QUANT", Method::kOptimized};
// X-QUANT is for int8: v * f32(1 / s), ties to even; nodes that it does not take follow O-QUANT.
constexpr ArithmeticRule kQuantizeXnnpack = {"X-QUANT", Method::kXnnpack};
// DIV-D is v / s in double, ties away from zero: O-QUANT after its blocks, or wholly on machines without
// vectors.
constexpr ArithmeticRule kByDoubleDivision = {"DIV-D", Method::kReal};
// MUL-D is f32(dbl(s) * x).
constexpr ArithmeticRule kByProduct = {"MUL-D", Method::kReal};
// O-DEQ is for int8 and uint8, in blocks of 8 elements: f32(f32(q * s) + f32(-z * s)).
constexpr ArithmeticRule kDequantizeOptimized = {"O-DEQ", Method::kOptimized};
// With FIRST, TensorFlow Lite Micro reads the first scale and zero point for the whole tensor.
constexpr ArithmeticRule kDequantizeByFirst = {"FIRST", Method::kDefect};

Range RangeOf(const Node& node, int8_t type) {
  switch (type) {
    case kInt8:
      return {INT8_MIN, INT8_MAX};
    case kUint8:
      return {0, UINT8_MAX};
    case kInt16:
      return {INT16_MIN, INT16_MAX};
    case kInt32:
      return {INT32_MIN, INT32_MAX};
    default:
      node.Refuse("type " + std::to_string(type));
  }
}

Quantization ScaleOf(const Node& node, const edit::TensorT& tensor) {
  const Quantization result = QuantizationOf(tensor);
  if (!(result.scale > 0)) node.Refuse("tensor \"" + tensor.name + "\" has no scale");
  return result;
}

// The scale and zero point of each element: one for all, or one for each index along a dimension. Rules of
// runtimes apply only if there is one for all.
class ElementScales {
 public:
  ElementScales(const Node& node, const edit::TensorT& tensor) : channels_{ScaleOf(node, tensor)} {
    const edit::QuantizationParametersT& given = *tensor.quantization;
    if (given.scale.size() == 1) return;
    const auto axis = static_cast<size_t>(given.quantized_dimension);
    if (given.quantized_dimension < 0 || axis >= tensor.shape.size() ||
        given.scale.size() != static_cast<size_t>(tensor.shape[axis]) ||
        (given.zero_point.size() > 1 && given.zero_point.size() != given.scale.size())) {
      node.Refuse("tensor \"" + tensor.name + "\" has scales for another shape");
    }
    for (size_t c = 1; c < given.scale.size(); ++c) {
      if (!(given.scale[c] > 0)) node.Refuse("a scale that is not above 0");
      channels_.push_back(
          {given.scale[c], given.zero_point.size() > 1 ? given.zero_point[c] : channels_[0].zero_point});
    }
    for (size_t i = axis + 1; i < tensor.shape.size(); ++i) inner_ *= static_cast<size_t>(tensor.shape[i]);
    if (inner_ == 0) node.Refuse("scales along a dimension of no elements");
  }
  bool is_one() const { return channels_.size() == 1; }
  const Quantization& At(size_t element) const { return channels_[element / inner_ % channels_.size()]; }

 private:
  std::vector<Quantization> channels_;
  size_t inner_ = 1;  // Elements for each index of the dimension.
};

size_t InBlocks(size_t count, size_t block) { return count / block * block; }

bool IsInteger(const Node& node) { return node.input(0).type != kFloat32; }
bool IsFloat(const Node& node) { return node.input(0).type == kFloat32; }

void EvalQuantize(const Node& node, const ArithmeticRule& rule) {
  const Quantization in = ScaleOf(node, node.input(0)), out = ScaleOf(node, node.output(0));
  const int8_t from = node.input(0).type, to = node.output(0).type;
  const Range range = RangeOf(node, to);
  Codes codes = node.Get(0);
  const float ratio = in.scale / out.scale;
  if (rule.method == Method::kXnnpack && from == kInt8 && to == kInt8 && ratio >= 0x1p-8f &&
      ratio <= 0x1p7f) {
    const int64_t factor = RoundEven(ratio * 256.0f);
    for (int64_t& q : codes) {
      q = Clamp((((q - in.zero_point) * factor + 128) >> 8) + out.zero_point, range.low, range.high);
    }
    return node.Put(0, codes);
  }
  const bool blocks = rule.method != Method::kFixedPoint && BytesOf(from) == 1 && BytesOf(to) == 1;
  const size_t in_blocks = blocks ? InBlocks(codes.size(), 16) : 0;
  const Multiplier multiplier = QuantizeMultiplier(double{in.scale} / double{out.scale}, rule.rounding);
  for (size_t i = 0; i < codes.size(); ++i) {
    const Rounding rounding = i < in_blocks ? Rounding::kDoubleUp : rule.rounding;
    codes[i] =
        Clamp(Scale(codes[i] - in.zero_point, multiplier, rounding) + out.zero_point, range.low, range.high);
  }
  node.Put(0, codes);
}

void EvalQuantizeFloat(const Node& node, const ArithmeticRule& rule) {
  const ElementScales scales(node, node.output(0));
  const int8_t to = node.output(0).type;
  const Range range = RangeOf(node, to);
  const std::vector<float> values = node.GetFloats(0);
  const bool taken = rule.method != Method::kFloat && scales.is_one() && (to == kInt8 || to == kInt16);
  const bool xnnpack = taken && rule.method == Method::kXnnpack && to == kInt8;
  const bool optimized = taken && !xnnpack && rule.method != Method::kReal;
  const bool in_double = taken && !xnnpack;
  const size_t by_inverse = xnnpack ? values.size() : optimized ? InBlocks(values.size(), 8) : 0;
  Codes codes(values.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    const Quantization& out = scales.At(i);
    const float quotient = values[i] / out.scale;
    if (!(std::fabs(quotient) < 0x1p31f)) node.Refuse("a value that no int32 holds");
    const int64_t rounded = i < by_inverse ? RoundEven(values[i] * (1.0f / out.scale))
                            : in_double    ? RoundAway(double{values[i]} / double{out.scale})
                                           : RoundAway(double{quotient});
    codes[i] = Clamp(rounded + out.zero_point, range.low, range.high);
  }
  node.Put(0, codes);
}

void EvalDequantize(const Node& node, const ArithmeticRule& rule) {
  const ElementScales scales(node, node.input(0));
  const Codes codes = node.Get(0);
  const bool blocks =
      rule.method == Method::kOptimized && BytesOf(node.input(0).type) == 1 && scales.is_one();
  const size_t in_blocks = blocks ? InBlocks(codes.size(), 8) : 0;
  std::vector<float> values(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    const Quantization& in = scales.At(rule.method == Method::kDefect ? 0 : i);
    const float offset = static_cast<float>(-in.zero_point) * in.scale;
    const float scaled = static_cast<float>(codes[i]) * in.scale;
    values[i] = i < in_blocks
                    ? scaled + offset
                    : static_cast<float>(double{in.scale} * static_cast<double>(codes[i] - in.zero_point));
  }
  node.PutFloats(0, values);
}

// Integers keep their low bits; of BOOL, any byte but 0 is 1. float32 is cut towards zero.
void EvalCast(const Node& node, const ArithmeticRule&) {
  const int8_t to = node.output(0).type;
  if (IsFloat(node)) {
    const std::vector<float> values = node.GetFloats(0);
    if (to == kFloat32) return node.PutFloats(0, values);
    Codes codes(values.size());
    const double limit = std::ldexp(1.0, 8 * BytesOf(to) - (to == kUint8 ? 0 : 1));
    for (size_t i = 0; i < values.size(); ++i) {
      if (to == kBool) {
        codes[i] = values[i] != 0 ? 1 : 0;
        continue;
      }
      const double whole = std::trunc(double{values[i]});
      if (!(whole >= (to == kUint8 ? 0 : -limit) && whole < limit)) {
        node.Refuse("a value that the output's type does not hold");
      }
      codes[i] = static_cast<int64_t>(whole);
    }
    return node.Put(0, codes);
  }
  Codes codes = node.Get(0);
  if (node.input(0).type == kBool || to == kBool) {
    for (int64_t& q : codes) q = q != 0 ? 1 : 0;
  }
  if (to != kFloat32) return node.Put(0, codes);
  std::vector<float> values(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) values[i] = static_cast<float>(codes[i]);
  node.PutFloats(0, values);
}

// QUANTIZE reads or writes an activation if that side is int8; the other side is not checked.
constexpr Operator kConversionRows[] = {
    {.code = BuiltinOperator::QUANTIZE,
     .operands = {"x", "x"},
     .rules = {kDr, kSr, kRequantizeOptimized, kRequantizeXnnpack},
     .evaluate = EvalQuantize,
     .is_for = IsInteger},
    {.code = BuiltinOperator::QUANTIZE,
     .operands = {"x", "x"},
     .rules = {kByDivision, kQuantizeOptimized, kQuantizeXnnpack, kByDoubleDivision},
     .evaluate = EvalQuantizeFloat,
     .variant = "float32",
     .is_for = IsFloat},
    {BuiltinOperator::DEQUANTIZE,
     {"x", "-"},
     {kByProduct, kDequantizeOptimized, kDequantizeByFirst},
     EvalDequantize},
    {BuiltinOperator::CAST, {"-", "-"}, {kExact}, EvalCast},
};

}  // namespace

const OperatorFamily kConversionOperators = kConversionRows;

}  // namespace lutra::conformance::oracle

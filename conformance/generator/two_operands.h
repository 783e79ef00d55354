// SPDX-License-Identifier: Apache-2.0
// Operators of two operands, element by element, with broadcasting: one maker, one plan of cases.
//
//   const ElementwiseOp kAdd = {"ADD", AppendActivated<edit::AddOptionsT>, DrawSumScales};
//   Family("ADD", GenerateElementwise<kAdd>, GenerateRealElementwise<kAdd>)

#pragma once

#include "conformance/generator/series.h"

namespace lutra::conformance {

// Kinds of scales.
enum class Scales : uint8_t {
  kRandom,
  kPowerOfTwo,
  kJustBelow,  // The nearest float below a power of two.
  kSmall,      // A small integer times a power of two: their quotients make ties.
};
inline constexpr int kScaleKinds = 4;
const char* ToString(Scales kind);
// Draws from [2^exponent, 2^(exponent + 1)); kJustBelow and kSmall reach from 2^(exponent - 3).
float DrawScale(Random& random, Scales kind, int exponent);

struct TwoOperands {
  oracle::Shape a = {2, 3, 4}, b = {2, 3, 4};
  float a_scale = 0.5f, b_scale = 0.5f, out_scale = 0.5f;
  int64_t a_zero = 0, b_zero = 0, out_zero = 0;
  int8_t activation = 0;
  bool a_constant = false, b_constant = false;
  bool twice = false;  // The first operand is the second, too.
  Values a_values = Values::kRandom, b_values = Values::kRandom;
  // Not empty: the codes, instead of `..._values`.
  oracle::Bytes a_codes, b_codes;
};

struct ElementwiseOp {
  const char* name;
  void (*append)(ModelMaker& maker, const char* op, const std::vector<int>& inputs, int output,
                 int8_t activation);
  // Sets the three scales. `reach`: by how many powers of two they may miss those that fill the output's
  // range.
  void (*draw_scales)(Random& random, Scales kind, int reach, TwoOperands* operands);
  bool has_activation = true;
  bool is_division = false;  // No divisor is zero.
  bool gives_bool = false;   // Without quantisation.
  bool same_scales = false;  // Scales and zero points of all three tensors are those of the first.
  bool is_large = false;     // About 220 cases, not about 60.
  // Changes a candidate so that it is more likely to tell the roundings of this operator apart.
  void (*sharpen)(Random& random, TwoOperands* operands) = nullptr;
  int exhaustive = 4;  // Cases with every pair of codes.
  // Separation::rules.
  size_t separated_rules = 0;
  int used_bits = 0;  // Of int32 operands whose results int32 holds, too; 0: of no or of any operands.
};

template <typename Options>
void AppendActivated(ModelMaker& maker, const char* op, const std::vector<int>& inputs, int output,
                     int8_t activation) {
  maker.Op<Options>(op, inputs, {output}, [=](Options& o) { o.fused_activation_function = activation; });
}

template <typename Options>
void AppendPlain(ModelMaker& maker, const char* op, const std::vector<int>& inputs, int output, int8_t) {
  maker.Op<Options>(op, inputs, {output}, [](Options&) {});
}

Case MakeElementwise(Random& random, const ElementwiseOp& op, TwoOperands operands);
// Zero points, half of them at an end of their range or next to zero.
void DrawZeroPoints(Random& random, TwoOperands* operands);
// The shape with 1 in each dimension that the mask names: bit 0 is the last.
oracle::Shape WithOnes(oracle::Shape shape, unsigned mask);
// Codes -128 to 127, each `repeat` times.
oracle::Bytes EveryCode(int repeat = 1);

void GenerateElementwiseCases(const ElementwiseOp& op, Series& series);
template <const ElementwiseOp& op>
void GenerateElementwise(Series& series) {
  GenerateElementwiseCases(op, series);
}

// Adds cases with operands of types other than int8, some of which runtimes lack.
void AddOtherTypes(const ElementwiseOp& op, const std::vector<int8_t>& types, const RealSizes& sizes);
// Generates the cases of real sizes.
void GenerateRealElementwiseCases(const ElementwiseOp& op, RealSizes& series);
template <const ElementwiseOp& op>
void GenerateRealElementwise(RealSizes& series) {
  GenerateRealElementwiseCases(op, series);
}
// Two shapes of this rank, either of which may have 1 where the other has not; the last dimension of their
// broadcast is `last`.
struct BroadcastPair {
  oracle::Shape a, b;
};
BroadcastPair DrawBroadcast(Random& random, int rank, int32_t last);

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// The rows of ops.h as values, and the multiply-accumulates that they name.

#include "lutra/ops/facts.h"

#include "lutra/ops/ops.h"

namespace lutra {
namespace {

int64_t MacsOfConv2D(const OperandShapes& shapes) {
  const Shape filter = shapes.Input(1);
  return filter.rank == 4 ? int64_t{shapes.Output().Count()} * filter.Count(1, 4) : 0;
}

int64_t MacsOfDepthwiseConv2D(const OperandShapes& shapes) {
  const Shape filter = shapes.Input(1);
  return filter.rank == 4 ? int64_t{shapes.Output().Count()} * filter.Count(1, 3) : 0;
}

// Each input value is multiplied with each tap of each output channel.
int64_t MacsOfTransposeConv(const OperandShapes& shapes) {
  const Shape filter = shapes.Input(1);
  return filter.rank == 4 ? int64_t{shapes.Input(2).Count()} * filter[0] * filter[1] * filter[2] : 0;
}

int64_t MacsOfFullyConnected(const OperandShapes& shapes) {
  return int64_t{shapes.Output().Count()} * shapes.Input(1).Depth();
}

int64_t MacsOfBatchMatmul(const OperandShapes& shapes) {
  BatchMatMulOptions options;
  const Shape lhs = shapes.Input(0);
  if (lhs.rank < 2 || !ReadBatchMatMulOptions(shapes.node(), &options)) return 0;
  return int64_t{shapes.Output().Count()} * lhs[options.adjoint_lhs ? lhs.rank - 2 : lhs.rank - 1];
}

int64_t MacsOfSvdf(const OperandShapes& shapes) {
  const int64_t batches = shapes.Input(0).OuterCount();
  return batches * (int64_t{shapes.Input(1).Count()} + shapes.Input(2).Count());
}

// Four gates, each with a product of the input and one of the hidden state.
int64_t MacsOfLstm(const OperandShapes& shapes) {
  constexpr int kInputWeights = 1;
  constexpr int kRecurrentWeights = 5;
  const Shape input = shapes.Input(0);
  if (input.rank != 3) return 0;
  const int64_t of_a_gate =
      int64_t{shapes.Input(kInputWeights).Count()} + shapes.Input(kRecurrentWeights).Count();
  return int64_t{input[0]} * input[1] * 4 * of_a_gate;
}

#define LUTRA_OPERATOR_FACTS(name, prepare, eval, compressible, constant, macs) \
  {BuiltinOperator::k##name, compressible, constant, macs},
constexpr OperatorFacts kFacts[] = {LUTRA_OPERATORS(LUTRA_OPERATOR_FACTS)};
#undef LUTRA_OPERATOR_FACTS

}  // namespace

Span<const OperatorFacts> AllOperatorFacts() { return kFacts; }

const OperatorFacts* FactsOf(BuiltinOperator code) {
  for (const OperatorFacts& facts : kFacts) {
    if (facts.code == code) return &facts;
  }
  return nullptr;
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Operators of int8 alone, as entries of an op resolver: kNameInt8Only for kName. They refuse other types
// (Rule::kOperandType), and do not link kernels of other types.
//
//   constexpr lutra::Op kOps[] = {lutra::kConv2DInt8Only, lutra::kReshape, lutra::kSoftmaxInt8Only};

#pragma once

#include "lutra/op.h"
#include "lutra/ops/ops.h"

// One row for each.
//
//   name      of the operator, a row of LUTRA_OPERATORS
//   prepare   its functions
//   eval
// clang-format off
#define LUTRA_INT8_OPERATORS(OP) \
  OP(Add,             PrepareAddInt8Only,             EvalBinary)                  \
  OP(AveragePool2D,   PrepareAveragePool2DInt8Only,   EvalPoolInt8Only)            \
  OP(Conv2D,          PrepareConv2DInt8Only,          EvalConv2DInt8Only)          \
  OP(DepthwiseConv2D, PrepareDepthwiseConv2DInt8Only, EvalDepthwiseConv2DInt8Only) \
  OP(FullyConnected,  PrepareFullyConnectedInt8Only,  EvalFullyConnectedInt8Only)  \
  OP(L2Normalization, PrepareL2NormalizationInt8Only, EvalL2NormalizationInt8Only) \
  OP(LogSoftmax,      PrepareLogSoftmaxInt8Only,      EvalLogSoftmaxInt8Only)      \
  OP(MaxPool2D,       PrepareMaxPool2DInt8Only,       EvalPoolInt8Only)            \
  OP(Mean,            PrepareSumInt8Only,             EvalReduce)                  \
  OP(Mul,             PrepareMulInt8Only,             EvalBinary)                  \
  OP(Softmax,         PrepareSoftmaxInt8Only,         EvalSoftmaxInt8Only)         \
  OP(Sub,             PrepareSubInt8Only,             EvalBinary)                  \
  OP(Sum,             PrepareSumInt8Only,             EvalReduce)                  \
  OP(Svdf,            PrepareSvdfInt8Only,            EvalSvdfInt8Only)
// clang-format on

namespace lutra {

#define LUTRA_DECLARE_OPERATOR(name, prepare, eval)                                 \
  Status prepare(PrepareContext& context);                                          \
  Status eval(EvalContext& context);                                                \
  inline constexpr Op k##name##Int8Only = {BuiltinOperator::k##name, prepare, eval, \
                                           k##name.compressible_inputs};
LUTRA_INT8_OPERATORS(LUTRA_DECLARE_OPERATOR)
#undef LUTRA_DECLARE_OPERATOR

}  // namespace lutra

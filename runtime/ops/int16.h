// SPDX-License-Identifier: Apache-2.0
// Checks that the operators with activations of int16 share (lutra/int16.h).

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/activation.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {

#if LUTRA_HAVE_INT16

Status PrepareAbsInt16(PrepareContext& context);
Status PrepareAddInt16(PrepareContext& context);
Status PrepareAveragePool2DInt16(PrepareContext& context);
Status PrepareBatchMatmulInt16(PrepareContext& context);
Status PrepareConv2DInt16(PrepareContext& context);
Status PrepareDepthwiseConv2DInt16(PrepareContext& context);
Status PrepareFullyConnectedInt16(PrepareContext& context);
Status PrepareLeakyReluInt16(PrepareContext& context);
Status PrepareLogisticInt16(PrepareContext& context);
Status PrepareLstmInt16(PrepareContext& context);
Status PrepareMaxPool2DInt16(PrepareContext& context);
Status PrepareMulInt16(PrepareContext& context);
Status PreparePreluInt16(PrepareContext& context);
Status PrepareRelu6Int16(PrepareContext& context);
Status PrepareReluInt16(PrepareContext& context);
Status PrepareSoftmaxInt16(PrepareContext& context);
Status PrepareSquaredDifferenceInt16(PrepareContext& context);
Status PrepareSubInt16(PrepareContext& context);
Status PrepareSumInt16(PrepareContext& context);
Status PrepareTanhInt16(PrepareContext& context);
Status PrepareTransposeConvInt16(PrepareContext& context);

Status EvalBatchMatmulInt16(EvalContext& context);
Status EvalBinaryInt16(EvalContext& context);
Status EvalConvolutionInt16(EvalContext& context);
Status EvalFullyConnectedInt16(EvalContext& context);
Status EvalLstmInt16(EvalContext& context);
Status EvalPiecewiseInt16(EvalContext& context);
Status EvalPoolInt16(EvalContext& context);
Status EvalPreluInt16(EvalContext& context);
Status EvalSigmoidInt16(EvalContext& context);
Status EvalSoftmaxInt16(EvalContext& context);
Status EvalTransposeConvInt16(EvalContext& context);

// Checks that the operand is int16 with one scale and one zero point.
Status RequireInt16(PrepareContext& context, int operand);
// Checks the same, and that the zero point is 0.
Status RequireSymmetricInt16(PrepareContext& context, int operand);
// Sets `range` to the codes to which a fused activation clamps the int16 output.
Status Int16ActivationRange(PrepareContext& context, Activation activation, ActivationRange* range);
// Checks that the output's scale is 2^-15, to about a thousandth of its logarithm to base 2: TFLite's rule.
Status RequireOutputOfUnitRange(PrepareContext& context);

// Bounds for accumulators of 64 bits. Multipliers are below 2^7, and the sum of `products` products of `bits`
// bits with biases of up to 2^46 stays below 2^47: requantisation would lose the highest bits of larger sums.
inline constexpr int32_t kLargestWideShift = 7;
inline constexpr int64_t kLargestWideBias = int64_t{1} << 46;
Status RequireWideProducts(PrepareContext& context, int operand, int64_t products, int bits);
// Checks that each constant bias is within kLargestWideBias; `bias`: the number of the input, which may be
// left out.
Status RequireWideBias(PrepareContext& context, int bias);
// Checks that each channel's multiplier is below 2^7, by the scales of inputs `input` and `filter` and of
// output 0.
Status RequireWideMultipliers(PrepareContext& context, int input, int filter);

#endif

}  // namespace lutra

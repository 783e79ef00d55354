// SPDX-License-Identifier: Apache-2.0
// What the operators of the older scheme share (lutra/uint8.h). A code u of uint8 with zero point z stands
// for the same number as the code u - 128 of int8 with zero point z - 128, which differs in one bit.
// Operators with no further difference run int8's kernels on copies of the inputs; layers with weights, whose
// zero point int8 lacks, and averages, whose ties go up, have kernels of their own.

#pragma once

#include <stdint.h>

#include "lutra/kernels/conv_2d_uint8/conv_2d_uint8.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {

#if LUTRA_HAVE_UINT8

Status PrepareAddUint8(PrepareContext& context);
Status EvalAddUint8(EvalContext& context);
Status PrepareAveragePool2DUint8(PrepareContext& context);
Status PrepareMaxPool2DUint8(PrepareContext& context);
Status PrepareConcatenationUint8(PrepareContext& context);
Status EvalConcatenationUint8(EvalContext& context);
Status PrepareConv2DUint8(PrepareContext& context);
Status PrepareDepthwiseConv2DUint8(PrepareContext& context);
Status EvalConvolutionUint8(EvalContext& context);
Status PrepareFullyConnectedUint8(PrepareContext& context);
Status EvalFullyConnectedUint8(EvalContext& context);
Status PreparePadUint8(PrepareContext& context);
Status PrepareSoftmaxUint8(PrepareContext& context);
Status PrepareArgMaxUint8(PrepareContext& context);
Status EvalArgMaxUint8(EvalContext& context);
Status PrepareLogisticUint8(PrepareContext& context);
Status PrepareResizeBilinearUint8(PrepareContext& context);
Status EvalResizeBilinearUint8(EvalContext& context);
Status EvalSoftmaxUint8(EvalContext& context);

inline constexpr int32_t kUint8Shift = 128;  // From a code of int8 to its code of uint8.

// to[i] = from[i] as the other of the two types; both may be the same.
inline void SwitchSign(const uint8_t* from, int32_t count, uint8_t* to) {
  for (int32_t i = 0; i < count; ++i) to[i] = from[i] ^ 0x80;
}

// The operand is uint8 with one scale and one zero point.
Status RequireUint8(PrepareContext& context, int operand);
// Clamps for a fused activation of a uint8 output.
Status Uint8ActivationRange(PrepareContext& context, Activation activation, ActivationRange* range);
// Checks a layer with weights: types, one scale of the weights, the bias's scale. *factor leads from sums of
// products to codes of the output; the product of scales is computed in float32 or, if `wide`, in double.
Status PrepareUint8Layer(PrepareContext& context, Activation activation, bool wide,
                         Uint8Quantization* quantization, double* factor);

#endif

}  // namespace lutra

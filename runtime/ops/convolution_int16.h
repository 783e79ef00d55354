// SPDX-License-Identifier: Apache-2.0
// What the convolutions of int16 share.

#pragma once

#include "lutra/kernels/conv_2d_int16/conv_2d_int16.h"
#include "runtime/ops/convolution.h"
#include "runtime/ops/int16.h"

namespace lutra {

enum class Int16Layer : uint8_t { kConv2D, kDepthwiseConv2D, kTransposeConv };

#if LUTRA_HAVE_INT16
// In prepare: as CheckConvolution, of int16. Zero points are 0: TFLite Micro does not read them.
Status CheckInt16Convolution(PrepareContext& context, const ConvolutionInputs& inputs,
                             Convolution* convolution);
// In prepare: checks biases and scales and keeps what eval needs.
Status StoreInt16Convolution(PrepareContext& context, const ConvolutionInputs& inputs, Activation activation,
                             Int16Layer layer, const Convolution& convolution);
Status EvalInt16Convolution(EvalContext& context, const ConvolutionInputs& inputs);
#endif

// In prepare of these types: the check of the operands. For int8 it takes float32, too; types of
// uint8 are checked with its quantisation.
template <LayerTypes kTypes>
[[gnu::always_inline]] inline Status CheckConvolutionOf(PrepareContext& context,
                                                        const ConvolutionInputs& inputs,
                                                        Convolution* convolution) {
#if LUTRA_HAVE_INT16
  if constexpr (kTypes == LayerTypes::kInt16) return CheckInt16Convolution(context, inputs, convolution);
#endif
  return kTypes == LayerTypes::kUint8 ? CheckConvolutionShapes(context, inputs, convolution)
                                      : CheckConvolution(context, inputs, convolution);
}

}  // namespace lutra

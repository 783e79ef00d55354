// SPDX-License-Identifier: Apache-2.0
// What CONV_2D and DEPTHWISE_CONV_2D of uint8 share.

#pragma once

#include "runtime/ops/convolution.h"
#include "runtime/ops/uint8.h"

namespace lutra {

#if LUTRA_HAVE_UINT8
// In prepare: types and quantisation, and the node's data for EvalConvolutionUint8.
Status StoreUint8Convolution(PrepareContext& context, Activation activation, const Convolution& convolution,
                             bool depthwise);
#endif

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// The arguments of CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {

// Int8. Each layer has a type of its own.
template <typename Layer>
struct ConvArgs {
  const ConvShape* shape;
  int32_t first_channel;  // conv_shape.h says which channels a call makes.
  int32_t channel_count;
  ConvQuantization quantization;
  const int8_t* filter;
  const int32_t* bias;            // [channel_count] or null.
  const Multiplier* multipliers;  // [channel_count]
#if LUTRA_HAVE_PREPARING_LAYERS
  const void* prepared = nullptr;  // The variant's own.
#endif
#if LUTRA_HAVE_STREAMING_LAYERS
  // Set at prepare if compressed weights are streamed; `filter` is null then. A variant that prepares memory
  // from them runs with that memory; any other finds blocks of decoded rows in `filter` when it runs.
  const StreamedRows* streamed = nullptr;
#endif
#if LUTRA_HAVE_SCRATCH_LAYERS
  // The variant's scratch, aligned to 16. Null: there is none, and the reference runs.
  void* scratch = nullptr;
  int32_t scratch_bytes = 0;
  // The output may overlap the input in such a way that rows must be made from the last to the first.
  bool downwards = false;
#endif
};

// Float32: all channels of a layer.
struct ConvFloatArgs {
  const ConvShape* shape;
  const float* filter;
  const float* bias;
  float activation_min;
  float activation_max;
};

}  // namespace lutra

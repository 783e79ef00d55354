// SPDX-License-Identifier: Apache-2.0
// Fully connected layer, one output row for each input row:
//
//   output[o] = clamp(offset + multiplier[o] * (bias[o] +
//                 sum over c of (input[c] + input_offset) * weights[o, c]))
//
// Sums wrap in int32. The float32 kernel: the same without offsets and multipliers.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/dots.h"
#include "lutra/kernels/packed_weights.h"
#include "lutra/kernels/rows.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {

struct FullyConnectedArgs {
  int32_t depth;     // Values of an input row.
  int32_t channels;  // Values of an output row.
  ConvQuantization quantization;
  const int8_t* weights;          // [channels, depth]
  const int32_t* bias;            // [channels] or null.
  const Multiplier* multipliers;  // [channels], or one for all of them:
  bool one_multiplier;
#if LUTRA_HAVE_PREPARING_LAYERS
  const void* prepared = nullptr;  // The variant's own.
#endif
#if LUTRA_HAVE_STREAMING_LAYERS
  // Set at prepare if compressed weights are streamed; `weights` is null then. A variant that prepares memory
  // from them runs with that memory; any other finds blocks of decoded rows in `weights` when it runs.
  const StreamedRows* streamed = nullptr;
  // At prepare: the rows of an inference, 0 if they are not known; a variant may leave few to the reference.
  int32_t rows = 0;
#endif
#if LUTRA_HAVE_SCRATCH_LAYERS
  // The variant's scratch, aligned to 16. Null: there is none, and the reference runs.
  void* scratch = nullptr;
  int32_t scratch_bytes = 0;
#endif
};

// The weights and perhaps the biases are compressed; `weights` is for references, and `bias` where `biases`
// has none.
struct FullyConnectedPackedArgs : FullyConnectedArgs {
  PackedWeights packed;
  PackedBiases biases;
};

struct FullyConnectedFloatArgs {
  int32_t depth;
  int32_t channels;
  const float* weights;
  const float* bias;
  float activation_min;
  float activation_max;
};

using FullyConnectedFn = RowsFn<FullyConnectedArgs>;
using FullyConnectedPackedFn = RowsFn<FullyConnectedPackedArgs>;
using FullyConnectedFloatFn = RowsFn<FullyConnectedFloatArgs>;

Kernel<FullyConnectedFn> FullyConnectedRef;
Kernel<FullyConnectedFloatFn> FullyConnectedFloatRef;

#if LUTRA_HAS_VARIANTS(fully_connected, ARMDSP)
void FullyConnectedArmdsp(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                          int32_t first_row, int32_t row_count);
ScratchBytes FullyConnectedScratchArmdsp(const FullyConnectedArgs& args, int32_t rows);
// For four channels or more, and depths of whole words, with the scratch of the variant.
Kernel<FullyConnectedPackedFn> FullyConnectedPackedArmdsp;
void FullyConnectedPairsArmdsp(const uint8_t* values, uint32_t* pairs);  // FillPairs.
#endif

#if LUTRA_HAS_VARIANTS(fully_connected, MVE)
Kernel<FullyConnectedFn> FullyConnectedMve;
int32_t FullyConnectedPrepareMve(const FullyConnectedArgs& args, void* memory);
#endif

LUTRA_DECLARE_DOTS(FullyConnectedFn)
inline constexpr Variant<FullyConnectedFn> kFullyConnectedInt8[] = {
#if LUTRA_HAS_VARIANTS(fully_connected, MVE)
    {"mve", kCpuMve, FullyConnectedMve, FullyConnectedPrepareMve},
#elif LUTRA_HAS_VARIANTS(fully_connected, ARMDSP)
    {"armdsp", kCpuArmDsp, FullyConnectedArmdsp, nullptr, Unprepared::kRuns, nullptr,
     FullyConnectedScratchArmdsp},
#endif
    LUTRA_DOT_VARIANTS(FullyConnectedFn, FullyConnectedRef)};
inline constexpr Variant<FullyConnectedFloatFn> kFullyConnectedFloat[] = {
    {"ref", kCpuAny, FullyConnectedFloatRef}};

}  // namespace lutra

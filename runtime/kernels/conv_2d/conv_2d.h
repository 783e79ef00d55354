// SPDX-License-Identifier: Apache-2.0
// Convolution in two dimensions, in groups:
//
//   output[y, x, o] = clamp(offset + multiplier[o] * (bias[o] +
//                       sum over ky, kx, c of (input[iy, ix, g + c] + input_offset) *
//                                             filter[o, ky, kx, c]))
//
// with (iy, ix) as in conv_shape.h and g the first channel of o's group. A filter has
// filter_channels channels; there are in_channels / filter_channels groups, each with as many
// output channels. Sums wrap in int32. The float32 kernel is the same without offsets and
// multipliers.

#pragma once

#include "lutra/cpu.h"
#include "lutra/kernels/conv_args.h"
#include "lutra/kernels/dots.h"
#include "lutra/kernels/rows.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {

// The filter is [channel_count, filter_height, filter_width, filter_channels].
using Conv2DArgs = ConvArgs<struct Conv2D>;

// Says how a variant expands two filters of compressed weights for a strip of pixels. kTables and kPairs are
// for lookup tables of 16 entries that can be read as a whole, and rows of whole words.
enum class FilterExpansion : uint8_t {
  kRows,    // Decodes two rows first.
  kTables,  // Through a table for each filter.
  kPairs,   // Through one table of pairs for all filters: Conv2DPairsArmdsp.
};
inline constexpr int32_t kFilterTablesBytes = 64;

// The weights are compressed, and can be decoded from any element on; only references read `filter`.
struct Conv2DPackedArgs : Conv2DArgs {
  StreamedRows rows;
  FilterExpansion expansion;
  void* memory;  // Aligned to 4: two rows (kRows), kFilterTablesBytes (kTables), or the pairs (kPairs).
};

using Conv2DFn = RowsFn<Conv2DArgs>;
using Conv2DPackedFn = RowsFn<Conv2DPackedArgs>;
using Conv2DFloatFn = RowsFn<ConvFloatArgs>;

Kernel<Conv2DFn> Conv2DRef;
Kernel<Conv2DFloatFn> Conv2DFloatRef;

#if LUTRA_HAS_VARIANTS(conv_2d, ARMDSP)
Kernel<Conv2DFn> Conv2DArmdsp;
int32_t Conv2DRowsAtOnceArmdsp(const Conv2DArgs& args);
ScratchBytes Conv2DScratchArmdsp(const Conv2DArgs& args, int32_t rows);
// For all channels, with the variant's scratch, which has room for a row at least, except with kRows.
Kernel<Conv2DPackedFn> Conv2DPackedArmdsp;
void Conv2DPairsArmdsp(const uint8_t* values, uint32_t* pairs);  // FillPairs, times 256.
#endif

#if LUTRA_HAS_VARIANTS(conv_2d, MVE)
Kernel<Conv2DFn> Conv2DMve;
int32_t Conv2DPrepareMve(const Conv2DArgs& args, void* memory);
int32_t Conv2DRowsAtOnceMve(const Conv2DArgs& args);
ScratchBytes Conv2DScratchMve(const Conv2DArgs& args, int32_t rows);
#endif

LUTRA_DECLARE_DOTS(Conv2DFn)
inline constexpr Variant<Conv2DFn> kConv2DInt8[] = {
#if LUTRA_HAS_VARIANTS(conv_2d, MVE)
    {"mve", kCpuMve, Conv2DMve, Conv2DPrepareMve, Unprepared::kRuns, Conv2DRowsAtOnceMve, Conv2DScratchMve},
#elif LUTRA_HAS_VARIANTS(conv_2d, ARMDSP)
    {"armdsp", kCpuArmDsp, Conv2DArmdsp, nullptr, Unprepared::kRuns, Conv2DRowsAtOnceArmdsp,
     Conv2DScratchArmdsp},
#endif
    LUTRA_DOT_VARIANTS(Conv2DFn, Conv2DRef)};
inline constexpr Variant<Conv2DFloatFn> kConv2DFloat[] = {{"ref", kCpuAny, Conv2DFloatRef}};

}  // namespace lutra

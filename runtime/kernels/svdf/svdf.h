// SPDX-License-Identifier: Apache-2.0
// SVDF: each filter computes one number from the input, keeps the last `memory` of them in its state
// and weights them; `rank` filters make one unit of the output.
//
//   newest[f] = state_zero_point +
//               clamp(feature * sum over c of (input[c] + input_offset) * feature_weights[f, c])
//   output[u] = clamp(output_offset + time * (bias[u] + sum over the unit's f, t of
//                 (state[f, t] - state_zero_point) * time_weights[f, t]))
//
// The first clamp is to the state's type; if adding its zero point leaves that type, newest wraps.
// Sums wrap in int32.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"

namespace lutra {

struct SvdfArgs {
  int32_t batches;
  int32_t depth;  // Values of an input row.
  int32_t units;
  int32_t rank;                   // units * rank filters.
  int32_t memory;                 // Values of a filter's state, oldest first.
  const int8_t* input;            // [batches, depth]
  const int8_t* feature_weights;  // [filters, depth]
  const void* time_weights;       // [filters, memory], of the state's type.
  const int32_t* bias;            // [units] or null.
  void* state;                    // [batches, filters, memory], int8 or int16.
  int8_t* output;                 // [batches, units]
  Multiplier feature;
  Multiplier time;
  int16_t input_offset;
  int16_t state_zero_point;
  int16_t output_offset;
};

using SvdfFn = void (*)(const SvdfArgs& args);

// The state is int8 or int16.
template <typename State>
Kernel<SvdfFn> SvdfRef;
template <typename State>
Kernel<SvdfFn> SvdfAvx2;
template <typename State>
Kernel<SvdfFn> SvdfArmdsp;
Kernel<SvdfFn> SvdfMve;  // States of int8.

template <typename State>
inline constexpr Variant<SvdfFn> kSvdfOf[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, SvdfAvx2<State>},
#endif
#if LUTRA_HAS_VARIANTS(svdf, ARMDSP)
    {"armdsp", kCpuArmDsp, SvdfArmdsp<State>},
#endif
    {"ref", kCpuAny, SvdfRef<State>},
};
#if LUTRA_HAS_VARIANTS(svdf, MVE) && LUTRA_HAS_VARIANTS(fully_connected, MVE)
template <>
inline constexpr Variant<SvdfFn> kSvdfOf<int8_t>[] = {
    {"mve", kCpuMve, SvdfMve},
    {"ref", kCpuAny, SvdfRef<int8_t>},
};
#endif

}  // namespace lutra

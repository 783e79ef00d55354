// SPDX-License-Identifier: Apache-2.0
// On a host that counts a board's arena, layers with weights ask for the scratch that the board's variants
// take.
//
//   LUTRA_TRY(RequestBoardScratch(context, args));

#pragma once

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/fully_connected/fully_connected.h"
#include "lutra/micro_context.h"
#include "runtime/kernels/scratch_armdsp.h"
#include "runtime/ops/rows_of_calls.h"

namespace lutra {

#if LUTRA_HOSTED

// The scratch of layers that have armdsp variants depends on their shapes.
inline ScratchBytes ArmdspScratchOf(const Conv2DArgs& args, int32_t rows) {
  return ArmdspConvScratch(*args.shape, rows);
}
inline ScratchBytes ArmdspScratchOf(const DepthwiseConv2DArgs& args, int32_t rows) {
  return ArmdspDepthwiseScratch(*args.shape, rows);
}
inline ScratchBytes ArmdspScratchOf(const FullyConnectedArgs& args, int32_t) {
  return ArmdspRowScratch(args.depth);
}

template <typename Args>
Status RequestBoardScratch(PrepareContext& context, const Args& args) {
  if constexpr (requires { ArmdspScratchOf(args, 1); }) {
    if (context.board() == nullptr || context.board()->kernels != BoardKernels::kArmdsp) return Status::kOk;
    const ScratchBytes bytes = ArmdspScratchOf(args, RowsOfCalls(context, args));
    if (bytes.most == 0) return Status::kOk;
    int index = 0;
    return context.RequestScratch(context.policy() == MemoryPolicy::kFast ? bytes.most : bytes.least, &index);
  }
  return Status::kOk;
}

#endif

}  // namespace lutra

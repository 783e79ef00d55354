// SPDX-License-Identifier: Apache-2.0
// On a host that measures the arena of a board, layers with weights request the scratch of the board's
// variants, and count the memory that these variants prepare.
//
//   LUTRA_TRY(RequestBoardScratch(context, args));

#pragma once

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/fully_connected/fully_connected.h"
#include "lutra/micro_context.h"
#include "runtime/kernels/scratch_mve.h"
#include "runtime/ops/rows_of_calls.h"

namespace lutra {

#if LUTRA_HOSTED

// Returns the scratch of a layer's armdsp variant, which depends on the layer's shapes.
inline ScratchBytes ArmdspScratchOf(const Conv2DArgs& args, int32_t rows) {
  return ArmdspConvScratch(*args.shape, rows);
}
inline ScratchBytes ArmdspScratchOf(const DepthwiseConv2DArgs& args, int32_t rows) {
  return ArmdspDepthwiseScratch(*args.shape, rows);
}
inline ScratchBytes ArmdspScratchOf(const FullyConnectedArgs& args, int32_t) {
  return ArmdspRowScratch(args.depth);
}

// Layers with mve variants take scratch; with policy fast they also prepare constant weights.
inline ScratchBytes MveScratchOf(const Conv2DArgs& args, int32_t) { return MveConvScratch(*args.shape); }
inline ScratchBytes MveScratchOf(const DepthwiseConv2DArgs& args, int32_t rows) {
  return MveDepthwiseScratch(*args.shape, rows);
}
inline ScratchBytes MveScratchOf(const FullyConnectedArgs&, int32_t) { return {}; }
inline int32_t MvePreparedOf(const Conv2DArgs& args) {
  return args.filter != nullptr && MakesAllChannels(args) ? MveConvPreparedBytes(*args.shape) : 0;
}
inline int32_t MvePreparedOf(const DepthwiseConv2DArgs&) { return 0; }
inline int32_t MvePreparedOf(const FullyConnectedArgs& args) {
  return args.weights != nullptr ? MveRowPreparedBytes(args.channels) : 0;
}

template <typename Args>
Status RequestBoardScratch(PrepareContext& context, const Args& args) {
  if constexpr (requires { ArmdspScratchOf(args, 1); }) {
    BoardUse* const board = context.board();
    if (board == nullptr || board->kernels == BoardKernels::kReference) return Status::kOk;
    const bool is_fast = context.policy() == MemoryPolicy::kFast,
               is_mve = board->kernels == BoardKernels::kMve;
    const int32_t prepared = is_mve && is_fast ? MvePreparedOf(args) : 0;
    if (prepared > 0) board->AddPersistent(static_cast<size_t>(prepared), kArenaAlignment);
    const int32_t rows = RowsOfCalls(context, args);
    const ScratchBytes bytes = is_mve ? MveScratchOf(args, rows) : ArmdspScratchOf(args, rows);
    if (bytes.most == 0) return Status::kOk;
    int index = 0;
    return context.RequestScratch(is_fast ? bytes.most : bytes.least, &index);
  }
  return Status::kOk;
}

#endif

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Says how many rows of an image one call of a layer's kernel may make.
//
//   const ScratchBytes bytes = variant.scratch(args, RowsOfCalls(context, args));

#pragma once

#include "lutra/micro_context.h"

namespace lutra {

// Returns 1 in a row group, else the number of all rows; 1 for layers without images.
template <typename Args>
int32_t RowsOfCalls([[maybe_unused]] const PrepareContext& context, [[maybe_unused]] const Args& args) {
  if constexpr (requires { args.shape->out_height; }) {
    if (!context.IsInRowGroup()) return args.shape->out_height;
  }
  return 1;
}

}  // namespace lutra

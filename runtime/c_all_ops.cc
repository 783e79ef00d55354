// SPDX-License-Identifier: Apache-2.0
// A separate file, so that a program that does not call it does not link all operators.

#include "lutra/c.h"
#include "lutra/ops/ops.h"

const LutraOp* lutra_all_ops(size_t* count) {
  const lutra::Span<const lutra::Op> ops = lutra::AllOps();
  if (count != nullptr) *count = ops.size();
  return reinterpret_cast<const LutraOp*>(ops.data());
}

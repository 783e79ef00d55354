// SPDX-License-Identifier: Apache-2.0
// The operator of an application's list that runs a node.

#pragma once

#include "lutra/node_info.h"
#include "lutra/op.h"
#include "lutra/span.h"
#include "runtime/text.h"

namespace lutra {

// Returns the last match of the list; null: none. A custom operator without a name matches all custom nodes.
inline const Op* FindOp(Span<const Op> ops, const NodeInfo& node) {
  const Op* found = nullptr;
  for (const Op& op : ops) {
    if (op.code != node.code) continue;
    const bool is_named = op.code == BuiltinOperator::kCustom && op.custom_code != nullptr;
    if (!is_named || SameText(op.custom_code, node.custom_code)) found = &op;
  }
  return found;
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// The rows of ops.h as lists.

#include "lutra/ops/facts.h"
#include "lutra/ops/ops.h"

namespace lutra {

#define LUTRA_LIST_OPERATOR(name, ...) k##name,
namespace {
constexpr Op kAllOps[] = {LUTRA_OPERATORS(LUTRA_LIST_OPERATOR)  //
                          LUTRA_CUSTOM_OPERATORS(LUTRA_LIST_OPERATOR)};
}  // namespace
#undef LUTRA_LIST_OPERATOR

Span<const Op> AllOps() { return kAllOps; }

}  // namespace lutra

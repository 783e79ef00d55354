// SPDX-License-Identifier: Apache-2.0
// The rows of ops.h as lists.

#include "lutra/ops/facts.h"
#include "lutra/ops/ops.h"

namespace lutra {

#define LUTRA_LIST_OPERATOR(name, prepare, eval, compressible, constant, macs) k##name,
namespace {
constexpr Op kAllOps[] = {LUTRA_OPERATORS(LUTRA_LIST_OPERATOR) kDecode};
}  // namespace
#undef LUTRA_LIST_OPERATOR

Span<const Op> AllOps() { return kAllOps; }

}  // namespace lutra

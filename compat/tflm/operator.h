// SPDX-License-Identifier: Apache-2.0
// lutra::Op, by a name that programs can declare without its header.

#pragma once

#include "lutra/op.h"
#include "tensorflow/lite/micro/kernels/micro_ops.h"

namespace lutra::compat {

struct Operator {
  Op op;
};
static_assert(sizeof(Operator) == kOperatorBytes && alignof(Operator) <= alignof(void*));

}  // namespace lutra::compat

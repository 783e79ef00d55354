// SPDX-License-Identifier: Apache-2.0
// Checks that the operators of audio preprocessors share. These are custom operators of TensorFlow Lite
// Micro, and give its results bit for bit; sums and products wrap if they overflow.

#pragma once

#include "lutra/micro_context.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {

// Checks that the operand is of this type and has one dimension, of `size` or, if that is kAnySize, of any
// size.
inline constexpr int32_t kAnySize = -1;
Status RequireVector(PrepareContext& context, int operand, TensorType type, int32_t size = kAnySize);
// Checks that the operand is of this type and has one element and no dimension.
Status RequireScalar(PrepareContext& context, int operand, TensorType type);
// Checks that the operand is of this type and has at least one dimension, the last of which is `size`.
Status RequireRowsOf(PrepareContext& context, int operand, TensorType type, int32_t size);

// Returns how many bits `value` takes: 0 for 0, 32 for 2^31.
inline int32_t BitLength(uint32_t value) { return value == 0 ? 0 : 32 - __builtin_clz(value); }

inline int16_t SaturateToInt16(int32_t value) {
  return static_cast<int16_t>(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

}  // namespace lutra

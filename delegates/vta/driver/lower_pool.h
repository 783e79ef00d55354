// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D and AVERAGE_POOL_2D on VTA's ALU: a window's codes are loaded row by row of the filter
// (ACC_8BIT) and taken together in registers, each tap on the outputs whose window has it inside the image.
//
// An average of `count` codes, halves away from zero, is
//   floor((sum + floor(count / 2) - [count even and sum < 0]) / count)
// With 128 count added nothing is negative. The quotient of v <= 255 count + count / 2 is (v m) >> k with m =
// ceil(2^k / count) for some k; if there is no such k, it is at most one too large, which the sign of the
// remainder corrects.

#pragma once

#include "delegates/vta/driver/driver.h"

namespace lutra::vta {

struct PoolProblem {
  bool is_average = false;
  int32_t filter_height = 1, filter_width = 1, stride_h = 1, stride_w = 1, pad_top = 0, pad_left = 0;
  int32_t min = -128, max = 127;
};

// Returns v / count for all v of averages of int8: (v * multiplier) >> shift, exact or one too large.
struct Divisor {
  int32_t multiplier = 0;  // At most INT16_MAX. 0: no division is possible.
  int32_t shift = 0;
  bool is_exact = false;
};
Divisor FindDivisor(int32_t count);

// Images are allocated. kUnsupported: declined, and layer->reason says why.
Status LowerPool(const Driver& driver, const PoolProblem& problem, const Image& input, const Image& output,
                 LoweredLayer* layer);

}  // namespace lutra::vta

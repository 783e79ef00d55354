// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED in the same form: windows on an image, in which each block
// of output channels reads a range of blocks of input channels. Dense layers read all, groups and depthwise
// layers a part; weights between channels of different groups are 0.

#pragma once

#include "delegates/vta/driver/driver.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"

namespace lutra::vta {

struct ConvProblem {
  ConvShape shape = {};  // FULLY_CONNECTED: 1 x 1 windows on one row.
  bool is_depthwise = false;
  const int8_t* filter = nullptr;      // [O, height, width, channels], or [height, width, O].
  const int32_t* bias = nullptr;       // May be null.
  Span<const Multiplier> multipliers;  // One, or one for each output channel.
  // In mode legacy16 these are used instead.
  Span<const Multiplier16> legacy_multipliers = {};
  int32_t input_zero_point = 0, zero_point = 0;
  int32_t min = -128, max = 127;
};

// Widens the frame around the input for the problem's windows.
Status WidenForConv(const ConvShape& shape, Image* input);

// Both images are allocated. Packs weights and constants, and writes the stream. kUnsupported: declined, and
// layer->reason says why.
Status LowerConv(const Driver& driver, const ConvProblem& problem, const Image& input, const Image& output,
                 LoweredLayer* layer);

}  // namespace lutra::vta

// SPDX-License-Identifier: Apache-2.0
// The data that prepare keeps for a FULLY_CONNECTED of int8.

#pragma once

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/ops/channel_multipliers.h"
#include "runtime/ops/prepared_layer.h"

namespace lutra {

// Models have many of these, so each form has only what it needs. All begin with a FullyConnectedLayer.
struct FullyConnectedLayer {
  enum class Kind : uint8_t { kPerTensor, kPerChannel, kFloat };

  int32_t rows;
  int32_t depth;
  int32_t channels;
  ConvQuantization quantization;
  Kind kind;
  [[no_unique_address]] RowsAtOnce<FullyConnectedArgs> at_once;
};

struct PerTensorFullyConnected {
  static constexpr BoardRecord kBoardRecord = {.reference = 32, .armdsp = 44, .mve = 48};

  FullyConnectedLayer layer;
  Multiplier multiplier;
  LayerKernel<FullyConnectedFn> kernel;
};

struct PerChannelFullyConnected {
  static constexpr BoardRecord kBoardRecord = {.reference = 28, .armdsp = 40, .mve = 44};

  FullyConnectedLayer layer;
  ChannelMultipliers multipliers;
  LayerKernel<FullyConnectedFn> kernel;
};

}  // namespace lutra

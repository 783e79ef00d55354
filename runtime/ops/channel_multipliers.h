// SPDX-License-Identifier: Apache-2.0
// The multipliers of an operator whose filter has a scale for each output channel:
// input scale * filter scale / output scale, one Multiplier per channel.
//
//   LUTRA_TRY(PrepareChannelMultipliers(context, 0, 1, channels, &data->multipliers));
//   args.multipliers = EvalChannelMultipliers(context, 0, 1, channels, data.multipliers);
//
// Policy fast stores the table. Policy small keeps nothing: each eval computes it again from the
// scales in the file, into scratch of its node.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/multiplier.h"
#include "lutra/micro_context.h"

namespace lutra {

struct ChannelMultipliers {
  const Multiplier* stored;  // Null: computed at eval.
  int32_t scratch;           // Index of the scratch buffer then.
};

// In prepare. `input` and `filter` are numbers of inputs; output 0 is the other scale. The filter
// has one scale or `channels` of them, and each multiplier is below 2^31; else refused. Input and
// output are per-tensor quantised (the caller has checked that).
Status PrepareChannelMultipliers(PrepareContext& context, int input, int filter, int32_t channels,
                                 ChannelMultipliers* multipliers);

// In eval, with the same numbers: `channels` multipliers, valid until eval returns. A filter with
// one scale has it in each of them.
const Multiplier* EvalChannelMultipliers(const EvalContext& context, int input, int filter, int32_t channels,
                                         const ChannelMultipliers& multipliers);

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// The multipliers of an operator whose filter has a scale for each output channel:
// input scale * filter scale / output scale, one Multiplier per channel.
//
//   LUTRA_TRY(PrepareChannelMultipliers(context, 0, 1, channels, &data->multipliers));
//   args.multipliers = EvalChannelMultipliers(context, 0, 1, channels, data.multipliers);
//
// A table in the model's LUTRA_PLAN is compared with the multipliers of the scales, and used in place.
// Without one, policy fast stores the table, and policy small keeps nothing: each eval computes it again from
// the scales in the file, into scratch of its node.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/multiplier.h"
#include "lutra/micro_context.h"

namespace lutra {

// Says where the table is. It has only one word, since each layer has such an object.
class ChannelMultipliers {
 public:
  ChannelMultipliers() = default;
  static ChannelMultipliers Stored(const Multiplier* table) {
    return ChannelMultipliers(reinterpret_cast<uintptr_t>(table));
  }
  // Eval computes the table into this scratch buffer.
  static ChannelMultipliers InScratch(int index) {
    return ChannelMultipliers(static_cast<uintptr_t>(index) | kInScratch);
  }

  // Null: the table is in scratch.
  const Multiplier* stored() const {
    return (place_ & kInScratch) != 0 ? nullptr : reinterpret_cast<const Multiplier*>(place_);
  }
  int scratch_index() const { return static_cast<int>(place_ & ~kInScratch); }

 private:
  // Tables are aligned to 4, and indices are multiples of 16.
  static constexpr uintptr_t kInScratch = 1;

  explicit ChannelMultipliers(uintptr_t place) : place_(place) {}

  uintptr_t place_ = 0;
};

// In prepare. `input` and `filter` are numbers of inputs; output 0 is the other scale. The filter
// has one scale or `channels` of them, and each multiplier is below 2^31; else refused, as is a table in
// the model that has other multipliers. Input and output are per-tensor quantised (the caller has checked
// that).
Status PrepareChannelMultipliers(PrepareContext& context, int input, int filter, int32_t channels,
                                 ChannelMultipliers* multipliers);

// In eval, with the same numbers: `channels` multipliers, valid until eval returns. A filter with
// one scale has it in each of them.
const Multiplier* EvalChannelMultipliers(const EvalContext& context, int input, int filter, int32_t channels,
                                         const ChannelMultipliers& multipliers);

}  // namespace lutra

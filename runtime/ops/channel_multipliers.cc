// SPDX-License-Identifier: Apache-2.0
// Multipliers of each channel: read from the model, stored by prepare, or computed into scratch by each eval.

#include "runtime/ops/channel_multipliers.h"

#include <float.h>

#include "runtime/fixed_point/scale_ratio.h"

namespace lutra {
namespace {

constexpr int32_t kTableEntryBytes = static_cast<int32_t>(sizeof(Multiplier));
// MultiplyByQuantizedMultiplier takes no larger shift.
constexpr int32_t kMaxShift = 31;

void FillTable(const MicroContext& context, int input, int filter, int32_t channels, Multiplier* table) {
  const NodeInfo node = context.node_info();
  const ScaleRatio ratio(context.Scales(node.inputs[input])[0], context.Scales(node.outputs[0])[0]);
  const PackedList<float> scales = context.Scales(node.inputs[filter]);
  if (scales.size() == 1) {
    const Multiplier same = ratio.Times(scales[0]);
    for (int32_t c = 0; c < channels; ++c) table[c] = same;
    return;
  }
  for (int32_t c = 0; c < channels; ++c) table[c] = ratio.InlineTimes(scales[c]);
}

void Show([[maybe_unused]] const PrepareContext& context, [[maybe_unused]] const Multiplier* table,
          [[maybe_unused]] int32_t channels) {
#if LUTRA_HOSTED
  context.ShowMultipliers(table, channels);
#endif
}

}  // namespace

Status PrepareChannelMultipliers(PrepareContext& context, int input, int filter, int32_t channels,
                                 ChannelMultipliers* multipliers) {
  const PackedList<float> scales = context.Input(filter).scales;
  if (scales.size() == 0) return context.Refuse(Rule::kQuantizationMissing, filter);
  if (scales.size() != 1 && scales.size() != channels) {
    return context.Refuse(Rule::kScaleCount, filter, scales.size(), channels);
  }
  if (channels > INT32_MAX / kTableEntryBytes) {
    return context.Refuse(Rule::kTensorSize, filter, channels, INT32_MAX / kTableEntryBytes);
  }
  const ScaleRatio ratio(context.Input(input).scale, context.Output(0).scale);
  for (int32_t c = 0; c < scales.size(); ++c) {
    const float scale = scales[c];
    if (!(scale >= 0 && scale <= FLT_MAX)) return context.Refuse(Rule::kScaleValue, filter);
    if (ratio.Times(scale).shift > kMaxShift) return context.Refuse(Rule::kMultiplierRange, filter);
  }
  const Multiplier* planned = nullptr;
  LUTRA_TRY(context.FindPlannedMultipliers(input, filter, channels, &planned));
  if (planned != nullptr) {
    *multipliers = ChannelMultipliers::Stored(planned);
    Show(context, planned, channels);
    return Status::kOk;
  }
  if (context.policy() == MemoryPolicy::kSmall) {
    int index = 0;
    LUTRA_TRY(context.RequestScratch(channels * kTableEntryBytes, &index));
    *multipliers = ChannelMultipliers::InScratch(index);
    return Status::kOk;
  }
  Multiplier* table = nullptr;
  LUTRA_TRY(context.AllocateArray(channels, RecordKind::kMultipliers, &table));
  FillTable(context, input, filter, channels, table);
  *multipliers = ChannelMultipliers::Stored(table);
  Show(context, table, channels);
  return Status::kOk;
}

const Multiplier* EvalChannelMultipliers(const EvalContext& context, int input, int filter, int32_t channels,
                                         const ChannelMultipliers& multipliers) {
  if (const Multiplier* const stored = multipliers.stored()) return stored;
  auto* const table = context.ScratchData<Multiplier>(multipliers.scratch_index());
  FillTable(context, input, filter, channels, table);
  return table;
}

}  // namespace lutra

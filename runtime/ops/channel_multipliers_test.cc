// SPDX-License-Identifier: Apache-2.0
// The multipliers of a filter's channels: one scale for all or one for each, stored or computed again, and
// scales that are refused. CONV_2D stands for all operators with such multipliers.

#include <limits>

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

// One pixel of code 1 and `channels` filters of 64: each output is its filter's multiplier in 64ths.
OpModel ChannelMultipliersModel(int32_t channels) {
  const auto count = static_cast<size_t>(channels);
  return {.op = BuiltinOperator::kConv2D,
          .inputs = {{.shape = {1, 1, 1, 1}, .scale = 1},
                     {.shape = {channels, 1, 1, 1}, .scale = 0.5f, .data = ByteList(count, 64)}},
          .outputs = {{.shape = {1, 1, 1, channels}, .scale = 1}}};
}

TEST(ChannelMultipliers, OneScaleServesAll) {
  ExpectOutput(ChannelMultipliersModel(5), {Int8List{1}}, Int8List{32, 32, 32, 32, 32});
}

TEST(ChannelMultipliers, EachChannelHasItsOwn) {
  OpModel model = ChannelMultipliersModel(5);
  model.inputs[1].channel_scales = {0.5f, 0.25f, 1, 0.125f, 1.5f};
  ExpectOutput(model, {Int8List{1}}, Int8List{32, 16, 64, 8, 96});
  // Scales of input and output are part of all multipliers; a scale of 0 makes its channel 0.
  model.inputs[0].scale = 3;
  model.outputs[0].scale = 6;
  model.inputs[1].channel_scales[1] = 0;
  ExpectOutput(model, {Int8List{1}}, Int8List{16, 0, 32, 4, 48});
}

TEST(ChannelMultipliers, AsManyAsNetworksHave) {
  for (const int32_t channels : {1, 31, 32, 33, 64, 100}) {
    SCOPED_TRACE(channels);
    OpModel model = ChannelMultipliersModel(channels);
    Int8List expected;
    for (int32_t c = 0; c < channels; ++c) {
      model.inputs[1].channel_scales.push_back(static_cast<float>(c + 1) / 64);
      expected.push_back(static_cast<int8_t>(c + 1));
    }
    ExpectOutput(model, {Int8List{1}}, expected);
  }
}

// Policy fast stores 8 bytes for each channel, policy small computes the multipliers into scratch.
TEST(ChannelMultipliers, AreKeptOrComputedAgain) {
  OpModel model = ChannelMultipliersModel(40);
  model.inputs[1].channel_scales = std::vector<float>(40, 0.5f);
  ModelRun fast(Build(model), {.policy = MemoryPolicy::kFast});
  ModelRun small(Build(model), {.policy = MemoryPolicy::kSmall});
  ASSERT_EQ(fast.status(), Status::kOk);
  ASSERT_EQ(small.status(), Status::kOk);
  EXPECT_EQ(fast.interpreter().record(RecordKind::kMultipliers).bytes, 320u);
  EXPECT_EQ(fast.interpreter().memory().scratch_bytes, 0u);
  EXPECT_EQ(small.interpreter().record(RecordKind::kMultipliers).bytes, 0u);
  EXPECT_EQ(small.interpreter().memory().head_bytes, fast.interpreter().memory().head_bytes + 320);
}

template <int kChannel>
void SetScale(OpModel& m, float scale) {
  m.inputs[1].channel_scales = {1, 1, 1};
  m.inputs[1].channel_scales[kChannel] = scale;
}

constexpr Refusal kChannelMultipliersRefusals[] = {
    {"no scale", [](OpModel& m) { m.inputs[1].scale = 0; }, Rule::kQuantizationMissing, 1},
    {"2 scales for 3 channels",
     [](OpModel& m) {
       m.inputs[1].channel_scales = {1, 1};
     },
     Rule::kScaleCount, 1, 2, 3},
    {"4 scales for 3 channels",
     [](OpModel& m) {
       m.inputs[1].channel_scales = {1, 1, 1, 1};
     },
     Rule::kScaleCount, 1, 4, 3},
    {"a negative scale", [](OpModel& m) { SetScale<2>(m, -1); }, Rule::kScaleValue, 1},
    {"an infinite scale", [](OpModel& m) { SetScale<0>(m, std::numeric_limits<float>::infinity()); },
     Rule::kScaleValue, 1},
    {"a scale that is not a number",
     [](OpModel& m) { SetScale<1>(m, std::numeric_limits<float>::quiet_NaN()); }, Rule::kScaleValue, 1},
#ifndef LUTRA_SINGLE_ROUNDING  // With single rounding the largest multiplier is smaller.
    {"a factor of 2^31", [](OpModel& m) { SetScale<2>(m, 0x1p31f); }, Rule::kMultiplierRange, 1},
#endif
};

TEST(ChannelMultipliers, Refusals) {
  OpModel model = ChannelMultipliersModel(3);
  ExpectRefusals(model, kChannelMultipliersRefusals);
  model.inputs[1].channel_scales = {1, 1, 0x1p30f};
  ModelRun run(Build(model));
  EXPECT_EQ(run.status(), Status::kOk);
}

}  // namespace
}  // namespace lutra

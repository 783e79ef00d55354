// SPDX-License-Identifier: Apache-2.0
// The older scheme, uint8: values worked out by hand, the zero points of weights, and models that are
// refused. The tests of int8 cover the rest.

#include "lutra/uint8.h"

#include "runtime/testing/window_cases.h"

namespace lutra {
namespace {

TensorSpec Codes(const std::vector<int32_t>& shape, float scale, int64_t zero_point,
                 const ByteList& data = {}) {
  return {.shape = shape, .type = TensorType::kUInt8, .scale = scale, .zero_point = zero_point, .data = data};
}

TensorSpec Bias(const Int32List& values, float scale) {
  TensorSpec bias = Constant({static_cast<int32_t>(values.size())}, values);
  bias.scale = scale;
  return bias;
}

// 2 pixels of 2 channels, 2 filters: sums have the scale 1/8, the output 1/2 and zero point 100.
OpModel Conv2D(int64_t weight_zero_point) {
  return {
      .op = BuiltinOperator::kConv2D,
      .inputs = {Codes({1, 1, 2, 2}, 0.5f, 10),
                 Codes({2, 1, 1, 2}, 0.25f, weight_zero_point, {0, 255, 128, 130}), Bias({8, -8}, 0.125f)},
      .outputs = {Codes({1, 1, 2, 2}, 0.5f, 100)}};
}

TEST(Uint8, WeightsHaveAZeroPoint) {
  // Codes less the zero point are 1, -10 and 3, 0.
  const ByteList input = {11, 0, 13, 10};
  for (const int64_t z : {0, 1, 127, 128, 255}) {
    ByteList expected;
    for (const std::vector<int64_t>& x : {std::vector<int64_t>{1, -10}, std::vector<int64_t>{3, 0}}) {
      const int64_t sums[] = {8 + (0 - z) * x[0] + (255 - z) * x[1],
                              -8 + (128 - z) * x[0] + (130 - z) * x[1]};
      for (const int64_t sum : sums) {
        // A quarter is rounded to nearest in two steps: ties go up, then away from zero.
        const int64_t half = (sum + 1) >> 1;
        const int64_t rounded = (std::abs(half) + 1) / 2 * (half < 0 ? -1 : 1);
        expected.push_back(static_cast<uint8_t>(std::clamp<int64_t>(100 + rounded, 0, 255)));
      }
    }
    ExpectOutput(Conv2D(z), {input}, expected);
  }
}

TEST(Uint8, DepthwiseConvolutionsSlideOverPadding) {
  // 3 pixels, a filter of 3 taps; the weights of the two output channels are 1, 2, 3 and 5, 0, -5.
  const OpModel model = {
      .op = BuiltinOperator::kDepthwiseConv2D,
      .inputs = {Codes({1, 1, 3, 1}, 1, 128), Codes({1, 1, 3, 2}, 1, 127, {128, 132, 129, 127, 130, 122}),
                 Bias({0, 1}, 1)},
      .outputs = {Codes({1, 1, 3, 2}, 1, 50)},
      .options = {.padding = kSame, .depth_multiplier = 2}};
  // Codes less the zero point are 1, 10, -3; padding counts as 0.
  ExpectOutput(
      model, {ByteList{129, 138, 125}},
      ByteList{50 + 2 + 30, 50 - 50 + 1, 50 + 1 + 20 - 9, 50 + 5 + 15 + 1, 50 + 10 - 6, 50 + 50 + 1});
}

TEST(Uint8, FullyConnectedRoundsADouble) {
  const OpModel model = {
      .op = BuiltinOperator::kFullyConnected,
      .inputs = {Codes({2, 2}, 0.5f, 3), Codes({2, 2}, 0.5f, 200, {201, 202, 199, 0}), Bias({1, 0}, 0.25f)},
      .outputs = {Codes({2, 2}, 0.5f, 128)}};
  // Sums are 1 + 1 + 4 = 6, -1 - 400; 1 + 1 - 6 = -4, -1 + 600; outputs are halves of them.
  ExpectOutput(model, {ByteList{4, 5, 4, 0}}, ByteList{131, 0, 126, 255});
  OpModel halves = model;
  // Sums are 1 + 1 + 3 = 5 (2.5), 1 - 3 - 4 = -6...; halves are rounded away from zero.
  halves.inputs[1].data = {201, 200, 201, 200};
  halves.inputs[2] = Bias({0, 0}, 0.25f);
  ExpectOutput(halves, {ByteList{8, 0, 0, 9}}, ByteList{131, 131, 126, 126});
}

TEST(Uint8, AddAndItsActivations) {
  const OpModel model = {.op = BuiltinOperator::kAdd,
                         .inputs = {Codes({4}, 0.5f, 128), Codes({4}, 0.5f, 0)},
                         .outputs = {Codes({4}, 0.5f, 20)}};
  // The real values are -64, -6, 1, 63.5 and 0, 5, 0, 0.
  ExpectActivations(model, {ByteList{0, 116, 130, 255}, ByteList{0, 10, 0, 0}},
                    {ByteList{0, 18, 22, 147}, ByteList{20, 20, 22, 147}, ByteList{18, 18, 22, 22},
                     ByteList{20, 20, 22, 32}});
  OpModel broadcast = model;
  broadcast.inputs[1].shape = {1};
  ExpectOutput(broadcast, {ByteList{0, 116, 130, 255}, ByteList{2}}, ByteList{0, 10, 24, 149});
}

TEST(Uint8, MeansRoundHalvesUp) {
  const auto pool = [](BuiltinOperator op) {
    return OpModel{.op = op,
                   .inputs = {Codes({1, 1, 8, 1}, 0.5f, 100)},
                   .outputs = {Codes({1, 1, 4, 1}, 0.5f, 100)},
                   .options = {.stride = 2, .filter = 1, .filter_w = 2}};
  };
  const ByteList input = {1, 2, 127, 126, 0, 0, 255, 254};
  ExpectOutput(pool(BuiltinOperator::kAveragePool2D), {input}, ByteList{2, 127, 0, 255});
  ExpectOutput(pool(BuiltinOperator::kMaxPool2D), {input}, ByteList{2, 127, 0, 255});
  ExpectActivations(pool(BuiltinOperator::kMaxPool2D), {input},
                    {ByteList{2, 127, 0, 255}, ByteList{100, 127, 100, 255}, ByteList{98, 102, 98, 102},
                     ByteList{100, 112, 100, 112}});
}

TEST(Uint8, PadFillsWithTheZeroPoint) {
  const OpModel model = {.op = BuiltinOperator::kPad,
                         .inputs = {Codes({2}, 1, 200), Constant({1, 2}, Int32List{1, 2})},
                         .outputs = {Codes({5}, 1, 200)}};
  ExpectOutput(model, {ByteList{3, 4}}, ByteList{200, 3, 4, 200, 200});
}

TEST(Uint8, ConcatenationRescalesWhatDiffers) {
  const OpModel model = {.op = BuiltinOperator::kConcatenation,
                         .inputs = {Codes({2, 2}, 0.5f, 10), Codes({2, 3}, 0.25f, 128)},
                         .outputs = {Codes({2, 5}, 0.5f, 10)},
                         .options = {.axis = 1}};
  // Halves are rounded away from zero: code 127 is -0.5, code 129 is 0.5 steps.
  ExpectOutput(model, {ByteList{0, 255, 7, 8}, ByteList{0, 127, 129, 128, 130, 255}},
               ByteList{0, 255, 0, 9, 11, 7, 8, 10, 11, 74});
}

TEST(Uint8, Softmax) {
  const OpModel model = {.op = BuiltinOperator::kSoftmax,
                         .inputs = {Codes({2, 3}, 0.5f, 7)},
                         .outputs = {Codes({2, 3}, 1.0f / 256, 0)}};
  // The shares are those of 1, e^-1/2 and e^-1; then those of one value that outweighs all others.
  ExpectOutput(model, {ByteList{255, 254, 253, 0, 255, 0}}, ByteList{130, 79, 48, 0, 255, 0});
}

OpModel Uint8Reshape() {
  return {
      .op = BuiltinOperator::kReshape, .inputs = {Codes({2, 3}, 0.5f, 7)}, .outputs = {Codes({6}, 0.5f, 7)}};
}
TEST(Uint8, Reshape) {
  ExpectOutput(Uint8Reshape(), {ByteList{1, 2, 3, 4, 5, 255}}, ByteList{1, 2, 3, 4, 5, 255});
}

constexpr Refusal kLayer[] = {
    {"an int8 filter", SetInputType<1, TensorType::kInt8>, Rule::kOperandType, 1, 9, 3},
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kOperandType, Out(0), 9, 3},
    {"an int8 bias", SetInputType<2, TensorType::kInt8>, Rule::kOperandType, 2, 9, 2},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"scales for channels",
     [](OpModel& m) {
       m.inputs[1].channel_scales = {0.25f, 0.5f};
     },
     Rule::kPerTensorRequired, 1, 2, 1},
    {"a zero point of -1", [](OpModel& m) { m.inputs[1].zero_point = -1; }, Rule::kZeroPointValue, 1},
    {"a zero point of 256", [](OpModel& m) { m.inputs[0].zero_point = 256; }, Rule::kZeroPointValue, 0},
    {"a bias of another scale", [](OpModel& m) { m.inputs[2].scale = 0.2f; }, Rule::kBiasScale, 2},
    {"a factor of 2^31",
     [](OpModel& m) {
       m.inputs.pop_back();
       m.outputs[0].scale = 0x1p-36f;
     },
     Rule::kMultiplierRange, 1},
    {"an activation that no integers have", SetActivation<4>, Rule::kActivation, kNode, 4},
};
TEST(Uint8, Refusals) {
  ExpectRefusals(Conv2D(128), kLayer);
  OpModel fully_connected = Conv2D(3);
  fully_connected.op = BuiltinOperator::kFullyConnected;
  fully_connected.inputs[1].shape = {2, 2};
  ExpectRefusals(fully_connected, kLayer);
}

// Uint8 lacks these operators, which int8 has.
TEST(Uint8, OthersAreRefused) {
  const OpModel two = {.op = BuiltinOperator::kSub,
                       .inputs = {Codes({4}, 0.5f, 1), Codes({4}, 0.5f, 1)},
                       .outputs = {Codes({4}, 0.5f, 1)}};
  for (const BuiltinOperator op :
       {BuiltinOperator::kSub, BuiltinOperator::kMul, BuiltinOperator::kDiv, BuiltinOperator::kMaximum}) {
    OpModel model = two;
    model.op = op;
    const ModelRun run(Build(model));
    EXPECT_EQ(run.diagnosis().rule, Rule::kUint8) << ToString(op);
  }
  for (const BuiltinOperator op : {BuiltinOperator::kTanh, BuiltinOperator::kRelu, BuiltinOperator::kRelu6,
                                   BuiltinOperator::kLogSoftmax}) {
    const ModelRun run(
        Build({.op = op, .inputs = {Codes({2, 2}, 0.5f, 1)}, .outputs = {Codes({2, 2}, 1.0f / 256, 0)}}));
    EXPECT_EQ(run.diagnosis().rule, Rule::kUint8) << ToString(op);
  }
}

TEST(Uint8, AnInterpreterWithoutItRefuses) {
  ModelRun run(Build(Conv2D(128)), {.uint8 = nullptr});
  EXPECT_NE(run.status(), Status::kOk);
  EXPECT_EQ(run.diagnosis().rule, Rule::kUint8);
}

TEST(Uint8, SuchAnInterpreterMovesNoneEither) {
  const std::vector<int32_t> image = {1, 2, 2, 1};
  const TensorSpec size = Constant({2}, Int32List{2, 2});
  const OpModel models[] = {
      {.op = BuiltinOperator::kReverseV2,
       .inputs = {Codes({2}, 1, 0), Constant({1}, Int32List{0})},
       .outputs = {Codes({2}, 1, 0)}},
      {.op = BuiltinOperator::kResizeNearestNeighbor,
       .inputs = {Codes(image, 1, 0), size},
       .outputs = {Codes(image, 1, 0)}},
      {.op = BuiltinOperator::kGather,
       .inputs = {Codes({2}, 1, 0), Constant({1}, Int32List{0})},
       .outputs = {Codes({1}, 1, 0)}},
      {.op = BuiltinOperator::kSelectV2,
       .inputs = {{.shape = {2}, .type = TensorType::kBool}, Codes({2}, 1, 0), Codes({2}, 1, 0)},
       .outputs = {Codes({2}, 1, 0)}}};
  for (const OpModel& model : models) {
    SCOPED_TRACE(ToString(model.op));
    EXPECT_EQ(ModelRun(Build(model)).status(), Status::kOk);
    EXPECT_EQ(ModelRun(Build(model), {.uint8 = nullptr}).diagnosis().rule, Rule::kUint8);
  }
}

TEST(Uint8, ArgMaxComparesCodesWithoutASign) {
  for (const bool smallest : {false, true}) {
    const OpModel model = {.op = smallest ? BuiltinOperator::kArgMin : BuiltinOperator::kArgMax,
                           .inputs = {Codes({2, 3}, 1, 0), Constant({1}, Int32List{1})},
                           .outputs = {{.shape = {2}, .type = TensorType::kInt32}}};
    const Int32List expected = smallest ? Int32List{2, 0} : Int32List{1, 0};
    ExpectOutput(model, {ByteList{127, 255, 0, 128, 128, 129}}, smallest ? expected : Int32List{1, 2});
  }
}

OpModel Logistic8(float scale, int64_t zero_point) {
  return {.op = BuiltinOperator::kLogistic,
          .inputs = {Codes({4}, scale, zero_point)},
          .outputs = {Codes({4}, 1.0f / 256, 0)}};
}

// Codes are 256 / (1 + exp(-x)) for x = 0, 1, -1 and a large x.
TEST(Uint8, LogisticIsATable) {
  ExpectOutput(Logistic8(0.5f, 100), {ByteList{100, 102, 98, 255}}, ByteList{128, 187, 69, 255});
  constexpr Refusal kRefusals[] = {
      {"another scale of the output", [](OpModel& m) { m.outputs[0].scale = 1.0f / 128; },
       Rule::kFixedOutputQuantization, Out(0)},
      {"another zero point of the output", [](OpModel& m) { m.outputs[0].zero_point = 1; },
       Rule::kFixedOutputQuantization, Out(0), 1, 0},
      {"no scale", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0}};
  ExpectRefusals(Logistic8(0.5f, 100), kRefusals);
}

// Positions are thirds between 10 and 200, and between 7 and 250: the mean plus a half, truncated.
TEST(Uint8, BilinearImagesAreMeansOfCodes) {
  OpModel model = {.op = BuiltinOperator::kResizeBilinear,
                   .inputs = {Codes({1, 2, 2, 1}, 1, 0), Constant({2}, Int32List{2, 4})},
                   .outputs = {Codes({1, 2, 4, 1}, 1, 0)}};
  model.options.align_corners = true;
  ExpectOutput(model, {ByteList{10, 200, 250, 7}}, ByteList{10, 73, 137, 200, 250, 169, 88, 7});
  // A mean of 0.5 becomes 1.
  model.options.align_corners = false;
  ExpectOutput(model, {ByteList{0, 1, 254, 255}}, ByteList{0, 1, 1, 1, 254, 255, 255, 255});
}

}  // namespace
}  // namespace lutra

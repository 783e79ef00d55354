// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D: windows, rounding of means, activations, and rows in place.

#include "runtime/testing/window_cases.h"

namespace lutra {
namespace {

constexpr BuiltinOperator kAverage = BuiltinOperator::kAveragePool2D;
constexpr BuiltinOperator kMax = BuiltinOperator::kMaxPool2D;
constexpr BuiltinOperator kL2 = BuiltinOperator::kL2Pool2D;

OpModel PoolModel(BuiltinOperator op, const std::vector<int32_t>& input, const std::vector<int32_t>& output,
                  const OperatorOptions& options) {
  return {.op = op,
          .inputs = {{.shape = input, .scale = 0.5f, .zero_point = -20}},
          .outputs = {{.shape = output, .scale = 0.5f, .zero_point = -20}},
          .options = options};
}

// ---- Values.

// Expects the largest code in each window, and the mean of its codes, with halves rounded away from code 0.
// Pixels of the padding do not count.
void ExpectPools(const WindowCase& c, int32_t channels) {
  SCOPED_TRACE(c.name);
  OperatorOptions options = c.options;
  options.filter = c.filter_h;
  options.filter_w = c.filter_w;
  const Int8List input = Scattered(c.pixels() * channels);
  Int8List largest;
  Int8List means;
  for (int32_t i = 0; i < c.out_pixels() * channels; ++i) {
    int32_t sum = 0;
    int32_t count = 0;
    int8_t best = -128;
    for (int32_t tap = 0; tap < c.filter_h * c.filter_w; ++tap) {
      const int32_t pixel = c.PixelUnder(i / channels, tap / c.filter_w, tap % c.filter_w);
      if (pixel < 0) continue;
      const int8_t code = input[pixel * channels + i % channels];
      sum += code;
      ++count;
      best = std::max(best, code);
    }
    largest.push_back(best);
    means.push_back(static_cast<int8_t>((2 * std::abs(sum) + count) / (2 * count) * (sum < 0 ? -1 : 1)));
  }
  const std::vector<int32_t> from = {c.images, c.height, c.width, channels};
  const std::vector<int32_t> to = {c.images, c.out_height, c.out_width, channels};
  ExpectOutput(PoolModel(kMax, from, to, options), {input}, largest);
  ExpectOutput(PoolModel(kAverage, from, to, options), {input}, means);
}

TEST(Pool, SlidesItsWindows) {
  for (const WindowCase& c : DenseWindows()) {
    ExpectPools(c, 1);
    ExpectPools(c, 3);
  }
}

TEST(Pool, TakesAnyNumberOfChannels) {
  const std::vector<WindowCase> cases = DenseWindows();
  for (const int32_t channels : {8, 16, 17, 40, 64}) ExpectPools(cases[2], channels);
}

TEST(Pool, MeansRoundHalvesAwayFromCodeZero) {
  const OpModel model =
      PoolModel(kAverage, {1, 1, 8, 1}, {1, 1, 4, 1}, {.stride = 2, .filter = 1, .filter_w = 2});
  ExpectOutput(model, {Int8List{1, 2, -1, -2, 0, -1, 127, 126}}, Int8List{2, -2, -1, 127});
}

TEST(Pool, Activations) {
  for (const BuiltinOperator op : {kAverage, kMax}) {
    ExpectActivations(PoolModel(op, {1, 1, 4, 1}, {1, 1, 4, 1}, {}), {Int8List{-50, -21, -19, 100}},
                      {Int8List{-50, -21, -19, 100}, Int8List{-20, -20, -19, 100},
                       Int8List{-22, -21, -19, -18}, Int8List{-20, -20, -19, -8}});
  }
}

TEST(Pool, Float) {
  OpModel model = PoolModel(kAverage, {1, 2, 2, 2}, {1, 1, 1, 2}, {.padding = kValid, .filter = 2});
  model.inputs[0].type = model.outputs[0].type = TensorType::kFloat32;
  const FloatList input = {1, -1, 2, -2, 3, -3, 30, -4};
  ExpectOutput(model, {input}, FloatList{9, -2.5f});
  model.options.activation = 3;  // RELU6
  ExpectOutput(model, {input}, FloatList{6, 0});
  model.op = kMax;
  ExpectOutput(model, {input}, FloatList{6, 0});
  model.options.activation = 0;
  ExpectOutput(model, {input}, FloatList{30, -1});
}

OpModel L2Model(const std::vector<int32_t>& input, const std::vector<int32_t>& output,
                const OperatorOptions& options) {
  OpModel model = PoolModel(kL2, input, output, options);
  model.inputs[0].type = model.outputs[0].type = TensorType::kFloat32;
  return model;
}

TEST(Pool, L2IsTheRootOfTheMeanSquare) {
  OpModel model = L2Model({1, 2, 2, 2}, {1, 1, 1, 2}, {.padding = kValid, .filter = 2});
  const FloatList input = {1, -8, 1, 4, 5, -4, -3, 2};
  ExpectOutput(model, {input}, FloatList{3, 5});
  model.options.activation = 2;  // RELU_N1_TO_1
  ExpectOutput(model, {input}, FloatList{1, 1});
}

// The last window of each row has one column inside the image, the last window of all one pixel.
TEST(Pool, L2CountsWhatIsInsideTheImage) {
  const OpModel model = L2Model({1, 3, 3, 1}, {1, 2, 2, 1}, {.stride = 2, .filter = 2});
  ExpectOutput(model, {FloatList{1, 1, 1, 5, 3, 7, 6, 8, -9}}, FloatList{3, 5, 7.0710678f, 9});
}

TEST(Pool, L2StaysBelowInfinity) {
  const OpModel model = L2Model({1, 1, 1, 1}, {1, 1, 1, 1}, {.filter = 1});
  ExpectOutput(model, {FloatList{1e30f}}, FloatList{3.40282347e38f});
}

// Scales within a millionth count as the same.
TEST(Pool, ScalesMayDifferByAMillionth) {
  OpModel model = PoolModel(kMax, {1, 1, 2, 1}, {1, 1, 2, 1}, {});
  model.outputs[0].scale = 0.5000005f;
  ExpectOutput(model, {Int8List{1, 2}}, Int8List{1, 2});
}

// The output begins one of its own rows before the input, or two with padding above.
TEST(Pool, RowsAreComputedInPlace) {
  for (const BuiltinOperator op : {kAverage, kMax}) {
    const OpModel halves = PoolModel(op, {1, 16, 16, 2}, {1, 8, 8, 2}, {.stride = 2, .filter = 2});
    EXPECT_EQ(ActivationBytes(halves, false), 512u + 128);
    EXPECT_EQ(ActivationBytes(halves), 512u + 16);
    const OpModel same = PoolModel(op, {1, 16, 16, 2}, {1, 16, 16, 2}, {.filter = 3});
    EXPECT_EQ(ActivationBytes(same), 512u + 64);
  }
  const OpModel halves = L2Model({1, 16, 16, 2}, {1, 8, 8, 2}, {.stride = 2, .filter = 2});
  EXPECT_EQ(ActivationBytes(halves, false), 2048u + 512);
  EXPECT_EQ(ActivationBytes(halves), 2048u + 64);
}

// ---- Refusals.

constexpr Refusal kPoolRefusals[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"three dimensions",
     [](OpModel& m) {
       m.inputs[0].shape = {4, 4, 3};
     },
     Rule::kOperandRank, 0, 3, 4},
    {"an output of another type", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"int32", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt32; },
     Rule::kOperandType, 0, 2, 9},
    {"a stride of 0", [](OpModel& m) { m.options.stride = 0; }, Rule::kWindow, 0},
    {"a window of no rows", [](OpModel& m) { m.options.filter = 0; }, Rule::kWindow, 0},
    {"a window of no columns", [](OpModel& m) { m.options.filter_w = 0; }, Rule::kWindow, 0},
    {"a window larger than the image",
     [](OpModel& m) {
       m.options.padding = 1;
       m.options.filter = 5;
     },
     Rule::kWindow, 0},
    {"3 rows of the output", [](OpModel& m) { m.outputs[0].shape[1] = 3; }, Rule::kOperandShape, Out(0), 3,
     4},
    {"3 columns of the output", [](OpModel& m) { m.outputs[0].shape[2] = 3; }, Rule::kOperandShape, Out(0), 3,
     4},
    {"2 channels of 3", [](OpModel& m) { m.outputs[0].shape[3] = 2; }, Rule::kOperandShape, Out(0), 2, 3},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"a larger scale", [](OpModel& m) { m.outputs[0].scale = 0.500002f; }, Rule::kSameQuantization, Out(0)},
    {"a smaller scale", [](OpModel& m) { m.outputs[0].scale = 0.499998f; }, Rule::kSameQuantization, Out(0)},
    {"another zero point", [](OpModel& m) { m.outputs[0].zero_point = 0; }, Rule::kSameQuantization, Out(0),
     0, -20},
    {"TANH", SetActivation<4>, Rule::kActivation, kNode, 4},
    {"more pixels than int32 can sum",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 2897, 2897, 1};
       m.outputs[0].shape = {1, 1, 1, 1};
       m.options.padding = 1;
       m.options.filter = 2897;
     },
     Rule::kAccumulator, 0},
};

constexpr Refusal kPoolFloat[] = {{"TANH", SetActivation<4>, Rule::kActivation, kNode, 4}};

constexpr Refusal kL2Alone[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"int8", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt8; }, Rule::kOperandType,
     0, 9, 0},
    {"int16", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt16; },
     Rule::kOperandType, 0, 7, 0},
    {"uint8", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kUInt8; }, Rule::kUint8, 0},
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kTypesDiffer, Out(0), 9, 0},
    {"a stride of 0", [](OpModel& m) { m.options.stride = 0; }, Rule::kWindow, 0},
    {"3 rows of the output", [](OpModel& m) { m.outputs[0].shape[1] = 3; }, Rule::kOperandShape, Out(0), 3,
     4},
};

TEST(Pool, RefusalsOfL2) {
  const OpModel model = L2Model({1, 4, 4, 3}, {1, 4, 4, 3}, {.filter = 2});
  ExpectRefusals(model, kL2Alone);
  ExpectRefusals(model, kPoolFloat);
}

TEST(Pool, Refusals) {
  for (const BuiltinOperator op : {kAverage, kMax}) {
    SCOPED_TRACE(ToString(op));
    OpModel model = PoolModel(op, {1, 4, 4, 3}, {1, 4, 4, 3}, {.filter = 2});
    ExpectRefusals(model, kPoolRefusals);
    model.inputs[0].type = model.outputs[0].type = TensorType::kFloat32;
    ExpectRefusals(model, kPoolFloat);
  }
}

}  // namespace
}  // namespace lutra

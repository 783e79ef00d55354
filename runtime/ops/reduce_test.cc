// SPDX-License-Identifier: Apache-2.0
// MEAN, SUM, REDUCE_MAX, REDUCE_MIN: axes in every order, rescaling, and the truncated multiplier of MEAN.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using OpR = BuiltinOperator;

constexpr OpR kAll[] = {OpR::kMean, OpR::kSum, OpR::kReduceMax, OpR::kReduceMin};

// The real values of input and output are (code - 2) / 2.
OpModel ReduceModel(OpR op, const std::vector<int32_t>& shape, const Int32List& axes,
                    const std::vector<int32_t>& out) {
  return {.op = op,
          .inputs = {{.shape = shape, .scale = 0.5f, .zero_point = 2},
                     Constant({static_cast<int32_t>(axes.size())}, axes)},
          .outputs = {{.shape = out, .scale = 0.5f, .zero_point = 2}}};
}

// [2, 2, 3]
const Int8List kCodes = {2, 4, 6, 8, 10, -12, 14, 16, 18, 20, -22, 24};

TEST(Reduce, SumsAlongAnyAxes) {
  // Codes less 2 are 0 2 4 | 6 8 -14 || 12 14 16 | 18 -24 22.
  ExpectOutput(ReduceModel(OpR::kSum, {2, 2, 3}, {2}, {2, 2}), {kCodes}, Int8List{8, 2, 44, 18});
  ExpectOutput(ReduceModel(OpR::kSum, {2, 2, 3}, {1}, {2, 3}), {kCodes}, Int8List{8, 12, -8, 32, -8, 40});
  ExpectOutput(ReduceModel(OpR::kSum, {2, 2, 3}, {0}, {2, 3}), {kCodes}, Int8List{14, 18, 22, 26, -14, 10});
  ExpectOutput(ReduceModel(OpR::kSum, {2, 2, 3}, {0, 2}, {2}), {kCodes}, Int8List{50, 18});
  ExpectOutput(ReduceModel(OpR::kSum, {2, 2, 3}, {1, 2}, {2}), {kCodes}, Int8List{8, 60});
  ExpectOutput(ReduceModel(OpR::kSum, {2, 2, 3}, {0, 1}, {3}), {kCodes}, Int8List{38, 2, 30});
  ExpectOutput(ReduceModel(OpR::kSum, {2, 2, 3}, {0, 1, 2}, {}), {kCodes}, Int8List{66});
}

TEST(Reduce, AxesMayBeNegativeRepeatedAndOf64Bits) {
  ExpectOutput(ReduceModel(OpR::kSum, {2, 2, 3}, {-1, 0, 2, -3, 0}, {2}), {kCodes}, Int8List{50, 18});
  OpModel model = ReduceModel(OpR::kSum, {2, 2, 3}, {}, {2});
  model.inputs[1] = Constant({2}, Int64List{-1, 0});
  ExpectOutput(model, {kCodes}, Int8List{50, 18});
}

TEST(Reduce, KeepsDimensionsIfAsked) {
  OpModel model = ReduceModel(OpR::kSum, {2, 2, 3}, {0, 2}, {1, 2, 1});
  model.options.keep_dims = true;
  ExpectOutput(model, {kCodes}, Int8List{50, 18});
}

TEST(Reduce, ScalarsAndSingleDimensions) {
  ExpectOutput(ReduceModel(OpR::kSum, {}, {0}, {}), {Int8List{5}}, Int8List{5});
  ExpectOutput(ReduceModel(OpR::kSum, {1, 3, 1}, {0, 2}, {3}), {Int8List{5, 6, 7}}, Int8List{5, 6, 7});
}

TEST(Reduce, SumAndMeanRescale) {
  // The real values 1.5, -0.5, 2, 5 have the sum 8 and the mean 2, in quarters and in halves.
  OpModel sum = ReduceModel(OpR::kSum, {4}, {0}, {});
  sum.outputs[0].scale = 0.25f;
  sum.outputs[0].zero_point = -1;
  ExpectOutput(sum, {Int8List{5, 1, 6, 12}}, Int8List{31});
  OpModel mean = sum;
  mean.op = OpR::kMean;
  ExpectOutput(mean, {Int8List{5, 1, 6, 12}}, Int8List{7});
}

// The sum's multiplier is computed in double; float32 gives 52 and 30 (int8-ops 1.9).
TEST(Reduce, FactorsAreDouble) {
  OpModel model = ReduceModel(OpR::kSum, {1}, {0}, {});
  model.inputs[0] = {.shape = {1}, .scale = 0.206f};
  model.outputs[0] = {.scale = 0.184f};
  ExpectOutput(model, {Int8List{46}}, Int8List{51});
  model.inputs[0].scale = 0.244f;
  model.outputs[0].scale = 0.24f;
  ExpectOutput(model, {Int8List{30}}, Int8List{31});
}

// 7/8 * 2 / 3 * 2^31 is truncated, so that 10.5 comes out below its half and 5.25 as 5; rounded, it would
// give 11 and 6 (int8-ops 2.11).
TEST(Reduce, MeanCutsItsFactor) {
  OpModel model = ReduceModel(OpR::kMean, {3}, {0}, {});
  model.inputs[0] = {.shape = {3}, .scale = 0.875f};
  model.outputs[0] = {.scale = 1};
  ExpectOutput(model, {Int8List{6, 6, 6}}, Int8List{5});
  ExpectOutput(model, {Int8List{4, 8, 12}}, Int8List{7});
}

// A sum's multiplier of 2^-30 has no bits left once it is divided by sixteen.
TEST(Reduce, MeansMayVanish) {
  OpModel model = ReduceModel(OpR::kMean, {16}, {0}, {});
  model.inputs[0] = {.shape = {16}, .scale = 0x1p-30f};
  model.outputs[0] = {.scale = 1, .zero_point = 3};
  ExpectOutput(model, {Int8List(16, 127)}, Int8List{3});
}

// Means have as many elements as in image networks; 40 and 80 channels fill more than a block of the kernel.
TEST(Reduce, MeansOfImages) {
  for (const int channels : {1, 40, 64, 65, 80}) {
    OpModel model = ReduceModel(OpR::kMean, {1, 7, 7, channels}, {1, 2}, {1, channels});
    Int8List input;
    Int8List expected;
    for (int i = 0; i < 49 * channels; ++i) {
      // Channel c has the mean c - 30, and steps around it that cancel out: 24 up, 24 down.
      const int c = i % channels;
      const int step = i / channels - 24;
      input.push_back(static_cast<int8_t>(c - 30 + step));
    }
    for (int c = 0; c < channels; ++c) expected.push_back(static_cast<int8_t>(c - 30));
    SCOPED_TRACE(channels);
    ExpectOutput(model, {input}, expected);
  }
}

TEST(Reduce, Extremes) {
  ExpectOutput(ReduceModel(OpR::kReduceMax, {2, 2, 3}, {2}, {2, 2}), {kCodes}, Int8List{6, 10, 18, 24});
  ExpectOutput(ReduceModel(OpR::kReduceMin, {2, 2, 3}, {2}, {2, 2}), {kCodes}, Int8List{2, -12, 14, -22});
  ExpectOutput(ReduceModel(OpR::kReduceMax, {2, 2, 3}, {0, 1}, {3}), {kCodes}, Int8List{20, 16, 24});
  ExpectOutput(ReduceModel(OpR::kReduceMin, {2, 2, 3}, {0, 1}, {3}), {kCodes}, Int8List{2, -22, -12});
  // Results may be the ends of int8's range.
  ExpectOutput(ReduceModel(OpR::kReduceMax, {2}, {0}, {}), {Int8List{-128, -128}}, Int8List{-128});
  ExpectOutput(ReduceModel(OpR::kReduceMin, {2}, {0}, {}), {Int8List{127, 127}}, Int8List{127});
}

TEST(Reduce, Float) {
  const FloatList values = {0.5f, -2, 4, 8, 1, -3};
  const FloatList expected[] = {{0.8333333f, 2}, {2.5f, 6}, {4, 8}, {-2, -3}};
  for (size_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(ToString(kAll[i]));
    OpModel model = ReduceModel(kAll[i], {2, 3}, {-1}, {2});
    model.inputs[0].type = model.outputs[0].type = TensorType::kFloat32;
    ExpectNear(model, {values}, expected[i], 1e-6f);
  }
}

// ---- Refusals.

constexpr Refusal kReduceRefusals[] = {
    {"no axes", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"a float32 output", SetOutputType<TensorType::kFloat32>, Rule::kTypesDiffer, Out(0), 0, 9},
    {"int32", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt32; },
     Rule::kOperandType, 0, 2, 9},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"axes that are not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired, 1},
    {"17 axes", [](OpModel& m) { m.inputs[1] = Constant({17}, Int32List(17, 0)); }, Rule::kElementCount, 1,
     17, 16},
    {"axis 3 of 3", [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{3}); }, Rule::kAxis, 1, 3, 3},
    {"axis -4 of 3", [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{-4}); }, Rule::kAxis, 1, -4, 3},
    {"the axis is kept though nobody asked",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 2, 1};
     },
     Rule::kOperandRank, Out(0), 3, 2},
    {"the axis is gone though it is to stay", [](OpModel& m) { m.options.keep_dims = true; },
     Rule::kOperandRank, Out(0), 2, 3},
    {"an output of 3",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 3};
     },
     Rule::kOperandShape, Out(0), 3, 2},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
};

constexpr Refusal kSums[] = {
    {"a factor of 2^31", [](OpModel& m) { m.outputs[0].scale = 0x1p-32f; }, Rule::kMultiplierRange, 0},
    {"more elements than int32 can sum",
     [](OpModel& m) {
       m.inputs[0].shape = {2, 2, 8421505};
     },
     Rule::kAccumulator, 0, 8421505, 8421504},
};

constexpr Refusal kExtremes[] = {
    {"another scale", [](OpModel& m) { m.outputs[0].scale = 0.25f; }, Rule::kSameQuantization, Out(0)},
    {"another zero point", [](OpModel& m) { m.outputs[0].zero_point = 3; }, Rule::kSameQuantization, Out(0),
     3, 2},
};

TEST(Reduce, Refusals) {
  for (const OpR op : kAll) {
    SCOPED_TRACE(ToString(op));
    const OpModel model = ReduceModel(op, {2, 2, 3}, {2}, {2, 2});
    ExpectRefusals(model, kReduceRefusals);
    const bool sum = op == OpR::kMean || op == OpR::kSum;
    ExpectRefusals(model, sum ? Span<const Refusal>(kSums) : Span<const Refusal>(kExtremes));
  }
  constexpr Refusal kScalar[] = {{"axis 1 of a scalar",
                                  [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{1}); }, Rule::kAxis,
                                  1, 1, 0}};
  ExpectRefusals(ReduceModel(OpR::kSum, {}, {0}, {}), kScalar);
}

OpModel ReduceAll(const std::vector<int32_t>& axes, const std::vector<int32_t>& out, bool keep_dims = false) {
  return {.op = BuiltinOperator::kReduceAll,
          .inputs = {{.shape = {2, 3, 2}, .type = TensorType::kBool},
                     Constant({static_cast<int32_t>(axes.size())}, Int32List(axes))},
          .outputs = {{.shape = out, .type = TensorType::kBool}},
          .options = {.keep_dims = keep_dims}};
}

// Any byte but 0 is true.
TEST(ReduceAll, IsTrueWhereAllAre) {
  const ByteList x = {1, 2, 1, 0, 255, 1, 0, 1, 128, 1, 1, 1};
  ExpectOutput(ReduceAll({1}, {2, 2}), {x}, ByteList{1, 0, 0, 1});
  ExpectOutput(ReduceAll({-1}, {2, 3, 1}, true), {x}, ByteList{1, 0, 1, 0, 1, 1});
  ExpectOutput(ReduceAll({0, 2, 0}, {3}), {x}, ByteList{0, 0, 1});
  ExpectOutput(ReduceAll({0, 1, 2}, {}), {x}, ByteList{0});
  ExpectOutput(ReduceAll({0, 1, 2}, {}), {ByteList(12, 2)}, ByteList{1});
}

constexpr Refusal kAllRefusals[] = {
    {"int8", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt8; }, Rule::kOperandType,
     0, 9, 6},
    {"axis 3 of 3", [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{3}); }, Rule::kAxis, 1, 3, 3},
    {"computed axes", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired, 1},
};
TEST(ReduceAll, Refusals) { ExpectRefusals(ReduceAll({1}, {2, 2}), kAllRefusals); }

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// LOGISTIC, TANH, HARD_SWISH, ELU, GELU, RELU, RELU6, LEAKY_RELU, ABS: int8 by the rule of each operator,
// float32 by the formula, and models that are refused.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Op1 = BuiltinOperator;

constexpr Op1 kAll[] = {Op1::kLogistic, Op1::kTanh,  Op1::kHardSwish, Op1::kElu, Op1::kGelu,
                        Op1::kRelu,     Op1::kRelu6, Op1::kLeakyRelu, Op1::kAbs};

struct Parameters {
  float scale;
  int64_t zero_point;
};

OpModel UnaryModel(Op1 op, Parameters in, Parameters out, int count) {
  return {.op = op,
          .inputs = {{.shape = {count}, .scale = in.scale, .zero_point = in.zero_point}},
          .outputs = {{.shape = {count}, .scale = out.scale, .zero_point = out.zero_point}},
          .options = {.alpha = 0.25f}};
}

void ExpectCodes(Op1 op, Parameters in, Parameters out, const Int8List& input, const Int8List& expected,
                 Caller caller = {}) {
  ExpectOutput(UnaryModel(op, in, out, static_cast<int>(input.size())), {input}, expected, caller);
}

void ExpectFloats(Op1 op, const FloatList& input, const FloatList& expected, Caller caller = {}) {
  OpModel model = UnaryModel(op, {}, {}, static_cast<int>(input.size()));
  model.inputs[0].type = model.outputs[0].type = TensorType::kFloat32;
  ExpectNear(model, {input}, expected, 1e-6f, caller);
}

// ---- int8.

constexpr Parameters kSigmoidOut = {1.0f / 256, -128};
constexpr Parameters kTanhOut = {1.0f / 128, 0};

TEST(Unary, LogisticIsFixedPoint) {
  // 256 / (1 + e^-x) - 128 for x = -1, -0.5, 0, 0.5, 1.
  ExpectCodes(Op1::kLogistic, {0.5f, 3}, kSigmoidOut, {1, 2, 3, 4, 5}, {-59, -31, 0, 31, 59});
  // A table in float32 would have other codes here: 123, 0, -127, 123 (int8-ops 2.8).
  ExpectCodes(Op1::kLogistic, {0.15274839103221893f, -78}, kSigmoidOut, {-53}, {122});
  ExpectCodes(Op1::kLogistic, {0x1p-7f, 0}, kSigmoidOut, {1}, {1});
  ExpectCodes(Op1::kLogistic, {2, 0}, kSigmoidOut, {-3}, {-128});
  ExpectCodes(Op1::kLogistic, {4, 0}, kSigmoidOut, {1}, {127});
}

TEST(Unary, TanhIsFixedPoint) {
  // 128 tanh x for x = -0.5, 0, 0.5, 1. The output tensor's parameters are ignored.
  ExpectCodes(Op1::kTanh, {0.5f, 3}, kTanhOut, {2, 3, 4, 5}, {-59, 0, 59, 97});
  ExpectCodes(Op1::kTanh, {0.5f, 3}, {1, 50}, {2, 3, 4, 5}, {-59, 0, 59, 97});
  ExpectCodes(Op1::kTanh, {0x1p-8f, 0}, kTanhOut, {1}, {1});
  // Saturation begins at a radius of 7 (int8-ops 2.8).
  ExpectCodes(Op1::kTanh, {1, 0}, kTanhOut, {-7, 7, -128, 127}, {-128, 127, -128, 127});
}

TEST(Unary, HardSwishHasThreeParts) {
  // x * clamp(x + 3, 0, 6) / 6 for x = -4, -3, -1.5, 0, 1.5, 3, 4.
  ExpectCodes(Op1::kHardSwish, {1.0f / 16, 2}, {1.0f / 16, -5}, {-62, -46, -22, 2, 26, 50, 66},
              {-5, -5, -11, -5, 13, 43, 59});
  // The first input has a large scale and shifts its gate up, the second a small one and shifts it down.
  ExpectCodes(Op1::kHardSwish, {1, 0}, {0.5f, 0}, {-128, -4, -2, 0, 2, 4, 60, 127},
              {0, 0, -1, 0, 3, 8, 120, 127});
  ExpectCodes(Op1::kHardSwish, {0x1p-9f, 0}, {0x1p-10f, 0}, {-128, 0, 64, 127}, {-117, 0, 67, 127});
}

TEST(Unary, EluIsATableOfFloat32) {
  // 64 (e^x - 1) below 0, 64 x above, for x = -8, -1, 0, 1, 2.
  ExpectCodes(Op1::kElu, {0.5f, 1}, {1.0f / 64, -10}, {-15, -1, 1, 3, 5}, {-74, -50, -10, 54, 118});
}

TEST(Unary, GeluIsATableOfFloat32) {
  // For x = -3, -1, 0, 1, 2, the results in 64ths are -0.26, -10.15, 0, 53.85, 125.09.
  const Parameters in = {0.5f, 1};
  const Parameters out = {1.0f / 64, -10};
  ExpectCodes(Op1::kGelu, in, out, {-5, -1, 1, 3, 5}, {-10, -20, -10, 44, 115});
  OpModel model = UnaryModel(Op1::kGelu, in, out, 5);
  model.options.table = OptionsTable::kNone;
  ExpectOutput(model, {Int8List{-5, -1, 1, 3, 5}}, Int8List{-10, -20, -10, 44, 115});
  // At -2.75 the function is -0.524 codes, and its approximation by tanh -0.494.
  model = UnaryModel(Op1::kGelu, {1.0f / 16, 0}, {1.0f / 64, 0}, 1);
  ExpectOutput(model, {Int8List{-44}}, Int8List{-1});
  model.options.approximate = true;
  ExpectOutput(model, {Int8List{-44}}, Int8List{0});
}

TEST(Unary, ReluRescales) {
  // The real values -1, 0, 1.5, 40 are scaled from halves to quarters.
  ExpectCodes(Op1::kRelu, {0.5f, 3}, {0.25f, -4}, {1, 3, 6, 83}, {-4, -4, 2, 127});
  // Multipliers are computed in float32: double gives 93 and 44 (int8-ops 1.9).
  ExpectCodes(Op1::kRelu, {0.185f, -5}, {0.264f, 0}, {127}, {92});
  ExpectCodes(Op1::kRelu, {0.089f, 0}, {0.128f, 0}, {64}, {45});
}

TEST(Unary, Relu6RescalesAndEndsAtSix) {
  ExpectCodes(Op1::kRelu6, {0.5f, 3}, {0.25f, -4}, {1, 3, 6, 14, 15, 83}, {-4, -4, 2, 18, 20, 20});
  ExpectCodes(Op1::kRelu6, {0.25f, -8}, {0.25f, -8}, {-9, -8, 15, 16, 17, 127}, {-8, -8, 15, 16, 16, 16});
}

TEST(Unary, LeakyReluHasAFactorForEachSide) {
  // The real values are -8, -2, 0, 3, the slope 1/4.
  ExpectCodes(Op1::kLeakyRelu, {0.5f, 3}, {0.25f, -4}, {-13, -1, 3, 9}, {-12, -6, -4, 8});
  // The slope's multiplier is computed in float32: double gives -44 and -11.
  OpModel model = UnaryModel(Op1::kLeakyRelu, {0.29f, 0}, {0.154f, 0}, 1);
  model.options.alpha = 0.3f;
  ExpectOutput(model, {Int8List{-77}}, Int8List{-43});
  model = UnaryModel(Op1::kLeakyRelu, {0.093f, 0}, {0.124f, 0}, 1);
  model.options.alpha = 0.7f;
  ExpectOutput(model, {Int8List{-20}}, Int8List{-10});
}

TEST(Unary, LeakyReluMayFallFromTheLeft) {
  OpModel model = UnaryModel(Op1::kLeakyRelu, {0.5f, 3}, {0.25f, -4}, 4);
  model.options.alpha = -0.5f;
  ExpectOutput(model, {Int8List{-13, -1, 3, 9}}, Int8List{12, 0, -4, 8});
  // -11/2 and -9/2 are ties, which are rounded up before the sign changes or after it.
  model = UnaryModel(Op1::kLeakyRelu, {1, 0}, {1, 0}, 4);
  model.options.alpha = -0.5f;
#ifdef LUTRA_SINGLE_ROUNDING
  ExpectOutput(model, {Int8List{-11, -9, -2, 5}}, Int8List{6, 5, 1, 5});
#else
  ExpectOutput(model, {Int8List{-11, -9, -2, 5}}, Int8List{5, 4, 1, 5});
#endif
}

TEST(Unary, AbsRescalesWhereScalesDiffer) {
  ExpectCodes(Op1::kAbs, {0.5f, 3}, {0.5f, -4}, {-13, -1, 3, 9, -128}, {12, 0, -4, 2, 127});
  ExpectCodes(Op1::kAbs, {0.5f, 3}, {0.25f, -4}, {-13, -1, 3, 9, -128}, {28, 4, -4, 8, 127});
}

// ---- float32.

TEST(Unary, FloatFollowsTheFormulas) {
  ExpectFloats(Op1::kLogistic, {-1, 0, 1}, {0.26894142f, 0.5f, 0.73105858f});
  ExpectFloats(Op1::kTanh, {-1, 0, 0.5f}, {-0.76159416f, 0, 0.46211716f});
  ExpectFloats(Op1::kHardSwish, {-4, -1.5f, 0, 1.5f, 4}, {0, -0.375f, 0, 1.125f, 4});
  ExpectFloats(Op1::kElu, {-1, 0, 2}, {-0.63212056f, 0, 2});
  ExpectFloats(Op1::kRelu, {-1, 0, 7}, {0, 0, 7});
  ExpectFloats(Op1::kRelu6, {-1, 5, 7}, {0, 5, 6});
  ExpectFloats(Op1::kLeakyRelu, {-1, 0, 7}, {-0.25f, 0, 7});
  ExpectFloats(Op1::kAbs, {-1.5f, 0, 7}, {1.5f, 0, 7});
}

TEST(Unary, IsComputedInPlace) {
  for (const Op1 op : kAll) {
    SCOPED_TRACE(ToString(op));
    const OpModel model = UnaryModel(op, {0.25f, 0}, kSigmoidOut, 240);
    EXPECT_EQ(ActivationBytes(model, false), 2u * 240);
    EXPECT_EQ(ActivationBytes(model), 240u);
  }
}

// ---- Refusals.

constexpr Refusal kUnaryRefusals[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"the input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"a float32 output", SetOutputType<TensorType::kFloat32>, Rule::kTypesDiffer, Out(0), 0, 9},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     4},
    {"int32", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt32; },
     Rule::kOperandType, 0, 2, 9},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"a factor of 2^31", [](OpModel& m) { m.outputs[0].scale = 0x1p-33f; }, Rule::kMultiplierRange, 0},
};

TEST(Unary, RefusesWhatNoOperatorTakes) {
  for (const Op1 op : kAll) {
    SCOPED_TRACE(ToString(op));
    ExpectRefusals(UnaryModel(op, {0.25f, 0}, kSigmoidOut, 4), kUnaryRefusals);
  }
}

constexpr Refusal kLogistic[] = {{"a zero point of 0", [](OpModel& m) { m.outputs[0].zero_point = 0; },
                                  Rule::kFixedOutputQuantization, Out(0), 0, -128}};
constexpr Refusal kHardSwish[] = {
    {"a factor above 1", [](OpModel& m) { m.outputs[0].scale = m.inputs[0].scale * 0x1p-8f; },
     Rule::kMultiplierRange},
    {"a gate that is always half open", [](OpModel& m) { m.inputs[0].scale = 0x1p-42f; },
     Rule::kMultiplierRange},
};
constexpr Refusal kGelu[] = {
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"float32", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kFloat32; },
     Rule::kOperandType, 0, 0, 9},
};
constexpr Refusal kRelu6[] = {{"6 is beyond int32",
                               [](OpModel& m) { m.inputs[0].scale = m.outputs[0].scale = 1e-9f; },
                               Rule::kActivation, kNode, 3}};
constexpr Refusal kLeakyRelu[] = {
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"a slope beyond the factor's range", [](OpModel& m) { m.options.alpha = -1e12f; },
     Rule::kMultiplierRange, 0},
    {"a slope that is not a number", [](OpModel& m) { m.options.alpha = __builtin_nanf(""); },
     Rule::kMultiplierRange, 0},
};

TEST(Unary, RefusesByOperator) {
  ExpectRefusals(UnaryModel(Op1::kLogistic, {0.5f, 0}, kSigmoidOut, 4), kLogistic);
  ExpectRefusals(UnaryModel(Op1::kHardSwish, {0.5f, 0}, {0.5f, 0}, 4), kHardSwish);
  ExpectRefusals(UnaryModel(Op1::kGelu, {0.5f, 0}, {0.5f, 0}, 4), kGelu);
  ExpectRefusals(UnaryModel(Op1::kRelu6, {0.5f, 0}, {0.5f, 0}, 4), kRelu6);
  ExpectRefusals(UnaryModel(Op1::kLeakyRelu, {0.5f, 0}, {0.5f, 0}, 4), kLeakyRelu);
}

}  // namespace
}  // namespace lutra

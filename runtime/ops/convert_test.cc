// SPDX-License-Identifier: Apache-2.0
// QUANTIZE, DEQUANTIZE, CAST: every pair of types, saturation, and which rows depend on which.

#include <cmath>

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

struct Parameters {
  float scale;
  int64_t zero_point;
};

OpModel ConvertModel(BuiltinOperator op, TensorType from, TensorType to, int count, Parameters in = {},
                     Parameters out = {}) {
  return {.op = op,
          .inputs = {{.shape = {count}, .type = from, .scale = in.scale, .zero_point = in.zero_point}},
          .outputs = {{.shape = {count}, .type = to, .scale = out.scale, .zero_point = out.zero_point}}};
}

template <typename From, typename To>
void Expect(BuiltinOperator op, const std::vector<From>& input, const std::vector<To>& expected,
            Parameters in = {}, Parameters out = {}, Caller caller = {}) {
  ExpectOutput(ConvertModel(op, kTypeOf<From>, kTypeOf<To>, static_cast<int>(input.size()), in, out), {input},
               expected, caller);
}

// ---- QUANTIZE.

constexpr BuiltinOperator kQuantize = BuiltinOperator::kQuantize;

TEST(Quantize, FloatRoundsHalvesAwayFromZero) {
  const FloatList reals = {0, 0.25f, -0.25f, 0.5f, 0.24f, 1000, -1000};
  Expect(kQuantize, reals, Int8List{3, 4, 2, 4, 3, 127, -128}, {}, {0.5f, 3});
  Expect(kQuantize, reals, ByteList{3, 4, 2, 4, 3, 255, 0}, {}, {0.5f, 3});
  Expect(kQuantize, reals, Int16List{3, 4, 2, 4, 3, 2003, -1997}, {}, {0.5f, 3});
  Expect(kQuantize, reals, Int32List{3, 4, 2, 4, 3, 2003, -1997}, {}, {0.5f, 3});
  Expect(kQuantize, FloatList{40000, -40000}, Int16List{32767, -32768}, {}, {0.5f, 3});
}

TEST(Quantize, CodesAreRescaled) {
  // From real values (code - 2) / 2 to a scale of a quarter.
  const Parameters in = {0.5f, 2};
  const Parameters out = {0.25f, -5};
  Expect(kQuantize, Int8List{2, 3, -128, 127}, Int8List{-5, -3, -128, 127}, in, out);
  Expect(kQuantize, Int8List{2, 3, -128, 127}, Int16List{-5, -3, -265, 245}, in, out);
  Expect(kQuantize, Int8List{2, 3, -128, 127}, Int32List{-5, -3, -265, 245}, in, out);
  Expect(kQuantize, Int16List{2, 3, -30000, 30000}, Int8List{-5, -3, -128, 127}, in, out);
  Expect(kQuantize, Int16List{2, 3, -300, 20000}, Int16List{-5, -3, -609, 32767}, in, out);
  Expect(kQuantize, Int32List{2, 3, -100000, 100000}, Int16List{-5, -3, -32768, 32767}, in, out);
  Expect(kQuantize, Int32List{2, 3, -100000, 100000}, Int32List{-5, -3, -200009, 199991}, in, out);
  Expect(kQuantize, ByteList{0, 2, 255}, Int8List{-9, -5, 127}, in, out);
  Expect(kQuantize, Int8List{-128, 0, 127}, ByteList{0, 128, 255}, {0.5f, 0}, {0.5f, 128});
}

// Rows have one element, and the output overlaps the input.
TEST(Quantize, BytesOverwriteWiderValues) {
  constexpr int kCount = 700;
  FloatList reals;
  Int16List wide;
  Int8List codes;
  for (int i = 0; i < kCount; ++i) {
    codes.push_back(static_cast<int8_t>(i * 37 % 251 - 125));
    reals.push_back(codes.back());
    wide.push_back(codes.back());
  }
  OpModel model = ConvertModel(kQuantize, TensorType::kFloat32, TensorType::kInt8, 0, {}, {1, 0});
  model.inputs[0].shape = model.outputs[0].shape = {kCount, 1};
  EXPECT_LT(ActivationBytes(model), 5u * kCount);
  ExpectOutput(model, {reals}, codes);
  model.inputs[0].type = TensorType::kInt16;
  model.inputs[0].scale = 1;
  EXPECT_LT(ActivationBytes(model), 3u * kCount);
  ExpectOutput(model, {wide}, codes);
}

// With multipliers in float32, the outputs would be 52 and 30 (int8-ops 1.9).
TEST(Quantize, FactorsAreDouble) {
  Expect(kQuantize, Int8List{46}, Int8List{51}, {0.206f, 0}, {0.184f, 0});
  Expect(kQuantize, Int8List{30}, Int8List{31}, {0.244f, 0}, {0.24f, 0});
}

// ---- DEQUANTIZE.

TEST(Dequantize, TakesEachType) {
  constexpr BuiltinOperator kDequantize = BuiltinOperator::kDequantize;
  const Parameters in = {0.25f, -2};
  Expect(kDequantize, Int8List{-2, 0, -128, 127}, FloatList{0, 0.5f, -31.5f, 32.25f}, in);
  Expect(kDequantize, ByteList{8, 0, 255}, FloatList{0, -2, 61.75f}, {0.25f, 8});
  Expect(kDequantize, Int16List{-2, -32768, 32767}, FloatList{0, -8191.5f, 8192.25f}, in);
  Expect(kDequantize, Int32List{-2, 1000000}, FloatList{0, 250000.5f}, in);
}

// ---- A scale for each element of a dimension.

// The specification's example has the shape [4, 3, 2, 1] and scales along dimension 1.
TensorSpec PerAxis(TensorType type) {
  TensorSpec spec = {.shape = {4, 3, 2, 1}, .type = type};
  spec.channel_scales = {1.0f, 2.0f, 3.0f};
  spec.zero_points = {1, 2, 3};
  spec.quantized_dimension = 1;
  return spec;
}

OpModel PerAxisQuantize(TensorType type) {
  return {.op = kQuantize,
          .inputs = {{.shape = {4, 3, 2, 1}, .type = TensorType::kFloat32}},
          .outputs = {PerAxis(type)}};
}

OpModel PerAxisDequantize(TensorType type) {
  return {.op = BuiltinOperator::kDequantize,
          .inputs = {PerAxis(type)},
          .outputs = {{.shape = {4, 3, 2, 1}, .type = TensorType::kFloat32}}};
}

TEST(Quantize, PerAxis) {
  // The values are the zero points; one step up and down; halves, which round away from zero; values out of
  // range.
  const FloatList reals = {0,    0,     0,  0,    0,    0,      //
                           1,    -1,    2,  -2,   3,    -3,     //
                           0.5f, -0.5f, 1,  -1,   1.5f, -1.5f,  //
                           126,  -200,  -1, 1e9f, 372,  -393};
  ExpectOutput(PerAxisQuantize(TensorType::kInt8), {reals}, Int8List{1,   1,    2, 2,   3,   3,  //
                                                                     2,   0,    3, 1,   4,   2,  //
                                                                     2,   0,    3, 1,   4,   2,  //
                                                                     127, -128, 1, 127, 127, -128});
  OpModel last = PerAxisQuantize(TensorType::kInt16);
  last.inputs[0].shape = last.outputs[0].shape = {2, 3};
  ExpectOutput(last, {FloatList{5, 5, 5, -600, -600, -600}}, Int16List{6, 5, 5, -599, -298, -197});
}

TEST(Dequantize, PerAxis) {
  ExpectOutput(PerAxisDequantize(TensorType::kInt8), {Int8List{1,   1,    2,   2,    3,   3,     //
                                                               2,   0,    3,   1,    4,   2,     //
                                                               127, -128, 127, -128, 127, -128,  //
                                                               0,   0,    0,   0,    0,   0}},
               FloatList{0,   0,    0,   0,    0,   0,     //
                         1,   -1,   2,   -2,   3,   -3,    //
                         126, -129, 250, -260, 372, -393,  //
                         -1,  -1,   -4,  -4,   -9,  -9});
  // Elements of four bytes are converted in place, one by one; one zero point serves all scales.
  OpModel first = PerAxisDequantize(TensorType::kInt32);
  first.inputs[0].shape = first.outputs[0].shape = {3, 2};
  first.inputs[0].quantized_dimension = 0;
  first.inputs[0].zero_points = {-7};
  ExpectOutput(first, {Int32List{0, 1, 0, 1, 0, 100000}}, FloatList{7, 8, 14, 16, 21, 300021});
}

// There are more rows than the planner lets a call make, so that calls begin inside a channel.
TEST(Dequantize, PerAxisInPortions) {
  OpModel model = PerAxisDequantize(TensorType::kInt8);
  model.inputs[0].shape = model.outputs[0].shape = {3, 40, 4};
  model.inputs[0].quantized_dimension = 0;
  FloatList expected;
  for (int i = 0; i < 480; ++i) {
    const int c = i / 160;
    expected.push_back(static_cast<float>((c + 1) * (i % 127 + 1 - (c + 1))));
  }
  ExpectOutput(model, {Counting<int8_t>(480)}, expected);
  EXPECT_LT(ActivationBytes(model), ActivationBytes(model, false));
}

// ---- CAST.

TEST(Cast, IntegersKeepTheirLowBits) {
  constexpr BuiltinOperator kCast = BuiltinOperator::kCast;
  Expect(kCast, Int8List{-1, 5}, Int16List{-1, 5});
  Expect(kCast, Int16List{-1, 300}, Int8List{-1, 44});
  Expect(kCast, Int32List{-1, 65541}, Int16List{-1, 5});
  Expect(kCast, Int64List{-1, (1ll << 32) + 7}, Int32List{-1, 7});
  Expect(kCast, Int32List{-1, 7}, Int64List{-1, 7});
  Expect(kCast, ByteList{255, 7}, Int32List{255, 7});
  Expect(kCast, Int32List{-1, 263}, ByteList{255, 7});
}

TEST(Cast, FloatsLoseTheirFraction) {
  constexpr BuiltinOperator kCast = BuiltinOperator::kCast;
  const FloatList reals = {1.75f, -1.75f, 300, -1e30f, std::nanf("")};
  Expect(kCast, reals, Int8List{1, -1, 127, -128, 0});
  Expect(kCast, reals, ByteList{1, 0, 255, 0, 0});
  Expect(kCast, reals, Int16List{1, -1, 300, -32768, 0});
  Expect(kCast, reals, Int32List{1, -1, 300, INT32_MIN, 0});
  Expect(kCast, reals, Int64List{1, -1, 300, INT64_MIN, 0});
  Expect(kCast, FloatList{1.5f, -0.0f}, FloatList{1.5f, -0.0f});
  Expect(kCast, Int8List{-3, 0}, FloatList{-3, 0});
  Expect(kCast, Int64List{1ll << 40, -1}, FloatList{0x1p40f, -1});
}

TEST(Cast, Uint32KeepsItsBits) {
  constexpr BuiltinOperator kCast = BuiltinOperator::kCast;
  using Uint32List = std::vector<uint32_t>;
  Expect(kCast, Int32List{-1, 5}, Uint32List{0xFFFFFFFF, 5});
  Expect(kCast, Uint32List{0xFFFFFFFF, 5}, Int32List{-1, 5});
  Expect(kCast, Int8List{-3, 3}, Uint32List{0xFFFFFFFD, 3});
  Expect(kCast, Uint32List{0x80000000, 7}, FloatList{0x1p31f, 7});
  Expect(kCast, FloatList{-1, 0x1p32f, 3.9f}, Uint32List{0, 0xFFFFFFFF, 3});
}

TEST(Cast, BoolIsZeroOrOne) {
  OpModel model = ConvertModel(BuiltinOperator::kCast, TensorType::kInt32, TensorType::kBool, 3);
  ExpectOutput(model, {Int32List{0, 256, -1}}, ByteList{0, 1, 1});
  model.inputs[0].type = TensorType::kFloat32;
  ExpectOutput(model, {FloatList{0, 0.25f, -1}}, ByteList{0, 1, 1});
  model.inputs[0].type = TensorType::kBool;
  model.outputs[0].type = TensorType::kFloat32;
  ExpectOutput(model, {ByteList{0, 1, 1}}, FloatList{0, 1, 1});
}

TEST(Cast, MovesRowsWhereSizesDiffer) {
  OpModel wide = ConvertModel(BuiltinOperator::kCast, TensorType::kInt8, TensorType::kInt32, 0);
  wide.inputs[0].shape = wide.outputs[0].shape = {3, 2};
  ExpectOutput(wide, {Int8List{1, 2, 3, 4, 5, 6}}, Int32List{1, 2, 3, 4, 5, 6});
  wide.inputs[0].shape = wide.outputs[0].shape = {15, 16};
  EXPECT_EQ(ActivationBytes(wide, false), 240u + 960);
  EXPECT_LT(ActivationBytes(wide), 240u + 960);
  // Elements of one size are converted in place, one by one.
  const OpModel flat = ConvertModel(BuiltinOperator::kCast, TensorType::kInt32, TensorType::kFloat32, 240);
  EXPECT_EQ(ActivationBytes(flat), 960u);
}

// ---- Refusals.

constexpr Refusal kConvertRefusals[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     4},
};

constexpr Refusal kQuantizeOnly[] = {
    {"a float32 output", SetOutputType<TensorType::kFloat32>, Rule::kOperandType, Out(0), 0, 9},
    {"an int64 input", SetInputType<0, TensorType::kInt64>, Rule::kOperandType, 0, 4, 9},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"a factor of 2^31", [](OpModel& m) { m.outputs[0].scale = 0x1p-32f; }, Rule::kMultiplierRange, 0},
    {"codes to codes of four scales",
     [](OpModel& m) {
       m.outputs[0].channel_scales = {1, 1, 1, 1};
     },
     Rule::kPerTensorRequired, Out(0), 4, 1},
    {"codes of four scales",
     [](OpModel& m) {
       m.inputs[0].channel_scales = {1, 1, 1, 1};
     },
     Rule::kPerTensorRequired, 0, 4, 1},
};

constexpr Refusal kDequantizeOnly[] = {
    {"a float32 input", SetInputType<0, TensorType::kFloat32>, Rule::kOperandType, 0, 0, 9},
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kOperandType, Out(0), 9, 0},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
};

constexpr Refusal kPerAxis[] = {
    {"two scales for three channels",
     [](OpModel& m) {
       m.inputs[0].channel_scales = {1, 2};
     },
     Rule::kScaleCount, 0, 2, 3},
    {"two zero points for three channels",
     [](OpModel& m) {
       m.inputs[0].zero_points = {1, 2};
     },
     Rule::kScaleCount, 0, 2, 3},
    {"dimension 4 of 4", [](OpModel& m) { m.inputs[0].quantized_dimension = 4; }, Rule::kAxis, 0, 4, 4},
    {"dimension -1", [](OpModel& m) { m.inputs[0].quantized_dimension = -1; }, Rule::kAxis, 0, -1, 4},
    {"a last scale of 0", [](OpModel& m) { m.inputs[0].channel_scales[2] = 0; }, Rule::kScaleValue, 0},
    {"a last zero point of 128", [](OpModel& m) { m.inputs[0].zero_points[2] = 128; }, Rule::kZeroPointValue,
     0},
};

constexpr Refusal kCastOnly[] = {
    {"a complex input", SetInputType<0, TensorType::kComplex64>, Rule::kOperandType, 0, 8, 9},
    {"a float64 output", SetOutputType<TensorType::kFloat64>, Rule::kOperandType, Out(0), 10, 9},
};

TEST(Convert, Refusals) {
  const OpModel quantize =
      ConvertModel(kQuantize, TensorType::kInt8, TensorType::kInt16, 4, {0.5f, 0}, {0.5f, 0});
  ExpectRefusals(quantize, kConvertRefusals);
  ExpectRefusals(quantize, kQuantizeOnly);
  const OpModel dequantize =
      ConvertModel(BuiltinOperator::kDequantize, TensorType::kInt8, TensorType::kFloat32, 4, {0.5f, 0});
  ExpectRefusals(dequantize, kConvertRefusals);
  ExpectRefusals(dequantize, kDequantizeOnly);
  ExpectRefusals(PerAxisDequantize(TensorType::kInt8), kPerAxis);
  const OpModel cast = ConvertModel(BuiltinOperator::kCast, TensorType::kInt8, TensorType::kInt32, 4);
  ExpectRefusals(cast, kConvertRefusals);
  ExpectRefusals(cast, kCastOnly);
}

}  // namespace
}  // namespace lutra

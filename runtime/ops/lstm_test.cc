// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM: a recorded sequence, state between inferences, the order of batches and
// steps, clips, and models that are refused.

#include <cmath>

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

constexpr int kHidden = 18;
constexpr int kCell = 19;

// One unit with one input: weights, recurrent weights and biases of the four gates.
struct Gates {
  Int8List weights = {64, 32, -100, 77}, recurrent = {10, -20, 30, 40};
  Int32List bias = {100, 2000, -300, 50};
};

OpModel LstmModel(const std::vector<int32_t>& shape = {1, 3, 1}, const Gates& gates = {}) {
  OpModel model = {.op = BuiltinOperator::kUnidirectionalSequenceLstm,
                   .inputs = std::vector<TensorSpec>(24, TensorSpec{.shape = {1}}),
                   .outputs = {{.shape = {shape[0], shape[1], 1}, .scale = 0x1p-7f}},
                   .options = {.activation = 4},
                   .left_out = {9, 10, 11, 16, 17, 20, 21, 22, 23}};
  model.inputs[0] = {.shape = shape, .scale = 0x1p-7f};
  for (size_t g = 0; g < 4; ++g) {
    model.inputs[1 + g] = {.shape = {1, 1}, .scale = 0.01f, .data = BytesOf(Int8List{gates.weights[g]})};
    model.inputs[5 + g] = {.shape = {1, 1}, .scale = 0.02f, .data = BytesOf(Int8List{gates.recurrent[g]})};
    model.inputs[12 + g] = Constant({1}, Int32List{gates.bias[g]});
  }
  model.inputs[kHidden] = {.shape = {shape[0], 1}, .scale = 0x1p-7f, .is_variable = true};
  model.inputs[kCell] = {
      .shape = {shape[0], 1}, .type = TensorType::kInt16, .scale = 0x1p-11f, .is_variable = true};
  return model;
}

// Expects output 0 of an interpreter that begins with a state of zeros.
void ExpectFresh(const OpModel& model, const Values& input, const Values& expected, Caller caller = {}) {
  ExpectSequence(Build(model), {{input}}, {expected}, caller);
}

template <typename T>
std::vector<T> FreshOutput(const OpModel& model, const Values& input) {
  ModelRun run(Build(model));
  EXPECT_EQ(run.status(), Status::kOk);
  EXPECT_EQ(run.Invoke({input}), Status::kOk);
  return ListOf<T>(run.Outputs()[0]);
}

// TensorFlow Lite Micro's outputs for these steps, beginning with a state of zeros.
const Int8List kSteps = {100, -50, 20};
const Int8List kOutputs = {-33, -6, -12};

TEST(Lstm, FollowsARecordedSequence) {
  ExpectFresh(LstmModel(), kSteps, kOutputs);
  // One step in each inference gives the same outputs: the state is kept between them.
  std::vector<ValueLists> steps;
  ValueLists outputs;
  for (size_t i = 0; i < 3; ++i) {
    steps.push_back({Int8List{kSteps[i]}});
    outputs.push_back(Int8List{kOutputs[i]});
  }
  ExpectSequence(Build(LstmModel({1, 1, 1})), steps, outputs);
}

// Cell states have other scales, one of which is no power of two; gates saturate.
TEST(Lstm, FollowsRecordedSequencesOfOtherScales) {
  struct Sequence {
    float cell_scale, weight_scale;
    int64_t hidden_zero_point;
    Int8List expected;
  };
  const Sequence sequences[] = {
      {0x1p-15f, 0.01f, 0, {-33, -1, -28, -5, -8, -16, -9, -30}},
      {0x1p-14f, 0.01f, 9, {-24, 8, -19, 4, 1, -7, 0, -21}},
      {0x1p-11f, 0.9f, 0, {-97, 0, -123, -64, 0, -83, 0, -123}},
      {0x1p-11f, 0.3f, -20, {-117, -20, -128, -84, -20, -95, -20, -128}},
      {0.0007f, 0.01f, 0, {-43, 0, -35, -3, -8, -18, -9, -35}},
      {0x1p-9f, 0.05f, 3, {-86, 3, -65, 1, 2, -30, 2, -94}},
  };
  for (const Sequence& sequence : sequences) {
    SCOPED_TRACE(sequence.cell_scale);
    OpModel model = LstmModel({1, 8, 1});
    model.inputs[kCell].scale = sequence.cell_scale;
    model.inputs[kHidden].zero_point = model.outputs[0].zero_point = sequence.hidden_zero_point;
    for (size_t gate = 0; gate < 4; ++gate) {
      model.inputs[1 + gate].scale = sequence.weight_scale;
      model.inputs[5 + gate].scale = 0.4f;
    }
    ExpectFresh(model, Int8List{100, -50, 20, 127, -128, 3, -7, 60}, sequence.expected);
  }
}

TEST(Lstm, KeepsBatchesApart) {
  OpModel model = LstmModel({2, 3, 1});
  ExpectFresh(model, Int8List{100, -50, 20, 0, 0, 0}, Int8List{-33, -6, -12, -1, -1, -2});
  model = LstmModel({3, 2, 1});
  model.options.time_major = true;
  model.inputs[kHidden].shape = model.inputs[kCell].shape = {2, 1};
  ExpectFresh(model, Int8List{100, 0, -50, 0, 20, 0}, Int8List{-33, -1, -6, -1, -12, -2});
}

TEST(Lstm, ClipsTheCell) {
  OpModel model = LstmModel();
  model.options.cell_clip = 0.125f;
  // No output is larger than tanh(0.125) = 0.124, which is 15.9 codes.
  for (const int8_t code : FreshOutput<int8_t>(model, kSteps)) EXPECT_LE(std::abs(int{code}), 16);
  model.options.cell_clip = 1e30f;
  ExpectFresh(model, kSteps, kOutputs);
  model.options.cell_clip = -1;
  ExpectFresh(model, kSteps, kOutputs);
  // If the clip is less than one code, TensorFlow Lite Micro (8f6596d) clips to 0.
  model.options.cell_clip = model.inputs[kCell].scale * 0.9f;
  ExpectFresh(model, kSteps, Int8List(kOutputs.size(), 0));
}

void MakeFloat(OpModel& m) {
  for (size_t i = 0; i < m.inputs.size(); ++i) {
    TensorSpec& spec = m.inputs[i];
    if (!spec.data.empty()) {
      // The real values are those of the int8 model.
      const bool is_bias = i >= 12;
      const float real =
          is_bias ? static_cast<float>(PackedList<int32_t>{spec.data.data(), 1}[0]) * 0x1p-7f * 0.01f
                  : static_cast<float>(ListOf<int8_t>(spec.data)[0]) * spec.scale;
      spec.data = BytesOf(FloatList{real});
    }
    spec.type = TensorType::kFloat32;
    spec.scale = 0;
  }
  m.outputs[0] = {.shape = m.outputs[0].shape, .type = TensorType::kFloat32};
}

TEST(Lstm, FloatFollowsTheFormulas) {
  OpModel model = LstmModel();
  MakeFloat(model);
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  double h = 0, c = 0;
  FloatList x, expected;
  for (const int8_t code : kSteps) {
    x.push_back(static_cast<float>(code) / 128);
    const auto gate = [&](double w, double r, double b) {
      return w * 0.01 * code / 128 + r * 0.02 * h + b * 0.01 / 128;
    };
    const double input = sigmoid(gate(64, 10, 100)), forget = sigmoid(gate(32, -20, 2000));
    const double update = std::tanh(gate(-100, 30, -300)), output = sigmoid(gate(77, 40, 50));
    c = forget * c + input * update;
    h = output * std::tanh(c);
    expected.push_back(static_cast<float>(h));
  }
  const FloatList output = FreshOutput<float>(model, x);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(output[i], expected[i], 1e-6f);
}

// ---- Activations of int16: scales are 1/256 of those of int8, and biases are int64.

void MakeInt16Activations(OpModel& model) {
  for (TensorSpec* tensor : {&model.inputs[0], &model.inputs[kHidden], &model.outputs[0]}) {
    tensor->type = TensorType::kInt16;
    tensor->scale /= 256;
  }
  const Gates gates;
  for (size_t g = 0; g < 4; ++g) {
    model.inputs[12 + g] = Constant({1}, Int64List{int64_t{gates.bias[g]} * 256});
  }
}

const Int16List kFineSteps = {25600, -12800, 5120};
// These are TensorFlow Lite Micro's outputs.
const Int16List kFineOutputs = {-8343, -1615, -3068};

TEST(Lstm, Int16FollowsARecordedSequence) {
  OpModel model = LstmModel();
  MakeInt16Activations(model);
  ExpectFresh(model, kFineSteps, kFineOutputs);
  OpModel step = LstmModel({1, 1, 1});
  MakeInt16Activations(step);
  std::vector<ValueLists> steps;
  ValueLists outputs;
  for (size_t i = 0; i < 3; ++i) {
    steps.push_back({Int16List{kFineSteps[i]}});
    outputs.push_back(Int16List{kFineOutputs[i]});
  }
  ExpectSequence(Build(step), steps, outputs);
}

TEST(Lstm, Int16InputHasAZeroPoint) {
  OpModel model = LstmModel();
  MakeInt16Activations(model);
  const Int16List without = FreshOutput<int16_t>(model, kFineSteps);
  model.inputs[0].zero_point = -1000;
  EXPECT_EQ(FreshOutput<int16_t>(model, Int16List{24600, -13800, 4120}), without);
}

// ---- Refusals.

template <int kInput>
void MakeInt16(OpModel& m) {
  m.inputs[kInput].type = TensorType::kInt16;
  m.inputs[kInput].data = {1, 0};
}

constexpr Refusal kLstmRefusals[] = {
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"25 inputs", AddInput, Rule::kInputCount, kNode, 25, 24},
    {"no input gate", [](OpModel& m) { m.left_out.push_back(1); }, Rule::kInputMissing, kNode, 1},
    {"no bias", [](OpModel& m) { m.left_out.push_back(13); }, Rule::kInputMissing, kNode, 13},
    {"no state", [](OpModel& m) { m.left_out.push_back(kCell); }, Rule::kInputMissing, kNode, kCell},
    {"a peephole", [](OpModel& m) { m.left_out = {9, 10, 16, 17, 20, 21, 22, 23}; }, Rule::kInputNotTaken,
     11},
    {"a projection", [](OpModel& m) { m.left_out = {9, 10, 11, 17, 20, 21, 22, 23}; }, Rule::kInputNotTaken,
     16},
    {"layer normalisation", [](OpModel& m) { m.left_out = {9, 10, 11, 16, 17, 21, 22, 23}; },
     Rule::kInputNotTaken, 20},
    {"a hidden state that is no variable", [](OpModel& m) { m.inputs[kHidden].is_variable = false; },
     Rule::kStateVariable, kHidden},
    {"a cell state that is no variable", [](OpModel& m) { m.inputs[kCell].is_variable = false; },
     Rule::kStateVariable, kCell},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"no activation of the cell gate", SetActivation<0>, Rule::kActivation, kNode, 0},
    {"RELU for the cell gate", SetActivation<1>, Rule::kActivation, kNode, 1},
    {"uint8", SetInputType<0, TensorType::kUInt8>, Rule::kUint8, 0},
    {"int32", SetInputType<0, TensorType::kInt32>, Rule::kOperandType, 0, 2, 9},
    {"int8 weights of float32", SetInputType<0, TensorType::kFloat32>, Rule::kHybrid, 1},
    {"weights of int16", MakeInt16<3>, Rule::kOperandType, 3, 7, 9},
    {"recurrent weights of int16", MakeInt16<8>, Rule::kOperandType, 8, 7, 9},
    {"a bias of int64", [](OpModel& m) { m.inputs[15] = Constant({1}, Int64List{1}); }, Rule::kOperandType,
     15, 4, 2},
    {"a cell state of int8", SetInputType<kCell, TensorType::kInt8>, Rule::kOperandType, kCell, 9, 7},
    {"a hidden state of int16", SetInputType<kHidden, TensorType::kInt16>, Rule::kTypesDiffer, kHidden, 7, 9},
    {"an output of int16", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"an input of two dimensions",
     [](OpModel& m) {
       m.inputs[0].shape = {3, 1};
     },
     Rule::kOperandRank, 0, 2, 3},
    {"weights of two values",
     [](OpModel& m) {
       m.inputs[2] = {.shape = {1, 2}, .scale = 1, .data = {1, 2}};
     },
     Rule::kOperandShape, 2, 2, 1},
    {"recurrent weights of two values",
     [](OpModel& m) {
       m.inputs[6] = {.shape = {1, 2}, .scale = 1, .data = {1, 2}};
     },
     Rule::kOperandShape, 6, 2, 1},
    {"a bias of two values",
     [](OpModel& m) {
       m.inputs[14] = Constant({2}, Int32List{1, 2});
     },
     Rule::kElementCount, 14, 2, 1},
    {"a hidden state of two values",
     [](OpModel& m) {
       m.inputs[kHidden].shape = {1, 2};
     },
     Rule::kElementCount, kHidden, 2, 1},
    {"a cell state of two values",
     [](OpModel& m) {
       m.inputs[kCell].shape = {2, 1};
     },
     Rule::kElementCount, kCell, 2, 1},
    {"an output of two steps",
     [](OpModel& m) {
       m.outputs[0].shape = {1, 2, 1};
     },
     Rule::kOperandShape, Out(0), 2, 3},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of weights", [](OpModel& m) { m.inputs[4].scale = 0; }, Rule::kQuantizationMissing, 4},
    {"weights with a zero point", [](OpModel& m) { m.inputs[7].zero_point = 3; }, Rule::kZeroPointZero, 7, 3,
     0},
    {"a cell state with a zero point", [](OpModel& m) { m.inputs[kCell].zero_point = -2; },
     Rule::kZeroPointZero, kCell, -2, 0},
    {"an output of another scale", [](OpModel& m) { m.outputs[0].scale = 1; }, Rule::kSameQuantization,
     Out(0)},
    {"a cell state of too fine a scale", [](OpModel& m) { m.inputs[kCell].scale = 0x1p-43f; },
     Rule::kScaleValue, kCell},
    {"a cell state of too coarse a scale", [](OpModel& m) { m.inputs[kCell].scale = 8; }, Rule::kScaleValue,
     kCell},
    {"a gate beyond int32", [](OpModel& m) { m.inputs[1].scale = 0x1p27f; }, Rule::kMultiplierRange, 1},
};

TEST(Lstm, Refusals) { ExpectRefusals(LstmModel(), kLstmRefusals); }

constexpr Refusal kInt16Refusals[] = {
    {"a bias of int32", [](OpModel& m) { m.inputs[15] = Constant({1}, Int32List{1}); }, Rule::kOperandType,
     15, 2, 4},
    {"a bias of 2^47", [](OpModel& m) { m.inputs[13] = Constant({1}, Int64List{int64_t{1} << 47}); },
     Rule::kAccumulator, 13, 0},
    {"weights of int16", MakeInt16<3>, Rule::kOperandType, 3, 7, 9},
    {"a hidden state of int8", SetInputType<kHidden, TensorType::kInt8>, Rule::kTypesDiffer, kHidden, 9, 7},
    {"an output of int8", SetOutputType<TensorType::kInt8>, Rule::kTypesDiffer, Out(0), 9, 7},
    {"a cell state of int8", SetInputType<kCell, TensorType::kInt8>, Rule::kOperandType, kCell, 9, 7},
    {"a gate's factor of 2^8", [](OpModel& m) { m.inputs[6].scale = 0x1.8p10f; }, Rule::kMultiplierRange, 6,
     8, 7},
};

TEST(Lstm, Int16Refusals) {
  OpModel model = LstmModel();
  MakeInt16Activations(model);
  ExpectRefusals(model, kInt16Refusals);
}

constexpr Refusal kLstmFloatRefusals[] = {
    {"weights of int16", SetInputType<3, TensorType::kInt16>, Rule::kOperandType, 3, 7, 0},
    {"a bias of int32", SetInputType<12, TensorType::kInt32>, Rule::kOperandType, 12, 2, 0},
    {"a cell state of int16", SetInputType<kCell, TensorType::kInt16>, Rule::kOperandType, kCell, 7, 0},
    {"an output of int8", SetOutputType<TensorType::kInt8>, Rule::kTypesDiffer, Out(0), 9, 0},
};

TEST(Lstm, FloatRefusals) {
  OpModel model = LstmModel();
  MakeFloat(model);
  ExpectRefusals(model, kLstmFloatRefusals);
}

}  // namespace
}  // namespace lutra

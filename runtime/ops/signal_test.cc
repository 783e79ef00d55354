// SPDX-License-Identifier: Apache-2.0
// The operators of audio preprocessors. The expected values are computed by hand, or by TensorFlow Lite Micro
// for inputs that fit a line.

#include <cmath>
#include <numeric>

#include "runtime/testing/custom_options.h"
#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Uint32List = std::vector<uint32_t>;
using Uint64List = std::vector<uint64_t>;
using Shape = std::vector<int32_t>;
constexpr TensorType kInt16 = TensorType::kInt16;
constexpr TensorType kInt32 = TensorType::kInt32;
constexpr TensorType kUInt32 = TensorType::kUInt32;
constexpr TensorType kFloat = TensorType::kFloat32;

TensorSpec Spec(TensorType type, const Shape& shape) { return {.shape = shape, .type = type}; }

OpModel Signal(const std::string& name, std::vector<TensorSpec> inputs, std::vector<TensorSpec> outputs,
               const std::vector<std::pair<std::string, int64_t>>& options) {
  return {.op = BuiltinOperator::kCustom,
          .inputs = std::move(inputs),
          .outputs = std::move(outputs),
          .custom_code = "Signal" + name,
          .custom_options = FlexMap(options)};
}

// Changes that all of these operators refuse.
void DropOptions(OpModel& model) { model.custom_options.clear(); }
void NameOtherOptions(OpModel& model) { model.custom_options = FlexMap({{"other", 1}}); }
template <int kInput>
void WidenInput(OpModel& model) {
  ++model.inputs[kInput].shape.back();
  model.inputs[kInput].data.clear();
}
template <int kOutput>
void WidenOutput(OpModel& model) {
  ++model.outputs[kOutput].shape.back();
}

// ---- Before and after an FFT.

OpModel Window(const Shape& shape, int shift) {
  return Signal("Window", {Spec(kInt16, shape), Constant({3}, Int16List{4, -2, 32767})},
                {Spec(kInt16, shape)}, {{"shift", shift}});
}

TEST(SignalWindow, MultipliesRowsAndShifts) {
  ExpectOutput(Window({3}, 1), {Int16List{5, 5, 1}}, Int16List{10, -5, 16383});
  ExpectOutput(Window({2, 3}, 2), {Int16List{5, 3, 4, -1, 1, -4}}, Int16List{5, -2, 32767, -1, -1, -32767});
}

TEST(SignalWindow, Saturates) {
  ExpectOutput(Window({3}, 0), {Int16List{32767, 32767, -32768}}, Int16List{32767, -32768, -32768});
}

TEST(SignalWindow, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
      {"no options", DropOptions, Rule::kOptionsMissing},
      {"other options", NameOtherOptions, Rule::kOptionsMissing},
      {"int8", SetInputType<0, TensorType::kInt8>, Rule::kOperandType, 0, NumberOf(TensorType::kInt8),
       NumberOf(kInt16)},
      {"width", WidenInput<0>, Rule::kOperandShape, 0, 4, 3},
      {"output", WidenOutput<0>, Rule::kOperandShape, Out(0), 4, 3},
      {"shift",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"shift", 32}});
       },
       Rule::kOptionValue, kNode, 32, 31},
      {"shift below 0",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"shift", -1}});
       },
       Rule::kOptionValue, kNode, -1, 0},
  };
  ExpectRefusals(Window({2, 3}, 1), kRefusals);
}

OpModel AutoScale(int count) {
  return Signal("FftAutoScale", {Spec(kInt16, {count})}, {Spec(kInt16, {count}), Spec(kInt32, {})}, {});
}

TEST(SignalFftAutoScale, ShiftsTheLargestUp) {
  ExpectOutputs(AutoScale(3), {Int16List{1, -3, 2}}, {Int16List{8192, -24576, 16384}, Int32List{13}});
  ExpectOutputs(AutoScale(3), {Int16List{1, -16384, 2}}, {Int16List{1, -16384, 2}, Int32List{0}});
  ExpectOutputs(AutoScale(3), {Int16List{1, -16383, 2}}, {Int16List{2, -32766, 4}, Int32List{1}});
}

TEST(SignalFftAutoScale, LeavesSilence) {
  ExpectOutputs(AutoScale(2), {Int16List{0, 0}}, {Int16List{0, 0}, Int32List{0}});
}

// The magnitude of -32768 is itself.
TEST(SignalFftAutoScale, TheLowestCodeWraps) {
  ExpectOutputs(AutoScale(2), {Int16List{-32768, 5}}, {Int16List{0, 20480}, Int32List{12}});
  ExpectOutputs(AutoScale(2), {Int16List{5, -32768}}, {Int16List{5, -32768}, Int32List{0}});
}

TEST(SignalFftAutoScale, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"one output", [](OpModel& m) { m.outputs.pop_back(); }, Rule::kOutputCount, kNode, 1, 2},
      {"two dimensions",
       [](OpModel& m) {
         m.inputs[0].shape = {1, 3};
       },
       Rule::kOperandRank, 0, 2, 1},
      {"output", WidenOutput<0>, Rule::kOperandShape, Out(0), 4, 3},
      {"shift of int16", [](OpModel& m) { m.outputs[1].type = kInt16; }, Rule::kOperandType, Out(1), 7, 2},
      {"shift in a list", [](OpModel& m) { m.outputs[1].shape = {1}; }, Rule::kOperandRank, Out(1), 1, 0},
  };
  ExpectRefusals(AutoScale(3), kRefusals);
}

OpModel Energy(int count, int first, int end) {
  return Signal("Energy", {Spec(kInt16, {2 * count})}, {Spec(kUInt32, {count})},
                {{"start_index", first}, {"end_index", end}});
}

TEST(SignalEnergy, IsTheSquareOfTheMagnitude) {
  ExpectOutput(Energy(3, 0, 3), {Int16List{3, -4, -32768, -32768, 0, 1}}, Uint32List{25, 1u << 31, 1});
}

TEST(SignalEnergy, IsZeroOutsideTheRange) {
  ExpectOutput(Energy(4, 1, 3), {Int16List(8, 2)}, Uint32List{0, 8, 8, 0});
  ExpectOutput(Energy(2, 1, 1), {Int16List(4, 2)}, Uint32List{0, 0});
}

TEST(SignalEnergy, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"beyond the input",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"start_index", 0}, {"end_index", 5}});
       },
       Rule::kOptionValue, kNode, 5, 4},
      {"below 0",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"start_index", -1}, {"end_index", 2}});
       },
       Rule::kOptionValue, kNode, -1, 0},
      {"end before start",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"start_index", 3}, {"end_index", 2}});
       },
       Rule::kOptionValue, kNode, 3, 2},
      {"beyond the output", [](OpModel& m) { m.outputs[0].shape = {2}; }, Rule::kOptionValue, kNode, 3, 2},
      {"no start",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"end_index", 2}});
       },
       Rule::kOptionsMissing},
  };
  ExpectRefusals(Energy(4, 1, 3), kRefusals);
}

// ---- FFT.

OpModel Rfft(TensorType type, int length, int input_length, const Shape& outer = {}) {
  Shape in = outer;
  Shape out = outer;
  in.push_back(input_length);
  out.push_back(length + 2);
  return Signal("Rfft", {Spec(type, in)}, {Spec(type, out)}, {{"T", NumberOf(type)}, {"fft_length", length}});
}

OpModel Irfft(TensorType type, int length) {
  return Signal("Irfft", {Spec(type, {length + 2})}, {Spec(type, {length})},
                {{"T", NumberOf(type)}, {"fft_length", length}});
}

TEST(SignalRfft, OfInt16IsTheTransformDividedByItsLength) {
  const Int16List samples = {1000, -2000, 3000, -4000, 5000, -6000, 7000, -8000};
  const Int16List expected = {-500, 0, -500, -207, -500, -500, -500, -1207, 4500, 0};
  ExpectOutput(Rfft(kInt16, 8, 8), {samples}, expected);
  // The length has a factor of 3, too.
  Int16List ramp(12);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<int16_t>(100 * (i + 1));
  ExpectOutput(Rfft(kInt16, 12, 12), {ramp},
               Int16List{650, 0, -50, 186, -50, 86, -50, 50, -51, 29, -50, 14, -50, 0});
}

TEST(SignalRfft, OfInt32) {
  Int32List samples = {1000, -2000, 3000, -4000, 5000, -6000, 7000, -8000};
  for (int32_t& x : samples) x *= 65536;
  ExpectOutput(Rfft(kInt32, 8, 8), {samples},
               Int32List{-32768000, 0, -32768000, -13572950, -32768000, -32768000, -32768000, -79108950,
                         294912000, 0});
}

TEST(SignalRfft, TakesRowsAndFillsUpShortOnes) {
  const Int16List expected = {-500, 0, -500, -207, -500, -500, -500, -1207, 4500, 0};
  const Int16List half = {1000, -2000, 3000, -4000};
  const ByteList alone = RunOp(Rfft(kInt16, 8, 8), {Int16List{1000, -2000, 3000, -4000, 0, 0, 0, 0}})[0];
  ExpectOutput(Rfft(kInt16, 8, 4), {half}, alone);
  Int16List rows = {1000, -2000, 3000, -4000, 5000, -6000, 7000, -8000};
  rows.insert(rows.end(), rows.begin(), rows.end());
  Int16List both = expected;
  both.insert(both.end(), expected.begin(), expected.end());
  ExpectOutput(Rfft(kInt16, 8, 8, {1, 2}), {rows}, both);
}

FloatList Noise(int count) {
  FloatList values(static_cast<size_t>(count));
  uint32_t state = 12345;
  for (float& x : values) {
    state = state * 1664525 + 1013904223;
    x = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31f;
  }
  return values;
}

// Compares with the definition of the transform, in double. The lengths have each factor, alone and together.
TEST(SignalRfft, OfFloatIsTheDefinition) {
  for (const int length : {4, 6, 8, 10, 12, 18, 20, 30, 32, 50, 60, 64, 90, 100, 128, 250, 486}) {
    SCOPED_TRACE(length);
    const FloatList x = Noise(length);
    const FloatList found = ListOf<float>(RunOp(Rfft(kFloat, length, length), {x})[0]);
    for (int k = 0; k <= length / 2; ++k) {
      double re = 0;
      double im = 0;
      for (int i = 0; i < length; ++i) {
        const double angle = -2 * M_PI * (static_cast<double>(i) * k) / length;
        re += x[static_cast<size_t>(i)] * std::cos(angle);
        im += x[static_cast<size_t>(i)] * std::sin(angle);
      }
      EXPECT_NEAR(found[static_cast<size_t>(2 * k)], re, 2e-6 * length);
      EXPECT_NEAR(found[static_cast<size_t>(2 * k + 1)], im, 2e-6 * length);
    }
    // The inverse gives the input again.
    const FloatList again = ListOf<float>(RunOp(Irfft(kFloat, length), {found})[0]);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(again[i], x[i], 1e-5);
  }
}

// Fixed point loses some precision at each step.
TEST(SignalRfft, OfInt32IsNearTheDefinition) {
  for (const int length : {6, 16, 50, 90, 480}) {
    SCOPED_TRACE(length);
    const FloatList x = Noise(length);
    Int32List codes(x.size());
    for (size_t i = 0; i < x.size(); ++i) codes[i] = static_cast<int32_t>(x[i] * 0x1p30f);
    const FloatList real = ListOf<float>(RunOp(Rfft(kFloat, length, length), {x})[0]);
    const Int32List found = ListOf<int32_t>(RunOp(Rfft(kInt32, length, length), {codes})[0]);
    for (size_t i = 0; i < real.size(); ++i) EXPECT_NEAR(found[i] * 0x1p-30 * length, real[i], 1e-5) << i;
  }
}

TEST(SignalIrfft, OfInt16) {
  ExpectOutput(Irfft(kInt16, 8), {Int16List{8000, 0, 1000, -500, 0, 300, -200, 0, 4000, 0}},
               Int16List{1700, 726, 1625, 451, 1300, 124, 1375, 699});
}

TEST(SignalRfft, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"int8",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"T", 9}, {"fft_length", 8}});
       },
       Rule::kOptionValue, kNode, 9, 7},
      {"other type", SetInputType<0, kInt32>, Rule::kOperandType, 0, NumberOf(kInt32), NumberOf(kInt16)},
      {"no length",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"T", 7}});
       },
       Rule::kOptionsMissing},
      {"a factor of 7",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"T", 7}, {"fft_length", 14}});
         m.outputs[0].shape = {16};
       },
       Rule::kOptionValue, kNode, 14},
      {"odd",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"T", 7}, {"fft_length", 9}});
         m.outputs[0].shape = {11};
       },
       Rule::kOptionValue, kNode, 9},
      {"of 2",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"T", 7}, {"fft_length", 2}});
         m.outputs[0].shape = {4};
       },
       Rule::kOptionValue, kNode, 2, 4},
      {"largest",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"T", 7}, {"fft_length", INT32_MAX}});
       },
       Rule::kOptionValue, kNode, INT32_MAX, INT32_MAX - 2},
      {"long input", WidenInput<0>, Rule::kOperandShape, 0, 9, 8},
      {"output", WidenOutput<0>, Rule::kOperandShape, Out(0), 11, 10},
      {"rows",
       [](OpModel& m) {
         m.inputs[0].shape = {2, 8}, m.outputs[0].shape = {1, 10};
       },
       Rule::kOperandShape, 0, 2, 1},
  };
  ExpectRefusals(Rfft(kInt16, 8, 8), kRefusals);
  constexpr Refusal kInverse[] = {
      {"short output", [](OpModel& m) { m.outputs[0].shape = {7}; }, Rule::kOperandShape, Out(0), 7, 8},
      {"input", WidenInput<0>, Rule::kOperandShape, 0, 11, 10}};
  ExpectRefusals(Irfft(kInt16, 8), kInverse);
}

// ---- Streams.

struct Step {
  ValueLists inputs;
  ValueLists outputs;
};

// Runs the steps twice, with ResetVariables between, and compares all outputs.
void ExpectSteps(const OpModel& model, const std::vector<Step>& steps) {
  ModelRun run(Build(model));
  ASSERT_EQ(run.status(), Status::kOk);
  for (int round = 0; round < 2; ++round) {
    for (size_t step = 0; step < steps.size(); ++step) {
      SCOPED_TRACE(testing::Message() << "round " << round << ", step " << step);
      ASSERT_EQ(run.Invoke(steps[step].inputs), Status::kOk);
      const std::vector<ByteList> outputs = run.Outputs();
      ASSERT_EQ(outputs.size(), steps[step].outputs.size());
      for (size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i], steps[step].outputs[i].bytes) << i;
    }
    run.interpreter().ResetVariables();
  }
}

OpModel Delay(const Shape& shape, int length) {
  return Signal("Delay", {Spec(kInt16, shape)}, {Spec(kInt16, shape)}, {{"delay_length", length}});
}

TEST(SignalDelay, GivesBackWhatCameBefore) {
  ExpectSteps(Delay({3}, 2), {{{Int16List{1, 2, 3}}, {Int16List{0, 0, 1}}},
                              {{Int16List{4, 5, 6}}, {Int16List{2, 3, 4}}},
                              {{Int16List{7, 8, 9}}, {Int16List{5, 6, 7}}}});
  // The delay is longer than the samples of an inference, and there are two streams.
  ExpectSteps(Delay({2, 1}, 2), {{{Int16List{1, -1}}, {Int16List{0, 0}}},
                                 {{Int16List{2, -2}}, {Int16List{0, 0}}},
                                 {{Int16List{3, -3}}, {Int16List{1, -1}}},
                                 {{Int16List{4, -4}}, {Int16List{2, -2}}}});
  ExpectSteps(Delay({2}, 0), {{{Int16List{1, 2}}, {Int16List{1, 2}}}});
}

TEST(SignalDelay, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"below 0",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"delay_length", -1}});
       },
       Rule::kOptionValue, kNode, -1, 0},
      {"too long",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"delay_length", INT32_MAX}});
       },
       Rule::kTensorSize},
      {"a scalar", [](OpModel& m) { m.inputs[0].shape = m.outputs[0].shape = {}; }, Rule::kOperandRank, 0, 0,
       1},
      {"output", WidenOutput<0>, Rule::kOperandShape, Out(0), 4, 3},
  };
  ExpectRefusals(Delay({3}, 2), kRefusals);
}

OpModel Framer(const Shape& shape, const Shape& frames, int size, int step, bool prefill) {
  return Signal("Framer", {Spec(kInt16, shape)}, {Spec(kInt16, frames), Spec(TensorType::kBool, {})},
                {{"frame_size", size}, {"frame_step", step}, {"prefill", prefill}});
}

TEST(SignalFramer, CutsOverlappingFrames) {
  ExpectSteps(Framer({2}, {1, 3}, 3, 2, false), {{{Int16List{1, 2}}, {Int16List{0, 0, 0}, ByteList{0}}},
                                                 {{Int16List{3, 4}}, {Int16List{1, 2, 3}, ByteList{1}}},
                                                 {{Int16List{5, 6}}, {Int16List{3, 4, 5}, ByteList{1}}},
                                                 {{Int16List{7, 8}}, {Int16List{5, 6, 7}, ByteList{1}}}});
}

TEST(SignalFramer, MayBeginWithZeros) {
  ExpectSteps(Framer({2}, {1, 3}, 3, 2, true), {{{Int16List{1, 2}}, {Int16List{0, 1, 2}, ByteList{1}}},
                                                {{Int16List{3, 4}}, {Int16List{2, 3, 4}, ByteList{1}}}});
}

TEST(SignalFramer, CutsSeveralFramesOfSeveralStreams) {
  ExpectSteps(Framer({2, 4}, {2, 2, 3}, 3, 2, false),
              {{{Int16List{1, 2, 3, 4, -1, -2, -3, -4}},
                {Int16List{0, 0, 0, 1, 2, 3, 0, 0, 0, -1, -2, -3}, ByteList{0}}},
               {{Int16List{5, 6, 7, 8, -5, -6, -7, -8}},
                {Int16List{3, 4, 5, 5, 6, 7, -3, -4, -5, -5, -6, -7}, ByteList{1}}}});
}

// Samples between frames are dropped.
TEST(SignalFramer, FramesMayBeShorterThanTheStep) {
  ExpectSteps(Framer({3}, {1, 2}, 2, 3, false), {{{Int16List{1, 2, 3}}, {Int16List{1, 2}, ByteList{1}}},
                                                 {{Int16List{4, 5, 6}}, {Int16List{4, 5}, ByteList{1}}}});
}

TEST(SignalFramer, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"one output", [](OpModel& m) { m.outputs.pop_back(); }, Rule::kOutputCount, kNode, 1, 2},
      {"steps that do not fit", WidenInput<0>, Rule::kOperandShape, 0, 5, 2},
      {"no step",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"frame_size", 3}, {"frame_step", 0}, {"prefill", 0}});
       },
       Rule::kOptionValue, kNode, 0, 1},
      {"a step longer than the input",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"frame_size", 3}, {"frame_step", 6}, {"prefill", 0}});
       },
       Rule::kOptionValue, kNode, 6, 4},
      {"zeros for a frame below a step",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"frame_size", 1}, {"frame_step", 2}, {"prefill", 1}});
       },
       Rule::kOptionValue, kNode, 1, 2},
      {"output", WidenOutput<0>, Rule::kOperandShape, Out(0), 4, 3},
      {"valid", [](OpModel& m) { m.outputs[1].type = TensorType::kInt8; }, Rule::kOperandType, Out(1), 9, 6},
  };
  ExpectRefusals(Framer({4}, {2, 3}, 3, 2, false), kRefusals);
}

OpModel Stacker(int channels, int left, int right, int step) {
  return Signal("Stacker", {Spec(kInt16, {channels})},
                {Spec(kInt16, {channels * (left + right + 1)}), Spec(TensorType::kBool, {})},
                {{"num_channels", channels},
                 {"stacker_left_context", left},
                 {"stacker_right_context", right},
                 {"stacker_step", step}});
}

TEST(SignalStacker, JoinsAFrameWithItsNeighbours) {
  ExpectSteps(Stacker(1, 1, 1, 1), {{{Int16List{1}}, {Int16List{0, 0, 0}, ByteList{0}}},
                                    {{Int16List{2}}, {Int16List{1, 1, 2}, ByteList{1}}},
                                    {{Int16List{3}}, {Int16List{1, 2, 3}, ByteList{1}}},
                                    {{Int16List{4}}, {Int16List{2, 3, 4}, ByteList{1}}}});
  // All stored samples are dropped each time, but the first frame remains the first.
  ExpectSteps(Stacker(2, 0, 1, 2), {{{Int16List{1, 2}}, {Int16List(4, 0), ByteList{0}}},
                                    {{Int16List{3, 4}}, {Int16List{1, 2, 3, 4}, ByteList{1}}},
                                    {{Int16List{5, 6}}, {Int16List(4, 0), ByteList{0}}},
                                    {{Int16List{7, 8}}, {Int16List{5, 6, 7, 8}, ByteList{1}}}});
  ExpectSteps(Stacker(1, 1, 0, 2), {{{Int16List{1}}, {Int16List{1, 1}, ByteList{1}}},
                                    {{Int16List{2}}, {Int16List{0, 0}, ByteList{0}}},
                                    {{Int16List{3}}, {Int16List{2, 3}, ByteList{1}}}});
}

TEST(SignalStacker, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"channels", WidenInput<0>, Rule::kOperandShape, 0, 3, 2},
      {"output", WidenOutput<0>, Rule::kOperandShape, Out(0), 7, 2},
      {"a step beyond what is stored",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"num_channels", 2},
                                     {"stacker_left_context", 1},
                                     {"stacker_right_context", 1},
                                     {"stacker_step", 4}});
       },
       Rule::kOptionValue, kNode, 4, 3},
      {"left of nothing",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"num_channels", 2},
                                     {"stacker_left_context", -1},
                                     {"stacker_right_context", 1},
                                     {"stacker_step", 1}});
       },
       Rule::kOptionValue, kNode, -1, 0},
  };
  ExpectRefusals(Stacker(2, 1, 1, 1), kRefusals);
}

OpModel OverlapAdd(TensorType type, const Shape& in, const Shape& out, int step) {
  return Signal("OverlapAdd", {Spec(type, in)}, {Spec(type, out)},
                {{"T", NumberOf(type)}, {"frame_step", step}});
}

TEST(SignalOverlapAdd, AddsWhatOverlaps) {
  ExpectSteps(OverlapAdd(kInt16, {1, 3}, {2}, 2), {{{Int16List{1, 2, 3}}, {Int16List{1, 2}}},
                                                   {{Int16List{10, 20, 30}}, {Int16List{13, 20}}},
                                                   {{Int16List{100, 200, 300}}, {Int16List{130, 200}}}});
  ExpectSteps(OverlapAdd(kInt16, {1, 2}, {1}, 1), {{{Int16List{30000, 30000}}, {Int16List{30000}}},
                                                   {{Int16List{30000, -32768}}, {Int16List{32767}}},
                                                   {{Int16List{-32768, 0}}, {Int16List{-32768}}}});
  // Two streams of two frames.
  ExpectSteps(OverlapAdd(kFloat, {2, 2, 2}, {2, 2}, 1),
              {{{FloatList{1, 2, 3, 4, -1, -2, -3, -4}}, {FloatList{1, 5, -1, -5}}},
               {{FloatList{1, 2, 3, 4, -1, -2, -3, -4}}, {FloatList{5, 5, -5, -5}}}});
}

TEST(SignalOverlapAdd, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"int32",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"T", 2}, {"frame_step", 2}});
       },
       Rule::kOptionValue, kNode, 2, 7},
      {"one dimension", [](OpModel& m) { m.inputs[0].shape = {3}; }, Rule::kOperandRank, 0, 1, 2},
      {"a step longer than a frame",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"T", 7}, {"frame_step", 4}});
       },
       Rule::kOptionValue, kNode, 4, 3},
      {"output", WidenOutput<0>, Rule::kOperandShape, Out(0), 3, 2},
  };
  ExpectRefusals(OverlapAdd(kInt16, {1, 3}, {2}, 2), kRefusals);
}

// ---- The filter bank.

OpModel FilterBank() {
  return Signal("FilterBank",
                {Spec(kUInt32, {4}), Constant({5}, Int16List{1, 2, 3, 4, -5}),
                 Constant({5}, Int16List{10, 20, 30, 40, 50}), Constant({3}, Int16List{0, 2, 3}),
                 Constant({3}, Int16List{0, 2, 4}), Constant({3}, Int16List{2, 1, 1})},
                {Spec(TensorType::kUInt64, {2})}, {{"num_channels", 2}});
}

// The sums: w0 e0 + w1 e1 is dropped; u0 e0 + u1 e1 + w2 e2; u2 e2 + w4 e3.
TEST(SignalFilterBank, AddsEachEnergyToTwoChannels) {
  ExpectOutput(FilterBank(), {Uint32List{1, 100, 10000, 7}}, Uint64List{10 + 2000 + 30000, 300000 - 35});
  ExpectOutput(FilterBank(), {Uint32List{0, 0, 0, 1}}, Uint64List{0, static_cast<uint64_t>(-5)});
  ExpectOutput(FilterBank(), {Uint32List{0, 0, 0xFFFFFFFF, 0}},
               Uint64List{3 * uint64_t{0xFFFFFFFF}, 30 * uint64_t{0xFFFFFFFF}});
}

// A width of 0 or less reads nothing, wherever it begins.
TEST(SignalFilterBank, ChannelsMayBeEmpty) {
  OpModel model = FilterBank();
  model.inputs[5] = Constant({3}, Int16List{2, 0, -1});
  model.inputs[3] = Constant({3}, Int16List{0, -9, 99});
  ExpectOutput(model, {Uint32List{1, 100, 10000, 7}}, Uint64List{10 + 2000, 0});
}

TEST(SignalFilterBank, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"computed widths", [](OpModel& m) { m.inputs[5].data.clear(); }, Rule::kConstantRequired, 5},
      {"beyond the energies",
       [](OpModel& m) {
         m.inputs[3] = Constant({3}, Int16List{0, 2, 4});
       },
       Rule::kIndex, 3, 4, 3},
      {"before the energies",
       [](OpModel& m) {
         m.inputs[3] = Constant({3}, Int16List{-1, 2, 3});
       },
       Rule::kIndex, 3, -1, 2},
      {"beyond the weights",
       [](OpModel& m) {
         m.inputs[4] = Constant({3}, Int16List{4, 2, 4});
       },
       Rule::kIndex, 4, 4, 3},
      {"unweights", [](OpModel& m) { m.inputs[2] = Constant({4}, Int16List(4)); }, Rule::kOperandShape, 2, 4,
       5},
      {"too few starts", [](OpModel& m) { m.inputs[3] = Constant({2}, Int16List(2)); }, Rule::kOperandShape,
       3, 2, 3},
      {"output", WidenOutput<0>, Rule::kOperandShape, Out(0), 3, 2},
      {"no channels",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"num_channels", 0}});
       },
       Rule::kOptionValue, kNode, 0, 1},
      {"energies of int32", SetInputType<0, kInt32>, Rule::kOperandType, 0, NumberOf(kInt32),
       NumberOf(kUInt32)},
  };
  ExpectRefusals(FilterBank(), kRefusals);
}

OpModel Root(int count) {
  return Signal("FilterBankSquareRoot", {Spec(TensorType::kUInt64, {count}), Spec(kInt32, {})},
                {Spec(kUInt32, {count})}, {});
}

TEST(SignalFilterBankSquareRoot, RoundsToTheNearest) {
  const Uint64List values = {
      0, 1, 2, 3, 6, 7, 12, 13, 0xFFFFFFFF, uint64_t{1} << 32, uint64_t{1} << 63, UINT64_MAX};
  const Uint32List roots = {0, 1, 1, 2, 2, 3, 3, 4, 65535, 65536, 3037000500, 0xFFFFFFFF};
  ExpectOutput(Root(12), {values, Int32List{0}}, roots);
  Uint32List shifted = roots;
  for (uint32_t& root : shifted) root >>= 3;
  ExpectOutput(Root(12), {values, Int32List{3}}, shifted);
}

TEST(SignalFilterBankSquareRoot, RefusesShiftsOutOfRange) {
  ExpectInvalidInput(Root(1), {Uint64List{4}, Int32List{32}},
                     {.what = "32", .rule = Rule::kRuntimeIndex, .blamed = 1, .found = 32, .required = 31});
  ExpectInvalidInput(Root(1), {Uint64List{4}, Int32List{-1}},
                     {.what = "-1", .rule = Rule::kRuntimeIndex, .blamed = 1, .found = -1, .required = 31});
}

OpModel Subtraction(bool clamping) {
  return Signal("FilterBankSpectralSubtraction", {Spec(kUInt32, {2})},
                {Spec(kUInt32, {2}), Spec(kUInt32, {2})},
                {{"alternate_one_minus_smoothing", 8},
                 {"alternate_smoothing", 8},
                 {"clamping", clamping},
                 {"min_signal_remaining", 2},
                 {"num_channels", 2},
                 {"one_minus_smoothing", 12},
                 {"smoothing", 4},
                 {"smoothing_bits", 1},
                 {"spectral_subtraction_bits", 4}});
}

// An even channel's estimate takes a quarter of the input, an odd one's half of it; estimates have one bit
// more. At least an eighth of the input is kept.
TEST(SignalFilterBankSpectralSubtraction, TakesWhatTheEstimateHolds) {
  ExpectSteps(Subtraction(false), {{{Uint32List{80, 80}}, {Uint32List{60, 40}, Uint32List{40, 80}}},
                                   {{Uint32List{80, 80}}, {Uint32List{45, 20}, Uint32List{70, 120}}},
                                   {{Uint32List{8, 8}}, {Uint32List{1, 1}, Uint32List{56, 68}}},
                                   {{Uint32List{0, 0}}, {Uint32List{0, 0}, Uint32List{42, 34}}}});
  ExpectSteps(Subtraction(true), {{{Uint32List{80, 80}}, {Uint32List{60, 40}, Uint32List{40, 80}}},
                                  {{Uint32List{8, 8}}, {Uint32List{1, 1}, Uint32List{16, 16}}}});
}

TEST(SignalFilterBankSpectralSubtraction, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"no options", DropOptions, Rule::kOptionsMissing},
      {"channels", WidenInput<0>, Rule::kOperandShape, 0, 3, 2},
      {"estimates", WidenOutput<1>, Rule::kOperandShape, Out(1), 3, 2},
      {"one output", [](OpModel& m) { m.outputs.pop_back(); }, Rule::kOutputCount, kNode, 1, 2},
  };
  ExpectRefusals(Subtraction(false), kRefusals);
}

// Gains are 1, 2 and 3 for noise of 0, 1 and 2; larger noise has a base of 100 times its length in bits, a
// slope of 64 and a curvature of 32.
OpModel Pcan(int shift) {
  Int16List table = {1, 2, 3};
  table.resize(125);
  for (size_t power = 2; power <= 32; ++power) {
    const size_t at = 4 * power - 6;
    if (power > 2) table[at] = static_cast<int16_t>(100 * power);
    table[at + 1] = 64;
    table[at + 2] = 32;
  }
  return Signal("PCAN", {Spec(kUInt32, {4}), Spec(kUInt32, {4}), Constant({125}, table)},
                {Spec(kUInt32, {4})}, {{"snr_shift", shift}});
}

// Noise of 4 has 3 bits and no fraction: gain 300. Noise of 6 has 3 bits and a fraction of a half, 512: (32 *
// 512 >> 5) + 64 * 32 = 2560; 2560 * 512 / 32768 = 40, rounded; gain 340.
TEST(SignalPcan, ShrinksTheInputTimesTheGain) {
  ExpectOutput(Pcan(0), {Uint32List{4000, 4000, 20, 50}, Uint32List{0, 1, 4, 6}},
               Uint32List{4000u * 4000 >> 20, 8000u * 8000 >> 20, 6000u * 6000 >> 20, (17000u >> 6) - 64});
  ExpectOutput(Pcan(1), {Uint32List{8000, 8000, 40, 100}, Uint32List{0, 1, 4, 6}},
               Uint32List{4000u * 4000 >> 20, 8000u * 8000 >> 20, 6000u * 6000 >> 20, (17000u >> 6) - 64});
}

TEST(SignalPcan, Refuses) {
  constexpr Refusal kRefusals[] = {
      {"a short table", [](OpModel& m) { m.inputs[2] = Constant({124}, Int16List(124)); },
       Rule::kOperandShape, 2, 124, 125},
      {"noise", WidenInput<1>, Rule::kOperandShape, 1, 5, 4},
      {"shift",
       [](OpModel& m) {
         m.custom_options = FlexMap({{"snr_shift", 64}});
       },
       Rule::kOptionValue, kNode, 64, 63},
  };
  ExpectRefusals(Pcan(0), kRefusals);
}

OpModel Log(int count, int bits, int scale) {
  return Signal("FilterBankLog", {Spec(kUInt32, {count})}, {Spec(kInt16, {count})},
                {{"input_correction_bits", bits}, {"output_scale", scale}});
}

TEST(SignalFilterBankLog, IsTheScaledLogarithm) {
  ExpectOutput(Log(8, 0, 1600), {Uint32List{0, 1, 2, 3, 10, 1000, 65536, 0xFFFFFFFF}},
               Int16List{0, 0, 1109, 1758, 3684, 11052, 17745, 32767});
  ExpectOutput(Log(2, 2, 1600), {Uint32List{250, 0x40000000}}, Int16List{11052, 0});
}

// At the table's entries the result is the exact one; between them the rule hardly interpolates.
TEST(SignalFilterBankLog, HasNoWrongEntry) {
  Uint32List values;
  for (int power = 7; power < 32; power += 8) {
    for (uint32_t i = 0; i < 128; ++i) values.push_back((128 + i) << (power - 7));
  }
  const int count = static_cast<int>(values.size());
  const Int16List found = ListOf<int16_t>(RunOp(Log(count, 0, 1400), {values})[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(found[i], 1400 * std::log(values[i]), 0.6) << values[i];
  }
}

}  // namespace
}  // namespace lutra

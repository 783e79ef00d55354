// SPDX-License-Identifier: Apache-2.0
// Small models of uncommon parts: custom operators, each by itself, a whole preprocessor of
// audio, control flow, weights of int4. Host only.
//
//   for (const CustomModel& model : CustomModels()) EXPECT_TRUE(TryToRun(model.file)) << model.name;

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/testing/call_models.h"
#include "runtime/testing/custom_options.h"
#include "runtime/testing/model_builder.h"

namespace lutra {

struct CustomModel {
  std::string name;
  std::vector<uint8_t> file;
};

namespace custom_models {

using Dims = std::vector<int32_t>;

// A graph to which operators are added one after the other.
class Chain {
 public:
  int Add(TensorType type, const Dims& shape) { return builder_.AddTensor({.shape = shape, .type = type}); }
  int Input(TensorType type, const Dims& shape) {
    inputs_.push_back(Add(type, shape));
    return inputs_.back();
  }
  int Constant(const Dims& shape, const std::vector<int16_t>& values) {
    return builder_.AddTensor({.shape = shape, .type = TensorType::kInt16, .data = BytesOf(values)});
  }
  void Node(const char* name, const std::vector<int>& inputs, const std::vector<int>& outputs,
            const std::vector<std::pair<std::string, double>>& options = {}) {
    builder_.AddCustomOperator(name, inputs, outputs, FlexMapOfReals(options));
    last_ = outputs;
  }
  // The last operator's outputs are the graph's.
  std::vector<uint8_t> Finish() { return builder_.Finish(inputs_, last_); }

 private:
  ModelBuilder builder_;
  std::vector<int> inputs_;
  std::vector<int> last_;
};

// Adds three channels, each with three energies and three of its neighbour; returns the sums.
inline int AddChannels(Chain& chain, int energies) {
  const int weights = chain.Constant({12}, std::vector<int16_t>(12, 2000));
  const int unweights = chain.Constant({12}, std::vector<int16_t>(12, 1000));
  const int starts = chain.Constant({4}, {0, 3, 6, 9});
  const int widths = chain.Constant({4}, {3, 3, 3, 3});
  const int sums = chain.Add(TensorType::kUInt64, {3});
  chain.Node("SignalFilterBank", {energies, weights, unweights, starts, starts, widths}, {sums},
             {{"num_channels", 3}});
  return sums;
}

inline std::vector<uint8_t> Preprocessor() {
  constexpr auto kInt16 = TensorType::kInt16;
  constexpr auto kUInt32 = TensorType::kUInt32;
  Chain chain;
  const int samples = chain.Input(kInt16, {20});
  const int window = chain.Constant({20}, std::vector<int16_t>(20, 4000));
  const int windowed = chain.Add(kInt16, {20});
  chain.Node("SignalWindow", {samples, window}, {windowed}, {{"shift", 12}});
  const int scaled = chain.Add(kInt16, {20});
  const int shift = chain.Add(TensorType::kInt32, {});
  chain.Node("SignalFftAutoScale", {windowed}, {scaled, shift});
  const int spectrum = chain.Add(kInt16, {26});
  chain.Node("SignalRfft", {scaled}, {spectrum}, {{"T", 7}, {"fft_length", 24}});
  const int energies = chain.Add(kUInt32, {13});
  chain.Node("SignalEnergy", {spectrum}, {energies}, {{"start_index", 1}, {"end_index", 12}});
  const int sums = AddChannels(chain, energies);
  const int roots = chain.Add(kUInt32, {3});
  chain.Node("SignalFilterBankSquareRoot", {sums, shift}, {roots});
  const int signal = chain.Add(kUInt32, {3});
  const int noise = chain.Add(kUInt32, {3});
  chain.Node("SignalFilterBankSpectralSubtraction", {roots}, {signal, noise},
             {{"alternate_one_minus_smoothing", 15401},
              {"alternate_smoothing", 983},
              {"clamping", 1},
              {"min_signal_remaining", 819},
              {"num_channels", 3},
              {"one_minus_smoothing", 15975},
              {"smoothing", 409},
              {"smoothing_bits", 10},
              {"spectral_subtraction_bits", 14}});
  const int gained = chain.Add(kUInt32, {3});
  chain.Node("SignalPCAN", {signal, noise, chain.Constant({125}, std::vector<int16_t>(125, 300))}, {gained},
             {{"snr_shift", 6}});
  const int logs = chain.Add(kInt16, {3});
  chain.Node("SignalFilterBankLog", {gained}, {logs}, {{"input_correction_bits", 3}, {"output_scale", 64}});
  return chain.Finish();
}

inline std::vector<uint8_t> Transform(const char* name, TensorType type, const Dims& in, const Dims& out) {
  Chain chain;
  const int x = chain.Input(type, in);
  chain.Node(name, {x}, {chain.Add(type, out)}, {{"T", static_cast<int>(type)}, {"fft_length", 30}});
  return chain.Finish();
}

inline std::vector<uint8_t> Stream(const char* name, const Dims& in, const Dims& out, bool has_valid,
                                   const std::vector<std::pair<std::string, double>>& options) {
  Chain chain;
  const int x = chain.Input(TensorType::kInt16, in);
  std::vector<int> outputs = {chain.Add(TensorType::kInt16, out)};
  if (has_valid) outputs.push_back(chain.Add(TensorType::kBool, {}));
  chain.Node(name, {x}, outputs, options);
  return chain.Finish();
}

inline std::vector<uint8_t> Detector(bool regular) {
  constexpr auto kFloat = TensorType::kFloat32;
  Chain chain;
  const int encodings = chain.Input(kFloat, {1, 5, 4});
  const int scores = chain.Input(kFloat, {1, 5, 3});
  const int anchors = chain.Input(kFloat, {5, 4});
  chain.Node("TFLite_Detection_PostProcess", {encodings, scores, anchors},
             {chain.Add(kFloat, {1, 3, 4}), chain.Add(kFloat, {1, 3}), chain.Add(kFloat, {1, 3}),
              chain.Add(kFloat, {1})},
             {{"max_detections", 3},
              {"max_classes_per_detection", 1},
              {"num_classes", 2},
              {"nms_score_threshold", 0.01},
              {"nms_iou_threshold", 0.6},
              {"y_scale", 10},
              {"x_scale", 10},
              {"h_scale", 5},
              {"w_scale", 5},
              {"use_regular_nms", regular}});
  return chain.Finish();
}

// The operator keeps its inputs, and has an output at every second inference.
inline std::vector<uint8_t> CircularBuffer() {
  ModelBuilder builder;
  builder.AddTensor({.shape = {1, 1, 1, 2}, .scale = 1});
  builder.AddTensor({.shape = {1, 3, 1, 2}, .scale = 1, .is_variable = true});
  builder.AddTensor({.shape = {1, 3, 1, 2}, .scale = 1});
  builder.AddCustomOperator("CIRCULAR_BUFFER", {0}, {1}, FlexMapOfReals({{"cycles_max", 2}}));
  builder.AddOperator(BuiltinOperator::kRelu, {1}, {2});
  return builder.Finish({0}, {2});
}

inline std::vector<uint8_t> Int4Layer() {
  ModelBuilder builder;
  builder.AddTensor({.shape = {1, 5}, .scale = 0.5f});
  builder.AddTensor({.shape = {3, 5},
                     .type = TensorType::kInt4,
                     .scale = 0.5f,
                     .data = {0x21, 0x43, 0x65, 0x87, 0xA9, 0xCB, 0xED, 0x0F}});
  builder.AddTensor({.shape = {1, 3}, .scale = 4});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {0, 1}, {2});
  return builder.Finish({0}, {2});
}

}  // namespace custom_models

inline std::vector<CustomModel> CustomModels() {
  namespace make = custom_models;
  constexpr auto kInt16 = TensorType::kInt16;
  return {{"preprocessor", make::Preprocessor()},
          {"rfft_int16", make::Transform("SignalRfft", kInt16, {2, 28}, {2, 32})},
          {"rfft_int32", make::Transform("SignalRfft", TensorType::kInt32, {30}, {32})},
          {"rfft_float32", make::Transform("SignalRfft", TensorType::kFloat32, {30}, {32})},
          {"irfft_int16", make::Transform("SignalIrfft", kInt16, {32}, {30})},
          {"irfft_float32", make::Transform("SignalIrfft", TensorType::kFloat32, {2, 32}, {2, 30})},
          {"delay", make::Stream("SignalDelay", {2, 3}, {2, 3}, false, {{"delay_length", 4}})},
          {"framer", make::Stream("SignalFramer", {2, 4}, {2, 2, 5}, true,
                                  {{"frame_size", 5}, {"frame_step", 2}, {"prefill", 1}})},
          {"stacker", make::Stream("SignalStacker", {2}, {8}, true,
                                   {{"num_channels", 2},
                                    {"stacker_left_context", 1},
                                    {"stacker_right_context", 2},
                                    {"stacker_step", 2}})},
          {"overlap_add",
           make::Stream("SignalOverlapAdd", {2, 3, 5}, {2, 6}, false, {{"T", 7}, {"frame_step", 2}})},
          {"detector", make::Detector(false)},
          {"detector_regular", make::Detector(true)},
          {"circular_buffer", make::CircularBuffer()},
          {"int4", make::Int4Layer()},
          {"while", call_models::Doubled()},
          {"if_in_while", call_models::Nested()},
          {"if_twice", call_models::Twice()}};
}

}  // namespace lutra

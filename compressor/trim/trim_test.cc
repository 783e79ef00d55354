// SPDX-License-Identifier: Apache-2.0
// Tests that trimmed models compute the same, that all channels which the bounds find are removed, and that
// no value leaves its bounds.

#include "compressor/trim.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "compressor/row_plan.h"
#include "compressor/trim/selection.h"
#include "host/failures.h"
#include "host/model_inputs.h"
#include "host/prepared_model.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/model_files.h"
#include "runtime/testing/sanitized.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<std::vector<uint8_t>>;  // The bytes of each input or output.

// A model, ready to run.
class Runner {
 public:
  explicit Runner(const Bytes& bytes, const InterpreterOptions& options = {})
      : file_(LoadModel(bytes, "m")), prepared_(file_, options, host::SmallestArena(file_, options)) {}

  Values Run(const Values& inputs) {
    host::FillInputs(*prepared_, inputs);
    prepared_.Invoke();
    Values outputs;
    for (int i = 0; i < prepared_->output_count(); ++i) {
      const Tensor output = prepared_->output(i);
      const auto* const data = static_cast<const uint8_t*>(output.data);
      outputs.emplace_back(data, data + output.info.bytes);
    }
    return outputs;
  }

 private:
  host::ModelFile file_;
  host::PreparedModel prepared_;
};

// Returns random inputs, and inputs of both extremes.
std::vector<Values> SomeInputs(const Model& model, int seeds) {
  std::vector<Values> all;
  for (int seed = 1; seed <= seeds; ++seed) {
    all.push_back(host::SeededInputs(model, static_cast<uint64_t>(seed)));
  }
  for (const uint8_t extreme : {0x80, 0x7F}) {
    all.push_back(all[0]);
    for (auto& values : all.back()) std::fill(values.begin(), values.end(), extreme);
  }
  return all;
}

void ExpectSame(const Bytes& before, const Bytes& after, const std::vector<Values>& inputs) {
  for (const bool reference : {true, false}) {
    InterpreterOptions options;
    if (reference) options.cpu_features = kCpuAny;
    if (reference) options.policy = MemoryPolicy::kSmall;
    Runner a(before, options), b(after, options);
    for (size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(a.Run(inputs[i]), b.Run(inputs[i])) << i;
  }
}

Bytes BytesOfFile(const host::ModelFile& file) {
  return {file.bytes.data(), file.bytes.data() + file.bytes.size()};
}

TEST(Trim, ShrinksVisualWakeWords) {
  const fs::path path = fs::path(LUTRA_TEST_DATA) / "models" / "vww_96_int8.tflite";
  if (!fs::exists(path)) GTEST_SKIP() << path;
  const host::ModelFile file = host::ReadModelFile(path);
  const TrimResult trimmed = Trim(file);
  EXPECT_EQ(trimmed.channels(), 2738);
  EXPECT_EQ(trimmed.constant(), 1715);
  EXPECT_EQ(trimmed.removed(), 1724);
  EXPECT_EQ(trimmed.bytes_before, 333288);
  EXPECT_LE(trimmed.file.size(), 80000u);
  EXPECT_LE(trimmed.macs_after, 3900000);
  ExpectSame(BytesOfFile(file), trimmed.file, SomeInputs(file.model, kSanitized ? 1 : 10));
  // Trimming again removes nothing.
  const TrimResult again = Trim(LoadModel(trimmed.file, "again"));
  EXPECT_EQ(again.removed(), 0);
  EXPECT_EQ(again.file, trimmed.file);
}

TEST(Trim, LeavesModelsWithoutSuchChannelsAsTheyAre) {
  for (const std::string name : {"kws", "kws_clustered", "ic", "ad", "vww96"}) {
    const fs::path path = fs::path(LUTRA_SOURCE_DIR) / "models" / (name + ".tflite");
    const host::ModelFile file = host::ReadModelFile(path);
    const TrimResult trimmed = Trim(file);
    EXPECT_EQ(trimmed.removed(), 0) << path;
    EXPECT_EQ(trimmed.file, BytesOfFile(file)) << path;
    EXPECT_EQ(trimmed.macs_after, trimmed.macs_before);
  }
}

// Some of the network's 16 units are constant for all inputs.
TEST(Trim, ComputesTheSameSine) {
  const host::ModelFile file = host::ReadModelFile(fs::path(LUTRA_SOURCE_DIR) / "models" / "sine.tflite");
  const TrimResult trimmed = Trim(file);
  EXPECT_EQ(trimmed.removed(), 9);
  std::vector<Values> inputs;
  for (int code = 0; code < 256; ++code) inputs.push_back({{static_cast<uint8_t>(code)}});
  ExpectSame(BytesOfFile(file), trimmed.file, inputs);
}

// Builds layers of a small network. Activations have scale 1/2 and zero point -3.
class Network {
 public:
  static constexpr float kScale = 0.5f;
  static constexpr int32_t kZeroPoint = -3;

  int Activation(const std::vector<int32_t>& shape) {
    return builder.AddTensor({.shape = shape, .scale = kScale, .zero_point = kZeroPoint});
  }
  int Ints(const std::vector<int32_t>& shape, const std::vector<int32_t>& values) {
    return builder.AddTensor({.shape = shape, .type = TensorType::kInt32, .data = BytesOf(values)});
  }
  int Node(BuiltinOperator code, const std::vector<int>& inputs, const std::vector<int32_t>& shape,
           const OperatorOptions& options = {}) {
    const int output = Activation(shape);
    builder.AddOperator(code, inputs, {output}, options);
    return output;
  }
  int Weights(const std::vector<int32_t>& shape, const std::vector<int8_t>& values, float scale = 0.25f) {
    return builder.AddTensor({.shape = shape, .scale = scale, .data = BytesOf(values)});
  }
  int Bias(const std::vector<int32_t>& values) {
    return builder.AddTensor({.shape = {static_cast<int32_t>(values.size())},
                              .type = TensorType::kInt32,
                              .scale = 0.125f,
                              .data = BytesOf(values)});
  }
  // Adds a VALID convolution whose filters of 1 x 1 have these weights.
  int Conv(int x, const std::vector<int8_t>& weights, const std::vector<int32_t>& biases,
           int32_t activation = 0) {
    const auto outputs = static_cast<int32_t>(biases.size());
    const auto depth = static_cast<int32_t>(weights.size()) / outputs;
    return Node(BuiltinOperator::kConv2D, {x, Weights({outputs, 1, 1, depth}, weights), Bias(biases)},
                {1, 2, 2, outputs}, {.padding = 1, .activation = activation});
  }
  host::ModelFile Finish(int x, const std::vector<int>& y) {
    return LoadModel(builder.Finish({x}, y), "network");
  }

  ModelBuilder builder;
};

constexpr int kRelu = 1;
constexpr int32_t kDead = -1000000;  // With RELU its output is the zero point.
constexpr int32_t kHigh = 1000000;   // Its output saturates.

// Returns the single reason for which constant channels of a layer stay.
std::string ReasonOf(const TrimResult& result, size_t layer) {
  return result.layers.at(layer).stay.empty() ? "" : result.layers[layer].stay[0].why;
}

std::vector<int32_t> ShapeOf(const Bytes& file, int tensor) {
  return ModelEditor(LoadModel(file, "m")).tensor(0, tensor).shape;
}

TEST(Trim, FoldsConstantsIntoBiases) {
  Network net;
  const int x = net.Activation({1, 2, 2, 1});
  const int a = net.Conv(x, {1, 1, 2}, {kDead, kHigh, 3}, kRelu);
  // This layer has no bias; trimming adds one.
  const int y = net.Node(BuiltinOperator::kConv2D, {a, net.Weights({2, 1, 1, 3}, {7, 1, 1, -3, 2, 5})},
                         {1, 2, 2, 2}, {.padding = 1});
  const host::ModelFile file = net.Finish(x, {y});
  const TrimResult trimmed = Trim(file);
  EXPECT_EQ(trimmed.layers[0].constant, 2);
  EXPECT_EQ(trimmed.layers[0].removed, 2);
  EXPECT_EQ(ShapeOf(trimmed.file, a), (std::vector<int32_t>{1, 2, 2, 1}));
  EXPECT_EQ(trimmed.macs_before, 4 * 3 + 4 * 6);
  EXPECT_EQ(trimmed.macs_after, 4 * 1 + 4 * 2);
  ExpectSame(BytesOfFile(file), trimmed.file, SomeInputs(file.model, 20));
  const ModelEditor after(LoadModel(trimmed.file, "m"));
  ASSERT_EQ(after.subgraph(0).operators[1]->inputs.size(), 3u);
  const edit::TensorT& bias = after.tensor(0, after.subgraph(0).operators[1]->inputs[2]);
  EXPECT_EQ(bias.quantization->scale, std::vector<float>{0.125f});
  // The bias becomes (127 + 3) times 1 and 2; the dead channel is the zero point and adds nothing.
  EXPECT_EQ(after.model().buffers[bias.buffer]->data, BytesOf(std::vector<int32_t>{130, 260}));
}

// A 3 x 3 window at the edge sees the zero point there, so only channels that equal it may be removed.
TEST(Trim, KeepsWhatPaddingDiffersFrom) {
  for (const int padding : {0, 1}) {
    Network net;
    const int x = net.Activation({1, 2, 2, 1});
    const int a = net.Conv(x, {1, 1, 2}, {kDead, kHigh, 3}, kRelu);
    const std::vector<int8_t> weights(12, 1);
    const int32_t size = padding == 0 ? 2 : 1;
    const int y = net.Node(BuiltinOperator::kConv2D, {a, net.Weights({1, 2, 2, 3}, weights), net.Bias({5})},
                           {1, size, size, 1}, {.padding = padding});
    const host::ModelFile file = net.Finish(x, {y});
    const TrimResult trimmed = Trim(file);
    EXPECT_EQ(trimmed.layers[0].removed, padding == 0 ? 1 : 2);
    EXPECT_EQ(ReasonOf(trimmed, 0), padding == 0 ? "windows over the edge see another value" : "");
    ExpectSame(BytesOfFile(file), trimmed.file, SomeInputs(file.model, 20));
  }
}

// The channel adds 260 to a bias, which then is INT32_MAX or one more.
TEST(Trim, KeepsWhatABiasCannotHold) {
  for (const bool fits : {true, false}) {
    Network net;
    const int x = net.Activation({1, 2, 2, 1});
    const int a = net.Conv(x, {1, 1}, {kHigh, 3});
    const int bias = net.Bias({INT32_MAX - (fits ? 260 : 259)});
    const int y = net.Node(BuiltinOperator::kConv2D, {a, net.Weights({1, 1, 1, 2}, {2, 0}, 1e-9f), bias},
                           {1, 2, 2, 1}, {.padding = 1});
    const TrimResult trimmed = Trim(net.Finish(x, {y}));
    EXPECT_EQ(trimmed.layers[0].constant, 1);
    EXPECT_EQ(trimmed.layers[0].removed, 1);
    EXPECT_EQ(ReasonOf(trimmed, 0),
              fits ? "one of a tensor's channels has to stay" : "a bias would leave int32");
  }
}

TEST(Trim, KeepsOneChannelOfEachTensor) {
  Network net;
  const int x = net.Activation({1, 2, 2, 2});
  const int a = net.Conv(x, {1, 1, 2, 3}, {kDead, kHigh}, kRelu);
  const int y = net.Conv(a, {2, 1}, {7});
  const host::ModelFile file = net.Finish(x, {y});
  const TrimResult trimmed = Trim(file);
  EXPECT_EQ(trimmed.layers[0].removed, 1);
  EXPECT_EQ(ReasonOf(trimmed, 0), "one of a tensor's channels has to stay");
  ExpectSame(BytesOfFile(file), trimmed.file, SomeInputs(file.model, 10));
}

TEST(Trim, KeepsTheOutputsOfTheModel) {
  Network net;
  const int x = net.Activation({1, 2, 2, 2});
  const int y = net.Conv(x, {1, 1, 2, 3}, {kDead, 0}, kRelu);
  const TrimResult trimmed = Trim(net.Finish(x, {y}));
  EXPECT_EQ(trimmed.removed(), 0);
  EXPECT_EQ(ReasonOf(trimmed, 0), "an input or output of the model keeps its shape");
}

// The second layer's channel is constant, so nothing needs the channel that it reads.
TEST(Trim, RemovesWhatNothingReads) {
  Network net;
  const int x = net.Activation({1, 2, 2, 1});
  const int a = net.Conv(x, {1, 2, 3}, {1, 2, 3});
  const int b = net.Node(BuiltinOperator::kDepthwiseConv2D,
                         {a, net.Weights({1, 1, 1, 3}, {1, 1, 1}), net.Bias({0, kDead, 0})}, {1, 2, 2, 3},
                         {.padding = 1, .activation = kRelu});
  const int y = net.Conv(b, {2, 3, 0}, {7});
  const host::ModelFile file = net.Finish(x, {y});
  const TrimResult trimmed = Trim(file);
  EXPECT_EQ(trimmed.layers[0].constant, 0);
  EXPECT_EQ(trimmed.layers[0].removed, 2);
  EXPECT_EQ(trimmed.layers[1].constant, 1);
  EXPECT_EQ(trimmed.layers[1].removed, 2);
  ExpectSame(BytesOfFile(file), trimmed.file, SomeInputs(file.model, 20));
}

// Two layers with the same weights and bias lose different channels.
TEST(Trim, CutsWeightsOfOneOfTwoReaders) {
  Network net;
  const int x = net.Activation({1, 2, 2, 2});
  const int weights = net.Weights({2, 1, 1, 2}, {1, -2, 3, 4}), bias = net.Bias({5, 6});
  const int a = net.Conv(x, {1, 1, 2, 3}, {kDead, 0}, kRelu);
  const OperatorOptions valid = {.padding = 1};
  const int b = net.Node(BuiltinOperator::kConv2D, {a, weights, bias}, {1, 2, 2, 2}, valid);
  const int c = net.Node(BuiltinOperator::kConv2D, {x, weights, bias}, {1, 2, 2, 2}, valid);
  const host::ModelFile file = net.Finish(x, {b, c});
  const TrimResult trimmed = Trim(file);
  EXPECT_EQ(trimmed.removed(), 1);
  ExpectSame(BytesOfFile(file), trimmed.file, SomeInputs(file.model, 20));
}

TEST(Trim, FollowsChannelsIntoFlatTensors) {
  Network net;
  const int x = net.Activation({1, 2, 2, 1});
  const int a = net.Conv(x, {1, 1, 2}, {kDead, kHigh, 3}, kRelu);
  const int flat =
      net.Node(BuiltinOperator::kReshape, {a, net.Ints({2}, {-1, 12})}, {1, 12}, {.dims = {-1, 12}});
  std::vector<int8_t> weights;
  for (int i = 0; i < 24; ++i) weights.push_back(static_cast<int8_t>(i - 10));
  const int y = net.Node(BuiltinOperator::kFullyConnected,
                         {flat, net.Weights({2, 12}, weights), net.Bias({1, 2})}, {1, 2});
  const host::ModelFile file = net.Finish(x, {y});
  const TrimResult trimmed = Trim(file);
  EXPECT_EQ(trimmed.layers[0].removed, 2);
  EXPECT_EQ(ShapeOf(trimmed.file, flat), (std::vector<int32_t>{1, 4}));
  EXPECT_EQ(trimmed.layers[1].weight_bytes_after, 8);
  ExpectSame(BytesOfFile(file), trimmed.file, SomeInputs(file.model, 20));
}

std::string RefusalOf(const host::ModelFile& file) {
  try {
    Trim(file);
    return "";
  } catch (const host::BadInput& refusal) {
    return refusal.what();
  }
}

TEST(Trim, RefusesWhatItCannotTrim) {
  const std::string planned = [] {
    const host::ModelFile file = host::ReadModelFile(fs::path(LUTRA_SOURCE_DIR) / "models" / "vww96.tflite");
    const host::ModelFile with_plan = LoadModel(PlanRows(file, {}).file, "planned");
    // The verb that the refusal names makes the model trimmable.
    EXPECT_EQ(RefusalOf(LoadModel(PlanRows(with_plan, {.longest = 1}).file, "m")), "");
    return RefusalOf(with_plan);
  }();
  EXPECT_NE(planned.find("run compress plan --longest=1 first"), std::string::npos) << planned;
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {4}, .scale = 1}),
            y = builder.AddTensor({.shape = {4}, .scale = 1});
  builder.AddCustomOperator("ethos-u", {x}, {y});
  const std::string custom = RefusalOf(LoadModel(builder.Finish({x}, {y}), "m"));
  EXPECT_NE(custom.find("found ethos-u as operator 0"), std::string::npos) << custom;
}

TEST(SumRounding, ContainsEveryRule) {
  const ActivationRange all = {-128, 127};
  // A factor of 1/4: 1 becomes 1 if rounded twice, and 0 if rounded once.
  const SumRounding quarter({0.25f, 1, 1}, 0, all);
  EXPECT_EQ(quarter.Of(1, 1), (CodeRange{0, 1}));
  EXPECT_EQ(quarter.Of(4, 4), (CodeRange{1, 1}));
  EXPECT_EQ(quarter.Of(-6, 4), (CodeRange{-2, 1}));
  // XNNPACK rounds ties to even; fixed point does not.
  const SumRounding half({0.5f, 1, 1}, 0, all);
  EXPECT_EQ(half.Of(5, 5), (CodeRange{2, 3}));
  EXPECT_EQ(half.Of(3, 3), (CodeRange{2, 2}));
  // Sums that may overflow may become any code.
  EXPECT_EQ(half.Of(int64_t{1} << 31, int64_t{1} << 31), CodeRange());
  EXPECT_EQ(SumRounding({1, 1, 1}, 0, all).Of(INT32_MAX, INT32_MAX), CodeRange());
  // The factor is flushed to 0.
  EXPECT_EQ(SumRounding({1e-20f, 1e-20f, 1}, 7, all).Of(INT32_MIN, INT32_MAX), (CodeRange{7, 7}));
}

TEST(SpansOf, AreThoseOfAllOutputs) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    WindowDimension window = {.in = 1 + static_cast<int32_t>(random() % 9),
                              .taps = 1 + static_cast<int32_t>(random() % 5),
                              .stride = 1 + static_cast<int32_t>(random() % 3),
                              .dilation = 1 + static_cast<int32_t>(random() % 3),
                              .padding = random() % 2 == 0 ? Padding::kSame : Padding::kValid};
    const int32_t reach = (window.taps - 1) * window.dilation + 1;
    if (window.padding == Padding::kValid && reach > window.in) continue;
    window.out = window.padding == Padding::kSame ? (window.in + window.stride - 1) / window.stride
                                                  : (window.in - reach) / window.stride + 1;
    const int32_t missing = std::max(0, (window.out - 1) * window.stride + reach - window.in);
    const int32_t before = window.padding == Padding::kSame ? missing / 2 : 0;
    std::vector<TapSpan> expected;
    for (int32_t y = 0; y < window.out; ++y) {
      TapSpan span = {1, 0};
      for (int32_t tap = window.taps; tap-- > 0;) {
        const int32_t at = y * window.stride - before + tap * window.dilation;
        if (at < 0 || at >= window.in) continue;
        if (span.first > span.last) span.last = tap;
        span.first = tap;
      }
      expected.push_back(span);
    }
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    EXPECT_EQ(SpansOf(window), expected);
  }
}

// ---- Random networks.

class RandomNetwork {
 public:
  explicit RandomNetwork(uint32_t seed) : random_(seed) {
    const int32_t size = Draw(1, 3);
    shape_ = {1, size, size, 1};
    input_ = x_ = net_.Activation(shape_);
    for (int layers = Draw(3, 8); layers > 0; --layers) AddLayer();
    if (Draw(0, 1) == 0) Flatten();
    const int last = Layer(Draw(1, 3), shape_.size() == 4 && Draw(0, 1) == 0);
    file_ = net_.Finish(input_, {last});
  }

  const host::ModelFile& file() const { return file_; }
  int planted() const { return planted_; }

 private:
  int32_t Draw(int32_t least, int32_t most) {
    return least + static_cast<int32_t>(random_() % static_cast<uint32_t>(most - least + 1));
  }
  int32_t channels() const { return shape_.back(); }

  std::vector<int8_t> Codes(int32_t count) {
    std::vector<int8_t> codes;
    for (int32_t i = 0; i < count; ++i) codes.push_back(static_cast<int8_t>(Draw(-40, 40)));
    return codes;
  }

  // Some biases make dead channels, and some make saturated ones: these are planted.
  std::vector<int32_t> Biases(int32_t count) {
    std::vector<int32_t> biases;
    for (int32_t i = 0; i < count; ++i) {
      const bool is_planted = Draw(0, 2) == 0;
      biases.push_back(is_planted ? (Draw(0, 3) == 0 ? kHigh : kDead) : Draw(-500, 500));
      planted_ += is_planted ? 1 : 0;
    }
    return biases;
  }

  std::vector<int32_t> With(int32_t depth) const {
    std::vector<int32_t> shape = shape_;
    shape.back() = depth;
    return shape;
  }

  void Go(int x, const std::vector<int32_t>& shape) {
    earlier_.emplace_back(x_, shape_);
    x_ = x;
    shape_ = shape;
  }

  // Adds a convolution or, for flat tensors, a FULLY_CONNECTED.
  int Layer(int32_t outputs, bool is_wide) {
    const std::vector<int32_t> biases = Biases(outputs);
    const OperatorOptions options = {.padding = 0, .activation = Draw(0, 1)};
    const int32_t taps = is_wide ? 3 : 1;
    const bool is_flat = shape_.size() == 2;
    const std::vector<int32_t> weights = is_flat ? std::vector<int32_t>{outputs, channels()}
                                                 : std::vector<int32_t>{outputs, taps, taps, channels()};
    return net_.Node(is_flat ? BuiltinOperator::kFullyConnected : BuiltinOperator::kConv2D,
                     {x_, net_.Weights(weights, Codes(outputs * (is_flat ? 1 : taps * taps) * channels())),
                      net_.Bias(biases)},
                     With(outputs), options);
  }

  void Depthwise() {
    const int32_t multiplier = Draw(1, 2), outputs = channels() * multiplier;
    const int filter = net_.Weights({1, 3, 3, outputs}, Codes(9 * outputs));
    Go(net_.Node(BuiltinOperator::kDepthwiseConv2D, {x_, filter, net_.Bias(Biases(outputs))}, With(outputs),
                 {.depth_multiplier = multiplier, .activation = Draw(0, 1)}),
       With(outputs));
  }

  void Combine() {
    const BuiltinOperator code = Draw(0, 1) == 0 ? BuiltinOperator::kAdd : BuiltinOperator::kMul;
    int other = -1;
    for (const auto& [tensor, shape] : earlier_) {
      if (shape == shape_ && Draw(0, 1) == 0) other = tensor;
    }
    if (other < 0) {
      const int32_t depth = Draw(0, 3) == 0 ? 1 : channels();
      other = net_.Weights({depth}, Codes(depth), Network::kScale);
    }
    Go(net_.Node(code, {x_, other}, shape_, {.activation = Draw(0, 1)}), shape_);
  }

  void Pool() {
    const BuiltinOperator code =
        Draw(0, 1) == 0 ? BuiltinOperator::kAveragePool2D : BuiltinOperator::kMaxPool2D;
    Go(net_.Node(code, {x_}, shape_, {.filter = 2, .activation = Draw(0, 1)}), shape_);
  }

  void Pad() {
    const std::vector<int32_t> shape = {1, shape_[1] + 1, shape_[2] + 1, channels()};
    Go(net_.Node(BuiltinOperator::kPad, {x_, net_.Ints({4, 2}, {0, 0, 1, 0, 0, 1, 0, 0})}, shape), shape);
  }

  void Mean() {
    const std::vector<int32_t> shape = {1, 1, 1, channels()};
    Go(net_.Node(BuiltinOperator::kMean, {x_, net_.Ints({2}, {1, 2})}, shape, {.keep_dims = true}), shape);
  }

  void Flatten() {
    const std::vector<int32_t> shape = {1, shape_[1] * shape_[2] * channels()};
    const bool is_input = Draw(0, 1) == 0;
    Go(is_input ? net_.Node(BuiltinOperator::kReshape, {x_, net_.Ints({2}, shape)}, shape)
                : net_.Node(BuiltinOperator::kReshape, {x_}, shape, {.dims = shape}),
       shape);
    const int32_t outputs = Draw(2, 5);
    Go(Layer(outputs, false), {1, outputs});
  }

  void AddLayer() {
    const int32_t outputs = Draw(2, 5);
    switch (Draw(0, 9)) {
      case 0:
      case 1:
        return Depthwise();
      case 2:
        return Combine();
      case 3: {
        const int32_t more = Draw(1, 3);
        const int other = Layer(more, false);
        const std::vector<int32_t> shape = With(channels() + more);
        return Go(net_.Node(BuiltinOperator::kConcatenation, {other, x_}, shape, {.axis = -1}), shape);
      }
      case 4:
        return Pool();
      case 5:
        if (shape_[1] < 4) return Pad();
        return Mean();
      default:
        return Go(Layer(outputs, Draw(0, 1) == 0), With(outputs));
    }
  }

  std::mt19937 random_;
  Network net_;
  int input_ = 0, x_ = 0;
  std::vector<int32_t> shape_;
  std::vector<std::pair<int, std::vector<int32_t>>> earlier_;
  int planted_ = 0;
  host::ModelFile file_;
};

// Makes all activations outputs of the model.
Bytes WithAllOutputs(const host::ModelFile& file, std::vector<int32_t>* tensors) {
  ModelEditor editor(file);
  for (const auto& op : editor.subgraph(0).operators) {
    for (const int32_t t : op->outputs) {
      if (t != editor.subgraph(0).outputs[0]) editor.subgraph(0).outputs.push_back(t);
    }
  }
  *tensors = editor.subgraph(0).outputs;
  return editor.Write();
}

// Returns every code if the image has one pixel, else images of one code for each code, and random ones.
std::vector<Values> ManyInputs(const host::ModelFile& file) {
  std::vector<Values> all = SomeInputs(file.model, 100);
  Values inputs = all[0];
  for (int code = 0; code < 256; ++code) {
    std::fill(inputs[0].begin(), inputs[0].end(), static_cast<uint8_t>(code));
    all.push_back(inputs);
  }
  return all;
}

TEST(Trim, OfRandomNetworks) {
  constexpr uint32_t kNetworks = kSanitized ? 60 : 300;
  int64_t planted = 0, constant = 0, removed = 0, constant_in_fact = 0;
  for (uint32_t seed = 1; seed <= kNetworks; ++seed) {
    SCOPED_TRACE(seed);
    const RandomNetwork network(seed);
    const host::ModelFile& file = network.file();
    const TrimResult trimmed = Trim(file);
    // All planted channels are found.
    EXPECT_GE(trimmed.constant(), network.planted());
    planted += network.planted();
    constant += trimmed.constant();
    removed += trimmed.removed();
    const std::vector<Values> inputs = ManyInputs(file);
    std::vector<int32_t> tensors;
    Runner watched(WithAllOutputs(file, &tensors)), after(trimmed.file);
    const Trace trace(file.model);
    std::vector<CodeRange> seen(static_cast<size_t>(trace.total()), CodeRange{127, -128});
    for (const Values& values : inputs) {
      const Values outputs = watched.Run(values);
      ASSERT_EQ(after.Run(values)[0], outputs[0]);
      for (size_t t = 0; t < tensors.size(); ++t) {
        const int32_t count = trace.count(tensors[t]), first = trace.first(tensors[t]);
        for (size_t i = 0; i < outputs[t].size(); ++i) {
          const auto code = static_cast<int8_t>(outputs[t][i]);
          seen[static_cast<size_t>(first + static_cast<int32_t>(i) % count)].Include({code, code});
        }
      }
    }
    for (const int32_t t : tensors) {
      for (int32_t c = trace.first(t); c < trace.first(t) + trace.count(t); ++c) {
        const CodeRange& real = seen[static_cast<size_t>(c)];
        const CodeRange& bound = trace.range(c);
        ASSERT_TRUE(real.min >= bound.min && real.max <= bound.max)
            << t << ": " << real.min << " to " << real.max;
        constant_in_fact += real.is_constant() ? 1 : 0;
      }
    }
    // Trimming again removes nothing.
    EXPECT_EQ(Trim(LoadModel(trimmed.file, "again")).removed(), 0);
  }
  RecordProperty("planted", static_cast<int>(planted));
  RecordProperty("constant", static_cast<int>(constant));
  RecordProperty("constant_in_fact", static_cast<int>(constant_in_fact));
  RecordProperty("removed", static_cast<int>(removed));
  EXPECT_GT(planted, 3 * static_cast<int64_t>(kNetworks));
  EXPECT_GT(removed, planted / 3);
}

}  // namespace
}  // namespace lutra::compressor

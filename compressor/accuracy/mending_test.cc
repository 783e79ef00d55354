// SPDX-License-Identifier: Apache-2.0
// Answers that come back, by values of the table alone.

#include "compressor/accuracy/mending.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compressor/accuracy/choices.h"
#include "runtime/testing/model_builder.h"

namespace lutra::compressor {
namespace {

// Three outputs of 24 inputs: the answers of one filter are to come from another, whose weights have four
// values in all, or in each row.
struct DenseFixture {
  static constexpr int kInputs = 24, kOutputs = 3, kSamples = 60;
  std::vector<uint8_t> wanted, coarse;
  std::vector<int8_t> samples;

  explicit DenseFixture(int spread) {
    std::mt19937 random(7);
    for (int i = 0; i < kInputs * kOutputs; ++i) {
      const int value = static_cast<int>(random() % 129) - 64;
      wanted.push_back(static_cast<uint8_t>(value));
      const int step = 32 + spread * (i / kInputs);
      coarse.push_back(static_cast<uint8_t>(std::clamp((value + 64) / step, 0, 3) * step - 64));
    }
    for (int i = 0; i < kSamples * kInputs; ++i) samples.push_back(static_cast<int8_t>(random() % 200 - 100));
  }

  host::ModelFile Model(const std::vector<uint8_t>& filter, TensorType type = TensorType::kInt8,
                        bool per_channel = false) const {
    ModelBuilder builder;
    const bool is_unsigned = type == TensorType::kUInt8;
    const int zero_point = is_unsigned ? 128 : 0;
    std::vector<uint8_t> stored = filter;
    for (uint8_t& code : stored) code = static_cast<uint8_t>(code + zero_point);
    const int in =
        builder.AddTensor({.shape = {1, kInputs}, .type = type, .scale = 0.5F, .zero_point = zero_point});
    TensorSpec of_weights = {
        .shape = {kOutputs, kInputs}, .type = type, .scale = 0.25F, .zero_point = zero_point, .data = stored};
    if (per_channel) {
      of_weights.channel_scales = {0.25F, 0.3F, 0.2F};
      of_weights.zero_points = {0, 0, 0};
    }
    const int weights = builder.AddTensor(of_weights);
    const int bias = builder.AddTensor({.shape = {kOutputs},
                                        .type = TensorType::kInt32,
                                        .scale = 0.125F,
                                        .data = BytesOf<int32_t>({300, -200, 100})});
    const int sums =
        builder.AddTensor({.shape = {1, kOutputs}, .type = type, .scale = 32, .zero_point = zero_point});
    const int out =
        builder.AddTensor({.shape = {kOutputs}, .type = type, .scale = 32, .zero_point = zero_point});
    builder.AddOperator(BuiltinOperator::kFullyConnected, {in, weights, bias}, {sums});
    builder.AddOperator(BuiltinOperator::kReshape, {sums}, {out});
    return LoadModel(builder.Finish({in}, {out}), "dense");
  }

  Dataset Data(TensorType type = TensorType::kInt8) const {
    Dataset data = {.type = type, .sample_bytes = kInputs};
    for (const int8_t code : samples) {
      data.samples.push_back(static_cast<uint8_t>(type == TensorType::kUInt8 ? code ^ -128 : code));
    }
    return data;
  }
};

TEST(Mending, FindsValuesOfTheTableThatGiveTheAnswers) {
  for (const bool per_channel : {false, true}) {
    for (const TensorType type : {TensorType::kInt8, TensorType::kUInt8}) {
      if (per_channel && type == TensorType::kUInt8) continue;
      const TableScope scope = per_channel ? TableScope::kChannel : TableScope::kTensor;
      const DenseFixture dense(per_channel ? 3 : 0);
      const auto model = [&](const std::vector<uint8_t>& filter) {
        return dense.Model(filter, type, per_channel);
      };
      const host::ModelFile wanted = model(dense.wanted), coarse = model(dense.coarse);
      const Evaluator evaluator(dense.Data(type), 2, true);
      const Bytes reference = evaluator.Outputs(wanted);
      const Evaluation before = evaluator.Evaluate(coarse, "accuracy", reference);
      ASSERT_LT(before.value, 0.98);
      std::vector<int64_t> labels;
      for (const InputResult& input : before.inputs) labels.push_back(input.label);
      const std::optional<LastLayer> layer = FindLastLayer(coarse);
      ASSERT_TRUE(layer.has_value());
      const TensorInfo filter = coarse.model.tensor(0, layer->filter);
      const Bytes mended = MendFilter(coarse, *layer, evaluator, labels, scope, false);

      int moved = 0;
      for (size_t i = 0; i < mended.size(); ++i) {
        const uint8_t* const table =
            filter.data.data() + (per_channel ? i / DenseFixture::kInputs * DenseFixture::kInputs : 0);
        EXPECT_NE(std::count(table, table + (per_channel ? DenseFixture::kInputs : mended.size()), mended[i]),
                  0)
            << i;
        moved += mended[i] != filter.data[static_cast<int64_t>(i)] ? 1 : 0;
      }
      EXPECT_LT(moved, 8) << "of 72";
      Bytes stored = mended;
      for (uint8_t& code : stored) code = static_cast<uint8_t>(code - filter.zero_point);
      // What a sample's outputs were changed by, squared: 300 and 412 where nobody looks at what is
      // disturbed.
      const Bytes was = evaluator.Outputs(coarse), is = evaluator.Outputs(model(stored));
      double change = 0;
      for (size_t i = 0; i < was.size(); ++i) {
        const double by = static_cast<int8_t>(is[i] - was[i]);
        change += by * by / DenseFixture::kSamples;
      }
      EXPECT_LT(change, 280);
      EXPECT_EQ(evaluator.Evaluate(model(stored), "accuracy", reference).value, 1);
      // What lacks nothing stays as it is.
      EXPECT_EQ(MendFilter(model(stored), *layer, evaluator, labels, TableScope::kTensor, false), mended);
    }
  }
}

// An option of any bytes, of a tensor that is binned or not, has settings that make them.
TEST(Mending, HasSettings) {
  const DenseFixture dense(0);
  const host::ModelFile file = dense.Model(dense.wanted);
  Choices choices(file, Target::kLutra, Widths::kUniform);
  ASSERT_EQ(choices.tensors().size(), 1u);
  for (const int like : {0, 7}) {  // As it is, and 4 values.
    Bytes bytes = choices.tensors()[0].options[static_cast<size_t>(like)].bytes;
    for (size_t i = 0; i < 5; ++i) std::swap(bytes[7 * i], bytes[70 - 9 * i]);
    const std::vector<int> chosen = {choices.AddOption(0, like, bytes)};
    const TensorOption& option = choices.tensors()[0].options.back();
    ASSERT_TRUE(option.settings.has_value());
    EXPECT_EQ(BinTensor(file.model.tensor(0, 1), *option.settings).bytes, bytes) << like;
    const host::ModelFile applied = choices.Apply(chosen);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), applied.model.tensor(0, 1).data.begin())) << like;
    EXPECT_EQ(choices.BytesOf(chosen), choices.BytesOf({like}));
  }
}

TEST(Mending, LeavesZerosWhereTheyAre) {
  const DenseFixture dense(0);
  const host::ModelFile wanted = dense.Model(dense.wanted), coarse = dense.Model(dense.coarse);
  const Evaluator evaluator(dense.Data(), 1, true);
  std::vector<int64_t> labels;
  for (const InputResult& input : evaluator.Evaluate(wanted, "accuracy", evaluator.Outputs(wanted)).inputs) {
    labels.push_back(input.answer);
  }
  const std::optional<LastLayer> layer = FindLastLayer(coarse);
  ASSERT_TRUE(layer.has_value());
  const Bytes mended = MendFilter(coarse, *layer, evaluator, labels, TableScope::kTensor, true);
  EXPECT_NE(mended, dense.coarse);
  int zeros = 0;
  for (size_t i = 0; i < mended.size(); ++i) {
    EXPECT_EQ(mended[i] == 0, dense.coarse[i] == 0) << i;
    zeros += mended[i] == 0 ? 1 : 0;
  }
  EXPECT_GT(zeros, 5);
}

TEST(Mending, KnowsTheLayersThatItCanMove) {
  const auto layer_of = [](const OperatorOptions& options, int side) {
    ModelBuilder builder;
    const int in = builder.AddTensor({.shape = {1, side, side, 2}, .scale = 1});
    const int filter = builder.AddTensor({.shape = {3, 1, 1, 2}, .scale = 1, .data = {1, 2, 3, 4, 5, 6}});
    const int conv = builder.AddTensor({.shape = {1, side, side, 3}, .scale = 1});
    const int out = builder.AddTensor({.shape = {1, side, side, 3}, .scale = 1 / 256.F, .zero_point = -128});
    builder.AddOperator(BuiltinOperator::kConv2D, {in, filter}, {conv}, options);
    builder.AddOperator(BuiltinOperator::kSoftmax, {conv}, {out});
    return FindLastLayer(LoadModel(builder.Finish({in}, {out}), "conv"));
  };
  const std::optional<LastLayer> layer = layer_of({}, 1);
  ASSERT_TRUE(layer.has_value());
  EXPECT_EQ(layer->filter, 1);
  EXPECT_EQ(layer->output, 2);
  EXPECT_EQ(layer->bias, -1);
  EXPECT_FALSE(layer_of({}, 2)) << "a filter in four places";
  EXPECT_FALSE(layer_of({.activation = 1}, 1)) << "RELU";
  ModelBuilder builder;
  const int in = builder.AddTensor({.shape = {1, 3}, .scale = 1});
  const int out = builder.AddTensor({.shape = {1, 3}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kRelu, {in}, {out});
  EXPECT_FALSE(FindLastLayer(LoadModel(builder.Finish({in}, {out}), "relu")));
}

}  // namespace
}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Compares assigned weights with the nearest values, and with all possible assignments.

#include "compressor/accuracy/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "compressor/accuracy/choices.h"
#include "host/model_file.h"
#include "runtime/testing/model_builder.h"

namespace lutra::compressor {
namespace {

// A layer of one operator that reads an input of 4 x 4 x 4, and samples whose neighbouring values are alike.
struct Layer {
  host::ModelFile file;
  TensorId filter;
  std::vector<FilterInputs> inputs;

  Layer(BuiltinOperator code, std::vector<int32_t> filter_shape, TensorType type, bool per_channel,
        int seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    constexpr int kSide = 4, kChannels = 4, kSamples = 24, kInputs = kSide * kSide * kChannels;
    const bool is_unsigned = type == TensorType::kUInt8;
    const bool is_depthwise = code == BuiltinOperator::kDepthwiseConv2D;
    const bool is_dense = code == BuiltinOperator::kFullyConnected;
    const int axis = is_depthwise ? 3 : 0, outputs = filter_shape[axis];
    int count = 1;
    for (const int dimension : filter_shape) count *= dimension;
    ModelBuilder builder;
    const std::vector<int32_t> in_shape =
        is_dense ? std::vector<int32_t>{1, kInputs} : std::vector<int32_t>{1, kSide, kSide, kChannels};
    const int in = builder.AddTensor(
        {.shape = in_shape, .type = type, .scale = 0.3F, .zero_point = is_unsigned ? 120 : -8});
    std::vector<uint8_t> weights;
    for (int i = 0; i < count; ++i)
      weights.push_back(static_cast<uint8_t>(random() % 200 + (is_unsigned ? 0 : 156)));
    TensorSpec of_filter = {.shape = filter_shape, .type = type, .scale = 0.25F, .data = weights};
    if (is_unsigned) of_filter.zero_point = 131;
    if (per_channel) {
      of_filter.quantized_dimension = axis;
      for (int o = 0; o < outputs; ++o) of_filter.channel_scales.push_back(0.25F * static_cast<float>(o + 1));
      of_filter.zero_points.assign(static_cast<size_t>(outputs), 0);
    }
    const int tensor = builder.AddTensor(of_filter);
    const int bias = builder.AddTensor({.shape = {outputs},
                                        .type = TensorType::kInt32,
                                        .scale = 0.125F,
                                        .data = std::vector<uint8_t>(static_cast<size_t>(outputs) * 4)});
    const int out = builder.AddTensor({.shape = is_dense ? std::vector<int32_t>{1, outputs}
                                                         : std::vector<int32_t>{1, kSide, kSide, outputs},
                                       .type = type,
                                       .scale = 64,
                                       .zero_point = is_unsigned ? 128 : 0});
    builder.AddOperator(code, {in, tensor, bias}, {out},
                        {.padding = 0, .depth_multiplier = outputs / kChannels});
    file = LoadModel(builder.Finish({in}, {out}), "layer");
    filter = {0, tensor};

    std::vector<uint8_t> samples;
    for (int s = 0; s < kSamples; ++s) {
      const int level = static_cast<int>(random() % 60);
      for (int i = 0; i < kInputs; ++i) {
        // The channels have noise of different sizes.
        const int noise = static_cast<int>(random() % static_cast<uint32_t>(8 + 10 * (i % kChannels)));
        samples.push_back(static_cast<uint8_t>(level + noise + (is_unsigned ? 120 : -8)));
      }
    }
    const Dataset data = {.type = type, .sample_bytes = kInputs, .samples = samples};
    inputs = MeasureFilterInputs(file, Evaluator(data, 1, true));
  }
  TensorInfo info() const { return file.model.tensor(filter.subgraph, filter.tensor); }
};

const struct Kind {
  BuiltinOperator code;
  std::vector<int32_t> shape;
} kKinds[] = {{BuiltinOperator::kFullyConnected, {5, 64}},
              {BuiltinOperator::kConv2D, {6, 3, 3, 4}},
              {BuiltinOperator::kConv2D, {6, 1, 1, 4}},
              {BuiltinOperator::kConv2D, {6, 3, 2, 2}},  // Two groups.
              {BuiltinOperator::kDepthwiseConv2D, {1, 3, 3, 4}},
              {BuiltinOperator::kDepthwiseConv2D, {1, 2, 3, 8}}};

TEST(Assigner, GainsOnNearestValuesInEveryLayer) {
  for (const Kind& kind : kKinds) {
    double all_before = 0, all_after = 0;
    for (const bool per_channel : {false, true}) {
      const Layer layer(kind.code, kind.shape, TensorType::kInt8, per_channel, 1);
      const TensorInfo info = layer.info();
      for (const bool is_centred : {false, true}) {
        const auto assigners = Assigners(layer.file, layer.inputs, is_centred);
        ASSERT_EQ(assigners.count(layer.filter), 1u);
        const Assigner& assigner = assigners.at(layer.filter);
        EXPECT_EQ(assigner.ErrorOf(Bytes(info.data.begin(), info.data.end())), 0);
        for (const TableScope per : {TableScope::kTensor, TableScope::kChannel}) {
          for (const int bits : {1, 3}) {
            const BinnedTensor nearest = BinTensor(info, {.bits = bits, .per = per});
            const Assignment assigned = assigner.Assign(nearest, false);
            const double before = assigner.ErrorOf(nearest.bytes), after = assigner.ErrorOf(assigned.bytes);
            EXPECT_LE(after, before);
            all_before += before;
            all_after += after;
            // The table has no more values than before, and each element has a value of its table.
            ASSERT_EQ(assigned.values.size(), nearest.values.size());
            BinSettings settings = {.values = assigned.values, .per = per};
            TensorInfo changed = info;
            changed.data = {assigned.bytes.data(), assigned.bytes.size()};
            EXPECT_EQ(BinTensor(changed, settings).bytes, assigned.bytes);
            for (size_t t = 0; t < assigned.values.size(); ++t) {
              EXPECT_LE(assigned.values[t].size(), size_t{1} << bits);
              EXPECT_TRUE(std::is_sorted(assigned.values[t].begin(), assigned.values[t].end()));
            }
          }
        }
      }
    }
    EXPECT_LT(all_after, 0.9 * all_before) << ToString(kind.code);
  }
}

// ErrorOf gives the error of the outputs on the samples, as all places are counted: 24 x 16 are fewer than
// the limit. The error is a little larger, since products of two inputs count less and squares more.
TEST(Assigner, CountsTheErrorOfOutputs) {
  const Layer layer(BuiltinOperator::kFullyConnected, {1, 64}, TensorType::kInt8, false, 2);
  const InputProducts& products = layer.inputs.at(0).products.at(0);
  ASSERT_EQ(products.means.size(), 64u);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(products.means[i], layer.inputs[0].means[i], 1e-9);
    EXPECT_NEAR(products.products[i * 65], layer.inputs[0].squares[i], 1e-9);
  }
  const TensorInfo info = layer.info();
  Bytes one(info.data.begin(), info.data.end());
  one[5] += 3;
  one[9] -= 2;
  const auto assigners = Assigners(layer.file, layer.inputs, false);
  const double exact = 0.0625 * (9 * products.products[5 * 65] + 4 * products.products[9 * 65] -
                                 12 * products.products[5 * 64 + 9]);
  const double error = assigners.at(layer.filter).ErrorOf(one);
  EXPECT_GT(error, exact);
  EXPECT_LT(error, 1.1 * exact + 0.0625 * 12 * 0.11 * products.products[5 * 64 + 9]);
}

// Changes one weight at a time: its error follows from the inputs that it meets, in every kind of layer.
TEST(Assigner, CountsEachWeightByWhatItMeets) {
  for (const Kind& kind : kKinds) {
    const Layer layer(kind.code, kind.shape, TensorType::kInt8, true, 3);
    const FilterInputs& inputs = layer.inputs.at(0);
    const TensorInfo info = layer.info();
    std::vector<double> scales(info.scales.size());
    for (int32_t o = 0; o < info.scales.size(); ++o) scales[static_cast<size_t>(o)] = info.scales[o];
    for (const bool is_centred : {false, true}) {
      const auto assigners = Assigners(layer.file, layer.inputs, is_centred);
      std::vector<double> powers;
      std::map<int32_t, double> sums;  // Of the powers of each output.
      for (size_t i = 0; i < inputs.outputs.size(); ++i) {
        powers.push_back(inputs.squares[i] - (is_centred ? inputs.means[i] * inputs.means[i] : 0));
        sums[inputs.outputs[i]] += powers.back();
      }
      const double of_output = static_cast<double>(inputs.outputs.size()) / static_cast<double>(sums.size());
      for (size_t i = 0; i < powers.size(); ++i) {
        Bytes one(info.data.begin(), info.data.end());
        one[i] = static_cast<uint8_t>(one[i] + (static_cast<int8_t>(one[i]) > 0 ? -2 : 2));
        const double scale = scales[static_cast<size_t>(inputs.outputs[i])];
        const double wanted =
            4 * scale * scale * (powers[i] + kLeastShare * sums[inputs.outputs[i]] / of_output);
        EXPECT_NEAR(assigners.at(layer.filter).ErrorOf(one), wanted, 1e-9 * wanted)
            << ToString(kind.code) << " " << i;
      }
    }
  }
}

// No weight gains by another value of its table while the others stay.
TEST(Assigner, LeavesNoSingleWeightToMove) {
  for (const Kind& kind : kKinds) {
    const Layer layer(kind.code, kind.shape, TensorType::kInt8, false, 6);
    const auto assigners = Assigners(layer.file, layer.inputs, false);
    const Assigner& assigner = assigners.at(layer.filter);
    const Assignment assigned = assigner.Assign(BinTensor(layer.info(), {.bits = 3}), false);
    const double error = assigner.ErrorOf(assigned.bytes);
    for (size_t i = 0; i < assigned.bytes.size(); ++i) {
      for (const double value : assigned.values[0]) {
        Bytes moved = assigned.bytes;
        moved[i] = static_cast<uint8_t>(static_cast<int>(value));
        EXPECT_GE(assigner.ErrorOf(moved), error * (1 - 1e-9)) << ToString(kind.code) << " " << i;
      }
    }
  }
}

// 8 weights with two values have 256 assignments.
TEST(Assigner, IsNearlyTheBestThereIs) {
  double found = 0, least = 0, nearest_error = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const Layer layer(BuiltinOperator::kDepthwiseConv2D, {1, 2, 4, 4}, TensorType::kInt8, false, seed);
    const auto assigners = Assigners(layer.file, layer.inputs, true);
    const Assigner& assigner = assigners.at(layer.filter);
    const BinnedTensor nearest = BinTensor(layer.info(), {.bits = 1});
    const Assignment assigned = assigner.Assign(nearest, false);
    ASSERT_EQ(assigned.values[0].size(), 2u);
    found += assigner.ErrorOf(assigned.bytes);
    nearest_error += assigner.ErrorOf(nearest.bytes);
    // Searches each channel alone, with the values that were found.
    Bytes best = assigned.bytes;
    for (size_t channel = 0; channel < 4; ++channel) {
      double best_error = assigner.ErrorOf(best);
      for (int pattern = 0; pattern < 256; ++pattern) {
        Bytes tried = best;
        for (size_t i = 0; i < 8; ++i) {
          tried[4 * i + channel] =
              static_cast<uint8_t>(static_cast<int>(assigned.values[0][pattern >> i & 1]));
        }
        const double error = assigner.ErrorOf(tried);
        if (error < best_error) {
          best = tried;
          best_error = error;
        }
      }
    }
    least += assigner.ErrorOf(best);
  }
  EXPECT_LE(found, 1.1 * least);
  EXPECT_LT(found, 0.75 * nearest_error);
}

TEST(Assigner, LeavesZerosOfASparseTable) {
  for (const TensorType type : {TensorType::kInt8, TensorType::kUInt8}) {
    const Layer layer(BuiltinOperator::kConv2D, {6, 3, 3, 4}, type, false, 4);
    const TensorInfo info = layer.info();
    const auto zero = static_cast<uint8_t>(info.zero_point);
    const BinnedTensor sparse =
        BinTensor(info, {.bits = 2, .threshold = 8, .sparse = SparseUse::kForce, .pin_zero = true});
    const auto assigners = Assigners(layer.file, layer.inputs, true);
    const Assigner& assigner = assigners.at(layer.filter);
    const Assignment assigned = assigner.Assign(sparse, true);
    EXPECT_LT(assigner.ErrorOf(assigned.bytes), 0.9 * assigner.ErrorOf(sparse.bytes));
    int zeros = 0;
    for (size_t i = 0; i < sparse.bytes.size(); ++i) {
      if (sparse.bytes[i] != zero) continue;
      ++zeros;
      EXPECT_EQ(assigned.bytes[i], zero);
    }
    EXPECT_GT(zeros, 20);
    EXPECT_LE(assigned.values[0].size(), 5u);
  }
}

TEST(Assigner, GivesWhatSettingsMake) {
  const Layer layer(BuiltinOperator::kConv2D, {6, 3, 3, 4}, TensorType::kInt8, true, 5);
  Calibration calibration;
  calibration.assigners = Assigners(layer.file, layer.inputs, true);
  int moved = 0;
  for (const Widths widths : {Widths::kUseful, Widths::kEngine}) {
    const Choices choices(layer.file, Target::kLutra, widths, calibration);
    const TensorChoice& choice = choices.tensors().at(0);
    const TensorInfo info = layer.info();
    for (const TensorOption& option : choice.options) {
      if (!option.settings) continue;
      EXPECT_EQ(BinTensor(info, *option.settings).bytes, option.bytes);
      EXPECT_DOUBLE_EQ(calibration.assigners.at(layer.filter).ErrorOf(option.bytes), option.error);
      EXPECT_LT(option.qsnr_db, 60);
      moved += option.settings->add.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(moved, 8);
}

// Memory and time of the products grow with the square of an output's inputs.
TEST(Assigner, LeavesOutputsOfVeryManyInputs) {
  for (const int count : {1152, 1153}) {
    ModelBuilder builder;
    const int in = builder.AddTensor({.shape = {1, count}, .scale = 1});
    const int filter = builder.AddTensor(
        {.shape = {2, count}, .scale = 1, .data = std::vector<uint8_t>(static_cast<size_t>(2 * count), 3)});
    const int out = builder.AddTensor({.shape = {1, 2}, .scale = 1});
    builder.AddOperator(BuiltinOperator::kFullyConnected, {in, filter}, {out});
    const host::ModelFile file = LoadModel(builder.Finish({in}, {out}), "many");
    const auto bytes = static_cast<size_t>(count);
    const Dataset data = {.sample_bytes = bytes, .samples = Bytes(bytes, 1)};
    const std::vector<FilterInputs> inputs = MeasureFilterInputs(file, Evaluator(data, 1, true));
    EXPECT_EQ(inputs.at(0).products.empty(), count > 1152);
    EXPECT_EQ(inputs.at(0).means.size(), 2 * bytes);
    EXPECT_EQ(Assigners(file, inputs, true).empty(), count > 1152);
  }
}

// A descent that moves one weight at a time ends where two weights would have to move together.
TEST(Assigner, PaysErrorsBackFromTheFirst) {
  double nearest_error = 0, error = 0;
  for (int seed = 0; seed < 10; ++seed) {
    const Layer layer(BuiltinOperator::kFullyConnected, {5, 64}, TensorType::kInt8, false, seed);
    const auto assigners = Assigners(layer.file, layer.inputs, false);
    const Assigner& assigner = assigners.at(layer.filter);
    for (const int bits : {2, 3, 4}) {
      const BinnedTensor nearest = BinTensor(layer.info(), {.bits = bits});
      nearest_error += assigner.ErrorOf(nearest.bytes);
      error += assigner.ErrorOf(assigner.Assign(nearest, false).bytes);
    }
  }
  EXPECT_LT(error, 0.165 * nearest_error) << "0.142; by single moves alone 0.188";
}

// The variance of inputs that never change is rounding errors alone: all weights count the same.
TEST(Assigner, TakesInputsThatNeverChange) {
  Layer layer(BuiltinOperator::kFullyConnected, {5, 64}, TensorType::kInt8, false, 7);
  InputProducts& products = layer.inputs.at(0).products.at(0);
  std::mt19937 random(1);
  for (size_t i = 0; i < 64; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const double noise = 1 + 1e-15 * (static_cast<double>(random() % 3) - 1);
      products.products[i * 64 + j] = products.products[j * 64 + i] =
          products.means[i] * products.means[j] * noise;
    }
    products.products[i * 65] = products.means[i] * products.means[i] * (1 + 1e-15);
  }
  const auto assigners = Assigners(layer.file, layer.inputs, true);
  const Assigner& assigner = assigners.at(layer.filter);
  const BinnedTensor nearest = BinTensor(layer.info(), {.bits = 2});
  const Assignment assigned = assigner.Assign(nearest, false);
  EXPECT_LE(assigner.ErrorOf(assigned.bytes), assigner.ErrorOf(nearest.bytes));
  const TensorInfo info = layer.info();
  double error = 0;
  for (size_t i = 0; i < assigned.bytes.size(); ++i) {
    const int by = static_cast<int8_t>(assigned.bytes[i]) - static_cast<int8_t>(info.data[i]);
    error += 0.0625 * by * by;
  }
  EXPECT_DOUBLE_EQ(assigner.ErrorOf(assigned.bytes), error);
}

// Inputs that are always zero say nothing of the outputs; the model's own weights decide.
TEST(Assigner, TakesInputsOfZeros) {
  ModelBuilder builder;
  const int in = builder.AddTensor({.shape = {1, 4}, .scale = 1});
  const int filter = builder.AddTensor({.shape = {1, 4}, .scale = 1, .data = {1, 2, 9, 10}});
  const int out = builder.AddTensor({.shape = {1, 1}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {in, filter}, {out});
  const host::ModelFile file = LoadModel(builder.Finish({in}, {out}), "zeros");
  const Dataset data = {.sample_bytes = 4, .samples = {0, 0, 0, 0}};
  const auto assigners = Assigners(file, MeasureFilterInputs(file, Evaluator(data, 1, true)), true);
  const TensorInfo info = file.model.tensor(0, filter);
  const Assignment assigned = assigners.at({0, filter}).Assign(BinTensor(info, {.bits = 1}), false);
  EXPECT_LE(assigned.values[0].size(), 2u);
  EXPECT_EQ(assigners.at({0, filter}).ErrorOf(assigned.bytes), 2.0);
}

}  // namespace
}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Tests models of the older uint8 scheme: converted to int8, and compressed without conversion.

#include "compressor/convert_uint8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "compressor/bin_model.h"
#include "compressor/binning.h"
#include "compressor/pack.h"
#include "host/model_inputs.h"
#include "host/output_file.h"
#include "host/testing/inference.h"
#include "host/testing/scratch_folder.h"
#include "lutra/compression/format.h"
#include "lutra/node_info.h"
#include "runtime/testing/model_builder.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;
using Codes = std::vector<uint8_t>;

TensorSpec Uint8(const std::vector<int32_t>& shape, float scale, int64_t zero_point, const Codes& data = {}) {
  return {.shape = shape, .type = TensorType::kUInt8, .scale = scale, .zero_point = zero_point, .data = data};
}

// Returns codes from `low` upwards in multiples of `step`, which repeat after `count` elements.
Codes Ramp(int elements, int low, int count, int step) {
  Codes codes;
  for (int i = 0; i < elements; ++i) codes.push_back(static_cast<uint8_t>(low + i * step % count));
  return codes;
}

// Two convolutions share one bias tensor, and the output of each is joined with its input.
struct Network {
  // Codes of the weights are within `reach` of their zero point.
  explicit Network(int64_t zero_point, int reach, float joined_scale = 0.5f) {
    const int low = static_cast<int>(zero_point) - reach;
    x = builder.AddTensor(Uint8({1, 4, 4, 8}, 0.5f, 100));
    const int w = builder.AddTensor(Uint8({8, 1, 1, 8}, 0.01f, zero_point, Ramp(64, low, 2 * reach + 1, 37)));
    TensorSpec spec = {.shape = {8},
                       .type = TensorType::kInt32,
                       .scale = 0.005f,
                       .data = BytesOf(std::vector<int32_t>{900, -900, 50, 0, 7, 1, -1, 12345})};
    bias = builder.AddTensor(spec);
    const int a = builder.AddTensor(Uint8({1, 4, 4, 8}, 0.5f, 100));
    const int b = builder.AddTensor(Uint8({1, 4, 4, 8}, 0.5f, 100));
    const int y = builder.AddTensor(Uint8({1, 4, 4, 16}, joined_scale, 100));
    builder.AddOperator(BuiltinOperator::kConv2D, {x, w, bias}, {a});
    builder.AddOperator(BuiltinOperator::kConv2D, {a, w, bias}, {b});
    builder.AddOperator(BuiltinOperator::kConcatenation, {a, b}, {y}, {.axis = 3});
    file = LoadModel(builder.Finish({x}, {y}), "memory");
  }
  ModelBuilder builder;
  int x = 0, bias = 0;
  host::ModelFile file;
};

Codes RunBytes(const Codes& model, const Codes& input) {
  const host::ScratchFolder folder;
  const fs::path path = folder / "model.tflite";
  host::WriteFileBytes(path, model.data(), model.size());
  const host::RunOutcome outcome = host::RunModel(path, {input}, 1, {});
  EXPECT_EQ(outcome.status, Status::kOk) << outcome.refusal;
  return outcome.outputs.empty() ? Codes() : outcome.outputs[0];
}

Codes Shifted(Codes codes) {
  for (uint8_t& code : codes) code ^= 0x80;
  return codes;
}

const ConvertedTensor& Find(const Uint8Conversion& conversion, const std::string& role) {
  for (const ConvertedTensor& tensor : conversion.tensors) {
    if (tensor.role == role) return tensor;
  }
  throw std::logic_error("no " + role);
}

// Returns the largest difference of codes between the model and the converted one.
int Drift(const host::ModelFile& file, const Uint8Conversion& converted) {
  const Codes input = host::SeededInputs(file.model, 1)[0];
  const Codes model(file.bytes.data(), file.bytes.data() + file.bytes.size());
  const Codes before = RunBytes(model, input);
  const Codes after = Shifted(RunBytes(converted.file, Shifted(input)));
  EXPECT_EQ(before.size(), after.size());
  int largest = 0;
  for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
    largest = std::max(largest, std::abs(before[i] - after[i]));
  }
  return largest;
}

TEST(ConvertUint8, LosesNothingWhereWeightsFit) {
  for (const int64_t zero_point : {127, 128}) {
    const Network network(zero_point, 127);
    for (const WeightScales scales : {WeightScales::kTensor, WeightScales::kChannel}) {
      const Uint8Conversion converted = ConvertUint8(network.file, scales);
      for (const ConvertedTensor& tensor : converted.tensors) EXPECT_TRUE(std::isinf(tensor.qsnr_db));
      EXPECT_EQ(Drift(network.file, converted), 0);
    }
  }
}

TEST(ConvertUint8, RequantisesWhatDoesNotFit) {
  const Network network(60, 60);
  ModelEditor editor(network.file);
  editor.tensor(0, 1).quantization->zero_point[0] = 200;  // The farthest code is 200 away.
  const host::ModelFile file = LoadModel(editor.Write(), "memory");
  const Uint8Conversion converted = ConvertUint8(file, WeightScales::kTensor);
  const ConvertedTensor& weights = Find(converted, "weights");
  EXPECT_FLOAT_EQ(weights.scale_after, 0.01f * 200 / 127);
  EXPECT_EQ(weights.zero_point_after, 0);
  EXPECT_GT(weights.qsnr_db, 40);
  EXPECT_LT(weights.qsnr_db, 60);
  EXPECT_FLOAT_EQ(Find(converted, "bias").scale_after, 0.005f * 200 / 127);
  // Each of two layers may be off by half a step of 8 weights of up to 2.
  EXPECT_LE(Drift(file, converted), 6);
  // Each convolution now has weights and a bias of its own.
  const host::ModelFile after = LoadModel(converted.file, "after");
  EXPECT_NE(after.model.node(0, 0).inputs[2], after.model.node(0, 1).inputs[2]);
  for (int t = 0; t < after.model.tensor_count(0); ++t) {
    EXPECT_NE(after.model.tensor(0, t).type, TensorType::kUInt8) << t;
  }
}

TEST(ConvertUint8, RescalesBeforeConcatenation) {
  const Network network(128, 127, 0.7f);
  const Uint8Conversion converted = ConvertUint8(network.file, WeightScales::kTensor);
  EXPECT_EQ(converted.quantize_operators, 2);
  EXPECT_LE(Drift(network.file, converted), 1);
  EXPECT_NE(ConversionTable(converted).find("2 QUANTIZE added"), std::string::npos);
}

void ExpectRefused(const host::ModelFile& file, const std::string& words) {
  try {
    (void)ConvertUint8(file, WeightScales::kTensor);
    ADD_FAILURE() << "not refused: " << words;
  } catch (const host::BadInput& refusal) {
    EXPECT_NE(std::string(refusal.what()).find(words), std::string::npos) << refusal.what();
  }
}

TEST(ConvertUint8, Refuses) {
  const Network network(128, 127);
  ModelEditor editor(network.file);
  editor.tensor(0, 1).buffer = 0;
  editor.subgraph(0).inputs.push_back(1);
  ExpectRefused(LoadModel(editor.Write(), "memory"), "weights that are computed");
  ModelBuilder other;
  const int a = other.AddTensor(Uint8({4}, 1, 0)), b = other.AddTensor(Uint8({4}, 1, 0));
  other.AddOperator(BuiltinOperator::kTanh, {a}, {b});
  ExpectRefused(LoadModel(other.Finish({a}, {b}), "memory"), "uint8 in operator 0 (TANH)");
  ModelBuilder plain;
  const int c = plain.AddTensor({.shape = {4}, .scale = 1}), d = plain.AddTensor({.shape = {4}, .scale = 1});
  plain.AddOperator(BuiltinOperator::kRelu, {c}, {d});
  ExpectRefused(LoadModel(plain.Finish({c}, {d}), "memory"), "found no tensor of it");
  ModelBuilder bare;
  const int e = bare.AddTensor({.shape = {4}, .type = TensorType::kUInt8});
  const int f = bare.AddTensor({.shape = {2, 2}, .type = TensorType::kUInt8});
  bare.AddOperator(BuiltinOperator::kReshape, {e}, {f});
  ExpectRefused(LoadModel(bare.Finish({e}, {f}), "memory"), "0 scales");
}

// Int8 without a scale is joined, and a bias has the product of tiny scales: conversion takes both.
TEST(ConvertUint8, BearsWhatHasNoScale) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {4}}), b = builder.AddTensor({.shape = {8}});
  builder.AddOperator(BuiltinOperator::kConcatenation, {a, a}, {b});
  const int x = builder.AddTensor(Uint8({1, 2}, 1e-30f, 0)), y = builder.AddTensor(Uint8({1, 3}, 1, 0));
  const int w = builder.AddTensor(Uint8({3, 2}, 1e-30f, 128, Ramp(6, 100, 50, 7)));
  const std::vector<int32_t> values = {0, 5, -5};
  const int bias = builder.AddTensor({.shape = {3}, .type = TensorType::kInt32, .data = BytesOf(values)});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {x, w, bias}, {y});
  const host::ModelFile file = LoadModel(builder.Finish({a, x}, {b, y}), "memory");
  const Uint8Conversion converted = ConvertUint8(file, WeightScales::kTensor);
  EXPECT_EQ(converted.quantize_operators, 0);
  const host::ModelFile after = LoadModel(converted.file, "after");
  EXPECT_EQ(after.model.node_count(0), 2);
  const TensorInfo zeros = after.model.tensor(0, bias);
  EXPECT_EQ(Bytes(zeros.data.begin(), zeros.data.end()), Bytes(12));
}

// ---- uint8 without conversion.

TEST(Uint8Weights, AreBinnedAndPackedForLutra) {
  const Network network(50, 50);
  ModelEditor editor(network.file);
  const BinReport report =
      BinModel(network.file, {{{0, 1}, {.name = "weights", .settings = {.bits = 2}}}}, &editor);
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_TRUE(report.rows[0].applied);
  EXPECT_EQ(report.rows[0].binned.size.table_bytes, 4);
  const host::ModelFile binned = LoadModel(editor.Write(), "memory");
  PackOptions options;
  options.target = Target::kTflm;
  for (const PackedTensor& tensor : Pack(binned, options).tensors) {
    EXPECT_FALSE(tensor.coded) << tensor.constant.name;
    if (tensor.constant.type != TensorType::kUInt8) continue;
    EXPECT_NE(tensor.obstacle.text.find("uint8 is not compressed for TFLM"), std::string::npos);
  }
  options.target = Target::kLutra;
  options.spec = std::vector<SpecEntry>{{.id = {0, 1}, .codec = DecodeType::kLut}};
  const Codes input = host::SeededInputs(binned.model, 1)[0];
  const Codes plain(binned.bytes.data(), binned.bytes.data() + binned.bytes.size());
  for (const Form form : {Form::kDecode, Form::kMetadata}) {
    options.form = form;
    EXPECT_EQ(RunBytes(Pack(binned, options).file, input), RunBytes(plain, input));
  }
}

TEST(Uint8Weights, OfARealModel) {
  const fs::path path = fs::path(LUTRA_TEST_DATA) / "models" / "visual_wake_quant.tflite";
  if (!fs::exists(path)) GTEST_SKIP() << "no " << path;
  const host::ModelFile file = host::ReadModelFile(path);
  const Uint8Conversion converted = ConvertUint8(file, WeightScales::kChannel);
  const host::ModelFile after = LoadModel(converted.file, "after");
  int weights = 0;
  for (const ConvertedTensor& tensor : converted.tensors) {
    weights += tensor.role == "weights" ? 1 : 0;
    EXPECT_GT(tensor.qsnr_db, 20) << tensor.name;
  }
  EXPECT_EQ(weights, 54);
}

}  // namespace
}  // namespace lutra::compressor

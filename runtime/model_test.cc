// SPDX-License-Identifier: Apache-2.0
// Files that break a rule of the format, and mutants of files: each is refused or runs, and none crashes.

#include "lutra/model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "lutra/diagnosis_text.h"
#include "lutra/node_info.h"
#include "runtime/testing/custom_models.h"
#include "runtime/testing/hostile.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/model_files.h"
#include "runtime/testing/sanitized.h"
#include "runtime/testing/uint8_network.h"

namespace lutra {
namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<uint8_t>;

const fs::path kBundled = fs::path(LUTRA_SOURCE_DIR) / "models";

TEST(Model, ReadsWhatWasBuilt) {
  ModelBuilder builder;
  const int input = builder.AddTensor({.shape = {1, 4, 4, 2}, .scale = 0.5f, .zero_point = -3, .name = "in"});
  const int filter =
      builder.AddTensor({.shape = {2, 1, 1, 2}, .channel_scales = {0.25f, 0.125f}, .data = {1, 2, 3, 4}});
  const int output = builder.AddTensor({.shape = {1, 2, 2, 2}, .scale = 1.0f});
  builder.AddOperator(BuiltinOperator::kConv2D, {input, filter, -1}, {output},
                      {.padding = 1, .stride = 2, .activation = 3});
  const Loaded file(builder.Finish({input}, {output}));
  ASSERT_EQ(file.status, Status::kOk);
  EXPECT_EQ(file.model.subgraph_count(), 1);
  EXPECT_EQ(file.model.tensor_count(0), 3);
  const TensorInfo in = file.model.tensor(0, input);
  EXPECT_EQ(in.type, TensorType::kInt8);
  EXPECT_EQ(in.bytes, 32);
  EXPECT_STREQ(in.name, "in");
  EXPECT_EQ(in.scale, 0.5f);
  EXPECT_EQ(in.zero_point, -3);
  EXPECT_FALSE(in.is_constant());
  const TensorInfo weights = file.model.tensor(0, filter);
  EXPECT_EQ(weights.scales.size(), 2);
  EXPECT_EQ(weights.scales[1], 0.125f);
  EXPECT_EQ(weights.data[3], 4);
  const NodeInfo node = file.model.node(0, 0);
  EXPECT_EQ(node.code, BuiltinOperator::kConv2D);
  EXPECT_EQ(node.inputs[2], -1);
  WindowOptions options;
  ASSERT_TRUE(ReadWindowOptions(node, &options));
  EXPECT_EQ(options.padding, Padding::kValid);
  EXPECT_EQ(options.stride_h, 2);
  EXPECT_EQ(options.dilation_w, 1);
  EXPECT_EQ(options.activation, Activation::kRelu6);
  float beta = 0;
  EXPECT_FALSE(ReadSoftmaxBeta(node, &beta)) << "options of another operator";
}

TEST(Model, ReadsRealModels) {
  std::vector<fs::path> models = ModelsIn(kBundled);
  ASSERT_EQ(models.size(), 6u);
  const std::vector<fs::path> others = ModelsIn(fs::path(LUTRA_TEST_DATA) / "models");
  models.insert(models.end(), others.begin(), others.end());
  for (const fs::path& path : models) {
    const Loaded file(ReadAll(path));
    ASSERT_EQ(file.status, Status::kOk) << path << ": " << Describe(file.diagnosis.rule).name;
    EXPECT_GT(file.model.node_count(0), 0);
    for (int i = 0; i < file.model.node_count(0); ++i) {
      EXPECT_STRNE(ToString(file.model.node(0, i).code), "UNKNOWN") << path;
      EXPECT_GT(file.model.node(0, i).outputs.size(), 0) << path;
    }
    EXPECT_GT(file.model.tensor(0, file.model.inputs(0)[0]).bytes, 0);
  }
}

Rule RuleOf(const Bytes& bytes) {
  const Loaded file(bytes);
  EXPECT_NE(file.status, Status::kOk);
  EXPECT_EQ(file.model.subgraph_count(), 0) << "a refused model is empty";
  return file.diagnosis.rule;
}

TEST(Model, RefusesWhatIsNoModel) {
  EXPECT_EQ(RuleOf({}), Rule::kFileTooShort);
  EXPECT_EQ(RuleOf(Bytes(15, 'x')), Rule::kFileTooShort);
  EXPECT_EQ(RuleOf(Bytes(1000, 'x')), Rule::kFileIdentifier);
  Bytes only_identifier(64, 0xFF);
  std::copy_n("TFL3", 4, only_identifier.begin() + 4);
  EXPECT_EQ(RuleOf(only_identifier), Rule::kFlatbuffer);
}

TEST(Model, RefusesIndicesAndShapesOutOfRange) {
  const TensorSpec good = {.shape = {1, 4}, .scale = 0.1f};
  const auto rule_of = [&](const TensorSpec& spec, const std::vector<int>& inputs,
                           const std::vector<int>& outputs) {
    ModelBuilder builder;
    builder.AddTensor(good);
    builder.AddTensor(spec);
    builder.AddOperator(BuiltinOperator::kRelu, inputs, outputs);
    return RuleOf(builder.Finish({0}, {1}));
  };
  EXPECT_EQ(rule_of(good, {2}, {1}), Rule::kTensorIndex);
  EXPECT_EQ(rule_of(good, {-2}, {1}), Rule::kTensorIndex);
  EXPECT_EQ(rule_of(good, {0}, {-1}), Rule::kTensorIndex);
  EXPECT_EQ(rule_of({.shape = {1, 0}}, {0}, {1}), Rule::kTensorDimension);
  EXPECT_EQ(rule_of({.shape = {-1, 4}}, {0}, {1}), Rule::kTensorDimension);
  EXPECT_EQ(rule_of({.shape = {65536, 65536}}, {0}, {1}), Rule::kTensorSize);
  EXPECT_EQ(rule_of({.shape = {1, 1, 1, 1, 1, 1, 1, 1, 1}}, {0}, {1}), Rule::kTensorRank);
  EXPECT_EQ(rule_of({.shape = {1, 4}, .type = static_cast<TensorType>(99)}, {0}, {1}), Rule::kTensorType);
  EXPECT_EQ(rule_of({.shape = {1, 4}, .data = {1, 2, 3}}, {0}, {1}), Rule::kConstantSize);
}

// RESHAPE does not read its list of dimensions, and a scalar's has none. Its input must have elements.
TEST(Model, TakesAListOfNoDimensions) {
  const auto load = [](int data, int list, int output) {
    ModelBuilder builder;
    builder.AddTensor({.shape = {1}, .scale = 0.1f});
    builder.AddTensor({.shape = {0}, .type = TensorType::kInt32});
    builder.AddTensor({.shape = {}, .scale = 0.1f});
    builder.AddOperator(BuiltinOperator::kReshape, {data, list}, {output});
    return builder.Finish({0}, {2});
  };
  EXPECT_EQ(Loaded(load(0, 1, 2)).status, Status::kOk);
  EXPECT_TRUE(TryToRun(load(0, 1, 2)));
  EXPECT_EQ(RuleOf(load(1, 1, 2)), Rule::kTensorDimension);
  EXPECT_EQ(RuleOf(load(0, 1, 1)), Rule::kTensorDimension);
}

// A dimension of 0 is refused if a node or the graph reads or writes the tensor. Elsewhere converters write
// such tensors: the `intermediates` of an int8 LSTM.
TEST(Model, TakesTensorsWithoutElementsThatNobodyUses) {
  enum User { kNobody, kNodeReads, kNodeWrites, kGraphReads, kGraphWrites };
  const auto load = [](User user) {
    ModelBuilder builder;
    for (int t = 0; t < 3; ++t) builder.AddTensor({.shape = {1, 4}, .scale = 0.1f});
    const int empty = builder.AddTensor({.shape = {0}, .type = TensorType::kInt16, .scale = 0.1f});
    builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
    builder.AddOperator(BuiltinOperator::kRelu, {user == kNodeReads ? empty : 1},
                        {user == kNodeWrites ? empty : 2});
    return builder.Finish({user == kGraphReads ? empty : 0}, {user == kGraphWrites ? empty : 2});
  };
  EXPECT_EQ(Loaded(load(kNobody)).status, Status::kOk);
  EXPECT_TRUE(TryToRun(load(kNobody)));
  for (const User user : {kNodeReads, kNodeWrites, kGraphReads, kGraphWrites}) {
    const Loaded file(load(user));
    EXPECT_EQ(file.status, Status::kInvalidModel);
    EXPECT_EQ(file.diagnosis.rule, Rule::kTensorDimension);
    EXPECT_EQ(file.diagnosis.tensor, 3);
    EXPECT_EQ(file.diagnosis.node, user == kNodeReads || user == kNodeWrites ? 1 : -1);
    EXPECT_EQ(file.diagnosis.found, 0);
    EXPECT_EQ(file.diagnosis.required, 1);
  }
}

// Its `intermediates` have no elements.
TEST(Model, LooksAtAnInt8LstmsOperator) {
  const fs::path path = fs::path(LUTRA_TEST_DATA) / "real-models/trained_lstm_int8.tflite";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  EXPECT_EQ(Loaded(ReadAll(path)).status, Status::kOk);
}

TEST(Model, WantsItsBytesAligned) {
  const Bytes bytes = ReluChain(1, 4);
  std::vector<uint64_t> memory(bytes.size() / 8 + 2);
  for (int past = 0; past < 8; ++past) {
    uint8_t* const begin = reinterpret_cast<uint8_t*>(memory.data()) + past;
    std::copy(bytes.begin(), bytes.end(), begin);
    Model model;
    Diagnosis diagnosis;
    const bool is_aligned = past % 4 == 0;
    EXPECT_EQ(Model::Load({begin, bytes.size()}, &model, &diagnosis),
              is_aligned ? Status::kOk : Status::kInvalidArgument);
    EXPECT_EQ(diagnosis.rule, is_aligned ? Rule::kNone : Rule::kModelAlignment);
    if (is_aligned) continue;
    EXPECT_EQ(diagnosis.found, past % 2 == 0 ? 2 : 1);
    EXPECT_EQ(diagnosis.required, 4);
  }
}

// Try puts the bytes 4 behind a multiple of 16, so the constant is copied.
TEST(Model, RunsWhereNumbersOf8BytesAreAlignedTo4) {
  ModelBuilder builder;
  const int input = builder.AddTensor({.shape = {1}, .type = TensorType::kInt32});
  const int wide = builder.AddTensor(
      {.shape = {2}, .type = TensorType::kInt64, .data = BytesOf<int64_t>({-5, (1ll << 32) + 7})});
  const int output = builder.AddTensor({.shape = {2}, .type = TensorType::kInt32});
  builder.AddOperator(BuiltinOperator::kCast, {wide}, {output});
  const Bytes file = builder.Finish({input}, {output});
  const Trial trial = Try({file.data(), file.size()});
  ASSERT_EQ(trial.status, Status::kOk);
  int32_t values[2];
  ASSERT_EQ(trial.outputs.size(), sizeof values);
  std::memcpy(values, trial.outputs.data(), sizeof values);
  EXPECT_EQ(values[0], -5);
  EXPECT_EQ(values[1], 7);
}

TEST(Model, FindsMetadata) {
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {1}, .scale = 1});
  builder.AddMetadata("other", {1});
  builder.AddMetadata("wanted", {2, 3});
  const Loaded file(builder.Finish({x}, {x}));
  ASSERT_EQ(file.status, Status::kOk);
  EXPECT_EQ(file.model.Metadata("wanted").size(), 8u);
  EXPECT_TRUE(file.model.Metadata("absent").empty());
}

// ---- Rules.

TEST(Rules, HaveTexts) {
  std::set<std::string> names;
  for (int i = 0; i < static_cast<int>(Rule::kCount); ++i) {
    const RuleText text = Describe(static_cast<Rule>(i));
    EXPECT_STRNE(text.name, "unknown") << i;
    EXPECT_TRUE(names.insert(text.name).second) << text.name;
  }
}

// Firmware prints these numbers, and users look them up.
TEST(Rules, KeepTheirNumbers) {
  EXPECT_EQ(static_cast<int>(Rule::kTensorDimension), 13);
  EXPECT_EQ(static_cast<int>(Rule::kOperatorUnknown), 24);
  EXPECT_EQ(static_cast<int>(Rule::kArenaTooSmall), 90);
  EXPECT_EQ(static_cast<int>(Rule::kDelegateFailed), 96);
}

// ---- Hostile bytes.

TEST(HostileModel, TruncatedAnywhere) {
  for (const fs::path& path : ModelsIn(kBundled)) {
    const Bytes bytes = ReadAll(path);
    for (int i = 0; i < 200; ++i) {
      const size_t length = bytes.size() * static_cast<size_t>(i) / 200;
      EXPECT_FALSE(TryToRun({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}))
          << path << " " << length;
    }
  }
}

// A resource has no bytes, and an input of this type no memory.
TEST(HostileModel, InputWithoutBytes) {
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {1}, .type = TensorType::kResource});
  EXPECT_TRUE(TryToRun(builder.Finish({x}, {})));
}

constexpr int kWrongBytes = kSanitized ? 100 : 2000;

TEST(HostileModel, OneByteWrong) {
  std::mt19937 random(1);
  int ran = 0;
  for (const Bytes& bytes : {ReadAll(kBundled / "sine.tflite"), ReadAll(kBundled / "kws.tflite"),
                             ReadAll(kBundled / "ad.tflite"), Uint8Network(false)}) {
    ASSERT_TRUE(TryToRun(bytes));
    // Most of a file is weights; the structure is at its two ends.
    for (int i = 0; i < kWrongBytes; ++i) {
      Bytes wrong = bytes;
      const size_t reach = i % 2 == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 6000);
      const size_t at = i % 4 < 2 ? bytes.size() - 1 - random() % reach : random() % reach;
      wrong[at] = static_cast<uint8_t>(random());
      ran += TryToRun(wrong) ? 1 : 0;
    }
  }
  EXPECT_GT(ran, 0);
  EXPECT_LT(ran, 4 * kWrongBytes);
}

// Small files, of which every byte is wrong in turn: sizes, options, tables of indices.
TEST(HostileModel, EachByteOfACustomOperatorWrong) {
  std::mt19937 random(2);
  int ran = 0, count = 0;
  for (const CustomModel& model : CustomModels()) {
    SCOPED_TRACE(model.name);
    ASSERT_TRUE(TryToRun(model.file));
    for (size_t at = 0; at < model.file.size(); at += kSanitized ? 7 : 1) {
      const uint8_t values[] = {0, 0xFF, static_cast<uint8_t>(model.file[at] + 1),
                                static_cast<uint8_t>(random())};
      Bytes wrong = model.file;
      wrong[at] = values[random() % 4];
      ran += TryToRun(wrong) ? 1 : 0;
      ++count;
    }
  }
  EXPECT_GT(ran, count / 10);
  EXPECT_LT(ran, count);
}

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// The oracle also judges users' models: it must refuse every model that makes no sense, by Unspecified.

#include <gtest/gtest.h>

#include "conformance/generator/case.h"
#include "conformance/generator/model_maker.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;

constexpr int64_t kMostElements = 1 << 20;

// Changes a dimension, a type, an operand, a scale, an option or a byte of a constant.
void Change(Random& random, oracle::ModelObjects* model) {
  edit::SubGraphT& graph = *model->subgraphs[static_cast<size_t>(random.Next() % model->subgraphs.size())];
  if (graph.tensors.empty() || graph.operators.empty()) return;
  const auto any = [&](const auto& list) { return static_cast<size_t>(random.Next() % list.size()); };
  edit::TensorT& tensor = *graph.tensors[any(graph.tensors)];
  edit::OperatorT& op = *graph.operators[any(graph.operators)];
  const auto set_byte = [&](Bytes& bytes) {
    if (!bytes.empty()) bytes[any(bytes)] = static_cast<uint8_t>(random.Next());
  };
  const int kind = random.Int(0, 9);
  if (kind <= 1 && !tensor.shape.empty()) tensor.shape[any(tensor.shape)] = random.Int(0, 9);
  if (kind == 2) tensor.shape.push_back(random.Int(0, 3));
  if (kind == 3 && !tensor.shape.empty()) tensor.shape.pop_back();
  if (kind == 4) tensor.type = static_cast<decltype(tensor.type)>(random.Int(0, 17));
  if (kind == 5 && !op.inputs.empty()) op.inputs[any(op.inputs)] = static_cast<int32_t>(any(graph.tensors));
  if (kind == 6 && !op.inputs.empty()) op.inputs.pop_back();
  if (kind == 7 && !op.outputs.empty()) op.outputs.pop_back();
  if (kind == 8 && tensor.quantization && !tensor.quantization->scale.empty()) {
    tensor.quantization->scale.resize(static_cast<size_t>(random.Int(0, 3)), 0.5f);
  }
  if (kind == 9) set_byte(random.OneIn(2) ? model->buffers[any(model->buffers)]->data : op.custom_options);
}

// Returns the inputs of the case, or any bytes where the model now says another size.
std::vector<Bytes> InputsOf(const Case& test, const oracle::ModelObjects& model, Random& random) {
  std::vector<Bytes> inputs;
  const edit::SubGraphT& graph = *model.subgraphs[0];
  for (const int32_t input : graph.inputs) {
    const edit::TensorT& tensor = *graph.tensors[static_cast<size_t>(input)];
    const auto bytes = static_cast<int64_t>(oracle::ByteCount(tensor));
    const size_t at = inputs.size();
    if (at < test.inputs.size() && static_cast<int64_t>(test.inputs[at].size()) == bytes) {
      inputs.push_back(test.inputs[at]);
      continue;
    }
    inputs.emplace_back(static_cast<size_t>(bytes));
    for (uint8_t& byte : inputs.back()) byte = static_cast<uint8_t>(random.Next());
  }
  return inputs;
}

bool IsLarge(const oracle::ModelObjects& model) {
  int64_t elements = 0;
  for (const auto& graph : model.subgraphs) {
    for (const auto& tensor : graph->tensors) elements += oracle::ElementCount(tensor->shape);
  }
  return elements > kMostElements;
}

class HostileModels : public testing::TestWithParam<const CaseFamily*> {};

TEST_P(HostileModels, AreUnspecifiedOrGiveSomething) {
  const CaseFamily& family = *GetParam();
  int given = 0;
  for (int i = 0; i < 60; ++i) {
    Random random(family.prefix + std::to_string(i));
    const Case test = family.draw(random);
    try {
      const auto changed = oracle::ReadModel(test.plain_model.empty() ? test.model : test.plain_model);
      for (int changes = random.Int(0, 3); changes > 0; --changes) Change(random, changed.get());
      const auto model = oracle::ReadModel(oracle::WriteModel(*changed));
      if (IsLarge(*model)) continue;
      const std::vector<oracle::Profile>& profiles = oracle::Profiles();
      const oracle::Profile& profile = profiles[static_cast<size_t>(i) % profiles.size()];
      oracle::Evaluation run(*model, oracle::Judging(profile));
      for (int invoke = 0; invoke < 2; ++invoke) run.Invoke(InputsOf(test, *model, random));
      ++given;
    } catch (const oracle::Unspecified& why) {
      EXPECT_STRNE(why.what(), "");
    }
  }
  EXPECT_GT(given, 0);
}

std::vector<const CaseFamily*> DrawnFamilies() {
  std::vector<const CaseFamily*> families;
  for (const CaseFamily& family : AllFamilies()) {
    // Loops of a million bodies take minutes; packed weights are the same models without them.
    const bool is_left_out = family.prefix.find("control_flow") != std::string::npos ||
                             family.prefix.find("lut.") != std::string::npos ||
                             family.prefix.find("decode_") != std::string::npos;
    if (family.draw != nullptr && !is_left_out) families.push_back(&family);
  }
  return families;
}

INSTANTIATE_TEST_SUITE_P(, HostileModels, testing::ValuesIn(DrawnFamilies()), [](const auto& info) {
  std::string name = info.param->prefix;
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
});

// The codes of the only output, computed by profile tflm.
Bytes OutputOf(ModelMaker& maker, const Bytes& input) {
  const auto model = oracle::ReadModel(maker.Finish());
  oracle::Evaluation run(*model, oracle::Following(*oracle::FindProfile("tflm")));
  return run.Invoke({input}).at(0);
}

MadeTensor Pixels() { return {.shape = {1, 2, 1, 1}, .scale = 1}; }

// TFLM's padding comes from the output's size alone: here there is none, and the second row has no tap.
TEST(OddModels, ATransposedConvolutionOfMoreRowsThanItNeeds) {
  ModelMaker maker;
  const int x = maker.Input(Pixels());
  const int shape = maker.Int32Constant({1, 2, 1, 1}, {4});
  const int weights = maker.Constant({.shape = {1, 1, 1, 1}, .scale = 1}, {1});
  const int y = maker.Output(Pixels());
  maker.Op<edit::TransposeConvOptionsT>("TRANSPOSE_CONV", {shape, weights, x}, {y}, [](auto& options) {
    options.stride_h = 4;
    options.stride_w = 1;
  });
  EXPECT_EQ(OutputOf(maker, {7, 9}), Bytes({7, 0}));
}

TEST(OddModels, AWindowFarLargerThanTheImageTakesNoTime) {
  ModelMaker maker;
  const int x = maker.Input(Pixels());
  const int y = maker.Output(Pixels());
  maker.Op<edit::Pool2DOptionsT>("MAX_POOL_2D", {x}, {y}, [](auto& options) {
    options.stride_h = options.stride_w = 1;
    options.filter_height = options.filter_width = 1 << 30;
  });
  EXPECT_EQ(OutputOf(maker, {7, 9}), Bytes({9, 9}));
}

TEST(OddModels, AnOutputOfALongerBufferIsUnspecified) {
  ModelMaker maker;
  maker.Input(Pixels());
  const int long_one = maker.Constant(Pixels(), {1, 2, 3});
  auto model = oracle::ReadModel(maker.Finish());
  model->subgraphs[0]->outputs = {long_one};
  oracle::Evaluation run(*model, oracle::Following(*oracle::FindProfile("tflm")));
  EXPECT_THROW(run.Invoke({{1, 2}}), oracle::Unspecified);
}

oracle::ModelObjects WithInputs(int count, int32_t elements) {
  ModelMaker maker;
  std::vector<int> inputs;
  for (int i = 0; i < count; ++i) inputs.push_back(maker.Input({.shape = {1, elements}, .scale = 1}));
  maker.Op("L2_NORMALIZATION", {inputs[0]}, {maker.Output({.shape = {1, 1}, .scale = 1.0f / 128})});
  return std::move(*oracle::ReadModel(maker.Finish()));
}

TEST(OddModels, ShapesThatAskForGigabytesAreRefused) {
  EXPECT_NO_THROW(oracle::RequireMemory(WithInputs(1, 1 << 24)));
  EXPECT_THROW(oracle::RequireMemory(WithInputs(1, (1 << 24) + 1)), oracle::Unspecified);
  EXPECT_NO_THROW(oracle::RequireMemory(WithInputs(7, 1 << 24)));
  EXPECT_THROW(oracle::RequireMemory(WithInputs(8, 1 << 24)), oracle::Unspecified);
}

}  // namespace
}  // namespace lutra::conformance

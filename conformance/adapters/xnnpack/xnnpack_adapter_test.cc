// SPDX-License-Identifier: Apache-2.0
// XNNPACK (February 2022) against the oracle: on every model of the shared corpus that it runs, each byte
// is that of the profile `xnnpack`, MEAN apart. The models are not part of the repository (LUTRA_TEST_DATA):
// without them only the small models made here are run.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "conformance/adapters/xnnpack/run.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance::xnnpack {
namespace {

namespace fs = std::filesystem;
using oracle::Bytes;
using oracle::Codes;

const fs::path kCases = fs::path(LUTRA_TEST_DATA) / "golden" / "corpus" / "cases";

// How many runs of each operator XNNPACK takes; none of the others.
const std::map<std::string, int> kTaken = {{"add", 54},
                                           {"composite", 6},
                                           {"concatenation", 20},
                                           {"conv_2d", 62},
                                           {"dequantize", 16},
                                           {"depthwise_conv_2d", 66},
                                           {"elu", 16},
                                           {"expand_dims", 16},
                                           {"fully_connected", 24},
                                           {"logistic", 22},
                                           {"max_pool_2d", 46},
                                           {"mean", 50},
                                           {"mul", 52},
                                           {"pad", 20},
                                           {"padv2", 20},
                                           {"quantize", 12},
                                           {"relu6", 16},
                                           {"reshape", 20},
                                           {"resize_bilinear", 52},
                                           {"squeeze", 20},
                                           {"sub", 54},
                                           {"tanh", 22},
                                           {"transpose_conv", 20}};

Bytes ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Operators() {
  std::vector<std::string> names;
  if (!fs::exists(kCases)) return {"none"};
  for (const auto& entry : fs::directory_iterator(kCases)) names.push_back(entry.path().filename());
  return names;
}

// MEAN in this version: r = s_in / (s_out * n) in float32; float32(sum of (q - z_in)) * r, ties to even.
// X-RED of later versions has the zero points inside the rounding.
Codes MeanOf2022(const oracle::ModelObjects& model, const Bytes& input, size_t outputs) {
  const edit::SubGraphT& graph = *model.subgraphs[0];
  const edit::OperatorT& op = *graph.operators[0];
  const edit::TensorT& x = *graph.tensors[static_cast<size_t>(op.inputs[0])];
  const oracle::Quantization in = oracle::QuantizationOf(x);
  const oracle::Quantization out = oracle::QuantizationOf(*graph.tensors[static_cast<size_t>(op.outputs[0])]);
  std::vector<Bytes> values(graph.tensors.size());
  const auto axes = static_cast<size_t>(op.inputs[1]);
  values[axes] = oracle::DataOf(model, *graph.tensors[axes]);
  std::vector<bool> reduced(x.shape.size(), false);
  for (const int64_t axis : oracle::Node(graph, op, &values).Get(1)) {
    reduced[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.shape.size()) : axis)] = true;
  }
  Codes sums(outputs, 0);
  for (size_t i = 0; i < input.size(); ++i) {
    size_t rest = i, target = 0, stride = 1;
    for (size_t d = x.shape.size(); d-- > 0;) {
      const auto dim = static_cast<size_t>(x.shape[d]);
      if (!reduced[d]) {
        target += rest % dim * stride;
        stride *= dim;
      }
      rest /= dim;
    }
    sums[target] += static_cast<int8_t>(input[i]) - in.zero_point;
  }
  const float ratio = in.scale / (out.scale * static_cast<float>(input.size() / outputs));
  for (int64_t& sum : sums) {
    sum = oracle::Clamp(oracle::RoundEven(static_cast<float>(sum) * ratio) + out.zero_point, -128, 127);
  }
  return sums;
}

// How many elements of the first output differ; -1: it has another size.
int64_t Differences(const Bytes& bytes, const Codes& codes) {
  if (bytes.size() != codes.size()) return -1;
  int64_t count = 0;
  for (size_t i = 0; i < bytes.size(); ++i) count += static_cast<int8_t>(bytes[i]) != codes[i];
  return count;
}

struct Counts {
  int taken = 0, unsupported = 0;
};

void CheckRun(const std::string& op, const fs::path& folder, const std::string& suffix, Counts* counts) {
  const Bytes bytes = ReadFile(folder / "model.tflite");
  std::vector<Bytes> inputs, outputs;
  for (;;) {
    const fs::path path = folder / ("in" + std::to_string(inputs.size()) + suffix);
    if (!fs::exists(path)) break;
    inputs.push_back(ReadFile(path));
  }
  const CaseAnswer answer = RunOnXnnpack(bytes, inputs, &outputs);
  if (answer.kind == CaseAnswer::kUnsupported) {
    ++counts->unsupported;
    return;
  }
  ASSERT_EQ(answer.kind, CaseAnswer::kOk) << answer.why;
  ++counts->taken;
  const auto model = oracle::ReadModel(bytes);
  if (op == "mean") {
    EXPECT_EQ(Differences(outputs[0], MeanOf2022(*model, inputs[0], outputs[0].size())), 0);
  } else {
    oracle::Evaluation run(*model, oracle::Following(*oracle::FindProfile("xnnpack")));
    EXPECT_TRUE(run.Invoke(inputs) == outputs);
  }
}

class XnnpackOnCorpus : public testing::TestWithParam<std::string> {};

TEST_P(XnnpackOnCorpus, EveryByte) {
  const std::string op = GetParam();
  if (op == "none") GTEST_SKIP() << "no corpus at " << kCases << " (LUTRA_TEST_DATA)";
#if !defined(__x86_64__)
  GTEST_SKIP() << "the profile is that of x86-64";
#endif
  Counts counts;
  for (const auto& entry : fs::directory_iterator(kCases / op)) {
    for (const char* suffix : {".bin", ".b.bin"}) {
      SCOPED_TRACE(entry.path().filename().string() + suffix);
      CheckRun(op, entry.path(), suffix, &counts);
    }
  }
  const auto taken = kTaken.find(op);
  EXPECT_EQ(counts.taken, taken == kTaken.end() ? 0 : taken->second);
  RecordProperty("taken", counts.taken);
  RecordProperty("unsupported", counts.unsupported);
}

INSTANTIATE_TEST_SUITE_P(Operators, XnnpackOnCorpus, testing::ValuesIn(Operators()),
                         [](const auto& param) { return param.param; });

// out = op(a, b), all int8 of `count` elements with scale 1.
oracle::ModelObjects PairModel(edit::BuiltinOperator code, int32_t count, int32_t out_count) {
  oracle::ModelObjects model;
  model.version = 3;
  model.buffers.push_back(std::make_unique<edit::BufferT>());
  auto opcode = std::make_unique<edit::OperatorCodeT>();
  opcode->deprecated_builtin_code = static_cast<int8_t>(code);
  opcode->builtin_code = static_cast<int32_t>(code);
  model.operator_codes.push_back(std::move(opcode));
  auto graph = std::make_unique<edit::SubGraphT>();
  for (const int32_t n : {count, count, out_count}) {
    auto tensor = std::make_unique<edit::TensorT>();
    tensor->type = oracle::kInt8;
    tensor->shape = {1, n};
    tensor->quantization = std::make_unique<edit::QuantizationParametersT>();
    tensor->quantization->scale = {1.0f};
    tensor->quantization->zero_point = {0};
    graph->tensors.push_back(std::move(tensor));
  }
  graph->inputs = {0, 1};
  graph->outputs = {2};
  auto op = std::make_unique<edit::OperatorT>();
  op->inputs = {0, 1};
  op->outputs = {2};
  graph->operators.push_back(std::move(op));
  model.subgraphs.push_back(std::move(graph));
  return model;
}

CaseAnswer RunPair(const oracle::ModelObjects& model, std::vector<Bytes>* outputs) {
  return RunOnXnnpack(oracle::WriteModel(model), {{1, 2, 100}, {3, 0xff, 100}}, outputs);
}

TEST(Xnnpack, Adds) {
  std::vector<Bytes> outputs;
  const CaseAnswer answer = RunPair(PairModel(edit::BuiltinOperator::ADD, 3, 3), &outputs);
  ASSERT_EQ(answer.kind, CaseAnswer::kOk) << answer.why;
  EXPECT_EQ(outputs, (std::vector<Bytes>{{4, 1, 127}}));
}

// The operators, once made, compute what is filled in.
TEST(Xnnpack, RunsAgain) {
  XnnpackModel model(oracle::WriteModel(PairModel(edit::BuiltinOperator::ADD, 3, 3)),
                     {{1, 2, 100}, {3, 0xff, 100}});
  model.Fill({{7, 8, 9}, {1, 1, 1}});
  model.Run();
  EXPECT_EQ(model.Outputs(), (std::vector<Bytes>{{8, 9, 10}}));
  EXPECT_THROW(model.Fill({Bytes(300), {1, 1, 1}}), std::runtime_error);
  EXPECT_EQ(model.stand_in_count(), 0);
}

// The greatest code stays the greatest. Without stand-ins the node is unsupported.
TEST(Xnnpack, StandsIn) {
  oracle::ModelObjects model = PairModel(edit::BuiltinOperator::SOFTMAX, 3, 3);
  edit::SubGraphT& graph = *model.subgraphs[0];
  graph.inputs = {0};
  graph.operators[0]->inputs = {0};
  graph.tensors[2]->quantization->scale = {1.0f / 256};
  graph.tensors[2]->quantization->zero_point = {-128};
  const Bytes bytes = oracle::WriteModel(model);
  XnnpackModel softmax(bytes, {{0, 100, 0}}, /*stand_ins=*/true);
  EXPECT_EQ(softmax.Outputs(), (std::vector<Bytes>{{0x80, 127, 0x80}}));
  EXPECT_EQ(softmax.stand_in_count(), 1);
  std::vector<Bytes> outputs;
  EXPECT_EQ(RunOnXnnpack(bytes, {{0, 100, 0}}, &outputs).kind, CaseAnswer::kUnsupported);
}

TEST(Xnnpack, SaysWhatItLacks) {
  std::vector<Bytes> outputs;
  const CaseAnswer answer = RunPair(PairModel(edit::BuiltinOperator::ABS, 3, 3), &outputs);
  EXPECT_EQ(answer.kind, CaseAnswer::kUnsupported);
  EXPECT_EQ(answer.why, "no ABS for int8");
  oracle::ModelObjects bytes = PairModel(edit::BuiltinOperator::ADD, 3, 3);
  bytes.subgraphs[0]->tensors[1]->type = oracle::kUint8;
  EXPECT_EQ(RunPair(bytes, &outputs).kind, CaseAnswer::kUnsupported);
}

TEST(Xnnpack, RefusesWrongModels) {
  std::vector<Bytes> outputs;
  EXPECT_EQ(RunOnXnnpack({1, 2, 3}, {}, &outputs).kind, CaseAnswer::kRefused);
  EXPECT_EQ(RunPair(PairModel(edit::BuiltinOperator::ADD, 3, 4), &outputs).kind, CaseAnswer::kRefused);
  EXPECT_EQ(RunPair(PairModel(edit::BuiltinOperator::ADD, 2, 2), &outputs).kind, CaseAnswer::kRefused);
  oracle::ModelObjects in_place = PairModel(edit::BuiltinOperator::ADD, 3, 3);
  in_place.subgraphs[0]->operators[0]->outputs = {1};
  EXPECT_EQ(RunPair(in_place, &outputs).kind, CaseAnswer::kRefused);
  oracle::ModelObjects no_scale = PairModel(edit::BuiltinOperator::ADD, 3, 3);
  no_scale.subgraphs[0]->tensors[0]->quantization.reset();
  EXPECT_EQ(RunPair(no_scale, &outputs).kind, CaseAnswer::kRefused);
}

}  // namespace
}  // namespace lutra::conformance::xnnpack

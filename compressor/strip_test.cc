// SPDX-License-Identifier: Apache-2.0
// Tests what is removed from stripped models, what stays, and that they compute the same.

#include "compressor/strip.h"

#include <gtest/gtest.h>

#include "compressor/shared_parts.h"
#include "flatbuffers/minireflect.h"
#include "host/model_inputs.h"
#include "host/output_file.h"
#include "host/testing/inference.h"
#include "host/testing/scratch_folder.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/model_files.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

// Returns whether a line of the report contains `text`.
bool Has(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

TEST(Strip, ComputesTheSame) {
  const fs::path data = LUTRA_TEST_DATA;
  int runs = 0;
  for (const fs::path& path : ModelsBelow(
           {fs::path(LUTRA_SOURCE_DIR) / "models", data / "models", data / "golden" / "tflm-compressed"})) {
    SCOPED_TRACE(path);
    std::optional<host::ModelFile> file;
    try {
      file = host::ReadModelFile(path);
    } catch (const host::BadInput&) {
      continue;  // The runtime refuses this model.
    }
    const StripResult stripped = Strip(*file);
    EXPECT_LT(stripped.file.size(), ModelEditor(*file).Write().size());
    EXPECT_LE(stripped.file.size(), file->bytes.size());
    const host::ScratchFolder folder;
    const fs::path copy = folder / "stripped.tflite";
    host::WriteFileBytes(copy, stripped.file.data(), stripped.file.size());
    const std::vector<std::vector<uint8_t>> inputs = host::SeededInputs(file->model, 1);
    const host::RunOutcome before = host::RunModel(path, inputs, 1, {});
    const host::RunOutcome after = host::RunModel(copy, inputs, 1, {});
    EXPECT_EQ(before.status, after.status);
    EXPECT_EQ(before.outputs, after.outputs);
    runs += before.status == Status::kOk ? 1 : 0;
    // Stripping again removes nothing.
    const StripResult again = Strip(host::ReadModelFile(copy));
    EXPECT_EQ(again.file, stripped.file);
    EXPECT_TRUE(again.gone.empty()) << again.gone[0];
  }
  EXPECT_GE(runs, 6);
}

TEST(Strip, SaysWhatGoesAndWhatStays) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {16}, .scale = 1, .name = "in"});
  const int b = builder.AddTensor({.shape = {16}, .scale = 1, .name = "between"});
  const int c = builder.AddTensor({.shape = {16}, .scale = 1, .name = "out"});
  builder.AddOperator(BuiltinOperator::kRelu, {a}, {b});
  builder.AddOperator(BuiltinOperator::kRelu, {b}, {c});
  builder.AddMetadata("OfflineMemoryAllocation", std::vector<int32_t>{0, 0, 3, 64, 0, 32});
  builder.AddMetadata("made with", std::vector<int32_t>(100));
  ModelEditor editor(LoadModel(builder.Finish({a}, {c}), "memory"));
  editor.model().description = "long";
  editor.tensor(0, b).quantization->min = {0};
  editor.tensor(0, b).quantization->max = {1};
  editor.tensor(0, a).shape_signature = {-1};
  editor.tensor(0, b).shape_signature = {16};
  const StripResult stripped = Strip(LoadModel(editor.Write(), "memory"));
  EXPECT_TRUE(Has(stripped.gone, "1 names of tensors of 7 bytes"));
  EXPECT_TRUE(Has(stripped.gone, "1 descriptions of 4 bytes"));
  EXPECT_TRUE(Has(stripped.gone, "1 calibration ranges of 8 bytes"));
  EXPECT_TRUE(Has(stripped.gone, "1 metadata made with of 400 bytes"));
  EXPECT_TRUE(Has(stripped.gone, "1 shape signatures without an open dimension of 4 bytes"));
  EXPECT_TRUE(Has(stripped.kept, "metadata OfflineMemoryAllocation of 24 bytes"));
  EXPECT_TRUE(Has(stripped.kept, "2 names of inputs and outputs"));

  const ModelEditor after(LoadModel(stripped.file, "memory"));
  EXPECT_EQ(after.tensor(0, a).name, "in");
  EXPECT_EQ(after.tensor(0, b).name, "");
  EXPECT_EQ(after.tensor(0, c).name, "out");
  EXPECT_EQ(after.tensor(0, a).shape_signature, std::vector<int32_t>{-1});
  EXPECT_EQ(after.tensor(0, b).shape_signature, std::vector<int32_t>{});
  EXPECT_EQ(after.tensor(0, b).quantization->scale, std::vector<float>{1});
  ASSERT_EQ(after.model().metadata.size(), 1u);
  EXPECT_EQ(after.model().metadata[0]->name, "OfflineMemoryAllocation");
}

// A convolution's bias needs no scale; that of FULLY_CONNECTED needs none only if the sums' scale is small
// beside the output's. A scale stays if something else reads the bias, or if the bias has another type.
TEST(Strip, DropsScalesOfBiasesThatNeedNone) {
  struct Layer {
    BuiltinOperator op;
    float out_scale = 1;
    bool is_read_elsewhere = false;
    bool has_zero_point = false;
    bool has_weights = true;
    bool goes = true;
  };
  const Layer layers[] = {
      {.op = BuiltinOperator::kConv2D},
      {.op = BuiltinOperator::kDepthwiseConv2D},
      {.op = BuiltinOperator::kFullyConnected, .out_scale = 51},
      {.op = BuiltinOperator::kFullyConnected, .out_scale = 49, .goes = false},
      {.op = BuiltinOperator::kConv2D, .is_read_elsewhere = true, .goes = false},
      {.op = BuiltinOperator::kConv2D, .has_zero_point = true, .goes = false},
      {.op = BuiltinOperator::kConv2D, .has_weights = false, .goes = false},
      {.op = BuiltinOperator::kTransposeConv, .goes = false},
  };
  for (const Layer& layer : layers) {
    SCOPED_TRACE(static_cast<int>(layer.op));
    const bool is_flat = layer.op == BuiltinOperator::kFullyConnected;
    const std::vector<int32_t> weights =
        is_flat ? std::vector<int32_t>{4, 4} : std::vector<int32_t>{4, 1, 1, 4};
    ModelBuilder builder;
    const std::vector<int32_t> in = is_flat ? std::vector<int32_t>{1, 4} : std::vector<int32_t>{1, 1, 1, 4};
    const int x = builder.AddTensor({.shape = in, .scale = 1});
    const int w = builder.AddTensor({.shape = weights, .scale = 1, .data = std::vector<uint8_t>(16, 1)});
    const int b = builder.AddTensor({.shape = {4},
                                     .type = TensorType::kInt32,
                                     .scale = 1,
                                     .data = BytesOf(std::vector<int32_t>{1, 2, 3, 4})});
    const int y = builder.AddTensor({.shape = in, .scale = layer.out_scale});
    builder.AddOperator(layer.op, {x, layer.has_weights ? w : -1, b}, {y});
    std::vector<int> outputs = {y};
    if (layer.is_read_elsewhere) {
      const int z = builder.AddTensor({.shape = {4}, .type = TensorType::kInt32, .scale = 1});
      builder.AddOperator(BuiltinOperator::kReshape, {b}, {z});
      outputs.push_back(z);
    }
    ModelEditor editor(LoadModel(builder.Finish({x}, outputs), "memory"));
    if (layer.has_zero_point) editor.tensor(0, b).quantization->zero_point = {1};
    const host::ModelFile file = LoadModel(editor.Write(), "memory");
    std::vector<std::string> gone;
    const ModelEditor stripped = Stripped(file, {}, &gone);
    EXPECT_EQ(stripped.tensor(0, b).quantization == nullptr, layer.goes);
    EXPECT_EQ(Has(gone, "1 scales of biases of 12 bytes"), layer.goes);
    EXPECT_NE(stripped.tensor(0, w).quantization, nullptr);
    EXPECT_NE(Stripped(file, {.bias_quantization = false}).tensor(0, b).quantization, nullptr);
  }
}

TEST(Strip, KeepsNamesIfItShall) {
  const host::ModelFile file = host::ReadModelFile(fs::path(LUTRA_SOURCE_DIR) / "models" / "kws.tflite");
  const StripResult stripped = Strip(file, {.names = false});
  const ModelEditor before(file), after(LoadModel(stripped.file, "memory"));
  for (size_t t = 0; t < before.subgraph(0).tensors.size(); ++t) {
    EXPECT_EQ(after.subgraph(0).tensors[t]->name, before.subgraph(0).tensors[t]->name);
  }
  EXPECT_LT(stripped.file.size(), file.bytes.size());
  EXPECT_FALSE(Has(stripped.gone, "names"));
  EXPECT_TRUE(Has(stripped.gone, "scales of biases"));
}

TEST(Strip, DropsOperatorCodesThatNothingHas) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {16}, .scale = 1});
  const int b = builder.AddTensor({.shape = {16}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kRelu, {a}, {b});
  ModelEditor editor(LoadModel(builder.Finish({a}, {b}), "memory"));
  auto& codes = editor.model().operator_codes;
  codes.insert(codes.begin(), std::make_unique<edit::OperatorCodeT>());
  editor.subgraph(0).operators[0]->opcode_index = 1;
  const StripResult stripped = Strip(LoadModel(editor.Write(), "memory"));
  EXPECT_TRUE(Has(stripped.gone, "1 operator codes that nothing has"));
  const ModelEditor after(LoadModel(stripped.file, "memory"));
  ASSERT_EQ(after.model().operator_codes.size(), 1u);
  EXPECT_EQ(after.NameOf(*after.subgraph(0).operators[0]), "RELU");
}

// Returns every field of every table, as text.
TEST(ShareEqualParts, LosesNothing) {
  const fs::path data = LUTRA_TEST_DATA;
  int models = 0;
  for (const fs::path& path : ModelsBelow({fs::path(LUTRA_SOURCE_DIR) / "models",
                                           data / "golden" / "converter", data / "golden" / "tflm-ops"})) {
    SCOPED_TRACE(path);
    std::optional<host::ModelFile> file;
    try {
      file = host::ReadModelFile(path);
    } catch (const host::BadInput&) {
      continue;
    }
    const Bytes plain = ModelEditor(*file).Write();
    const Bytes shared = ShareEqualParts(plain);
    EXPECT_LE(shared.size(), plain.size());
    const auto text = [](const Bytes& bytes) {
      return flatbuffers::FlatBufferToString(bytes.data(), edit::ModelTypeTable());
    };
    EXPECT_EQ(text(plain), text(shared));
    flatbuffers::Verifier verifier(shared.data(), shared.size());
    EXPECT_TRUE(edit::VerifyModelBuffer(verifier));
    const host::ModelFile loaded = LoadModel(shared, "memory");
    for (int t = 0; t < loaded.model.tensor_count(0); ++t) {
      const Span<const uint8_t> constant = loaded.model.tensor(0, t).data;
      if (!constant.empty()) {
        EXPECT_EQ((constant.data() - loaded.bytes.data()) % 16, 0);
      }
    }
    if (++models == 200) break;
  }
  EXPECT_GE(models, 6);
}

}  // namespace
}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Tests that models which are read and written back lose nothing, and compute the same.

#include "compressor/model_editor.h"

#include <gtest/gtest.h>

#include <cstring>

#include "host/model_inputs.h"
#include "host/output_file.h"
#include "host/testing/inference.h"
#include "host/testing/scratch_folder.h"
#include "lutra/node_info.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/model_files.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

host::ModelFile FileOf(const Bytes& bytes) { return LoadModel(bytes, "memory"); }

Bytes DataOf(const TensorInfo& info) { return {info.data.begin(), info.data.end()}; }

// Expects that everything which the runtime reads is the same.
void ExpectSameModel(const Model& a, const Model& b) {
  ASSERT_EQ(a.subgraph_count(), b.subgraph_count());
  for (int s = 0; s < a.subgraph_count(); ++s) {
    ASSERT_EQ(a.tensor_count(s), b.tensor_count(s));
    ASSERT_EQ(a.node_count(s), b.node_count(s));
    for (int t = 0; t < a.tensor_count(s); ++t) {
      const TensorInfo x = a.tensor(s, t);
      const TensorInfo y = b.tensor(s, t);
      EXPECT_STREQ(x.name, y.name);
      EXPECT_EQ(x.type, y.type);
      EXPECT_EQ(x.shape, y.shape);
      EXPECT_EQ(x.is_variable, y.is_variable);
      EXPECT_EQ(x.is_compressed, y.is_compressed);
      EXPECT_EQ(x.scales.size(), y.scales.size());
      EXPECT_EQ(x.quantized_dimension, y.quantized_dimension);
      EXPECT_EQ(DataOf(x), DataOf(y));
      if (!y.data.empty()) {
        EXPECT_EQ((y.data.data() - b.bytes().data()) % 16, 0);
      }
    }
    for (int n = 0; n < a.node_count(s); ++n) {
      const NodeInfo x = a.node(s, n);
      const NodeInfo y = b.node(s, n);
      EXPECT_EQ(x.code, y.code);
      EXPECT_EQ(x.version, y.version);
      EXPECT_STREQ(x.custom_code, y.custom_code);
      for (int i = 0; i < x.inputs.size(); ++i) EXPECT_EQ(x.inputs[i], y.inputs[i]);
      for (int i = 0; i < x.outputs.size(); ++i) EXPECT_EQ(x.outputs[i], y.outputs[i]);
    }
  }
}

std::vector<fs::path> Models() {
  const fs::path data = LUTRA_TEST_DATA;
  return ModelsBelow({fs::path(LUTRA_SOURCE_DIR) / "models", data / "models", data / "golden" / "tflm-ops",
                      data / "golden" / "converter", data / "golden" / "tflm-compressed"});
}

TEST(ModelEditor, WritesBackWhatItRead) {
  int models = 0;
  int runs = 0;
  for (const fs::path& path : Models()) {
    SCOPED_TRACE(path);
    std::optional<host::ModelFile> file;
    try {
      file = host::ReadModelFile(path);
    } catch (const host::BadInput&) {
      continue;  // The runtime refuses this model.
    }
    const Bytes once = ModelEditor(*file).Write();
    const host::ModelFile written = FileOf(once);
    ExpectSameModel(file->model, written.model);
    // Writing it again changes nothing.
    EXPECT_EQ(ModelEditor(written).Write(), once);
    ++models;
    // The written model computes the same.
    const host::ScratchFolder folder;
    const fs::path copy = folder / "written_back.tflite";
    host::WriteFileBytes(copy, once.data(), once.size());
    const std::vector<std::vector<uint8_t>> inputs = host::SeededInputs(file->model, 1);
    const host::RunOutcome before = host::RunModel(path, inputs, 1, {});
    const host::RunOutcome after = host::RunModel(copy, inputs, 1, {});
    EXPECT_EQ(before.status, after.status);
    EXPECT_EQ(before.outputs, after.outputs);
    runs += before.status == Status::kOk ? 1 : 0;
  }
  EXPECT_GE(models, 6);
  EXPECT_GE(runs, 6);
}

TEST(ModelEditor, SharesEqualBuffersAndDropsUnusedOnes) {
  ModelBuilder builder;
  const TensorSpec constant = {.shape = {4}, .data = {1, 2, 3, 4}};
  const int a = builder.AddTensor(constant);
  const int b = builder.AddTensor(constant);
  const int c = builder.AddTensor({.shape = {4}});
  builder.AddBuffer(Bytes(1000));
  builder.AddOperator(BuiltinOperator::kAdd, {a, b}, {c});
  const host::ModelFile file = FileOf(builder.Finish({}, {c}));
  const host::ModelFile written = FileOf(ModelEditor(file).Write());
  EXPECT_LT(written.bytes.size(), file.bytes.size() - 1000);
  EXPECT_EQ(written.model.tensor(0, a).data.data(), written.model.tensor(0, b).data.data());
}

TEST(ModelEditor, ExtendsTheOfflinePlan) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {16}, .scale = 1});
  const int b = builder.AddTensor({.shape = {16}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kRelu, {a}, {b});
  builder.EndSubgraph({a}, {b});
  builder.AddTensor({.shape = {16}});
  builder.AddMetadata("OfflineMemoryAllocation", std::vector<int32_t>{0, 2, 3, 16, 0, -1});
  const host::ModelFile file = FileOf(builder.Finish({}, {}));
  ModelEditor editor(file);
  edit::TensorT added;
  added.shape = {2};
  EXPECT_EQ(editor.AddTensor(0, added), 2);
  const host::ModelFile written = FileOf(editor.Write());
  const Span<const uint8_t> plan = written.model.Metadata("OfflineMemoryAllocation");
  const std::vector<int32_t> expected = {0, 2, 4, 16, 0, -1, -1};
  ASSERT_EQ(plan.size(), expected.size() * sizeof(int32_t));
  EXPECT_EQ(std::memcmp(plan.data(), expected.data(), plan.size()), 0);
}

TEST(ModelEditor, ShortensTheOfflinePlan) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {16}, .scale = 1});
  const int b = builder.AddTensor({.shape = {16}, .scale = 1});
  builder.AddTensor({.shape = {16}});
  builder.AddTensor({.shape = {16}});
  builder.AddOperator(BuiltinOperator::kRelu, {a}, {b});
  builder.EndSubgraph({a}, {b});
  builder.AddTensor({.shape = {16}});
  builder.AddMetadata("OfflineMemoryAllocation", std::vector<int32_t>{0, 2, 5, 16, 0, 32, 48, 64});
  ModelEditor editor(FileOf(builder.Finish({}, {})));
  editor.subgraph(0).tensors.resize(2);
  const host::ModelFile written = FileOf(editor.Write());
  const Span<const uint8_t> plan = written.model.Metadata("OfflineMemoryAllocation");
  const std::vector<int32_t> expected = {0, 2, 3, 16, 0, 64};
  ASSERT_EQ(plan.size(), expected.size() * sizeof(int32_t));
  EXPECT_EQ(std::memcmp(plan.data(), expected.data(), plan.size()), 0);
}

// Gives a table one field more than the schema knows, by moving an existing field's slot behind the last one.
TEST(ModelEditor, RefusesFieldsThatItWouldLose) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {1}});
  const Bytes bytes = builder.Finish({a}, {a});
  // Moves the description in Model's vtable from slot 3 to a new slot 10.
  Bytes changed = bytes;
  uint32_t root = 0;
  std::memcpy(&root, changed.data(), 4);
  int32_t to_vtable = 0;
  std::memcpy(&to_vtable, changed.data() + root, 4);
  const uint8_t* vtable = changed.data() + root - to_vtable;
  uint16_t slots[13] = {};
  uint16_t vtable_bytes = 0;
  std::memcpy(&vtable_bytes, vtable, 2);
  ASSERT_LE(vtable_bytes, sizeof(slots));
  std::memcpy(slots, vtable, vtable_bytes);
  slots[0] = sizeof(slots);
  slots[12] = slots[2 + 3];
  slots[2 + 3] = 0;
  // The new vtable is at the end of the file; offsets to it may be negative.
  const auto at = static_cast<int32_t>(changed.size());
  const int32_t new_offset = static_cast<int32_t>(root) - at;
  std::memcpy(changed.data() + root, &new_offset, 4);
  changed.resize(changed.size() + sizeof(slots) + 6);
  std::memcpy(changed.data() + at, slots, sizeof(slots));
  const host::ModelFile file = FileOf(changed);
  try {
    ModelEditor editor(file);
    FAIL() << "not refused";
  } catch (const host::BadInput& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("unknown-field"), std::string::npos) << refusal.what();
  }
}

// FlatBuffers' verifier accepts a union with a type but no table, from which no object can be made.
TEST(ModelEditor, RefusesAUnionWithoutATable) {
  flatbuffers::FlatBufferBuilder builder;
  const auto quantization = edit::CreateQuantizationParameters(
      builder, 0, 0, 0, 0, edit::QuantizationDetails::CustomQuantization, 0);
  const auto shape = builder.CreateVector(std::vector<int32_t>{1});
  const auto tensor =
      edit::CreateTensor(builder, shape, static_cast<int8_t>(TensorType::kInt8), 0, 0, quantization);
  const auto graph = edit::CreateSubGraph(builder, builder.CreateVector(&tensor, 1));
  const auto buffer = edit::CreateBuffer(builder);
  const auto graphs = builder.CreateVector(&graph, 1);
  const auto buffers = builder.CreateVector(&buffer, 1);
  edit::FinishModelBuffer(builder, edit::CreateModel(builder, 3, 0, graphs, 0, buffers));
  const host::ModelFile file =
      FileOf(Bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()));
  try {
    ModelEditor editor(file);
    FAIL() << "not refused";
  } catch (const host::BadInput& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("union: found member 1 without a table in"), std::string::npos)
        << refusal.what();
  }
}

// Some tools write the kind of an operator's options and no table. Runtimes take the defaults.
TEST(ModelEditor, TakesOptionsWithoutATable) {
  flatbuffers::FlatBufferBuilder builder;
  const auto shape = builder.CreateVector(std::vector<int32_t>{1});
  const auto tensor = edit::CreateTensor(builder, shape, static_cast<int8_t>(TensorType::kInt8));
  const auto operands = builder.CreateVector(std::vector<int32_t>{0});
  const auto op = edit::CreateOperator(builder, 0, operands, operands, edit::BuiltinOptions::PadOptions, 0);
  const auto graph = edit::CreateSubGraph(builder, builder.CreateVector(&tensor, 1), operands, operands,
                                          builder.CreateVector(&op, 1));
  const auto code = edit::CreateOperatorCode(builder, static_cast<int8_t>(BuiltinOperator::kPad));
  const auto buffer = edit::CreateBuffer(builder);
  const auto codes = builder.CreateVector(&code, 1);
  const auto graphs = builder.CreateVector(&graph, 1);
  const auto buffers = builder.CreateVector(&buffer, 1);
  edit::FinishModelBuffer(builder, edit::CreateModel(builder, 3, codes, graphs, 0, buffers));
  const host::ModelFile file =
      FileOf(Bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()));
  const host::ModelFile written = FileOf(ModelEditor(file).Write());
  const ModelEditor again(written);
  EXPECT_EQ(written.model.node(0, 0).code, BuiltinOperator::kPad);
}

// Numbers of 8 bytes must lie at multiples of 8 in a FlatBuffer, which its verifier does not check for lists.
// The runtime reads them byte by byte; objects cannot be made of them.
TEST(ModelEditor, RefusesNumbersThatAreNotAligned) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {1}, .scale = 1, .zero_point = 7});
  Bytes changed = builder.Finish({a}, {a});
  const auto* quantization =
      edit::GetModel(changed.data())->subgraphs()->Get(0)->tensors()->Get(0)->quantization();
  const auto* table = reinterpret_cast<const uint8_t*>(quantization);
  const uint8_t* vtable = table - flatbuffers::ReadScalar<int32_t>(table);
  const uint8_t* field =
      table + flatbuffers::ReadScalar<uint16_t>(vtable + edit::QuantizationParameters::VT_ZERO_POINT);
  const auto field_at = static_cast<size_t>(field - changed.data());
  // Copies the list to the end: its length lies at a multiple of 8, so its numbers do not.
  const size_t list_at = (changed.size() + 7) / 8 * 8;
  changed.resize(list_at);
  const auto offset = static_cast<uint32_t>(list_at - field_at);
  std::memcpy(changed.data() + field_at, &offset, sizeof offset);
  for (const uint8_t byte : {1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) changed.push_back(byte);
  const host::ModelFile file = FileOf(changed);
  EXPECT_EQ(file.model.tensor(0, a).zero_point, 7);
  try {
    ModelEditor editor(file);
    FAIL() << "not refused";
  } catch (const host::BadInput& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("alignment: found a list of 8-byte numbers"),
              std::string::npos)
        << refusal.what();
  }
}

// Model::Load checks what the runtime reads. A table that it never reads may be broken; the editor reads all.
TEST(ModelEditor, RefusesABrokenTableThatNoInferenceReads) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {1}});
  Bytes changed = builder.Finish({a}, {a});
  const auto* description = reinterpret_cast<const uint8_t*>(edit::GetModel(changed.data())->description());
  const auto length_at = static_cast<size_t>(description - changed.data());
  changed[length_at + 3] = 0x7F;
  const host::ModelFile file = FileOf(changed);
  try {
    ModelEditor editor(file);
    FAIL() << "not refused";
  } catch (const host::BadInput& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("flatbuffer"), std::string::npos) << refusal.what();
  }
}

}  // namespace
}  // namespace lutra::compressor

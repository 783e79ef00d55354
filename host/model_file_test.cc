// SPDX-License-Identifier: Apache-2.0
// Tests that the refusal of an unreadable file says why.

#include "host/model_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "host/failures.h"
#include "host/prepared_model.h"
#include "host/testing/program.h"
#include "lutra/node_info.h"
#include "runtime/testing/model_builder.h"

namespace lutra::host {
namespace {

template <typename Read>
std::string RefusalOf(const Read& read, const std::string& path) {
  try {
    (void)read(path);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(ReadFileBytes, SaysWhatIsNoFile) {
  const ScratchFolder folder;
  const std::string name = folder / "";
  EXPECT_EQ(RefusalOf(ReadFileBytes, name), name + ": this is a folder; name a file");
  EXPECT_EQ(
      RefusalOf(ReadFileBytes, "/dev/null"),
      "/dev/null: this is a device or a pipe, required: a regular file; write what it gives to a file first");
  const std::string missing = folder / "missing";
  EXPECT_EQ(RefusalOf(ReadFileBytes, missing),
            missing + ": cannot open the file; check the path and its permissions");
}

TEST(ReadInputText, RefusesEmptyFiles) {
  const ScratchFolder folder;
  const std::string path = folder / "empty.json";
  std::ofstream{path};
  EXPECT_EQ(ReadFileText(path), "");
  EXPECT_EQ(RefusalOf(ReadInputText, path), path + ": the file is empty; check what wrote it");
  std::ofstream(path) << "{}";
  EXPECT_EQ(ReadInputText(path), "{}");
}

// Returns the line that a program prints for a model, without the file's name.
std::string RefusalOf(const std::vector<uint8_t>& model) {
  AlignedBytes bytes(model.size());
  std::copy(model.begin(), model.end(), bytes.data());
  try {
    const ModelFile file = CheckModelFile("m", std::move(bytes));
    PreparedModel prepared(file, {}, 1 << 16);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

std::string RefusalOfRelu(const TensorSpec& input) {
  ModelBuilder builder;
  builder.AddTensor(input);
  builder.AddTensor({.shape = {1, 4}, .scale = 0.5f});
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  return RefusalOf(builder.Finish({0}, {1}));
}

// Scales are no integers, and zero points have 64 bits: a Diagnosis cannot hold either.
TEST(DescribeRefusal, HasTheScaleAndTheZeroPoint) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::string scale = "m: node 0 (RELU): scale-value: found ";
  const std::string rest =
      " in tensor 0 \"t\" (int8); required: every scale is finite and above 0; convert the model again with "
      "full int8 quantisation";
  EXPECT_EQ(RefusalOfRelu({.shape = {1, 4}, .scale = kInfinity}), scale + "an infinite scale" + rest);
  EXPECT_EQ(RefusalOfRelu({.shape = {1, 4}, .scale = std::nanf("")}),
            scale + "a scale that is not a number" + rest);
  EXPECT_EQ(RefusalOfRelu({.shape = {1, 4}, .scale = -0.5f}), scale + "scale -0.5" + rest);
  EXPECT_EQ(
      RefusalOfRelu({.shape = {1, 4}, .scale = 0.5f, .zero_point = int64_t{1} << 40}),
      "m: node 0 (RELU): zero-point-value: found zero point 1099511627776, required -128 to 127 in tensor 0 "
      "\"t\" (int8); required: a zero point lies in the range of its type; convert the model again with "
      "full int8 quantisation");
}

TEST(DescribeRefusal, SaysWhatToDoWithTheModel) {
  constexpr struct {
    const char* op;
    const char* next;
  } kCompiled[] = {
      {"ethos-u", "; Vela has compiled this model for an Ethos-U NPU: use the .tflite from before Vela"},
      {"edgetpu-custom-op",
       "; the Edge TPU compiler has compiled this model: use the .tflite from before it"},
      {"XC_conv2d_v2", "; xcore's compiler has compiled this model: use the .tflite from before it"},
      {"FlexTensorListReserve",
       "; this operator needs TensorFlow itself: convert again with TFLITE_BUILTINS alone, recurrent layers "
       "with a fixed batch size"},
      {"MyFlex", "; replace the operator, or add it to the op list"},
  };
  for (const auto& [op, next] : kCompiled) {
    ModelBuilder builder;
    builder.AddTensor({.shape = {1, 4}, .scale = 0.5f});
    builder.AddTensor({.shape = {1, 4}, .scale = 0.5f});
    builder.AddCustomOperator(op, {0}, {1});
    const std::string line = RefusalOf(builder.Finish({0}, {1}));
    EXPECT_TRUE(line.starts_with(std::string("m: node 0 (") + op + "): operator-unknown: ")) << line;
    EXPECT_TRUE(line.ends_with(next)) << line;
  }
  {
    ModelBuilder builder;
    builder.AddTensor({.shape = {1}, .type = TensorType::kInt32});
    builder.AddTensor({.shape = {}, .type = TensorType::kFloat32, .data = {0, 0, 0, 0}});
    builder.AddTensor({.shape = {4}, .type = TensorType::kFloat32});
    builder.AddOperator(BuiltinOperator::kFill, {0, 1}, {2});
    const std::string line = RefusalOf(builder.Finish({0}, {2}));
    EXPECT_TRUE(line.starts_with("m: node 0 (FILL): constant-required: ")) << line;
    EXPECT_TRUE(line.ends_with("; give dynamic dimensions a size and convert again")) << line;
  }
  {
    ModelBuilder builder;
    builder.AddTensor({.shape = {2}, .type = TensorType::kFloat16, .data = {0, 0, 0, 0}});
    builder.AddTensor({.shape = {2}, .type = TensorType::kFloat32});
    builder.AddOperator(BuiltinOperator::kDequantize, {0}, {1});
    const std::string line = RefusalOf(builder.Finish({}, {1}));
    EXPECT_TRUE(line.starts_with("m: node 0 (DEQUANTIZE): operand-type: found float16, ")) << line;
    EXPECT_TRUE(line.ends_with("; convert the model again without float16 weights")) << line;
  }
  // A tensor without elements is not dynamic.
  const std::string dimension =
      "m: tensor-dimension: found 0, required 1 in tensor 0; required: every "
      "dimension of a tensor that is read or written is at least 1; ";
  EXPECT_EQ(RefusalOfRelu({.shape = {1, 0}}), dimension + "export the model again from its source");
  const std::string dynamic = RefusalOfRelu({.shape = {-1, 4}});
  EXPECT_TRUE(dynamic.ends_with("; give dynamic dimensions a size and convert again")) << dynamic;
}

TEST(PreparedModel, TakesModelsWithAnLstm) {
  const std::filesystem::path folder = std::filesystem::path(LUTRA_TEST_DATA) / "real-models";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  for (const char* name :
       {"trained_lstm.tflite", "trained_lstm_int8.tflite", "dtln_noise_suppression.tflite"}) {
    const ModelFile file = ReadModelFile(folder / name);
    EXPECT_NO_THROW(PreparedModel(file, {}, 1 << 20)) << name;
  }
}

}  // namespace
}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Tests conformance lint on models to whose operators no rule about values applies.

#include <nlohmann/json.hpp>

#include "conformance/generator/model_maker.h"
#include "host/output_file.h"
#include "host/testing/program.h"
#include "runtime/testing/model_builder.h"

namespace lutra::conformance {
namespace {

constexpr int8_t kFloat16 = 1;

std::string Write(const host::ScratchFolder& folder, int8_t type) {
  ModelMaker maker;
  const MadeTensor tensor = {.shape = {1, 8}, .type = type, .scale = type == oracle::kFloat32 ? 0.0f : 0.5f};
  const int x = maker.Input(tensor), between = maker.Activation(tensor), y = maker.Output(tensor);
  maker.Op("ABS", {x}, {between});
  maker.Op("RELU", {between}, {y});
  const oracle::Bytes bytes = maker.Finish();
  const std::string path = folder / "model.tflite";
  host::WriteFileBytes(path, bytes.data(), bytes.size());
  return path;
}

// Returns the findings about operators of the model that were not checked.
nlohmann::json NotChecked(const std::string& path) {
  const host::Outcome outcome = host::RunProgram("lint --json " + path);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  const nlohmann::json report = nlohmann::json::parse(outcome.out);
  nlohmann::json found = nlohmann::json::array();
  for (const nlohmann::json& finding : report["models"][0]["findings"]) {
    if (finding["rule"] == "S-ANY-not-checked") found.push_back(finding);
  }
  return found;
}

TEST(LintRuntime, SaysWhatWasNotCheckedAndWhetherItRuns) {
  const host::ScratchFolder folder;
  const nlohmann::json half = NotChecked(Write(folder, kFloat16));
  ASSERT_EQ(half.size(), 1u);
  EXPECT_EQ(half[0]["severity"], "note");
  EXPECT_EQ(half[0]["found"].get<std::string>().find("2 operators of FLOAT16 (ABS, RELU)"), 0u) << half;
  EXPECT_NE(
      half[0]["explanation"].get<std::string>().find("; this runtime refuses the model: node 0 (ABS): "),
      std::string::npos)
      << half;
  const host::Outcome text = host::RunProgram("lint " + (folder / "model.tflite"));
  EXPECT_NE(text.out.find("errors: 0, warnings: 0, notes: 1\n"), std::string::npos) << text.out;
  EXPECT_TRUE(NotChecked(Write(folder, oracle::kInt8)).empty());
  EXPECT_TRUE(NotChecked(Write(folder, oracle::kUint8)).empty()) << "warnings say it";
}

TEST(LintRuntime, SaysThatAModelRuns) {
  const host::ScratchFolder folder;
  ModelMaker maker;
  const MadeTensor tensor = {.shape = {1, 8}, .type = oracle::kFloat32};
  const int x = maker.Input(tensor), y = maker.Output(tensor);
  maker.Op("ABS", {x}, {y});
  const oracle::Bytes bytes = maker.Finish();
  host::WriteFileBytes(folder / "model.tflite", bytes.data(), bytes.size());
  const nlohmann::json found = NotChecked(folder / "model.tflite");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["found"], "1 operator of FLOAT32 (ABS)");
  EXPECT_NE(found[0]["explanation"].get<std::string>().find("; this runtime runs the model"),
            std::string::npos);
}

// RELU reads a tensor that nobody writes, or the graph's input. The rules look at operators one by one.
TEST(LintRuntime, WarnsOfARefusalThatNoRuleSees) {
  const host::ScratchFolder folder;
  const auto lint = [&](int read) {
    ModelBuilder builder;
    for (int i = 0; i < 3; ++i) builder.AddTensor({.shape = {1, 8}, .scale = 0.1f});
    builder.AddOperator(BuiltinOperator::kRelu, {read}, {2});
    const std::vector<uint8_t> bytes = builder.Finish({0}, {2});
    const std::string path = folder / "model.tflite";
    host::WriteFileBytes(path, bytes.data(), bytes.size());
    return host::RunProgram("lint " + path);
  };
  const host::Outcome right = lint(0), wrong = lint(1);
  EXPECT_NE(right.out.find("errors: 0, warnings: 0, notes: 0\n"), std::string::npos) << right.out;
  EXPECT_EQ(wrong.code, 0) << wrong.out;
  EXPECT_NE(wrong.out.find("model.tflite: the model: warning: E-ANY-refused: found a model that this runtime "
                           "refuses, required: one that it runs; node 0 (RELU): not-produced: "),
            std::string::npos)
      << wrong.out;
  EXPECT_EQ(host::RunProgram("lint --strict " + (folder / "model.tflite")).code, 1);
}

// LUTRA_PLAN of one group, and of one that begins behind the last operator.
TEST(LintRuntime, RefusesARowPlanThatTheRuntimeRefuses) {
  const host::ScratchFolder folder;
  const auto lint = [&](int32_t first_operator) {
    ModelBuilder builder;
    for (int i = 0; i < 3; ++i) builder.AddTensor({.shape = {1, 4, 4, 2}, .scale = 0.1f});
    builder.AddOperator(BuiltinOperator::kMaxPool2D, {0}, {1}, {.filter = 2});
    builder.AddOperator(BuiltinOperator::kMaxPool2D, {1}, {2}, {.filter = 2});
    builder.AddMetadata("LUTRA_PLAN", {1, 2, 0, 1, 0, first_operator, 2});
    const std::vector<uint8_t> bytes = builder.Finish({0}, {2});
    const std::string path = folder / "planned.tflite";
    host::WriteFileBytes(path, bytes.data(), bytes.size());
    return host::RunProgram("lint " + path);
  };
  const host::Outcome right = lint(0), wrong = lint(2);
  EXPECT_EQ(right.code, 0) << right.out;
  EXPECT_EQ(right.out.find("S-ANY-row-plan"), std::string::npos) << right.out;
  EXPECT_EQ(wrong.code, 1) << wrong.out;
  EXPECT_NE(wrong.out.find("planned.tflite: the model: error: S-ANY-row-plan: found metadata LUTRA_PLAN that "
                           "this runtime refuses"),
            std::string::npos)
      << wrong.out;
}

}  // namespace
}  // namespace lutra::conformance

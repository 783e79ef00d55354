// SPDX-License-Identifier: Apache-2.0
// Tests conformance lint on models with channels that do not affect the outputs.

#include <nlohmann/json.hpp>

#include "host/output_file.h"
#include "host/testing/program.h"
#include "runtime/testing/model_builder.h"

namespace lutra::conformance {
namespace {

// Writes a model of two convolutions; `bias` is that of the first one's second channel.
std::string Write(const host::ScratchFolder& folder, int32_t bias) {
  ModelBuilder builder;
  const auto activation = [&](int32_t depth) {
    return builder.AddTensor({.shape = {1, 2, 2, depth}, .scale = 0.5f});
  };
  const auto biases = [&](const std::vector<int32_t>& values) {
    return builder.AddTensor({.shape = {static_cast<int32_t>(values.size())},
                              .type = TensorType::kInt32,
                              .scale = 0.125f,
                              .data = BytesOf(values)});
  };
  const int x = activation(1), between = activation(2), y = activation(1);
  const int first = builder.AddTensor({.shape = {2, 1, 1, 1}, .scale = 0.25f, .data = {1, 2}});
  const int second = builder.AddTensor({.shape = {1, 1, 1, 2}, .scale = 0.25f, .data = {3, 4}});
  builder.AddOperator(BuiltinOperator::kConv2D, {x, first, biases({0, bias})}, {between}, {.activation = 1});
  builder.AddOperator(BuiltinOperator::kConv2D, {between, second, biases({0})}, {y});
  const std::vector<uint8_t> bytes = builder.Finish({x}, {y});
  const std::string path = folder / "model.tflite";
  host::WriteFileBytes(path, bytes.data(), bytes.size());
  return path;
}

nlohmann::json IdleChannels(const std::string& path) {
  const host::Outcome outcome = host::RunProgram("lint --json " + path);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  nlohmann::json found = nlohmann::json::array();
  const nlohmann::json report = nlohmann::json::parse(outcome.out);
  for (const nlohmann::json& finding : report["models"][0]["findings"]) {
    if (finding["rule"] == "S-ANY-idle-channels") found.push_back(finding);
  }
  return found;
}

TEST(LintTrim, TellsOfChannelsThatDecideNothing) {
  const host::ScratchFolder folder;
  const nlohmann::json found = IdleChannels(Write(folder, -1000000));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["severity"], "note");
  EXPECT_EQ(found[0]["node"], 0);
  EXPECT_EQ(found[0]["found"], "1 of 3 channels that decide nothing");
  EXPECT_NE(found[0]["explanation"].get<std::string>().find("8 multiply-accumulates of 16"),
            std::string::npos);
  EXPECT_TRUE(IdleChannels(Write(folder, 0)).empty());
}

}  // namespace
}  // namespace lutra::conformance

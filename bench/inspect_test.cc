// SPDX-License-Identifier: Apache-2.0
// Tests --inspect of models that the runtime refuses, and --plan of models with row groups.

#include "bench/inspect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "host/model_file.h"
#include "lutra/node_info.h"
#include "runtime/testing/model_builder.h"

namespace lutra::bench {
namespace {

// A file has zero points of 64 bits: one out of its type's range is shown as it is.
TEST(Inspect, ShowsAZeroPointOutOfRange) {
  ModelBuilder builder;
  builder.AddTensor({.shape = {1, 4}, .scale = 0.5f, .zero_point = (int64_t{1} << 32) + 7});
  builder.AddTensor({.shape = {1, 4}, .scale = 0.5f});
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  const std::vector<uint8_t> model = builder.Finish({0}, {1});
  host::AlignedBytes bytes(model.size());
  std::copy(model.begin(), model.end(), bytes.data());
  const std::string text = InspectModel(host::CheckModelFile("m", std::move(bytes)), {});
  EXPECT_NE(text.find(" scale 0.5 zero point 4294967303 "), std::string::npos) << text;
}

TEST(Inspect, KnowsOperatorsThatCallSubgraphs) {
  ModelBuilder builder;
  builder.AddTensor({.shape = {1, 4}, .scale = 0.5f});
  builder.AddTensor({.shape = {1, 4}, .scale = 0.5f});
  builder.AddOperator(BuiltinOperator::kCallOnce, {}, {}, {.init_subgraph = 1});
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  builder.EndSubgraph({0}, {1});
  const int handle = builder.AddTensor({.shape = {1}, .type = TensorType::kResource});
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {handle});
  const std::vector<uint8_t> model = builder.Finish({}, {});
  host::AlignedBytes bytes(model.size());
  std::copy(model.begin(), model.end(), bytes.data());
  const std::string text = InspectModel(host::CheckModelFile("m", std::move(bytes)), {});
  EXPECT_EQ(text.find("UNSUPPORTED"), std::string::npos) << text;
  EXPECT_NE(text.find("runs in an arena"), std::string::npos) << text;
}

TEST(DrawMemoryPlan, ShowsTheGroupsOfAPlan) {
  ModelBuilder builder;
  for (int i = 0; i < 4; ++i) builder.AddTensor({.shape = {1, 16, 16, 1}, .scale = 0.1f});
  for (int i = 0; i < 3; ++i) {
    builder.AddOperator(BuiltinOperator::kMaxPool2D, {i}, {i + 1}, {.filter = 3});
  }
  builder.AddMetadata("LUTRA_PLAN", {1, 3, 0, 1, 0, 1, 2});
  const std::vector<uint8_t> model = builder.Finish({0}, {3});
  host::AlignedBytes bytes(model.size());
  std::copy(model.begin(), model.end(), bytes.data());
  const std::string plan = DrawMemoryPlan(host::CheckModelFile("m", std::move(bytes)), {});
  EXPECT_NE(plan.find("\nsteps 2 to 3 run together, row by row, when step 3 is due\n"), std::string::npos);
  const std::regex grouped("\n2 MAX_POOL_2D [^\n]*\\|<?\n3 MAX_POOL_2D [^\n]*\\|<?\n");
  EXPECT_TRUE(std::regex_search(plan, grouped)) << plan;
  EXPECT_TRUE(std::regex_search(plan, std::regex("\n1 MAX_POOL_2D [^|\n]*\n"))) << plan;
}

}  // namespace
}  // namespace lutra::bench

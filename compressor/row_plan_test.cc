// SPDX-License-Identifier: Apache-2.0
// Planned models compute the same in less memory, and a plan does not survive what it does not fit.

#include "compressor/row_plan.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "compressor/strip.h"
#include "host/failures.h"
#include "host/model_inputs.h"
#include "host/output_file.h"
#include "host/prepared_model.h"
#include "host/testing/inference.h"
#include "host/testing/scratch_folder.h"
#include "lutra/row_groups.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/model_files.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

host::ModelFile Bundled(const std::string& name) {
  return host::ReadModelFile(fs::path(LUTRA_SOURCE_DIR) / "models" / name);
}

bool HasPlan(const Bytes& file) { return !LoadModel(file, "m").model.Metadata(kRowPlanName).empty(); }

TEST(RowPlan, ComputesTheSame) {
  const fs::path data = LUTRA_TEST_DATA;
  int planned = 0;
  for (const fs::path& path : ModelsBelow({fs::path(LUTRA_SOURCE_DIR) / "models", data / "models"})) {
    SCOPED_TRACE(path);
    const host::ModelFile file = host::ReadModelFile(path);
    for (const int longest : {2, 10}) {
      const RowPlanResult result = PlanRows(file, {.longest = longest});
      EXPECT_EQ(result.groups.empty(), result.head_bytes_after == result.head_bytes_before);
      EXPECT_EQ(result.groups.empty(), !HasPlan(result.file));
      if (result.groups.empty()) continue;
      ++planned;
      EXPECT_LT(result.head_bytes_after, result.head_bytes_before);
      const host::ScratchFolder folder;
      const fs::path copy = folder / "planned.tflite";
      host::WriteFileBytes(copy, result.file.data(), result.file.size());
      for (const uint64_t seed : {1, 2}) {
        const std::vector<std::vector<uint8_t>> inputs = host::SeededInputs(file.model, seed);
        const host::RunOutcome before = host::RunModel(path, inputs, 2, {});
        EXPECT_EQ(before.status, Status::kOk);
        EXPECT_EQ(host::RunModel(copy, inputs, 2, {}).outputs, before.outputs);
      }
      // The plan is not planned upon.
      EXPECT_EQ(PlanRows(LoadModel(result.file, "m"), {.longest = longest}).file, result.file);
    }
  }
  EXPECT_GE(planned, 4);
}

// The plans that were computed by hand for these shapes have 15,872, 14,592 and 20,736 bytes of activations;
// the multipliers of channels come on top.
TEST(RowPlan, FindsSmallHeads) {
  EXPECT_EQ(PlanRows(Bundled("ic.tflite"), {}).head_bytes_after, 16128);
  EXPECT_EQ(PlanRows(Bundled("vww96.tflite"), {}).head_bytes_after, 14848);
  const RowPlanResult pairs = PlanRows(Bundled("vww96.tflite"), {.longest = 2});
  EXPECT_EQ(pairs.head_bytes_after, 20864);
  ASSERT_EQ(pairs.groups.size(), 1u);
  EXPECT_EQ(pairs.groups[0].operators.first, 2);
  EXPECT_EQ(pairs.groups[0].names, (std::vector<std::string>{"CONV_2D", "DEPTHWISE_CONV_2D"}));
  EXPECT_TRUE(PlanRows(Bundled("vww96.tflite"), {.longest = 1}).groups.empty());
}

// The runtime reports the head that the plan promises, also without a search of its own.
TEST(RowPlan, PlacesHoldWithoutASearch) {
  const RowPlanResult result = PlanRows(Bundled("vww96.tflite"), {});
  const host::ModelFile planned = LoadModel(result.file, "planned");
  InterpreterOptions options;
  options.policy = MemoryPolicy::kSmall;
  options.plan.search_moves = 0;
  host::PreparedModel prepared(planned, options, host::SmallestArena(planned, options));
  EXPECT_EQ(static_cast<int64_t>(prepared->memory().head_bytes), result.head_bytes_after);
}

TEST(RowPlan, GoesWhereOperatorsOrTensorsAreAdded) {
  const RowPlanResult result = PlanRows(Bundled("vww96.tflite"), {});
  const host::ModelFile planned = LoadModel(result.file, "planned");
  EXPECT_TRUE(HasPlan(Strip(planned).file));
  EXPECT_TRUE(HasPlan(ModelEditor(planned).Write()));
  ModelEditor more(planned);
  more.AddTensor(0, edit::TensorT());
  EXPECT_FALSE(HasPlan(more.Write()));
}

TEST(RowPlan, RefusesAModelThatSaysWhereItsTensorsLie) {
  ModelBuilder builder;
  for (int i = 0; i < 2; ++i) builder.AddTensor({.shape = {1, 16}, .scale = 0.1f});
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  builder.AddMetadata("OfflineMemoryAllocation", {0, 1, 2, 0, 16});
  EXPECT_THROW(PlanRows(LoadModel(builder.Finish({0}, {1}), "m"), {}), host::BadInput);
}

}  // namespace
}  // namespace lutra::compressor

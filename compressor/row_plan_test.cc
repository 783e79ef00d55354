// SPDX-License-Identifier: Apache-2.0
// Tests that planned models compute the same in less memory, and that a plan is dropped if it does not fit.

#include "compressor/row_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "compressor/strip.h"
#include "host/failures.h"
#include "host/firmware.h"
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
    for (const RowPlanOptions& options : {RowPlanOptions{.longest = 2}, RowPlanOptions{.longest = 10},
                                          RowPlanOptions{.longest = 10, .tables = true}}) {
      SCOPED_TRACE(options.tables);
      const RowPlanResult result = PlanRows(file, options);
      const bool gains = !result.groups.empty() || result.table_bytes > 0;
      EXPECT_EQ(gains, HasPlan(result.file));
      if (!options.tables) {
        EXPECT_EQ(result.table_bytes, 0);
        EXPECT_EQ(gains, result.head_bytes_after < result.head_bytes_before);
      }
      EXPECT_LE(result.head_bytes_after, result.head_bytes_before);
      if (!gains) continue;
      ++planned;
      const host::ScratchFolder folder;
      const fs::path copy = folder / "planned.tflite";
      host::WriteFileBytes(copy, result.file.data(), result.file.size());
      for (const uint64_t seed : {1, 2}) {
        const std::vector<std::vector<uint8_t>> inputs = host::SeededInputs(file.model, seed);
        const host::RunOutcome before = host::RunModel(path, inputs, 2, {});
        EXPECT_EQ(before.status, Status::kOk);
        EXPECT_EQ(host::RunModel(copy, inputs, 2, {}).outputs, before.outputs);
        EXPECT_EQ(host::RunModel(copy, inputs, 2, {.policy = MemoryPolicy::kSmall}).outputs, before.outputs);
      }
      // A model that has a plan is planned as if it had none.
      if (options.tables) {
        EXPECT_EQ(PlanRows(LoadModel(result.file, "m"), options).file, result.file);
      }
    }
  }
  EXPECT_GE(planned, 4);
}

// On a Cortex-M4, kernels need scratch beside a layer's tensors. So other groups save memory, and a group
// whose records take more than it saves is left out.
TEST(RowPlan, CountsWhatAPlatformNeeds) {
  const host::ModelFile kws = Bundled("kws.tflite");
  EXPECT_TRUE(PlanRows(kws, {.longest = 2}).groups.empty());
  const RowPlanResult m4 = PlanRows(kws, {.longest = 2, .board = "cortex-m4"});
  EXPECT_FALSE(m4.groups.empty());
  EXPECT_EQ(m4.board->arena_bytes_before, 12672);
  EXPECT_EQ(m4.board->arena_bytes_after, 12208);
  const host::Board& board = host::BoardOf("cortex-m4");
  EXPECT_EQ(m4.board->arena_bytes_after,
            static_cast<int64_t>(host::ArenaOn(board, LoadModel(m4.file, "m"), MemoryPolicy::kSmall).bytes));
  const RowPlanResult m0 = PlanRows(kws, {.longest = 2, .board = "cortex-m0"});
  EXPECT_TRUE(m0.groups.empty());
  EXPECT_EQ(m0.board->arena_bytes_after, m0.board->arena_bytes_before);

  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {1, 8, 4, 4}, .scale = 1}),
            y = builder.AddTensor({.shape = {1, 8, 4, 8}, .scale = 1}),
            z = builder.AddTensor({.shape = {1, 8, 4, 4}, .scale = 1});
  const int wide =
                builder.AddTensor({.shape = {8, 1, 1, 4}, .scale = 1, .data = std::vector<uint8_t>(32, 1)}),
            narrow =
                builder.AddTensor({.shape = {4, 1, 1, 8}, .scale = 1, .data = std::vector<uint8_t>(32, 1)});
  builder.AddOperator(BuiltinOperator::kConv2D, {x, wide}, {y});
  builder.AddOperator(BuiltinOperator::kConv2D, {y, narrow}, {z});
  const host::ModelFile small = LoadModel(builder.Finish({x}, {z}), "small");
  EXPECT_FALSE(PlanRows(small, {}).groups.empty());
  const RowPlanResult on_board = PlanRows(small, {.board = "cortex-m0"});
  EXPECT_TRUE(on_board.groups.empty()) << RowPlanTable(on_board);
  EXPECT_EQ(on_board.board->arena_bytes_after, on_board.board->arena_bytes_before);
}

// The larger the arena may be, the fewer operators run in groups.
TEST(RowPlan, GroupsNoMoreThanAnArenaNeeds) {
  const host::ModelFile ic = Bundled("ic.tflite");
  const auto plan = [&](int64_t most_arena_bytes) {
    return PlanRows(ic, {.tables = true, .board = "cortex-m4", .most_arena_bytes = most_arena_bytes});
  };
  const auto grouped = [](const RowPlanResult& result) {
    size_t count = 0;
    for (const RowPlanResult::Group& group : result.groups) count += group.names.size();
    return count;
  };
  const RowPlanResult smallest = plan(0);
  const int64_t least = smallest.board->arena_bytes_after;
  size_t most_grouped = grouped(smallest);
  std::set<size_t> counts;
  for (int64_t bytes = least; bytes <= smallest.board->arena_bytes_before; bytes += 4096) {
    SCOPED_TRACE(bytes);
    const RowPlanResult result = plan(bytes);
    EXPECT_LE(result.board->arena_bytes_after, bytes);
    EXPECT_LE(grouped(result), most_grouped);
    most_grouped = grouped(result);
    counts.insert(most_grouped);
  }
  EXPECT_GE(counts.size(), 3u);
  const RowPlanResult without = plan(smallest.board->arena_bytes_before);
  EXPECT_EQ(grouped(without), 0u);
  EXPECT_NE(RowPlanTable(without).find("no groups: the arena is small enough without"), std::string::npos);
  try {
    plan(least - 1);
    FAIL() << "planned";
  } catch (const host::BadInput& refused) {
    EXPECT_NE(std::string(refused.what()).find(fmt::format("found an arena of {} bytes at least", least)),
              std::string::npos)
        << refused.what();
  }
}

// The plans that were computed by hand for these shapes have 15,872, 14,592, 20,736 and 6,192 bytes of
// activations; the multipliers of channels are added, unless the plan has them.
TEST(RowPlan, FindsSmallHeads) {
  EXPECT_EQ(PlanRows(Bundled("ic.tflite"), {}).head_bytes_after, 16128);
  EXPECT_EQ(PlanRows(Bundled("vww96.tflite"), {}).head_bytes_after, 14848);
  EXPECT_EQ(PlanRows(Bundled("ic.tflite"), {.tables = true}).head_bytes_after, 15872);
  EXPECT_EQ(PlanRows(Bundled("vww96.tflite"), {.tables = true}).head_bytes_after, 14592);
  EXPECT_EQ(PlanRows(Bundled("vww96.tflite"), {.longest = 2, .tables = true}).head_bytes_after, 20736);
  EXPECT_EQ(PlanRows(Bundled("kws.tflite"), {.tables = true}).head_bytes_after, 6192);
  const RowPlanResult pairs = PlanRows(Bundled("vww96.tflite"), {.longest = 2});
  EXPECT_EQ(pairs.head_bytes_after, 20864);
  ASSERT_EQ(pairs.groups.size(), 1u);
  EXPECT_EQ(pairs.groups[0].operators.first, 2);
  EXPECT_EQ(pairs.groups[0].names, (std::vector<std::string>{"CONV_2D", "DEPTHWISE_CONV_2D"}));
  EXPECT_TRUE(PlanRows(Bundled("vww96.tflite"), {.longest = 1}).groups.empty());
}

// The runtime uses the head that the plan promises, also without a search of its own.
TEST(RowPlan, PlacesHoldWithoutASearch) {
  const RowPlanResult result = PlanRows(Bundled("vww96.tflite"), {});
  const host::ModelFile planned = LoadModel(result.file, "planned");
  InterpreterOptions options;
  options.policy = MemoryPolicy::kSmall;
  options.plan.search_moves = 0;
  host::PreparedModel prepared(planned, options, host::SmallestArena(planned, options));
  EXPECT_EQ(static_cast<int64_t>(prepared->memory().head_bytes), result.head_bytes_after);
}

// With policy fast, multipliers in the model save 8 bytes of the arena for each channel.
TEST(RowPlan, TablesTakeTheMultipliersOutOfTheArena) {
  const host::ModelFile file = Bundled("kws.tflite");
  const RowPlanResult result = PlanRows(file, {.tables = true});
  const host::ModelFile planned = LoadModel(result.file, "planned");
  host::PreparedModel with_tables(planned, {}, host::SmallestArena(planned, {}));
  host::PreparedModel without(file, {}, host::SmallestArena(file, {}));
  EXPECT_EQ(static_cast<int64_t>(without->record(RecordKind::kMultipliers).bytes), result.table_bytes);
  EXPECT_EQ(with_tables->record(RecordKind::kMultipliers).bytes, 0u);
}

// Other scales need other multipliers: the tables are refused, not used.
TEST(RowPlan, TablesOfOtherScalesAreRefused) {
  const host::ModelFile planned =
      LoadModel(PlanRows(Bundled("kws.tflite"), {.tables = true}).file, "planned");
  ModelEditor editor(planned);
  for (auto& tensor : editor.subgraph(0).tensors) {
    if (tensor->type == static_cast<int8_t>(TensorType::kInt8) && tensor->quantization != nullptr &&
        tensor->quantization->scale.size() > 1) {
      tensor->quantization->scale.back() *= 1.5f;
      break;
    }
  }
  const host::ModelFile changed = LoadModel(editor.Write(), "changed");
  try {
    host::PreparedModel(changed, {}, host::SmallestArena(changed, {}));
    FAIL() << "the tables were taken";
  } catch (const host::BadInput& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("row-plan"), std::string::npos) << refusal.what();
  }
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

// In the runtime, operators of called subgraphs lie between those that a plan numbers.
TEST(RowPlan, HasTablesAloneForAModelThatCallsSubgraphs) {
  ModelBuilder builder;
  const int input = builder.AddTensor({.shape = {1, 1, 1, 8}, .scale = 0.1f});
  const int output = builder.AddTensor({.shape = {1, 1, 1, 4}, .scale = 0.3f});
  const int filter =
      builder.AddTensor({.shape = {4, 1, 1, 8}, .scale = 0.2f, .data = std::vector<uint8_t>(32, 3)});
  builder.AddOperator(BuiltinOperator::kCallOnce, {}, {}, {.init_subgraph = 1});
  builder.AddOperator(BuiltinOperator::kConv2D, {input, filter, -1}, {output});
  builder.EndSubgraph({input}, {output});
  const int handle = builder.AddTensor({.shape = {1}, .type = TensorType::kResource});
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {handle});
  const host::ModelFile file = LoadModel(builder.Finish({}, {}), "m");
  for (const bool tables : {false, true}) {
    const RowPlanResult result = PlanRows(file, {.tables = tables});
    EXPECT_FALSE(result.can_group);
    EXPECT_TRUE(result.groups.empty());
    EXPECT_EQ(HasPlan(result.file), tables);
    EXPECT_LE(result.head_bytes_after, result.head_bytes_before);
    EXPECT_EQ(result.table_bytes, tables ? 4 * 8 : 0);
    EXPECT_NE(RowPlanTable(result).find("no groups: operators of called subgraphs"), std::string::npos);
    if (!tables) continue;
    // One table, that of operator 1, whatever its place among those that run.
    const Span<const uint8_t> plan = LoadModel(result.file, "planned").model.Metadata(kRowPlanName);
    ASSERT_EQ(plan.size(), (6 + 2 + 2 * 4) * sizeof(int32_t));
    EXPECT_EQ(plan[6 * sizeof(int32_t)], 1);
    EXPECT_EQ(plan[7 * sizeof(int32_t)], 4);
  }
}

}  // namespace
}  // namespace lutra::compressor

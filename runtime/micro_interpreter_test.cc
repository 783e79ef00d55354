// SPDX-License-Identifier: Apache-2.0
// Whole graphs: lifetimes, overlap, variables, subgraphs, offline plans, arenas of every size.

#include "lutra/micro_interpreter.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "lutra/diagnosis_text.h"
#include "lutra/micro_context.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/sanitized.h"

namespace lutra {
namespace {

using Bytes = std::vector<uint8_t>;

// A model in aligned memory.
class Loaded {
 public:
  explicit Loaded(const Bytes& bytes) : memory_(bytes.size() / 8 + 1) {
    std::memcpy(memory_.data(), bytes.data(), bytes.size());
    Diagnosis diagnosis;
    status_ = Model::Load({reinterpret_cast<uint8_t*>(memory_.data()), bytes.size()}, &model_, &diagnosis);
    EXPECT_EQ(status_, Status::kOk) << Describe(diagnosis.rule).name;
  }
  const Model& operator*() const { return model_; }

 private:
  std::vector<uint64_t> memory_;
  Model model_;
  Status status_;
};

struct alignas(16) Block {
  uint8_t bytes[16];
};

// An arena of exactly this many bytes between guard bytes.
class GuardedArena {
 public:
  // The arena begins `offset` bytes, less than 16, behind a multiple of 16.
  explicit GuardedArena(size_t bytes, size_t offset = 0)
      : bytes_(bytes), offset_(offset), blocks_(bytes / 16 + 11) {
    std::memset(blocks_.data(), kGuard, blocks_.size() * 16);
  }
  Span<uint8_t> span() { return {start(), bytes_}; }
  bool intact() {
    for (size_t i = 0; i < kGuardBytes; ++i) {
      if (*(start() - kGuardBytes + i) != kGuard || start()[bytes_ + i] != kGuard) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuardBytes = 64;
  static constexpr uint8_t kGuard = 0xC3;
  uint8_t* start() { return reinterpret_cast<uint8_t*>(blocks_.data()) + kGuardBytes + offset_; }
  size_t bytes_;
  size_t offset_;
  std::vector<Block> blocks_;
};

Bytes ReadBundled(const char* name) {
  std::ifstream file(std::filesystem::path(LUTRA_SOURCE_DIR) / "models" / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Rule RuleOf(const Bytes& model, const InterpreterOptions& options = {}) {
  const Loaded loaded(model);
  GuardedArena arena(1 << 16);
  MicroInterpreter interpreter(*loaded, AllOps(), arena.span(), options);
  EXPECT_NE(interpreter.AllocateTensors(), Status::kOk);
  return interpreter.diagnosis().rule;
}

const TensorSpec kSmallTensor = {.shape = {1, 16}, .scale = 0.1f};

TEST(MicroInterpreter, RunsAChainInOneBuffer) {
  const Loaded model(ReluChain(5, 64));
  GuardedArena arena(8192);
  MicroInterpreter interpreter(*model, AllOps(), arena.span());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  EXPECT_EQ(interpreter.memory().activation_bytes, 64u);
  auto* input = static_cast<int8_t*>(interpreter.input(0).data);
  for (int i = 0; i < 64; ++i) input[i] = static_cast<int8_t>(i - 32);
  ASSERT_EQ(interpreter.Invoke(), Status::kOk);
  const auto* output = static_cast<const int8_t*>(interpreter.output(0).data);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(output[i], i < 32 ? 0 : i - 32);
  EXPECT_TRUE(arena.intact());
}

TEST(MicroInterpreter, KeepsTensorsApartWithoutOverlap) {
  const Loaded model(ReluChain(5, 64));
  GuardedArena arena(8192);
  MicroInterpreter interpreter(*model, AllOps(), arena.span(), {.overlap = false});
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  EXPECT_EQ(interpreter.memory().activation_bytes, 128u);
}

TEST(MicroInterpreter, RefusesGraphsThatReadWhatNobodyWrote) {
  {
    ModelBuilder builder;
    for (int i = 0; i < 3; ++i) builder.AddTensor(kSmallTensor);
    builder.AddOperator(BuiltinOperator::kRelu, {1}, {2});
    EXPECT_EQ(RuleOf(builder.Finish({0}, {2})), Rule::kNotProduced);
  }
  // Their elements have no bytes.
  for (const TensorType type : {TensorType::kResource, TensorType::kString, TensorType::kVariant}) {
    ModelBuilder builder;
    builder.AddTensor(kSmallTensor);
    builder.AddTensor({.shape = {1}, .type = type});
    builder.AddOperator(BuiltinOperator::kReadVariable, {1}, {0});
    EXPECT_EQ(RuleOf(builder.Finish({}, {0})), Rule::kNotProduced) << ToString(type);
  }
  {
    ModelBuilder builder;
    for (int i = 0; i < 2; ++i) builder.AddTensor(kSmallTensor);
    builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
    builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
    EXPECT_EQ(RuleOf(builder.Finish({0}, {1})), Rule::kProducedTwice);
  }
  {
    ModelBuilder builder;
    for (int i = 0; i < 2; ++i) builder.AddTensor(kSmallTensor);
    EXPECT_EQ(RuleOf(builder.Finish({0}, {1})), Rule::kGraphOutput);
  }
  {
    ModelBuilder builder;
    builder.AddTensor(kSmallTensor);
    builder.AddTensor({.shape = {1, 16}, .scale = 0.1f, .data = Bytes(16)});
    builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
    EXPECT_EQ(RuleOf(builder.Finish({0}, {1})), Rule::kConstantWritten);
  }
}

TEST(MicroInterpreter, RefusesUnknownOperators) {
  ModelBuilder builder;
  for (int i = 0; i < 2; ++i) builder.AddTensor(kSmallTensor);
  builder.AddOperator(BuiltinOperator::kTile, {0}, {1});
  const Loaded model(builder.Finish({0}, {1}));
  GuardedArena arena(4096);
  MicroInterpreter interpreter(*model, AllOps(), arena.span());
  EXPECT_EQ(interpreter.AllocateTensors(), Status::kUnsupported);
  EXPECT_EQ(interpreter.diagnosis().rule, Rule::kOperatorUnknown);
  EXPECT_EQ(interpreter.diagnosis().node, 0);
}

TEST(MicroInterpreter, TakesAShorterListOfOperators) {
  constexpr Op kOps[] = {kRelu};
  const Loaded chain(ReluChain(2, 16));
  GuardedArena arena(4096);
  MicroInterpreter interpreter(*chain, kOps, arena.span());
  EXPECT_EQ(interpreter.AllocateTensors(), Status::kOk);
}

TEST(MicroInterpreter, CopiesConstantsThatTheFileDoesNotAlign) {
  // A constant int32 input is put at an odd address: ADD of two vectors.
  ModelBuilder builder;
  const TensorSpec spec = {.shape = {3}, .type = TensorType::kInt32};
  const int x = builder.AddTensor(spec);
  TensorSpec constant = spec;
  constant.data = BytesOf<int32_t>({10, 20, 30});
  const int y = builder.AddTensor(constant);
  const int z = builder.AddTensor(spec);
  builder.AddOperator(BuiltinOperator::kAdd, {x, y}, {z});
  const Loaded model(builder.Finish({x}, {z}));
  GuardedArena arena(4096);
  MicroInterpreter interpreter(*model, AllOps(), arena.span());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  // An aligned constant stays in the file, unless the machine needs it in its own byte order.
  const int copies = std::endian::native == std::endian::big ? 1 : 0;
  EXPECT_EQ(interpreter.record(RecordKind::kConstants).count, copies);
  const int32_t values[] = {1, 2, 3};
  std::memcpy(interpreter.input(0).data, values, sizeof values);
  ASSERT_EQ(interpreter.Invoke(), Status::kOk);
  EXPECT_EQ(static_cast<int32_t*>(interpreter.output(0).data)[2], 33);
}

// ---- Variables.

Bytes VariableModel(bool assign_in_init) {
  ModelBuilder builder;
  const TensorSpec handle_spec = {.shape = {1}, .type = TensorType::kResource};
  const int x = builder.AddTensor({.shape = {4}, .type = TensorType::kInt32});
  const int handle = builder.AddTensor(handle_spec);
  const int old_value = builder.AddTensor({.shape = {4}, .type = TensorType::kInt32});
  const int new_value = builder.AddTensor({.shape = {4}, .type = TensorType::kInt32});
  if (assign_in_init) builder.AddOperator(BuiltinOperator::kCallOnce, {}, {}, {.init_subgraph = 1});
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {handle});
  builder.AddOperator(BuiltinOperator::kReadVariable, {handle}, {old_value});
  builder.AddOperator(BuiltinOperator::kAdd, {old_value, x}, {new_value});
  builder.AddOperator(BuiltinOperator::kAssignVariable, {handle, new_value}, {});
  if (!assign_in_init) return builder.Finish({x}, {new_value});
  builder.EndSubgraph({x}, {new_value});
  const int init_handle = builder.AddTensor(handle_spec);
  const int value = builder.AddTensor(
      {.shape = {4}, .type = TensorType::kInt32, .data = BytesOf<int32_t>({100, 200, 300, 400})});
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {init_handle});
  builder.AddOperator(BuiltinOperator::kAssignVariable, {init_handle, value}, {});
  return builder.Finish({}, {});
}

std::vector<int32_t> RunVariables(MicroInterpreter& interpreter) {
  const int32_t ones[] = {1, 1, 1, 1};
  std::memcpy(interpreter.input(0).data, ones, sizeof ones);
  EXPECT_EQ(interpreter.Invoke(), Status::kOk);
  const auto* output = static_cast<const int32_t*>(interpreter.output(0).data);
  return {output, output + 4};
}

TEST(Variables, KeepTheirValuesAndStartAtZero) {
  const Loaded model(VariableModel(false));
  GuardedArena arena(4096);
  MicroInterpreter interpreter(*model, AllOps(), arena.span());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  EXPECT_EQ(RunVariables(interpreter), (std::vector<int32_t>{1, 1, 1, 1}));
  EXPECT_EQ(RunVariables(interpreter), (std::vector<int32_t>{2, 2, 2, 2}));
  interpreter.ResetVariables();
  EXPECT_EQ(RunVariables(interpreter), (std::vector<int32_t>{1, 1, 1, 1}));
}

TEST(Variables, AreInitialisedOnce) {
  const Loaded model(VariableModel(true));
  GuardedArena arena(4096);
  MicroInterpreter interpreter(*model, AllOps(), arena.span());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  EXPECT_EQ(RunVariables(interpreter), (std::vector<int32_t>{101, 201, 301, 401}));
  EXPECT_EQ(RunVariables(interpreter), (std::vector<int32_t>{102, 202, 302, 402}));
  interpreter.ResetVariables();
  EXPECT_EQ(RunVariables(interpreter), (std::vector<int32_t>{101, 201, 301, 401}));
}

// ---- The offline plan.

Bytes PlannedChain(const std::vector<int32_t>& offsets, int declared = -1) {
  ModelBuilder builder;
  for (int i = 0; i < 3; ++i) builder.AddTensor({.shape = {1, 16, 16, 1}, .scale = 0.1f});
  // Pools of one pixel are row operators, whose output may not overlap its input from the wrong side.
  builder.AddOperator(BuiltinOperator::kMaxPool2D, {0}, {1}, {.filter = 3});
  builder.AddOperator(BuiltinOperator::kMaxPool2D, {1}, {2}, {.filter = 3});
  std::vector<int32_t> plan = {0, 1, declared < 0 ? static_cast<int32_t>(offsets.size()) : declared};
  plan.insert(plan.end(), offsets.begin(), offsets.end());
  builder.AddMetadata("OfflineMemoryAllocation", plan);
  return builder.Finish({0}, {2});
}

TEST(OfflinePlan, IsHonoured) {
  const Loaded model(PlannedChain({0, 512, -1}));
  GuardedArena arena(8192);
  MicroInterpreter interpreter(*model, AllOps(), arena.span());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  EXPECT_EQ(interpreter.memory().activation_bytes, 768u);
  EXPECT_EQ(static_cast<uint8_t*>(interpreter.input(0).data), arena.span().data());
}

TEST(OfflinePlan, MayOverlapByTheSafeDistance) {
  // Windows of 3 x 3 with SAME padding need two rows of 16 bytes.
  const Loaded model(PlannedChain({32, 0, 288}));
  GuardedArena arena(8192);
  MicroInterpreter interpreter(*model, AllOps(), arena.span());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  auto* input = static_cast<int8_t*>(interpreter.input(0).data);
  for (int i = 0; i < 256; ++i) input[i] = static_cast<int8_t>(i * 37);
  std::vector<int8_t> expected(256);
  {
    const Loaded apart(PlannedChain({0, 256, 512}));
    GuardedArena other(8192);
    MicroInterpreter reference(*apart, AllOps(), other.span());
    ASSERT_EQ(reference.AllocateTensors(), Status::kOk);
    std::memcpy(reference.input(0).data, input, 256);
    ASSERT_EQ(reference.Invoke(), Status::kOk);
    std::memcpy(expected.data(), reference.output(0).data, 256);
  }
  ASSERT_EQ(interpreter.Invoke(), Status::kOk);
  EXPECT_EQ(std::memcmp(interpreter.output(0).data, expected.data(), 256), 0);
}

// Element-wise operators are computed in pieces as long as the distance of input and output, from the right
// end.
TEST(OfflinePlan, MovesElementwiseOutputsAnyDistance) {
  for (const auto& [in, out] :
       {std::pair{16, 0}, std::pair{0, 16}, std::pair{0, 48}, std::pair{48, 0}, std::pair{0, 0}}) {
    ModelBuilder builder;
    for (int i = 0; i < 2; ++i) builder.AddTensor({.shape = {1, 100}, .scale = 0.1f});
    builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
    builder.AddMetadata("OfflineMemoryAllocation", {0, 1, 2, in, out});
    const Loaded model(builder.Finish({0}, {1}));
    GuardedArena arena(4096);
    MicroInterpreter interpreter(*model, AllOps(), arena.span());
    ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
    auto* input = static_cast<int8_t*>(interpreter.input(0).data);
    for (int i = 0; i < 100; ++i) input[i] = static_cast<int8_t>(i - 50);
    ASSERT_EQ(interpreter.Invoke(), Status::kOk);
    const auto* output = static_cast<const int8_t*>(interpreter.output(0).data);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(output[i], i < 50 ? 0 : i - 50) << in << " to " << out;
  }
}

TEST(OfflinePlan, IsCheckedFirst) {
  EXPECT_EQ(RuleOf(PlannedChain({0, 256})), Rule::kOfflinePlanSize);
  EXPECT_EQ(RuleOf(PlannedChain({0, 256}, 3)), Rule::kOfflinePlanSize);
  EXPECT_EQ(RuleOf(PlannedChain({8, 256, 512})), Rule::kOfflinePlanOffset);
  EXPECT_EQ(RuleOf(PlannedChain({-16, 256, 512})), Rule::kOfflinePlanOffset);
  EXPECT_EQ(RuleOf(PlannedChain({0x7FFFFFF0, 256, 512})), Rule::kOfflinePlanOffset);
  const Loaded model(PlannedChain({16, 0, 288}));  // One row too near.
  GuardedArena arena(8192);
  MicroInterpreter interpreter(*model, AllOps(), arena.span());
  EXPECT_EQ(interpreter.AllocateTensors(), Status::kInvalidModel);
  EXPECT_EQ(interpreter.diagnosis().rule, Rule::kOfflinePlanOverlap);
  EXPECT_NE(interpreter.diagnosis().tensor, interpreter.diagnosis().other_tensor);
}

// ---- Every arena that is too small is refused, and nothing outside it is written.

TEST(Arena, TooSmallAtAnySizeBelowTheSmallest) {
  const Loaded model(ReadBundled("kws.tflite"));
  for (const MemoryPolicy policy : {MemoryPolicy::kSmall, MemoryPolicy::kFast}) {
    const InterpreterOptions options = {.policy = policy};
    // The smallest arena that works is found by following wanted_bytes.
    size_t smallest = 0;
    for (;;) {
      GuardedArena arena(smallest);
      MicroInterpreter interpreter(*model, AllOps(), arena.span(), options);
      const Status status = interpreter.AllocateTensors();
      if (status == Status::kOk) break;
      ASSERT_EQ(status, Status::kArenaTooSmall);
      ASSERT_GT(interpreter.diagnosis().wanted_bytes, smallest);
      smallest = interpreter.diagnosis().wanted_bytes;
    }
    for (size_t bytes = 0; bytes < smallest; bytes += kSanitized ? 960 : 64) {
      GuardedArena arena(bytes);
      MicroInterpreter interpreter(*model, AllOps(), arena.span(), options);
      ASSERT_EQ(interpreter.AllocateTensors(), Status::kArenaTooSmall) << bytes;
      EXPECT_GT(interpreter.diagnosis().wanted_bytes, bytes);
      EXPECT_LE(interpreter.diagnosis().wanted_bytes, smallest);
      EXPECT_EQ(interpreter.Invoke(), Status::kInvalidArgument);
      ASSERT_TRUE(arena.intact()) << bytes;
    }
    GuardedArena arena(smallest);
    MicroInterpreter interpreter(*model, AllOps(), arena.span(), options);
    ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
    std::memset(interpreter.input(0).data, 1, static_cast<size_t>(interpreter.input(0).info.bytes));
    EXPECT_EQ(interpreter.Invoke(), Status::kOk);
    EXPECT_TRUE(arena.intact());
  }
}

// An arena of used_bytes works, and one of a byte less is too small: also if AllocateTensors' temporary
// memory is larger than what remains.
TEST(Arena, OfTheBytesThatAreUsedIsTheSmallest) {
  for (const Bytes& bytes : {ReadBundled("sine.tflite"), ReadBundled("kws.tflite"), ReluChain(40, 4)}) {
    const Loaded model(bytes);
    for (const InterpreterOptions& options :
         {InterpreterOptions{.policy = MemoryPolicy::kSmall},
          InterpreterOptions{.policy = MemoryPolicy::kFast},
          InterpreterOptions{.policy = MemoryPolicy::kSmall, .plan = {.search_moves = 0}}}) {
      GuardedArena plenty(1 << 17);
      MicroInterpreter spacious(*model, AllOps(), plenty.span(), options);
      ASSERT_EQ(spacious.AllocateTensors(), Status::kOk);
      const size_t used = spacious.memory().used_bytes;
      GuardedArena exact(used);
      MicroInterpreter interpreter(*model, AllOps(), exact.span(), options);
      ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk) << used;
      EXPECT_EQ(interpreter.memory().used_bytes, used);
      EXPECT_EQ(interpreter.Invoke(), Status::kOk);
      EXPECT_TRUE(exact.intact());
      GuardedArena less(used - 1);
      MicroInterpreter cramped(*model, AllOps(), less.span(), options);
      EXPECT_EQ(cramped.AllocateTensors(), Status::kArenaTooSmall) << used;
      EXPECT_EQ(cramped.diagnosis().wanted_bytes, used);
    }
  }
}

// Following wanted_bytes at an address of any alignment leads to an arena that works there, with no more loss
// than the bytes before the first multiple of 16.
TEST(Arena, AtAnyAlignmentSaysWhatItWants) {
  const Loaded model(ReadBundled("sine.tflite"));
  for (const MemoryPolicy policy : {MemoryPolicy::kSmall, MemoryPolicy::kFast}) {
    size_t aligned_bytes = 0;
    for (size_t offset = 0; offset < kArenaAlignment; ++offset) {
      size_t bytes = 0;
      for (;;) {
        GuardedArena arena(bytes, offset);
        MicroInterpreter interpreter(*model, AllOps(), arena.span(), {.policy = policy});
        const Status status = interpreter.AllocateTensors();
        if (status == Status::kOk) break;
        ASSERT_EQ(status, Status::kArenaTooSmall);
        ASSERT_GT(interpreter.diagnosis().wanted_bytes, bytes);
        bytes = interpreter.diagnosis().wanted_bytes;
      }
      if (offset == 0) aligned_bytes = bytes;
      EXPECT_EQ(bytes, aligned_bytes + (kArenaAlignment - offset) % kArenaAlignment);
    }
  }
}

TEST(Arena, WithoutMemoryHoldsNothing) {
  Arena arena;
  EXPECT_EQ(arena.AllocatePersistent(0, 8, RecordKind::kNodes, 0), nullptr);
  EXPECT_EQ(arena.AllocatePersistent(1, 8, RecordKind::kNodes), nullptr);
  EXPECT_EQ(arena.persistent_bytes(), 0u);
}

// The profiler sees each node once, in order.
TEST(Profiler, IsCalledAroundEachNode) {
  const Loaded model(ReluChain(3, 16));
  GuardedArena arena(4096);
  MicroInterpreter interpreter(*model, AllOps(), arena.span());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  std::vector<int> calls;
  const Profiler profiler = {
      &calls, [](void* user, int node) { static_cast<std::vector<int>*>(user)->push_back(node); },
      [](void* user, int node) { static_cast<std::vector<int>*>(user)->push_back(-1 - node); }};
  interpreter.set_profiler(&profiler);
  ASSERT_EQ(interpreter.Invoke(), Status::kOk);
  EXPECT_EQ(calls, (std::vector<int>{0, -1, 1, -2, 2, -3}));
}

// Tries every subset of the hooks, from none to all.
TEST(Profiler, MayLackAnyHook) {
  const Loaded model(ReluChain(3, 16));
  for (unsigned hooks = 0; hooks < 16; ++hooks) {
    GuardedArena arena(4096);
    MicroInterpreter interpreter(*model, AllOps(), arena.span());
    ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
    int calls = 0;
    Profiler profiler = {.user = &calls};
    const auto count = [](void* user, int) { ++*static_cast<int*>(user); };
    const auto count_decode = [](void* user, int, int) { ++*static_cast<int*>(user); };
    if ((hooks & 1) != 0) profiler.begin = count;
    if ((hooks & 2) != 0) profiler.end = count;
    if ((hooks & 4) != 0) profiler.begin_decode = count_decode;
    if ((hooks & 8) != 0) profiler.end_decode = count_decode;
    interpreter.set_profiler(&profiler);
    ASSERT_EQ(interpreter.Invoke(), Status::kOk);
    EXPECT_EQ(calls, 3 * std::popcount(hooks & 3));
  }
}

// Functions that request memory exist only in prepare, those that return data of activations only in eval.
template <typename Context>
concept CanAllocate = requires(Context& context, int* index, int** data) {
  context.RequestScratch(1, index);
  context.AllocateData(data);
  context.AllocateArray(1, RecordKind::kTables, data);
};
template <typename Context>
concept CanRead = requires(Context& context) {
  context.template InputData<int8_t>(0);
  context.template OutputData<int8_t>(0);
  context.template ScratchData<int8_t>(0);
};
static_assert(CanAllocate<PrepareContext> && !CanAllocate<EvalContext>);
static_assert(CanRead<EvalContext> && !CanRead<PrepareContext>);

}  // namespace
}  // namespace lutra

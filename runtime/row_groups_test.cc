// SPDX-License-Identifier: Apache-2.0
// Row groups give the bytes of the same graph without groups, in less memory, whatever a plan says.

#include "lutra/row_groups.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lutra/diagnosis_text.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"

namespace lutra {
namespace {

using Bytes = std::vector<uint8_t>;
using Words = std::vector<int32_t>;

struct alignas(16) Block {
  uint8_t bytes[16];
};

// A model in aligned memory.
struct Loaded {
  explicit Loaded(const Bytes& bytes) : memory(bytes.size() / 16 + 1) {
    std::memcpy(memory.data(), bytes.data(), bytes.size());
    Diagnosis diagnosis;
    const auto* begin = reinterpret_cast<const uint8_t*>(memory.data());
    EXPECT_EQ(Model::Load({begin, bytes.size()}, &model, &diagnosis), Status::kOk)
        << Describe(diagnosis.rule).name;
  }
  std::vector<Block> memory;
  Model model;
};

// The result of running a model in an arena of exactly this many bytes, between guard bytes.
struct Outcome {
  Status status = Status::kOk;
  Rule rule = Rule::kNone;
  size_t wanted_bytes = 0;
  size_t used_bytes = 0;
  size_t head_bytes = 0;
  size_t kept_multipliers = 0;  // Bytes.
  int groups = 0;
  std::vector<Words> tables;  // Of multipliers: a node, then value and shift of each channel.
  bool guard_intact = true;
  std::vector<Bytes> outputs;  // The bytes of each inference.
};

Outcome RunIn(const Bytes& bytes, const InterpreterOptions& options, size_t arena_bytes, uint32_t seed = 1,
              int inferences = 2) {
  constexpr size_t kGuardBlocks = 8;
  constexpr uint8_t kGuard = 0xC3;
  const Loaded loaded(bytes);
  std::vector<Block> memory(arena_bytes / 16 + 1 + 2 * kGuardBlocks);
  std::memset(memory.data(), kGuard, memory.size() * 16);
  auto* const arena = reinterpret_cast<uint8_t*>(memory.data() + kGuardBlocks);
  MicroInterpreter interpreter(loaded.model, AllOps(), {arena, arena_bytes}, options);
  Outcome outcome;
  MicroInterpreter::Visitor visitor;
  visitor.user = &outcome;
  visitor.row_group = [](void* user, int, int) { ++static_cast<Outcome*>(user)->groups; };
  visitor.multipliers = [](void* user, int node, const Multiplier* multipliers, int32_t channels) {
    Words table = {node};
    for (int32_t c = 0; c < channels; ++c) {
      table.insert(table.end(), {multipliers[c].value, multipliers[c].shift});
    }
    static_cast<Outcome*>(user)->tables.push_back(table);
  };
  interpreter.set_visitor(visitor);
  outcome.status = interpreter.AllocateTensors();
  outcome.rule = interpreter.diagnosis().rule;
  outcome.wanted_bytes = interpreter.diagnosis().wanted_bytes;
  outcome.used_bytes = interpreter.memory().used_bytes;
  outcome.head_bytes = interpreter.memory().head_bytes;
  outcome.kept_multipliers = interpreter.record(RecordKind::kMultipliers).bytes;
  std::mt19937 random(seed);
  for (int i = 0; i < inferences && outcome.status == Status::kOk; ++i) {
    for (int k = 0; k < interpreter.input_count(); ++k) {
      auto* const values = static_cast<uint8_t*>(interpreter.input(k).data);
      for (int32_t b = 0; b < interpreter.input(k).info.bytes; ++b)
        values[b] = static_cast<uint8_t>(random());
    }
    outcome.status = interpreter.Invoke();
    for (int k = 0; k < interpreter.output_count(); ++k) {
      const Tensor output = interpreter.output(k);
      const auto* const values = static_cast<const uint8_t*>(output.data);
      outcome.outputs.emplace_back(values, values + output.info.bytes);
    }
  }
  for (size_t i = 0; i < kGuardBlocks * 16; ++i) {
    outcome.guard_intact =
        outcome.guard_intact && *(arena - 1 - i) == kGuard && arena[arena_bytes + i] == kGuard;
  }
  return outcome;
}

constexpr size_t kEnough = 1 << 17;
constexpr int32_t kNoPlace = -1;

Outcome RunUnplanned(const Bytes& model, const InterpreterOptions& options) {
  InterpreterOptions without = options;
  without.row_groups = nullptr;
  return RunIn(model, without, kEnough);
}

// LUTRA_PLAN without offsets.
Words PlanOf(int nodes, const std::vector<std::pair<int, int>>& groups) {
  Words words = {1, nodes, 0, static_cast<int32_t>(groups.size()), 0};
  for (const auto& [first, count] : groups) {
    words.push_back(first);
    words.push_back(count);
  }
  return words;
}

// The plan with these tables appended.
Words WithTables(Words plan, const std::vector<Words>& tables) {
  constexpr int kHeaderWords = 5;
  plan[0] = 2;
  plan.insert(plan.begin() + kHeaderWords, static_cast<int32_t>(tables.size()));
  for (const Words& table : tables) {
    plan.insert(plan.end(), {table[0], static_cast<int32_t>(table.size() / 2)});
  }
  for (const Words& table : tables) plan.insert(plan.end(), table.begin() + 1, table.end());
  return plan;
}

// A random near-chain of int8 operators on images, some of which read an earlier tensor, too.
class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed) {
    const Image input = {.height = Draw(3, 20), .width = Draw(1, 6), .channels = Draw(1, 9)};
    images_ = {Added(input)};
    const int operators = Draw(2, 9);
    while (node_count() < operators) AddOperator();
    if (seed % 2 == 0) AddWholeImagePool();
    if (seed % 4 == 0) AddAbs();
  }
  int node_count() const { return static_cast<int>(images_.size()) - 1; }
  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  std::vector<std::pair<int, int>> RandomGroups() {
    std::vector<std::pair<int, int>> groups;
    for (int at = Draw(0, 1); at + 2 <= node_count();) {
      const int count = Draw(2, node_count() - at);
      groups.emplace_back(at, count);
      at += count + Draw(0, 1);
    }
    return groups;
  }
  Bytes WithPlan(const Words& plan) const {
    ModelBuilder builder = builder_;
    if (!plan.empty()) builder.AddMetadata(kRowPlanName, plan);
    return builder.Finish({images_.front().tensor}, {images_.back().tensor});
  }
  int tensor_count() const { return tensor_count_; }

 private:
  struct Image {
    int height = 0;
    int width = 0;
    int channels = 0;
    int zero_point = 0;
    int tensor = 0;
    bool SameShape(const Image& other) const {
      return height == other.height && width == other.width && channels == other.channels;
    }
  };

  Image Added(Image image) {
    image.tensor = AddTensor({.shape = {1, image.height, image.width, image.channels},
                              .scale = 0.1f,
                              .zero_point = image.zero_point});
    return image;
  }
  int AddTensor(const TensorSpec& spec) {
    ++tensor_count_;
    return builder_.AddTensor(spec);
  }
  int AddFilter(const std::vector<int32_t>& shape, int quantized_dimension) {
    TensorSpec spec = {.shape = shape, .scale = 0.02f, .quantized_dimension = quantized_dimension};
    for (int32_t c = 0; c < shape[static_cast<size_t>(quantized_dimension)]; ++c) {
      spec.channel_scales.push_back(0.02f + 0.003f * static_cast<float>(c));
    }
    size_t count = 1;
    for (const int32_t dimension : shape) count *= static_cast<size_t>(dimension);
    for (size_t i = 0; i < count; ++i) spec.data.push_back(static_cast<uint8_t>(Draw(-127, 127)));
    return AddTensor(spec);
  }

  // Applies windows to the image; returns false if none fits.
  static bool Slide(int window, const OperatorOptions& options, Image* image) {
    const auto slide = [&](int in, int stride, int dilation) {
      const int reach = (window - 1) * dilation + 1;
      return options.padding == 0 ? (in + stride - 1) / stride : (in + stride - reach) / stride;
    };
    image->height = slide(image->height, options.stride, options.dilation);
    image->width = slide(image->width, *options.stride_w, *options.dilation_w);
    return image->height > 0 && image->width > 0;
  }

  void Add(BuiltinOperator code, std::vector<int> inputs, const Image& output,
           const OperatorOptions& options) {
    images_.push_back(Added(output));
    builder_.AddOperator(code, inputs, {images_.back().tensor}, options);
  }

  void AddAbs() {
    Image output = images_.back();
    const int input = output.tensor;
    output.zero_point = Draw(-20, 20);
    Add(BuiltinOperator::kAbs, {input}, output, {});
  }

  // Adds a pool with one output pixel for the whole image.
  void AddWholeImagePool() {
    Image output = images_.back();
    OperatorOptions options;
    options.padding = Draw(0, 1);
    options.filter = output.height;
    options.filter_w = output.width;
    // SAME makes one pixel if strides are as long as the image.
    options.stride = output.height;
    options.stride_w = output.width;
    options.activation = Draw(0, 3);
    const bool max = Draw(0, 3) == 0;
    const int input = output.tensor;
    output.height = output.width = 1;
    Add(max ? BuiltinOperator::kMaxPool2D : BuiltinOperator::kAveragePool2D, {input}, output, options);
  }

  void AddOperator() {
    const Image input = images_.back();
    Image output = input;
    OperatorOptions options;
    options.padding = Draw(0, 1);
    options.stride = Draw(0, 2) == 0 ? Draw(2, 3) : 1;
    options.dilation = options.stride == 1 && Draw(0, 3) == 0 ? Draw(2, 3) : 1;
    options.stride_w = options.dilation_w = 1;
    const int window = Draw(1, 4);
    const int kind = Draw(0, 6);
    if (kind <= 2 && !Slide(window, options, &output)) return;
    switch (kind) {
      case 0: {
        output.channels = Draw(1, 9);
        output.zero_point = Draw(-20, 20);
        const int filter = AddFilter({output.channels, window, window, input.channels}, 0);
        return Add(BuiltinOperator::kConv2D, {input.tensor, filter, -1}, output, options);
      }
      case 1: {
        output.zero_point = Draw(-20, 20);
        const int filter = AddFilter({1, window, window, input.channels}, 3);
        return Add(BuiltinOperator::kDepthwiseConv2D, {input.tensor, filter, -1}, output, options);
      }
      case 2: {
        if (options.dilation > 1) return;
        options.filter = window;
        const bool max = Draw(0, 1) == 0;
        return Add(max ? BuiltinOperator::kMaxPool2D : BuiltinOperator::kAveragePool2D, {input.tensor},
                   output, options);
      }
      case 3:
        return AddAbs();
      default: {
        const Image other = images_[static_cast<size_t>(Draw(0, node_count()))];
        if (!other.SameShape(input)) return;
        output.zero_point = Draw(-20, 20);
        const int one = AddFilter({1}, 0);
        const int kinds[][2] = {{input.tensor, other.tensor}, {input.tensor, one}, {one, input.tensor}};
        const int* const operands = kinds[Draw(0, 2)];
        return Add(BuiltinOperator::kAdd, {operands[0], operands[1]}, output, {});
      }
    }
  }

  std::mt19937 random_;
  ModelBuilder builder_;
  int tensor_count_ = 0;
  std::vector<Image> images_;
};

std::vector<InterpreterOptions> Options() {
  std::vector<InterpreterOptions> all;
  for (const MemoryPolicy policy : {MemoryPolicy::kFast, MemoryPolicy::kSmall}) {
    for (const CpuFeatures features : {AllCpuFeatures(), CpuFeatures{0}}) {
      all.push_back({.policy = policy, .cpu_features = features});
    }
  }
  return all;
}

TEST(RowGroups, GiveTheBytesOfAnUnplannedGraph) {
  int groups = 0;
  int smaller = 0;
  constexpr uint32_t kGraphs = 300;
  for (uint32_t seed = 1; seed <= kGraphs; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph graph(seed);
    const Bytes plain = graph.WithPlan({});
    const Bytes planned = graph.WithPlan(PlanOf(graph.node_count(), graph.RandomGroups()));
    for (const InterpreterOptions& options : Options()) {
      const Outcome expected = RunUnplanned(plain, options);
      ASSERT_EQ(expected.status, Status::kOk) << Describe(expected.rule).name;
      const size_t used = RunIn(planned, options, kEnough).used_bytes;
      const Outcome outcome = RunIn(planned, options, used);
      ASSERT_EQ(outcome.status, Status::kOk) << Describe(outcome.rule).name;
      ASSERT_EQ(outcome.outputs, expected.outputs);
      ASSERT_TRUE(outcome.guard_intact);
      ASSERT_EQ(RunUnplanned(planned, options).outputs, expected.outputs);
      groups += outcome.groups;
      smaller += outcome.head_bytes < expected.head_bytes ? 1 : 0;
    }
  }
  EXPECT_GT(groups, 500);
  EXPECT_GT(smaller, 200);
}

TEST(RowGroups, RefuseEveryArenaThatIsTooSmall) {
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph graph(seed);
    const InterpreterOptions small = {.policy = MemoryPolicy::kSmall};
    const Bytes planned = graph.WithPlan(PlanOf(graph.node_count(), {{0, graph.node_count()}}));
    const Bytes expected = RunUnplanned(planned, small).outputs.front();
    const size_t used = RunIn(planned, small, kEnough).used_bytes;
    for (size_t bytes = 0; bytes <= used + 64; bytes += 16) {
      const Outcome outcome = RunIn(planned, small, bytes, 1, 1);
      ASSERT_TRUE(outcome.guard_intact);
      if (bytes < used) {
        ASSERT_EQ(outcome.status, Status::kArenaTooSmall) << bytes << " of " << used;
        ASSERT_GT(outcome.wanted_bytes, bytes);
        ASSERT_LE(outcome.wanted_bytes, used);
      } else {
        ASSERT_EQ(outcome.status, Status::kOk);
        ASSERT_EQ(outcome.outputs.front(), expected);
      }
    }
  }
}

// ---- Tables of multipliers.

// Returns the tables that the runtime computes from the scales.
std::vector<Words> TablesOf(const RandomGraph& graph) {
  return RunIn(graph.WithPlan({}), {.policy = MemoryPolicy::kFast}, kEnough, 1, 0).tables;
}

// The first random graph with this many layers.
RandomGraph GraphOfLayers(size_t layers) {
  uint32_t seed = 1;
  while (TablesOf(RandomGraph(seed)).size() < layers) ++seed;
  return RandomGraph(seed);
}

TEST(Multipliers, AreReadInTheModel) {
  int tables_read = 0;
  constexpr uint32_t kGraphs = 60;
  for (uint32_t seed = 1; seed <= kGraphs; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph graph(seed);
    const std::vector<Words> tables = TablesOf(graph);
    const Bytes plain = graph.WithPlan({});
    const Words groups = PlanOf(graph.node_count(), graph.RandomGroups());
    for (const InterpreterOptions& options : Options()) {
      const Outcome expected = RunUnplanned(plain, options);
      for (const Words& plan : {groups, PlanOf(graph.node_count(), {})}) {
        const Outcome without = RunIn(graph.WithPlan(plan), options, kEnough);
        const Bytes planned = graph.WithPlan(WithTables(plan, tables));
        const Outcome outcome = RunIn(planned, options, RunIn(planned, options, kEnough).used_bytes);
        ASSERT_EQ(outcome.status, Status::kOk) << Describe(outcome.rule).name;
        ASSERT_EQ(outcome.outputs, expected.outputs);
        ASSERT_EQ(outcome.groups, without.groups);
        // Machines of the other byte order copy the tables.
        if (std::endian::native == std::endian::little) {
          ASSERT_EQ(outcome.tables, tables);
          ASSERT_EQ(outcome.kept_multipliers, 0u);
          ASSERT_LE(outcome.used_bytes, without.used_bytes);
        }
        ASSERT_EQ(RunUnplanned(planned, options).outputs, expected.outputs);
        tables_read += static_cast<int>(tables.size());
      }
    }
  }
  EXPECT_GT(tables_read, 500);
}

// An operator without a table computes its multipliers.
TEST(Multipliers, MayBeThereForSomeOperators) {
  const RandomGraph graph = GraphOfLayers(3);
  const Bytes plain = graph.WithPlan({});
  std::vector<Words> tables = TablesOf(graph);
  tables.erase(tables.begin() + 1);
  for (const InterpreterOptions& options : Options()) {
    const Outcome outcome =
        RunIn(graph.WithPlan(WithTables(PlanOf(graph.node_count(), {}), tables)), options, kEnough);
    EXPECT_EQ(outcome.outputs, RunUnplanned(plain, options).outputs);
  }
}

// A model of CALL_ONCE, RELU and CONV_2D. The called subgraph has a CONV_2D, too, of the same number there.
Bytes ModelThatCalls(const Words& plan) {
  ModelBuilder builder;
  const auto convolve = [&builder](int input, const std::vector<float>& scales) {
    const int filter =
        builder.AddTensor({.shape = {2, 1, 1, 4}, .channel_scales = scales, .data = Bytes(8, 3)});
    const int output = builder.AddTensor({.shape = {1, 1, 1, 2}, .scale = 0.3f});
    builder.AddOperator(BuiltinOperator::kConv2D, {input, filter, -1}, {output});
    return output;
  };
  const TensorSpec pixel = {.shape = {1, 1, 1, 4}, .scale = 0.1f};
  const int input = builder.AddTensor(pixel);
  const int positive = builder.AddTensor(pixel);
  builder.AddOperator(BuiltinOperator::kCallOnce, {}, {}, {.init_subgraph = 1});
  builder.AddOperator(BuiltinOperator::kRelu, {input}, {positive});
  const int output = convolve(positive, {0.2f, 0.7f});
  builder.EndSubgraph({input}, {output});
  const int handle = builder.AddTensor({.shape = {1}, .type = TensorType::kResource});
  const int read = builder.AddTensor(pixel);
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {handle});
  builder.AddOperator(BuiltinOperator::kReadVariable, {handle}, {read});
  convolve(read, {0.4f, 0.5f});
  if (!plan.empty()) builder.AddMetadata(kRowPlanName, plan);
  return builder.Finish({}, {});
}

TEST(Multipliers, ServeAModelThatCallsSubgraphs) {
  constexpr int kNode = 2;
  const Bytes plain = ModelThatCalls({});
  const InterpreterOptions fast = {.policy = MemoryPolicy::kFast};
  const std::vector<Words> all = RunIn(plain, fast, kEnough).tables;
  ASSERT_EQ(all.size(), 2u);
  // The called CONV_2D runs first.
  Words table = all[1];
  table[0] = kNode;
  const Words plan = WithTables(PlanOf(3, {{1, 2}}), {table});
  for (const InterpreterOptions& options : Options()) {
    const Outcome expected = RunUnplanned(plain, options);
    ASSERT_EQ(expected.status, Status::kOk) << Describe(expected.rule).name;
    const Outcome outcome = RunIn(ModelThatCalls(plan), options, kEnough);
    EXPECT_EQ(outcome.outputs, expected.outputs);
    EXPECT_EQ(outcome.groups, 0);
    if (std::endian::native == std::endian::little && options.policy == MemoryPolicy::kFast) {
      EXPECT_EQ(outcome.kept_multipliers, expected.kept_multipliers / 2) << "the called one's";
    }
  }
  Words other = table;
  other.back() += 1;
  EXPECT_EQ(RunIn(ModelThatCalls(WithTables(PlanOf(3, {}), {other})), fast, kEnough).rule, Rule::kRowPlan);
}

// A model that says where its tensors lie has tables all the same.
TEST(Multipliers, ServeAModelWithAnOfflinePlan) {
  ModelBuilder builder;
  builder.AddTensor({.shape = {1, 1, 1, 4}, .scale = 0.1f});
  builder.AddTensor({.shape = {2, 1, 1, 4}, .channel_scales = {0.2f, 0.7f}, .data = Bytes(8, 3)});
  builder.AddTensor({.shape = {1, 1, 1, 2}, .scale = 0.3f});
  builder.AddOperator(BuiltinOperator::kConv2D, {0, 1, -1}, {2});
  const auto model = [&builder](const Words& plan) {
    ModelBuilder with = builder;
    with.AddMetadata("OfflineMemoryAllocation", {1, 0, 3, -1, -1, -1});
    if (!plan.empty()) with.AddMetadata(kRowPlanName, plan);
    return with.Finish({0}, {2});
  };
  const InterpreterOptions fast = {.policy = MemoryPolicy::kFast};
  const Outcome expected = RunUnplanned(model({}), fast);
  ASSERT_EQ(expected.status, Status::kOk) << Describe(expected.rule).name;
  InterpreterOptions options = fast;
  options.row_groups = &kRowGroups;
  const Outcome outcome = RunIn(model(WithTables(PlanOf(1, {}), expected.tables)), options, kEnough);
  EXPECT_EQ(outcome.outputs, expected.outputs);
  if (std::endian::native == std::endian::little) {
    EXPECT_EQ(outcome.kept_multipliers, 0u);
  }
}

// ---- Plans that may be wrong.

Rule RuleOf(const RandomGraph& graph, const Words& plan) {
  const Outcome outcome = RunIn(graph.WithPlan(plan), {}, kEnough);
  EXPECT_NE(outcome.status, Status::kOk);
  return outcome.rule;
}

TEST(RowPlan, IsRefusedWhereItIsMalformed) {
  const RandomGraph graph(3);
  const int nodes = graph.node_count();
  ASSERT_GE(nodes, 4);
  EXPECT_EQ(RuleOf(graph, {1, nodes}), Rule::kRowPlan);
  EXPECT_EQ(RuleOf(graph, {2, nodes, 0, 0, 0}), Rule::kRowPlan) << "version";
  EXPECT_EQ(RuleOf(graph, {1, nodes + 1, 0, 0, 0}), Rule::kRowPlan) << "nodes";
  EXPECT_EQ(RuleOf(graph, {1, nodes, 1, 0, 0, 0}), Rule::kRowPlan) << "tensors";
  EXPECT_EQ(RuleOf(graph, {1, nodes, 0, 1, 0, 0}), Rule::kRowPlan) << "half a group";
  EXPECT_EQ(RuleOf(graph, {1, nodes, 0, -1, 0}), Rule::kRowPlan) << "number of groups";
  EXPECT_EQ(RuleOf(graph, {1, nodes, 0, 0x7FFFFFFF, 0}), Rule::kRowPlan) << "number of groups";
  EXPECT_EQ(RuleOf(graph, PlanOf(nodes, {{0, 1}})), Rule::kRowPlan) << "one node is no group";
  EXPECT_EQ(RuleOf(graph, PlanOf(nodes, {{-1, 2}})), Rule::kRowPlan);
  EXPECT_EQ(RuleOf(graph, PlanOf(nodes, {{0, nodes + 1}})), Rule::kRowPlan);
  EXPECT_EQ(RuleOf(graph, PlanOf(nodes, {{1, 0x7FFFFFFF}})), Rule::kRowPlan);
  EXPECT_EQ(RuleOf(graph, PlanOf(nodes, {{0, 3}, {2, 2}})), Rule::kRowPlan) << "groups overlap";
  EXPECT_EQ(RuleOf(graph, PlanOf(nodes, {{2, 2}, {0, 2}})), Rule::kRowPlan) << "not in order";
}

TEST(RowPlan, IsRefusedWhereTablesAreMalformed) {
  const RandomGraph graph = GraphOfLayers(3);
  const int nodes = graph.node_count();
  const Words groups = PlanOf(nodes, {});
  const std::vector<Words> tables = TablesOf(graph);
  const auto rule_with = [&](const std::vector<Words>& of) { return RuleOf(graph, WithTables(groups, of)); };
  constexpr size_t kHeaderWords = 6;
  const auto rule_of_word = [&](size_t word, int32_t value) {
    Words plan = WithTables(groups, tables);
    plan[word] = value;
    return RuleOf(graph, plan);
  };
  EXPECT_EQ(rule_with({tables[1], tables[0]}), Rule::kRowPlan) << "not in order";
  EXPECT_EQ(rule_with({tables[0], tables[0]}), Rule::kRowPlan) << "one node twice";
  EXPECT_EQ(rule_of_word(5, -1), Rule::kRowPlan) << "number of tables";
  EXPECT_EQ(rule_of_word(5, nodes + 1), Rule::kRowPlan) << "number of tables";
  EXPECT_EQ(rule_of_word(kHeaderWords, -1), Rule::kRowPlan) << "node";
  EXPECT_EQ(rule_of_word(kHeaderWords + 2, nodes), Rule::kRowPlan) << "node";
  for (const int32_t channels : {0, -1, 1, 0x7FFFFFFF, 0x40000001}) {
    EXPECT_EQ(rule_of_word(kHeaderWords + 1, channels), Rule::kRowPlan) << channels;
  }
  std::vector<Words> other = tables;
  other[0].resize(other[0].size() - 2);
  EXPECT_EQ(rule_with(other), Rule::kRowPlan) << "a channel is missing";
  other[0] = tables[0];
  other[0].insert(other[0].end(), {1 << 30, 0});
  EXPECT_EQ(rule_with(other), Rule::kRowPlan) << "a channel too many";
  Words longer = WithTables(groups, tables);
  longer.push_back(0);
  EXPECT_EQ(RuleOf(graph, longer), Rule::kRowPlan) << "a word behind the tables";
}

// One number of one table is changed.
TEST(RowPlan, IsRefusedWhereAMultiplierIsAnother) {
  const RandomGraph graph = GraphOfLayers(3);
  const Words plan = WithTables(PlanOf(graph.node_count(), {}), TablesOf(graph));
  const size_t first = 6 + 2 * TablesOf(graph).size();
  ASSERT_GT(plan.size(), first + 4);
  for (size_t at = first; at < plan.size(); ++at) {
    for (const uint32_t bit : {0u, 31u}) {
      Words other = plan;
      other[at] = static_cast<int32_t>(static_cast<uint32_t>(other[at]) ^ (1u << bit));
      EXPECT_EQ(RuleOf(graph, other), Rule::kRowPlan) << at;
    }
  }
}

// The plan of the graph with an offset for each tensor.
Words WithPlaces(const RandomGraph& graph, Words plan, int32_t place) {
  plan[2] = graph.tensor_count();
  plan.resize(plan.size() + static_cast<size_t>(graph.tensor_count()), place);
  return plan;
}

TEST(RowPlan, PlacesAreChecked) {
  const RandomGraph graph(3);
  const Words groups = PlanOf(graph.node_count(), {});
  EXPECT_EQ(RuleOf(graph, WithPlaces(graph, groups, 8)), Rule::kRowPlan);
  EXPECT_EQ(RuleOf(graph, WithPlaces(graph, groups, -16)), Rule::kRowPlan);
  EXPECT_EQ(RuleOf(graph, WithPlaces(graph, groups, 0x7FFFFFF0)), Rule::kRowPlan);
  // All tensors have one offset: the planner places them again.
  const Outcome outcome = RunIn(graph.WithPlan(WithPlaces(graph, groups, 0)), {}, kEnough);
  EXPECT_EQ(outcome.outputs, RunUnplanned(graph.WithPlan({}), {}).outputs);
}

TEST(RowPlan, GivesTheRightBytesOrNone) {
  int ran = 0;
  int refused = 0;
  std::mt19937 random(7);
  for (uint32_t seed = 1; seed <= 2000; ++seed) {
    RandomGraph graph(seed % 40);
    Words plan = PlanOf(graph.node_count(), graph.RandomGroups());
    if (random() % 2 == 0) plan = WithPlaces(graph, plan, kNoPlace);
    if (random() % 2 == 0) plan = WithTables(plan, TablesOf(graph));
    for (uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
      int32_t& word = plan[random() % plan.size()];
      const auto before = static_cast<uint32_t>(word);
      const uint32_t values[] = {0,          1,           2,          UINT32_MAX,
                                 16,         32,          160,        before + 1,
                                 before - 1, before * 16, 0x7FFFFFF0, static_cast<uint32_t>(random())};
      word = static_cast<int32_t>(values[random() % std::size(values)]);
    }
    const Outcome outcome = RunIn(graph.WithPlan(plan), {}, kEnough);
    ASSERT_TRUE(outcome.guard_intact) << seed;
    if (outcome.status == Status::kOk) {
      ASSERT_EQ(outcome.outputs, RunUnplanned(graph.WithPlan({}), {}).outputs) << seed;
      ++ran;
    } else {
      ASSERT_TRUE(outcome.rule == Rule::kRowPlan || outcome.rule == Rule::kArenaTooSmall)
          << seed << ": " << Describe(outcome.rule).name;
      ++refused;
    }
  }
  EXPECT_GT(ran, 200);
  EXPECT_GT(refused, 200);
}

// ---- Groups that do not run by rows.

TEST(RowGroups, DoNotRunWhereTheyCannot) {
  const auto pools = [](int images, int window, const std::vector<int>& outputs) {
    ModelBuilder builder;
    for (int i = 0; i < 3; ++i) builder.AddTensor({.shape = {images, 8, 8, 2}, .scale = 0.1f});
    builder.AddOperator(BuiltinOperator::kMaxPool2D, {0}, {1}, {.filter = window});
    builder.AddOperator(BuiltinOperator::kMaxPool2D, {1}, {2}, {.filter = window});
    builder.AddMetadata(kRowPlanName, PlanOf(2, {{0, 2}}));
    return builder.Finish({0}, outputs);
  };
  EXPECT_EQ(RunIn(pools(1, 3, {2}), {}, kEnough).groups, 1);
  const Bytes two_images = pools(2, 3, {2});
  const Bytes two_images_of_points = pools(2, 1, {2});
  const Bytes inner_output = pools(1, 3, {1, 2});
  for (const Bytes& model : {two_images, two_images_of_points, inner_output}) {
    const Outcome outcome = RunIn(model, {}, kEnough);
    EXPECT_EQ(outcome.status, Status::kOk);
    EXPECT_EQ(outcome.groups, 0);
    EXPECT_EQ(outcome.outputs, RunUnplanned(model, {}).outputs);
  }
  const Outcome apart = RunIn(RandomGraph(3).WithPlan(PlanOf(RandomGraph(3).node_count(), {{0, 2}})),
                              {.overlap = false}, kEnough);
  EXPECT_EQ(apart.groups, 0) << "debuggers want every tensor intact";
}

// The average over an image adds each row when it is computed: of the tensors before it, one row is kept, and
// the output lies where the input was.
TEST(RowGroups, AverageAWholeImageRowByRow) {
  constexpr int kSize = 16;
  constexpr int kChannels = 8;
  const auto model = [](BuiltinOperator pool) {
    ModelBuilder builder;
    const std::vector<int32_t> shape = {1, kSize, kSize, kChannels};
    for (int i = 0; i < 2; ++i) builder.AddTensor({.shape = shape, .scale = 0.1f});
    builder.AddTensor({.shape = {1, 1, 1, kChannels}, .scale = 0.1f});
    builder.AddOperator(BuiltinOperator::kMaxPool2D, {0}, {1}, {.stride_w = 1, .filter = 3});
    builder.AddOperator(pool, {1}, {2}, {.padding = 1, .filter = kSize});
    builder.AddMetadata(kRowPlanName, PlanOf(2, {{0, 2}}));
    return builder.Finish({0}, {2});
  };
  const Bytes average = model(BuiltinOperator::kAveragePool2D);
  const Outcome outcome = RunIn(average, {}, kEnough);
  EXPECT_EQ(outcome.status, Status::kOk) << Describe(outcome.rule).name;
  EXPECT_EQ(outcome.groups, 1);
  EXPECT_EQ(outcome.outputs, RunUnplanned(average, {}).outputs);
  constexpr size_t kImageBytes = kSize * kSize * kChannels;
  constexpr size_t kRowBytes = kSize * kChannels;
  constexpr size_t kSumBytes = kChannels * sizeof(int32_t);
  EXPECT_EQ(outcome.head_bytes, kImageBytes + kRowBytes + kSumBytes);
  // A maximum is not a sum: all rows are kept.
  const Bytes maximum = model(BuiltinOperator::kMaxPool2D);
  const Outcome other = RunIn(maximum, {}, kEnough);
  EXPECT_EQ(other.groups, 1);
  EXPECT_EQ(other.outputs, RunUnplanned(maximum, {}).outputs);
  EXPECT_GE(other.head_bytes, 2 * kImageBytes);
}

// DIV looks for divisors of 0 only in its row: the memory of other rows has been reused.
TEST(RowGroups, DivideByTheDivisorsThatAreThere) {
  constexpr int kZero = -128;
  ModelBuilder builder;
  const std::vector<int32_t> shape = {1, 48, 16, 8};
  const int input = builder.AddTensor({.shape = shape, .scale = 0.1f});
  const int largest = builder.AddTensor({.shape = shape, .scale = 0.1f, .zero_point = kZero});
  const int divisor = builder.AddTensor({.shape = shape, .scale = 0.1f, .zero_point = kZero});
  const int output = builder.AddTensor({.shape = shape, .scale = 1.0f / 512});
  builder.AddOperator(BuiltinOperator::kAdd, {input, input}, {largest}, {});
  builder.AddOperator(BuiltinOperator::kMaxPool2D, {largest}, {divisor}, {.stride_w = 1, .filter = 5});
  builder.AddOperator(BuiltinOperator::kDiv, {input, divisor}, {output});
  const auto with_plan = [&](const Words& plan) {
    ModelBuilder planned = builder;
    if (!plan.empty()) planned.AddMetadata(kRowPlanName, plan);
    return planned.Finish({input}, {output});
  };
  const Outcome expected = RunIn(with_plan({}), {}, kEnough);
  ASSERT_EQ(expected.status, Status::kOk) << Describe(expected.rule).name;
  const Outcome outcome = RunIn(with_plan(PlanOf(3, {{0, 3}})), {}, kEnough);
  EXPECT_EQ(outcome.groups, 1);
  EXPECT_EQ(outcome.status, Status::kOk) << Describe(outcome.rule).name;
  EXPECT_EQ(outcome.outputs, expected.outputs);
}

// A divisor of one element is the same for all rows. Behind its byte the file has zeros.
TEST(RowGroups, DivideByASingleDivisor) {
  ModelBuilder builder;
  const std::vector<int32_t> shape = {1, 48, 16, 8};
  const int input = builder.AddTensor({.shape = shape, .scale = 0.1f});
  const int largest = builder.AddTensor({.shape = shape, .scale = 0.1f});
  const int output = builder.AddTensor({.shape = shape, .scale = 1.0f / 512});
  const int divisor = builder.AddTensor({.shape = {1}, .scale = 0.1f, .data = Bytes(1, 5)});
  builder.AddOperator(BuiltinOperator::kMaxPool2D, {input}, {largest}, {.stride_w = 1, .filter = 5});
  builder.AddOperator(BuiltinOperator::kDiv, {largest, divisor}, {output});
  builder.AddMetadata(kRowPlanName, PlanOf(2, {{0, 2}}));
  const Bytes model = builder.Finish({input}, {output});
  const Outcome outcome = RunIn(model, {}, kEnough);
  EXPECT_EQ(outcome.groups, 1);
  EXPECT_EQ(outcome.status, Status::kOk) << Describe(outcome.rule).name;
  EXPECT_EQ(outcome.outputs, RunUnplanned(model, {}).outputs);
}

// A 1x1 convolution and pools of 3x3 with stride 2: three rows are kept, two of them move.
TEST(RowGroups, KeepAsManyRowsAsAWindowNeeds) {
  ModelBuilder builder;
  const int input = builder.AddTensor({.shape = {1, 48, 16, 8}, .scale = 0.1f});
  const int wide = builder.AddTensor({.shape = {1, 48, 16, 16}, .scale = 0.1f});
  const int output = builder.AddTensor({.shape = {1, 24, 16, 16}, .scale = 0.1f});
  const int filter = builder.AddTensor({.shape = {16, 1, 1, 8}, .scale = 0.1f, .data = Bytes(128, 3)});
  builder.AddOperator(BuiltinOperator::kConv2D, {input, filter, -1}, {wide});
  builder.AddOperator(BuiltinOperator::kMaxPool2D, {wide}, {output},
                      {.stride = 2, .stride_w = 1, .filter = 3});
  builder.AddMetadata(kRowPlanName, PlanOf(2, {{0, 2}}));
  const Bytes model = builder.Finish({input}, {output});
  const Outcome outcome = RunIn(model, {}, kEnough);
  EXPECT_EQ(outcome.groups, 1);
  // Input and output have the same size, 6,144 bytes. When the last-but-one row of output is written, the
  // three rows that it needs have been computed from the input: the input stays a row ahead.
  constexpr size_t kRing = 3 * 16 * 16;
  EXPECT_EQ(outcome.head_bytes, 6144 + kRing);
  EXPECT_EQ(outcome.outputs, RunUnplanned(model, {}).outputs);
}

}  // namespace
}  // namespace lutra

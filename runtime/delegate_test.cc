// SPDX-License-Identifier: Apache-2.0
// Delegates: their partitions of random graphs against a plain check, nodes that they decline, and false
// claims.

#include "lutra/delegate.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "lutra/diagnosis_text.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/fake_delegate.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/model_files.h"

namespace lutra {
namespace {

using Bytes = std::vector<uint8_t>;
using Outputs = std::vector<std::vector<int8_t>>;

struct Declined {
  int delegate;
  int node;
  std::string reason;
  bool operator==(const Declined&) const = default;
};

// An interpreter of a model, with its status.
class Session {
 public:
  explicit Session(const Bytes& bytes, size_t arena_bytes = 1 << 16)
      : bytes_(bytes.size() / 8 + 1), arena_(arena_bytes / 16) {
    std::memcpy(bytes_.data(), bytes.data(), bytes.size());
    Diagnosis diagnosis;
    EXPECT_EQ(Model::Load({reinterpret_cast<uint8_t*>(bytes_.data()), bytes.size()}, &model, &diagnosis),
              Status::kOk)
        << Describe(diagnosis.rule).name;
  }

  Status Allocate(const std::vector<FakeDelegate*>& fakes,
                  const InterpreterOptions& options = {.plan = {.search_moves = 0}}) {
    tables_.clear();
    for (FakeDelegate* fake : fakes) tables_.push_back(fake->Table());
    for (const Delegate& table : tables_) pointers_.push_back(&table);
    observer_ = {.user = this, .declined = [](void* user, int delegate, int node, const char* reason) {
                   static_cast<Session*>(user)->declined.push_back({delegate, node, reason});
                 }};
    interpreter.emplace(model, AllOps(), Span<uint8_t>(arena_[0].bytes, arena_.size() * 16), options);
    return interpreter->AllocateTensors({{pointers_.data(), pointers_.size()}, &observer_});
  }
  Status AllocateWithout() {
    interpreter.emplace(model, AllOps(), Span<uint8_t>(arena_[0].bytes, arena_.size() * 16),
                        InterpreterOptions{.plan = {.search_moves = 0}});
    return interpreter->AllocateTensors();
  }

  Outputs Run(uint32_t seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < interpreter->input_count(); ++i) {
      auto* const values = static_cast<int8_t*>(interpreter->input(i).data);
      for (int k = 0; k < interpreter->input(i).info.bytes; ++k) values[k] = static_cast<int8_t>(random());
      if (interpreter->input(i).info.type == TensorType::kBool)
        values[0] = static_cast<int8_t>(values[0] & 1);
    }
    status = interpreter->Invoke();
    Outputs outputs;
    for (int i = 0; status == Status::kOk && i < interpreter->output_count(); ++i) {
      const Tensor tensor = interpreter->output(i);
      const auto* const values = static_cast<const int8_t*>(tensor.data);
      outputs.emplace_back(values, values + tensor.info.bytes);
    }
    return outputs;
  }

  // The nodes of each partition, in the order in which they run.
  std::vector<std::vector<int>> Partitions() const {
    std::vector<std::vector<int>> partitions;
    for (int n = 0; n < interpreter->node_count(); ++n) {
      if (!RunsPartition(interpreter->node(n))) continue;
      const Span<const int32_t> nodes = PartitionOf(interpreter->node(n))->params.nodes_to_replace;
      partitions.emplace_back(nodes.begin(), nodes.end());
    }
    return partitions;
  }

  Model model;
  std::optional<MicroInterpreter> interpreter;
  std::vector<Declined> declined;
  Status status = Status::kOk;

 private:
  struct alignas(16) Block {
    uint8_t bytes[16];
  };
  std::vector<uint64_t> bytes_;
  std::vector<Block> arena_;
  std::vector<Delegate> tables_;
  std::vector<const Delegate*> pointers_;
  DelegateObserver observer_;
};

constexpr int kElements = 12;
const TensorSpec kTensor = {.shape = {1, kElements}, .scale = 0.1f, .zero_point = -3};

TEST(Delegate, TakesAChainAsOneNodeWithoutMemoryForWhatIsItsOwn) {
  const Bytes bytes = ReluChain(5, 4096);
  Session plain(bytes);
  ASSERT_EQ(plain.AllocateWithout(), Status::kOk);
  Session session(bytes);
  FakeDelegate fake;
  ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
  EXPECT_EQ(session.Partitions(), (std::vector<std::vector<int>>{{0, 1, 2, 3, 4}}));
  // Input, output and the delegate's scratch.
  EXPECT_EQ(session.interpreter->memory().head_bytes, 3 * 4096u + 32u);
  EXPECT_GT(session.interpreter->record(RecordKind::kDelegates).bytes, 5 * 4096u);
  EXPECT_EQ(session.Run(1), plain.Run(1));
  EXPECT_EQ(fake.evals, 1);
  EXPECT_EQ(fake.freed, 0);
  EXPECT_TRUE(session.declined.empty());
}

// The two RELU become one node, which runs before the layers, so that these have other numbers than in the
// plan.
TEST(Delegate, TurnsARowPlanOff) {
  const auto model = [](bool is_planned) {
    ModelBuilder builder;
    const auto pixel = [&](int channels) {
      return builder.AddTensor({.shape = {1, 1, 1, channels}, .scale = 0.1f});
    };
    const auto filter = [&](int channels, int depth) {
      const auto count = static_cast<size_t>(channels * depth);
      return builder.AddTensor({.shape = {channels, 1, 1, depth}, .scale = 0.2f, .data = Bytes(count, 3)});
    };
    const int x = pixel(kElements), a = pixel(kElements), b = pixel(kElements), four = pixel(4),
              three = pixel(3);
    const int first = filter(4, kElements), second = filter(3, 4);
    builder.AddOperator(BuiltinOperator::kRelu, {x}, {a});
    builder.AddOperator(BuiltinOperator::kConv2D, {x, first, -1}, {four});
    builder.AddOperator(BuiltinOperator::kConv2D, {four, second, -1}, {three});
    builder.AddOperator(BuiltinOperator::kRelu, {a}, {b});
    if (is_planned) {
      std::vector<int32_t> plan = {2, 4, 0, 0, 0, 2, 1, 4, 2, 3};
      const Multiplier multiplier = QuantizeMultiplier(double{0.1f} * double{0.2f} / double{0.1f});
      for (int i = 0; i < 4 + 3; ++i) plan.insert(plan.end(), {multiplier.value, multiplier.shift});
      builder.AddMetadata("LUTRA_PLAN", plan);
    }
    return builder.Finish({x}, {b, three});
  };
  Session plain(model(false)), planned(model(true)), delegated(model(true));
  FakeDelegate fake;
  ASSERT_EQ(plain.AllocateWithout(), Status::kOk);
  ASSERT_EQ(planned.AllocateWithout(), Status::kOk);
  ASSERT_EQ(delegated.Allocate({&fake}), Status::kOk);
  EXPECT_EQ(delegated.Partitions(), (std::vector<std::vector<int>>{{0, 3}}));
  const Outputs outputs = plain.Run(1);
  EXPECT_EQ(planned.Run(1), outputs);
  EXPECT_EQ(delegated.Run(1), outputs);
}

// ---- Random graphs.

struct RandomGraph {
  std::vector<std::vector<int>> inputs;  // The tensors of each node.
  std::vector<bool> takes;
  Bytes bytes;
  static constexpr int kGraphInputs = 2;
  // Returns the output of node n.
  static int OutputOf(int n) { return kGraphInputs + n; }
};

// With `calls` some nodes are an IF, whose branches take the larger and the smaller input.
RandomGraph MakeGraph(uint32_t seed, bool calls = false) {
  std::mt19937 random(seed);
  RandomGraph graph;
  ModelBuilder builder;
  const int nodes = 1 + static_cast<int>(random() % 24);
  for (int t = 0; t < RandomGraph::kGraphInputs + nodes; ++t) builder.AddTensor(kTensor);
  std::vector<bool> read(static_cast<size_t>(RandomGraph::kGraphInputs + nodes));
  for (int n = 0; n < nodes; ++n) {
    const int known = RandomGraph::OutputOf(n);
    // Prefers near tensors to far ones.
    const auto pick = [&] {
      return random() % 2 == 0
                 ? static_cast<int>(random() % static_cast<uint32_t>(known))
                 : known - 1 - static_cast<int>(random() % static_cast<uint32_t>(std::min(known, 3)));
    };
    constexpr BuiltinOperator kTwo[] = {BuiltinOperator::kMaximum, BuiltinOperator::kMinimum};
    std::vector<int> inputs = {pick()};
    const bool one = random() % 3 == 0;
    if (!one) inputs.push_back(pick());
    if (calls && !one && random() % 3 == 0) {
      const int flag = RandomGraph::kGraphInputs + nodes;
      builder.AddOperator(BuiltinOperator::kIf, {flag, inputs[0], inputs[1]}, {known}, {.called = {1, 2}});
      for (const int t : inputs) read[static_cast<size_t>(t)] = true;
      graph.inputs.push_back(inputs);
      graph.takes.push_back(false);
      continue;
    }
    builder.AddOperator(one ? BuiltinOperator::kRelu : kTwo[random() % 2], inputs, {known});
    for (const int t : inputs) read[static_cast<size_t>(t)] = true;
    graph.inputs.push_back(inputs);
    graph.takes.push_back(random() % 4 != 0);
  }
  std::vector<int> outputs;
  for (int n = 0; n < nodes; ++n) {
    const int t = RandomGraph::OutputOf(n);
    // Outputs are most tensors that no node reads, and some others.
    if (read[static_cast<size_t>(t)] ? random() % 8 == 0 : random() % 8 != 0) outputs.push_back(t);
  }
  if (outputs.empty()) outputs.push_back(RandomGraph::OutputOf(nodes - 1));
  if (!calls) {
    graph.bytes = builder.Finish({0, 1}, outputs);
    return graph;
  }
  const int flag = builder.AddTensor({.shape = {1}, .type = TensorType::kBool});
  builder.EndSubgraph({0, 1, flag}, outputs);
  for (const BuiltinOperator branch : {BuiltinOperator::kMaximum, BuiltinOperator::kMinimum}) {
    for (int t = 0; t < 3; ++t) builder.AddTensor(kTensor);
    builder.AddOperator(branch, {0, 1}, {2});
    if (branch == BuiltinOperator::kMaximum) builder.EndSubgraph({0, 1}, {2});
  }
  graph.bytes = builder.Finish({0, 1}, {2});
  return graph;
}

// Returns whether the graph has an order in which each partition runs as a whole: if the nodes of a partition
// become one, the graph has no cycle.
bool AreClosed(const RandomGraph& graph, const std::vector<std::vector<int>>& partitions) {
  const int nodes = static_cast<int>(graph.inputs.size());
  std::vector<int> unit(static_cast<size_t>(nodes));
  for (int n = 0; n < nodes; ++n) unit[static_cast<size_t>(n)] = n;
  for (const auto& partition : partitions) {
    for (const int n : partition) unit[static_cast<size_t>(n)] = partition[0];
  }
  std::vector<bool> done(static_cast<size_t>(nodes));
  for (int round = 0; round < nodes; ++round) {
    std::vector<bool> ready(static_cast<size_t>(nodes), true);
    for (int n = 0; n < nodes; ++n) {
      for (const int t : graph.inputs[static_cast<size_t>(n)]) {
        const int producer = t - RandomGraph::kGraphInputs;
        if (producer < 0) continue;
        const int from = unit[static_cast<size_t>(producer)];
        const int to = unit[static_cast<size_t>(n)];
        if (from != to && !done[static_cast<size_t>(from)]) ready[static_cast<size_t>(to)] = false;
      }
    }
    for (int n = 0; n < nodes; ++n) {
      if (ready[static_cast<size_t>(unit[static_cast<size_t>(n)])])
        done[static_cast<size_t>(unit[static_cast<size_t>(n)])] = true;
    }
  }
  for (int n = 0; n < nodes; ++n) {
    if (!done[static_cast<size_t>(unit[static_cast<size_t>(n)])]) return false;
  }
  return true;
}

TEST(Delegate, PartitionsOfRandomGraphsAreClosedAndChangeNothing) {
  int partitions_of_several = 0;
  int several_partitions = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const RandomGraph graph = MakeGraph(seed);
    Session plain(graph.bytes);
    ASSERT_EQ(plain.AllocateWithout(), Status::kOk);
    const Outputs expected = plain.Run(seed);
    // There is one delegate, or two: the second takes nodes that the first leaves.
    FakeDelegate first;
    FakeDelegate second{.name = "second"};
    first.takes = graph.takes;
    first.options.max_nodes_per_partition = static_cast<int32_t>(seed / 2 % 4);
    for (size_t n = 0; n < graph.takes.size(); ++n) second.takes.push_back(n % 3 != seed % 3);
    Session session(graph.bytes);
    const bool two = seed % 2 == 1;
    ASSERT_EQ(session.Allocate(two ? std::vector<FakeDelegate*>{&first, &second} : std::vector{&first}),
              Status::kOk);
    EXPECT_EQ(session.Run(seed), expected);
    EXPECT_EQ(session.Run(seed), expected);
    const auto partitions = session.Partitions();
    ASSERT_TRUE(AreClosed(graph, partitions));
    // Every node is a partition's or was declined by each delegate.
    std::vector<int> taken(graph.takes.size());
    for (const auto& partition : partitions) {
      partitions_of_several += partition.size() > 1 ? 1 : 0;
      for (const int n : partition) ++taken[static_cast<size_t>(n)];
      EXPECT_TRUE(two || seed / 2 % 4 == 0 || partition.size() <= seed / 2 % 4);
    }
    several_partitions += partitions.size() > 1 ? 1 : 0;
    for (size_t n = 0; n < graph.takes.size(); ++n) {
      EXPECT_EQ(taken[n], graph.takes[n] || (two && second.takes[n]) ? 1 : 0) << n;
    }
    EXPECT_EQ(first.evals, 2 * (first.kernels - first.freed));
  }
  EXPECT_GT(partitions_of_several, 100);
  EXPECT_GT(several_partitions, 50);
}

// A branch skips its own nodes, wherever delegates have moved other nodes.
TEST(Delegate, BranchesStayOnTheCpuAndTogether) {
  int partitions_of_several = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const RandomGraph graph = MakeGraph(seed, true);
    Session plain(graph.bytes);
    ASSERT_EQ(plain.AllocateWithout(), Status::kOk);
    Session session(graph.bytes);
    FakeDelegate fake;
    fake.takes = graph.takes;
    ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
    for (uint32_t run = 0; run < 4; ++run) EXPECT_EQ(session.Run(seed + run), plain.Run(seed + run));
    const auto partitions = session.Partitions();
    ASSERT_TRUE(AreClosed(graph, partitions));
    size_t taken = 0;
    for (const auto& partition : partitions) {
      partitions_of_several += partition.size() > 1 ? 1 : 0;
      taken += partition.size();
    }
    EXPECT_EQ(taken, static_cast<size_t>(std::count(graph.takes.begin(), graph.takes.end(), true)));
  }
  EXPECT_GT(partitions_of_several, 100);
}

// ---- Nodes that are declined.

// RELU, MAXIMUM, RELU, MINIMUM, RELU: MAXIMUM and MINIMUM have a constant.
Bytes Chain() {
  ModelBuilder builder;
  for (int t = 0; t < 6; ++t) builder.AddTensor(kTensor);
  TensorSpec constant = kTensor;
  constant.data = Bytes(kElements, 5);
  builder.AddTensor(constant);
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  builder.AddOperator(BuiltinOperator::kMaximum, {1, 6}, {2});
  builder.AddOperator(BuiltinOperator::kRelu, {2}, {3});
  builder.AddOperator(BuiltinOperator::kMinimum, {3, 6}, {4});
  builder.AddOperator(BuiltinOperator::kRelu, {4}, {5});
  return builder.Finish({0}, {5});
}

Outputs OnCpu(const Bytes& bytes, uint32_t seed) {
  Session plain(bytes);
  EXPECT_EQ(plain.AllocateWithout(), Status::kOk);
  return plain.Run(seed);
}

using Nodes = std::vector<std::vector<int>>;

TEST(Delegate, KeepsTheLargestPartitionsAndThoseWithEnoughNodes) {
  struct Case {
    SimpleDelegateOptions options;
    Nodes partitions;
  };
  const Case cases[] = {{{}, {{0, 1}, {3}}},
                        {{.max_delegated_partitions = -1, .min_nodes_per_partition = -1}, {{0, 1}, {3}}},
                        {{.max_delegated_partitions = 1}, {{0, 1}}},
                        {{.min_nodes_per_partition = 2}, {{0, 1}}},
                        {{.max_delegated_partitions = 7, .min_nodes_per_partition = 3}, {}},
                        {{.max_nodes_per_partition = 2}, {{0, 1}, {3}}},
                        {{.max_nodes_per_partition = 1}, {{0}, {1}, {3}}},
                        {{.min_nodes_per_partition = 2, .max_nodes_per_partition = 1}, {}}};
  for (const Case& c : cases) {
    Session session(Chain());
    FakeDelegate fake{.takes = {true, true, false, true, false}, .options = c.options};
    ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
    EXPECT_EQ(session.Partitions(), c.partitions);
    EXPECT_EQ(session.Run(3), OnCpu(Chain(), 3));
    size_t taken = 0;
    for (const auto& partition : c.partitions) taken += partition.size();
    EXPECT_EQ(session.declined.size(), 5 - taken);
  }
}

TEST(Delegate, HandsNodesOfAPartitionBack) {
  Session session(Chain());
  FakeDelegate fake{.hands_back = {1, 3}};
  ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
  EXPECT_EQ(session.Partitions(), (Nodes{{0}, {2}, {4}}));
  EXPECT_EQ(session.declined, (std::vector<Declined>{{0, 1, "not this one"}, {0, 3, "not this one"}}));
  EXPECT_EQ(session.Run(4), OnCpu(Chain(), 4));
  EXPECT_EQ(fake.kernels, 4);
  EXPECT_EQ(fake.freed, 1);
}

TEST(Delegate, FreesItsKernelsOnceWhenTheInterpreterIsNotUsedAnyMore) {
  Session session(Chain());
  FakeDelegate fake{.hands_back = {1, 3}};
  ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
  ASSERT_EQ(session.Partitions().size(), 3u);
  session.interpreter->FreeKernels();
  EXPECT_EQ(fake.freed, fake.kernels);
  EXPECT_EQ(session.interpreter->Invoke(), Status::kInvalidArgument);
  session.interpreter->FreeKernels();
  EXPECT_EQ(fake.freed, fake.kernels);
  EXPECT_EQ(fake.evals, 0);

  ASSERT_EQ(session.AllocateWithout(), Status::kOk);
  session.interpreter->FreeKernels();
}

// Whatever a delegate does before memory is laid out, the model runs with as much memory as without the
// delegate.
TEST(Delegate, MayFailOrLieBeforeMemoryIsLaidOut) {
  const std::vector<std::pair<Lie, std::string>> lies = {
      {Lie::kInitialize, "Initialize has failed"},
      {Lie::kCreate, "no reason given"},
      {Lie::kNoEval, "the kernel has no Eval"},
      {Lie::kInit, "no reason given"},
      {Lie::kPrepare, "changed its mind"},
      {Lie::kPrepareQuietly, "no reason given"},
      {Lie::kSaysArena, "no reason given"},
      {Lie::kNegative, "asks for more memory than there can be"},
      {Lie::kScratch, "asks for more memory than there can be"},
      {Lie::kForeignNode, "hands back a node that it was not given"},
      {Lie::kActivation, "asks for the values of what is not constant"}};
  Session plain(Chain());
  ASSERT_EQ(plain.AllocateWithout(), Status::kOk);
  for (const auto& [lie, reason] : lies) {
    SCOPED_TRACE(static_cast<int>(lie));
    Session session(Chain());
    FakeDelegate fake{.lie = lie};
    ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
    EXPECT_TRUE(session.Partitions().empty());
    EXPECT_EQ(session.interpreter->diagnosis().rule, Rule::kNone);
    ASSERT_EQ(session.declined.size(), 5u);
    for (const Declined& declined : session.declined) EXPECT_EQ(declined.reason, reason);
    EXPECT_EQ(session.interpreter->memory().used_bytes, plain.interpreter->memory().used_bytes);
    EXPECT_EQ(session.Run(5), OnCpu(Chain(), 5));
    // All kernels that were made are freed.
    EXPECT_EQ(fake.freed, fake.kernels);
  }
}

TEST(Delegate, LeavesTheSecondWhatTheFirstDeclines) {
  Session session(Chain());
  FakeDelegate first{.lie = Lie::kPrepare};
  FakeDelegate second{.takes = {false}};
  ASSERT_EQ(session.Allocate({&first, &second}), Status::kOk);
  EXPECT_EQ(session.Partitions(), (Nodes{{1, 2, 3, 4}}));
  ASSERT_EQ(session.declined.size(), 6u);
  EXPECT_EQ(session.declined.back().delegate, 1);
  EXPECT_EQ(session.Run(6), OnCpu(Chain(), 6));
  EXPECT_EQ(second.evals, 1);
}

TEST(Delegate, AnArenaThatIsTooSmallIsOneWhateverTheDelegateSays) {
  for (const Lie lie : {Lie::kPersistent, Lie::kSwallows}) {
    Session session(Chain());
    FakeDelegate fake{.lie = lie};
    EXPECT_EQ(session.Allocate({&fake}), Status::kArenaTooSmall);
    EXPECT_GE(session.interpreter->diagnosis().wanted_bytes, size_t{INT32_MAX});
    EXPECT_EQ(fake.freed, 1);
  }
  // Every arena either works or is refused as too small.
  bool worked = false;
  for (size_t bytes = 16; bytes < 4096; bytes += 16) {
    Session session(Chain(), bytes);
    FakeDelegate fake;
    const Status status = session.Allocate({&fake});
    EXPECT_EQ(status, worked ? Status::kOk : status);
    worked = worked || status == Status::kOk;
    if (status == Status::kOk) {
      EXPECT_EQ(session.Run(7), OnCpu(Chain(), 7));
      EXPECT_EQ(session.Partitions(), (Nodes{{0, 1, 2, 3, 4}}));
    } else {
      EXPECT_EQ(status, Status::kArenaTooSmall);
      EXPECT_GT(session.interpreter->diagnosis().wanted_bytes, bytes);
      EXPECT_EQ(fake.freed, fake.kernels);
      session.interpreter->FreeKernels();
      EXPECT_EQ(fake.freed, fake.kernels);
    }
  }
  EXPECT_TRUE(worked);
}

TEST(Delegate, ThatFailsInEvalEndsTheInference) {
  Session session(Chain());
  FakeDelegate fake{.takes = {true, true, false, true, true}, .lie = Lie::kEval};
  ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
  (void)session.Run(8);
  EXPECT_EQ(session.status, Status::kInvalidInput);
  EXPECT_EQ(session.interpreter->diagnosis().rule, Rule::kDelegateFailed);
  EXPECT_EQ(session.interpreter->diagnosis().node, 0);
  EXPECT_EQ(fake.evals, 1);
}

// ---- Nodes that no delegate gets.

TEST(Delegate, VariablesStayOnTheCpuInTheirOrder) {
  // The variable is read, becomes the maximum of itself and the input, and is read again.
  ModelBuilder builder;
  const int input = builder.AddTensor(kTensor);
  const int handle = builder.AddTensor({.shape = {1}, .type = TensorType::kResource});
  const int before = builder.AddTensor(kTensor);
  const int larger = builder.AddTensor(kTensor);
  const int after = builder.AddTensor(kTensor);
  const int output = builder.AddTensor(kTensor);
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {handle}, {.container = "c", .shared_name = "v"});
  builder.AddOperator(BuiltinOperator::kReadVariable, {handle}, {before});
  builder.AddOperator(BuiltinOperator::kMaximum, {before, input}, {larger});
  builder.AddOperator(BuiltinOperator::kAssignVariable, {handle, larger}, {});
  builder.AddOperator(BuiltinOperator::kReadVariable, {handle}, {after});
  builder.AddOperator(BuiltinOperator::kMinimum, {after, before}, {output});
  const Bytes bytes = builder.Finish({input}, {output, after});
  Session plain(bytes);
  ASSERT_EQ(plain.AllocateWithout(), Status::kOk);
  Session session(bytes);
  FakeDelegate fake;
  ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
  EXPECT_EQ(session.Partitions(), (Nodes{{2}, {5}}));
  for (uint32_t run = 0; run < 4; ++run) EXPECT_EQ(session.Run(run), plain.Run(run));
}

TEST(Delegate, ModelsThatSayWhereTensorsLieRunHere) {
  ModelBuilder builder;
  for (int t = 0; t < 3; ++t) builder.AddTensor(kTensor);
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  builder.AddOperator(BuiltinOperator::kRelu, {1}, {2});
  builder.AddMetadata("OfflineMemoryAllocation", {1, 0, 3, 0, 16, 0});
  Session session(builder.Finish({0}, {2}));
  FakeDelegate fake;
  ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
  EXPECT_TRUE(session.Partitions().empty());
  EXPECT_EQ(session.declined.size(), 2u);
}

TEST(Delegate, BrokenGraphsAreRefusedAsWithout) {
  ModelBuilder builder;
  for (int t = 0; t < 3; ++t) builder.AddTensor(kTensor);
  builder.AddOperator(BuiltinOperator::kRelu, {1}, {2});
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  Session session(builder.Finish({0}, {2}));
  FakeDelegate fake;
  EXPECT_EQ(session.Allocate({&fake}), Status::kInvalidModel);
  EXPECT_EQ(session.interpreter->diagnosis().rule, Rule::kNotProduced);
}

TEST(Delegate, MayKnowOperatorsThatTheRuntimeLacks) {
  ModelBuilder builder;
  for (int t = 0; t < 4; ++t) builder.AddTensor(kTensor);
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  builder.AddCustomOperator("LARGER", {1, 0}, {2});
  builder.AddOperator(BuiltinOperator::kRelu, {2}, {3});
  const Bytes bytes = builder.Finish({0}, {3});
  Session session(bytes);
  FakeDelegate fake{.takes = {false, true, false}};
  ASSERT_EQ(session.Allocate({&fake}), Status::kOk);
  EXPECT_EQ(session.Partitions(), (Nodes{{1}}));
  const Outputs outputs = session.Run(9);
  ASSERT_EQ(outputs.size(), 1u);
  for (const int8_t value : outputs[0]) EXPECT_GE(value, -3);
  for (const Lie lie : {Lie::kNone, Lie::kPrepare}) {
    Session refused(bytes);
    FakeDelegate none{.takes = {true, lie != Lie::kNone, true}, .lie = lie};
    EXPECT_EQ(refused.Allocate({&none}), Status::kUnsupported);
    EXPECT_EQ(refused.interpreter->diagnosis().rule, Rule::kOperatorUnknown);
    EXPECT_EQ(refused.interpreter->diagnosis().node, 1);
    EXPECT_EQ(none.freed, none.kernels);
  }
}

// ---- Compressed constants: MAXIMUM's constant in the chain is decoded by TFLM_DECODE, from a table of two
// values, or from items of one bit.

Bytes CompressedChain(bool twice, DecodeType codec = DecodeType::kLut) {
  ModelBuilder builder;
  for (int t = 0; t < 4; ++t) builder.AddTensor(kTensor);
  const auto bytes = [&](const Bytes& data) {
    return builder.AddTensor(
        {.shape = {static_cast<int32_t>(data.size())}, .type = TensorType::kUInt8, .data = data});
  };
  // Twelve indices or items of one bit; a header for one table of two values, -100 and 60.
  const int stream = bytes({0x5A, 0xC0});
  Bytes ancillary(kDecodeHeaderBytes);
  ancillary[kDecodeTypeByte] = static_cast<uint8_t>(codec);
  ancillary[kDecodeVersionByte] = kDecodeVersion;
  ancillary[kDecodeTypeVersionByte] = kDecodeTypeVersion;
  if (codec == DecodeType::kBitPack) {
    ancillary[kPackWidthByte] = 1;
    ancillary[kPackFlagsByte] = kPackMsbFirstBit;
  } else {
    ancillary[kLutWidthByte] = 1 | kLutOneTable << kLutAxisShift;
    ancillary[kLutStrideByte] = 2;
    ancillary.push_back(static_cast<uint8_t>(-100));
    ancillary.push_back(60);
  }
  const int table = bytes(ancillary);
  const int constant = builder.AddTensor(kTensor);
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  builder.AddCustomOperator(kDecodeCustomCode, {stream, table}, {constant});
  builder.AddOperator(BuiltinOperator::kMaximum, {1, constant}, {2});
  builder.AddOperator(BuiltinOperator::kMinimum, {2, twice ? constant : 0}, {3});
  return builder.Finish({0}, {3});
}

TEST(Delegate, TakesTheCompressedConstantsThatItSays) {
  constexpr DecompressionPolicy kPolicies[] = {DecompressionPolicy::kPerUse, DecompressionPolicy::kAtInit,
                                               DecompressionPolicy::kStreamed};
  for (const DecompressionPolicy policy : kPolicies) {
    for (const bool twice : {false, true}) {
      SCOPED_TRACE(static_cast<int>(policy) * 2 + (twice ? 1 : 0));
      const Bytes bytes = CompressedChain(twice);
      const InterpreterOptions options = {.decompression = policy};
      const Outputs expected = OnCpu(bytes, 10);
      // The delegate knows another codec, none, or the right one; the last also for one of two readers.
      const std::tuple<CodecSet, std::vector<bool>, Nodes> cases[] = {
          {CodecSet::Of(DecodeType::kHuffman), {}, twice ? Nodes{{0}} : Nodes{{0}, {3}}},
          {CodecSet(), {}, twice ? Nodes{{0}} : Nodes{{0}, {3}}},
          {CodecSet::Of(DecodeType::kLut), {}, Nodes{{0, 2, 3}}},
          {CodecSet::Of(DecodeType::kLut), {true, true, true, false}, Nodes{{0, 2}}}};
      for (const auto& [codecs, takes, partitions] : cases) {
        Session session(bytes);
        FakeDelegate fake{.takes = takes, .compressed = codecs};
        ASSERT_EQ(session.Allocate({&fake}, options), Status::kOk);
        EXPECT_EQ(session.Partitions(), partitions);
        EXPECT_EQ(session.Run(10), expected);
      }
    }
  }
}

// The delegate decodes with the application's function, and only codecs of that function count.
TEST(Delegate, TakesNoCodecThatTheDecoderDoesNotRead) {
  const std::tuple<DecodeType, DecodeFn, Nodes> cases[] = {
      {DecodeType::kLut, Decode, {{0, 2, 3}}},    {DecodeType::kBitPack, Decode, {{0, 2, 3}}},
      {DecodeType::kLut, DecodeLut, {{0, 2, 3}}}, {DecodeType::kBitPack, DecodeLut, {{0}, {3}}},
      {DecodeType::kLut, nullptr, {{0}, {3}}},    {DecodeType::kBitPack, nullptr, {{0}, {3}}}};
  for (const auto& [codec, decode, partitions] : cases) {
    SCOPED_TRACE(static_cast<int>(codec));
    const Bytes bytes = CompressedChain(false, codec);
    Session session(bytes);
    FakeDelegate fake{.compressed = CodecSet::Of(DecodeType::kLut, DecodeType::kBitPack)};
    ASSERT_EQ(session.Allocate({&fake}, {.decode = decode}), Status::kOk);
    EXPECT_EQ(session.Partitions(), partitions);
    EXPECT_EQ(session.Run(11), OnCpu(bytes, 11));
    if (partitions.size() == 1) continue;
    EXPECT_EQ(session.declined.back(),
              (Declined{0, 2, "the application's decoder lacks a constant's codec"}));
  }
}

// ---- Nodes that the CPU refuses.

TEST(Delegate, IsNotGivenWhatTheCpuRefuses) {
  ModelBuilder builder;
  for (int t = 0; t < 3; ++t) builder.AddTensor(kTensor);
  builder.AddTensor({.shape = {1, kElements}, .scale = 0.1f, .zero_point = 200});
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  builder.AddOperator(BuiltinOperator::kRelu, {1}, {2});
  builder.AddOperator(BuiltinOperator::kRelu, {2}, {3});
  const Bytes bytes = builder.Finish({0}, {3});
  Session plain(bytes);
  ASSERT_EQ(plain.AllocateWithout(), Status::kInvalidModel);
  Session session(bytes);
  FakeDelegate fake;
  EXPECT_EQ(session.Allocate({&fake}), Status::kInvalidModel);
  for (const Session* const one : {&plain, &session}) {
    EXPECT_EQ(one->interpreter->diagnosis().rule, Rule::kZeroPointValue);
    EXPECT_EQ(one->interpreter->diagnosis().node, 2);
    EXPECT_EQ(one->interpreter->diagnosis().tensor, 3);
  }
  EXPECT_EQ(fake.kernels, 0);
}

// ---- Memory.

TEST(Delegate, WorksInTheArenaThatIsSaidToBeUsed) {
  for (const Bytes& bytes : {Chain(), CompressedChain(true), ReluChain(5, 4096)}) {
    Session plenty(bytes);
    FakeDelegate fake{.compressed = CodecSet::Of(DecodeType::kLut)};
    ASSERT_EQ(plenty.Allocate({&fake}), Status::kOk);
    const size_t used = plenty.interpreter->memory().used_bytes;
    Session exact(bytes, used);
    EXPECT_EQ(exact.Allocate({&fake}), Status::kOk) << used;
    EXPECT_EQ(exact.Run(12), OnCpu(bytes, 12));
    Session less(bytes, used - 16);
    EXPECT_EQ(less.Allocate({&fake}), Status::kArenaTooSmall) << used;
  }
}

// ---- The page.

TEST(Delegate, ThePageHasTheExample) {
  const std::filesystem::path folder = std::filesystem::path(LUTRA_SOURCE_DIR) / "delegates";
  const auto text = [](const std::filesystem::path& path) {
    const Bytes bytes = ReadAll(path);
    return std::string(bytes.begin(), bytes.end());
  };
  const std::string example = text(folder / "example/example_delegate.cc");
  ASSERT_FALSE(example.empty());
  EXPECT_NE(text(folder / "README.md").find("```cpp\n" + example + "```\n"), std::string::npos);
}

}  // namespace
}  // namespace lutra

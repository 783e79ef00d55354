// SPDX-License-Identifier: Apache-2.0
// Partitions of graphs on VTA: nodes that it takes between others, limits, nodes that are handed back, and
// memory.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "delegates/vta/driver/delegate.h"
#include "delegates/vta/simulator/device.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"

namespace {
// Counts how often this program asked the heap for memory.
size_t heap_requests = 0;
}  // namespace

// If they were inlined, GCC 12 would warn of a free() of memory that its own operator new returned.
[[gnu::noinline]] void* operator new(size_t bytes) {
  ++heap_requests;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace lutra::vta::sim {
namespace {

using Bytes = std::vector<uint8_t>;
using Nodes = std::vector<std::vector<int>>;

constexpr int kElements = 20;
const TensorSpec kTensor = {.shape = {1, kElements}, .scale = 0.1f, .zero_point = -3};

// A chain of RELU, which VTA has, if `takes` says so, else MAXIMUM with a constant, which it lacks.
Bytes Chain(const std::vector<bool>& takes) {
  ModelBuilder builder;
  TensorSpec constant = kTensor;
  constant.data = Bytes(kElements, 5);
  const int floor = builder.AddTensor(constant);
  const int first = builder.AddTensor(kTensor);
  int last = first;
  for (const bool taken : takes) {
    const int next = builder.AddTensor(kTensor);
    if (taken) {
      builder.AddOperator(BuiltinOperator::kRelu, {last}, {next});
    } else {
      builder.AddOperator(BuiltinOperator::kMaximum, {last, floor}, {next});
    }
    last = next;
  }
  return builder.Finish({first}, {last});
}

// A model with the delegate, or without where there is no state.
class Session {
 public:
  explicit Session(const Bytes& bytes) : bytes_(bytes.size() / 8 + 1), arena_(size_t{4} << 20) {
    std::memcpy(bytes_.data(), bytes.data(), bytes.size());
    Diagnosis diagnosis;
    EXPECT_EQ(Model::Load({reinterpret_cast<uint8_t*>(bytes_.data()), bytes.size()}, &model_, &diagnosis),
              Status::kOk);
  }

  void Allocate(VtaDelegate* state) {
    interpreter_.emplace(model_, AllOps(), Span<uint8_t>(arena_.data(), arena_.size()));
    if (state == nullptr) {
      ASSERT_EQ(interpreter_->AllocateTensors(), Status::kOk);
      return;
    }
    delegate_ = MakeDelegate(state);
    const Delegate* const list[] = {&delegate_};
    const DelegateObserver observer = {.user = this,
                                       .declined = [](void* user, int, int node, const char* reason) {
                                         static_cast<Session*>(user)->declined.emplace_back(node, reason);
                                       }};
    ASSERT_EQ(interpreter_->AllocateTensors({.delegates = list, .observer = &observer}), Status::kOk);
  }

  Nodes Partitions() const {
    Nodes partitions;
    for (int n = 0; n < interpreter_->node_count(); ++n) {
      if (!RunsPartition(interpreter_->node(n))) continue;
      const Span<const int32_t> nodes = PartitionOf(interpreter_->node(n))->params.nodes_to_replace;
      partitions.emplace_back(nodes.begin(), nodes.end());
    }
    return partitions;
  }

  std::vector<int8_t> Run(uint32_t seed) {
    std::mt19937 random(seed);
    const Tensor input = interpreter_->input(0);
    for (int i = 0; i < input.info.bytes; ++i)
      static_cast<int8_t*>(input.data)[i] = static_cast<int8_t>(random());
    EXPECT_EQ(interpreter_->Invoke(), Status::kOk);
    const Tensor output = interpreter_->output(0);
    const auto* const values = static_cast<const int8_t*>(output.data);
    return {values, values + output.info.bytes};
  }

  MicroInterpreter& interpreter() { return *interpreter_; }

  std::vector<std::pair<int, std::string>> declined;

 private:
  std::vector<uint64_t> bytes_;
  std::vector<uint8_t> arena_;
  Model model_;
  Delegate delegate_;
  std::optional<MicroInterpreter> interpreter_;
};

std::vector<int8_t> OnCpu(const Bytes& bytes, uint32_t seed) {
  Session session(bytes);
  session.Allocate(nullptr);
  return session.Run(seed);
}

struct Outcome {
  Nodes partitions;
  std::vector<int8_t> output;
  std::vector<std::pair<int, std::string>> declined;
};
Outcome OnVta(const Bytes& bytes, uint32_t seed, const DriverOptions& options,
              const SimpleDelegateOptions& partitions = {}) {
  SimulatedDevice device(options.config, {});
  VtaDelegate state = {.options = options, .device = device.device(), .partitions = partitions};
  Session session(bytes);
  session.Allocate(&state);
  Outcome run = {session.Partitions(), session.Run(seed), session.declined};
  return run;
}

// `pattern` goes through all 64 ways to assign six nodes to VTA or to the CPU.
TEST(Line13, NodesBetweenOthersArePartitions) {
  for (uint32_t pattern = 0; pattern < 64; ++pattern) {
    std::vector<bool> takes;
    Nodes expected;
    for (int n = 0; n < 6; ++n) {
      takes.push_back((pattern >> n & 1) != 0);
      if (!takes.back()) continue;
      if (n == 0 || !takes[static_cast<size_t>(n) - 1]) expected.emplace_back();
      expected.back().push_back(n);
    }
    const Bytes bytes = Chain(takes);
    const Outcome run =
        OnVta(bytes, pattern,
              {.config = kConfigs[pattern % std::size(kConfigs)].config, .threads = 1 + pattern / 4 % 2});
    EXPECT_EQ(run.partitions, expected) << pattern;
    EXPECT_EQ(run.output, OnCpu(bytes, pattern)) << pattern;
    ASSERT_EQ(run.declined.size(), 6u - static_cast<size_t>(__builtin_popcount(pattern)));
    for (const auto& [node, reason] : run.declined) EXPECT_EQ(reason, "VTA has no such operator") << node;
  }
}

TEST(Line13, LimitsHold) {
  const struct {
    SimpleDelegateOptions options;
    Nodes partitions;
  } cases[] = {{{}, {{0, 1, 2}, {4}, {6, 7}}},
               {{.max_delegated_partitions = 1}, {{0, 1, 2}}},
               {{.min_nodes_per_partition = 2}, {{0, 1, 2}, {6, 7}}},
               {{.min_nodes_per_partition = 4}, {}},
               {{.max_nodes_per_partition = 1}, {{0}, {1}, {2}, {4}, {6}, {7}}},
               {{.max_delegated_partitions = 2, .max_nodes_per_partition = 2}, {{0, 1}, {6, 7}}}};
  const Bytes bytes = Chain({true, true, true, false, true, false, true, true});
  for (const auto& one : cases) {
    const Outcome run = OnVta(bytes, 7, {}, one.options);
    EXPECT_EQ(run.partitions, one.partitions);
    EXPECT_EQ(run.output, OnCpu(bytes, 7));
  }
}

// RELU, FULLY_CONNECTED with a bias that leaves 30 bits, RELU: only prepare finds the bias.
Bytes WithALargeBias(int32_t bias) {
  ModelBuilder builder;
  const int input = builder.AddTensor(kTensor), between = builder.AddTensor(kTensor);
  Bytes weights(size_t{kElements} * kElements);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<uint8_t>(i * 37 % 255 - 127);
  const int filter = builder.AddTensor({.shape = {kElements, kElements}, .scale = 0.01f, .data = weights});
  const int biases = builder.AddTensor({.shape = {kElements},
                                        .type = TensorType::kInt32,
                                        .scale = 0.1f * 0.01f,
                                        .data = BytesOf(std::vector<int32_t>(kElements, bias))});
  const int sums = builder.AddTensor(kTensor), output = builder.AddTensor(kTensor);
  builder.AddOperator(BuiltinOperator::kRelu, {input}, {between});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {between, filter, biases}, {sums});
  builder.AddOperator(BuiltinOperator::kRelu, {sums}, {output});
  return builder.Finish({input}, {output});
}

TEST(Line13, WhatPrepareHandsBackRunsOnTheCpu) {
  const Bytes small = WithALargeBias(-3000), large = WithALargeBias(-(1 << 30));
  for (const uint32_t threads : {1u, 2u}) {
    const Outcome taken = OnVta(small, 3, {.threads = threads});
    EXPECT_EQ(taken.partitions, (Nodes{{0, 1, 2}}));
    EXPECT_EQ(taken.output, OnCpu(small, 3));
    const Outcome run = OnVta(large, 4, {.threads = threads});
    EXPECT_EQ(run.partitions, (Nodes{{0}, {2}}));
    ASSERT_EQ(run.declined.size(), 1u);
    EXPECT_EQ(run.declined[0].first, 1);
    EXPECT_EQ(run.declined[0].second, "accumulators of more than 30 bits");
    EXPECT_EQ(run.output, OnCpu(large, 4));
  }
}

// RELU's output goes past VTA through MAXIMUM and back to ADD: RELU and ADD may not be one partition.
TEST(Line13, NoPathLeavesAPartitionAndComesBack) {
  ModelBuilder builder;
  TensorSpec constant = kTensor;
  constant.data = Bytes(kElements, 5);
  const int floor = builder.AddTensor(constant);
  int tensors[5];
  for (int& tensor : tensors) tensor = builder.AddTensor(kTensor);
  builder.AddOperator(BuiltinOperator::kRelu, {tensors[0]}, {tensors[1]});
  builder.AddOperator(BuiltinOperator::kMaximum, {tensors[1], floor}, {tensors[2]});
  builder.AddOperator(BuiltinOperator::kAdd, {tensors[1], tensors[2]}, {tensors[3]});
  builder.AddOperator(BuiltinOperator::kRelu6, {tensors[3]}, {tensors[4]});
  const Bytes bytes = builder.Finish({tensors[0]}, {tensors[4]});
  const Outcome run = OnVta(bytes, 5, {});
  EXPECT_EQ(run.partitions, (Nodes{{0}, {2, 3}}));
  EXPECT_EQ(run.output, OnCpu(bytes, 5));
}

// A device that only counts.
struct Counting {
  int mapped = 0, runs = 0;
  uint64_t next = kDramAlignment;

  Device device() {
    return {.user = this,
            .map =
                [](void* user, DramBuffer* buffer) {
                  auto& self = *static_cast<Counting*>(user);
                  ++self.mapped;
                  buffer->address = self.next;
                  self.next += (buffer->size + kDramAlignment - 1) / kDramAlignment * kDramAlignment;
                  return Status::kOk;
                },
            .run =
                [](void* user, const Config&, Span<const EncodedInstruction>, RunCounters*) {
                  ++static_cast<Counting*>(user)->runs;
                  return Status::kOk;
                }};
  }
};

TEST(Line13, NothingIsAllocatedAfterPrepare) {
  Counting counting;
  VtaDelegate state = {.options = {}, .device = counting.device()};
  Session session(WithALargeBias(-3000));
  session.Allocate(&state);
  EXPECT_EQ(session.Partitions(), (Nodes{{0, 1, 2}}));
  EXPECT_GT(counting.mapped, 3);
  const int mapped = counting.mapped;
  const size_t used = session.interpreter().memory().used_bytes, before = heap_requests;
  for (int run = 0; run < 3; ++run) ASSERT_EQ(session.interpreter().Invoke(), Status::kOk);
  EXPECT_EQ(heap_requests, before);
  EXPECT_EQ(counting.mapped, mapped);
  EXPECT_EQ(session.interpreter().memory().used_bytes, used);
  EXPECT_EQ(counting.runs, 9);
  // The counter counts these requests.
  ::operator delete(::operator new(1));
  EXPECT_EQ(heap_requests, before + 1);
}

}  // namespace
}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// Tests a delegate that is written as a class: it takes RELU of int8, and may throw anywhere.

#include "host/simple_delegate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "lutra/graph.h"
#include "lutra/micro_interpreter.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"

namespace lutra::host {
namespace {

enum class Throws { kNowhere, kProbe, kInitialize, kCreate, kInit, kPrepare, kEval };

class ReluKernel : public SimpleDelegateKernelInterface {
 public:
  explicit ReluKernel(Throws throws) : throws_(throws) {}
  Status Init(DelegatePrepareContext&, const DelegateParams& params) override {
    if (throws_ == Throws::kInit) throw std::runtime_error("no Init");
    nodes_ = params.nodes_to_replace.size();
    return Status::kOk;
  }
  Status Prepare(DelegatePrepareContext& context) override {
    if (throws_ == Throws::kPrepare) throw std::runtime_error("no Prepare");
    zero_ = context.node(0).Output(0).zero_point;
    bytes_ = context.node(0).Output(0).bytes;
    return Status::kOk;
  }
  // A chain of RELU has the result of one.
  Status Eval(DelegateEvalContext& context) override {
    if (throws_ == Throws::kEval) throw 1;
    for (int32_t i = 0; i < bytes_; ++i) {
      context.Output<int8_t>(0)[i] = std::max(context.Input<int8_t>(0)[i], static_cast<int8_t>(zero_));
    }
    return Status::kOk;
  }
  DelegateCounters Counters() const override { return {.cycles = static_cast<int64_t>(nodes_)}; }

 private:
  Throws throws_;
  size_t nodes_ = 0;
  int32_t zero_ = 0;
  int32_t bytes_ = 0;
};

class ReluDelegate : public SimpleDelegateInterface {
 public:
  explicit ReluDelegate(Throws throws) : throws_(throws) {}
  bool IsNodeSupportedByDelegate(const DelegateNode& node, std::string* reason) const override {
    if (throws_ == Throws::kProbe) throw std::runtime_error("no probe");
    *reason = "no RELU";
    return node.code() == BuiltinOperator::kRelu;
  }
  Status Initialize(CpuFeatures) override {
    if (throws_ == Throws::kInitialize) throw std::runtime_error("no Initialize");
    return Status::kOk;
  }
  const char* Name() const override { return "relu"; }
  std::unique_ptr<SimpleDelegateKernelInterface> CreateDelegateKernelInterface() override {
    if (throws_ == Throws::kCreate) return nullptr;
    return std::make_unique<ReluKernel>(throws_);
  }
  Options DelegateOptions() const override { return {.min_nodes_per_partition = 2}; }

 private:
  Throws throws_;
};

TEST(SimpleDelegate, RunsByItsClassAndMayThrowAnywhere) {
  constexpr int kElements = 16;
  const std::vector<uint8_t> bytes = ReluChain(3, kElements);
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  Model model;
  Diagnosis diagnosis;
  ASSERT_EQ(Model::Load({reinterpret_cast<uint8_t*>(aligned.data()), bytes.size()}, &model, &diagnosis),
            Status::kOk);
  const std::pair<Throws, const char*> cases[] = {
      {Throws::kNowhere, nullptr},
      {Throws::kProbe, "no probe"},
      {Throws::kInitialize, "Initialize has failed"},
      {Throws::kCreate, "CreateDelegateKernelInterface has made none"},
      {Throws::kInit, "no Init"},
      {Throws::kPrepare, "no Prepare"},
      {Throws::kEval, nullptr}};
  for (const auto& [throws, reason] : cases) {
    SCOPED_TRACE(static_cast<int>(throws));
    const SimpleDelegate relu(std::make_unique<ReluDelegate>(throws));
    const Delegate* const delegates[] = {&relu.table()};
    std::vector<std::string> reasons;
    const DelegateObserver observer = {.user = &reasons,
                                       .declined = [](void* user, int, int, const char* text) {
                                         static_cast<std::vector<std::string>*>(user)->push_back(text);
                                       }};
    alignas(16) uint8_t arena[8192];
    MicroInterpreter interpreter(model, AllOps(), arena);
    ASSERT_EQ(interpreter.AllocateTensors({.delegates = delegates, .observer = &observer}), Status::kOk);
    EXPECT_EQ(reasons, reason == nullptr ? std::vector<std::string>() : std::vector<std::string>(3, reason));
    EXPECT_EQ(relu.kernels(), reason == nullptr ? 1u : 0u);
    auto* const input = static_cast<int8_t*>(interpreter.input(0).data);
    for (int i = 0; i < kElements; ++i) input[i] = static_cast<int8_t>(i - 8);
    if (throws == Throws::kEval) {
      EXPECT_EQ(interpreter.Invoke(), Status::kInvalidInput);
      continue;
    }
    ASSERT_EQ(interpreter.Invoke(), Status::kOk);
    for (int i = 0; i < kElements; ++i) {
      EXPECT_EQ(static_cast<const int8_t*>(interpreter.output(0).data)[i], std::max(i - 8, 0));
    }
    const DelegatePartition* const partition = PartitionOf(interpreter.node(0));
    ASSERT_EQ(partition != nullptr, throws == Throws::kNowhere);
    if (partition == nullptr) continue;
    EXPECT_EQ(partition->kernel.Counters(partition->kernel.state).cycles, 3);
    interpreter.FreeKernels();
    EXPECT_EQ(relu.kernels(), 0u);
  }
}

}  // namespace
}  // namespace lutra::host

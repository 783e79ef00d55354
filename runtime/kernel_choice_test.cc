// SPDX-License-Identifier: Apache-2.0
// Tests which variants the interpreter chooses, and which may prepare under which policy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "lutra/compression/format.h"
#include "lutra/cpu.h"
#include "lutra/graph.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"

namespace lutra {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr int32_t kElements = 2000;

// One operator that is a lookup: RELU's table is a clamp; TANH's has steep and flat parts.
Bytes ModelOf(BuiltinOperator code) {
  ModelBuilder builder;
  const bool tanh = code == BuiltinOperator::kTanh;
  const int x = builder.AddTensor({.shape = {kElements}, .scale = 0.05f, .zero_point = 3});
  const int y = builder.AddTensor(
      {.shape = {kElements}, .scale = tanh ? 1 / 128.0f : 0.05f, .zero_point = tanh ? 0 : 3});
  builder.AddOperator(code, {x}, {y});
  return builder.Finish({x}, {y});
}

// The weights of a layer: constant; a second input, which is not constant; or compressed in either form.
enum class Weights : uint8_t { kConstant, kInput, kMetadata, kDecode };

Bytes LayerModel(Weights kind) {
  constexpr int32_t kDepth = 20;
  constexpr int32_t kChannels = 7;
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {kElements / kDepth, kDepth}, .scale = 0.05f, .zero_point = 3});
  TensorSpec weights = {.shape = {kChannels, kDepth}, .scale = 0.01f};
  const Bytes table = {0x85, 0xF3, 0x10, 0x6C};
  Bytes indices;
  for (int32_t i = 0; i < kChannels * kDepth; ++i) {
    const uint8_t index = static_cast<uint8_t>(i * 37 / 5 % 4);
    if (kind == Weights::kConstant) weights.data.push_back(table[index]);
    if (i % 4 == 0) indices.push_back(0);
    indices.back() = static_cast<uint8_t>(indices.back() | index << (6 - 2 * (i % 4)));
  }
  if (kind == Weights::kMetadata) weights.data = indices;
  const int w = builder.AddTensor(weights);
  const int y =
      builder.AddTensor({.shape = {kElements / kDepth, kChannels}, .scale = 0.1f, .zero_point = -5});
  if (kind == Weights::kMetadata) {
    const std::vector<LutTensorSpec> list = {{w, builder.AddBuffer(table), 2}};
    builder.AddMetadataBytes(kCompressionMetadataName, CompressionMetadata(std::vector<LutTensorList>{list}));
  }
  if (kind == Weights::kDecode) {
    const auto constant = [&builder](const Bytes& data) {
      return builder.AddTensor(
          {.shape = {static_cast<int32_t>(data.size())}, .type = TensorType::kUInt8, .data = data});
    };
    Bytes ancillary = {0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    ancillary.insert(ancillary.end(), table.begin(), table.end());
    builder.AddCustomOperator(kDecodeCustomCode, {constant(indices), constant(ancillary)}, {w});
  }
  builder.AddOperator(BuiltinOperator::kFullyConnected, {x, w}, {y});
  if (kind != Weights::kInput) return builder.Finish({x}, {y});
  return builder.Finish({x, w}, {y});
}

struct Outcome {
  Status status = Status::kOk;
  std::string kernel;
  size_t prepared_bytes = 0;
  size_t persistent_bytes = 0;
  size_t used_bytes = 0;
  size_t wanted_bytes = 0;
  Bytes output;
};

Outcome RunModel(const Bytes& bytes, CpuFeatures features, MemoryPolicy policy, size_t arena_bytes = 1 << 16,
                 DecompressionPolicy decompression = DecompressionPolicy::kPerUse) {
  std::vector<uint64_t> file(bytes.size() / 8 + 1);
  std::memcpy(file.data(), bytes.data(), bytes.size());
  Outcome outcome;
  Model model;
  Diagnosis diagnosis;
  outcome.status = Model::Load({reinterpret_cast<uint8_t*>(file.data()), bytes.size()}, &model, &diagnosis);
  EXPECT_EQ(outcome.status, Status::kOk);
  struct alignas(16) Block {
    uint8_t bytes[16];
  };
  std::vector<Block> arena(arena_bytes / sizeof(Block));
  MicroInterpreter interpreter(model, AllOps(), {arena.data()->bytes, arena_bytes},
                               {.policy = policy, .cpu_features = features, .decompression = decompression});
  interpreter.set_visitor({.user = &outcome, .kernel = [](void* user, int, const char* kernel) {
                             static_cast<Outcome*>(user)->kernel = kernel;
                           }});
  outcome.status = interpreter.AllocateTensors();
  outcome.wanted_bytes = interpreter.diagnosis().wanted_bytes;
  if (outcome.status != Status::kOk) return outcome;
  outcome.prepared_bytes = interpreter.record(RecordKind::kPrepared).bytes;
  outcome.persistent_bytes = interpreter.memory().persistent_bytes;
  outcome.used_bytes = interpreter.memory().used_bytes;
  auto* input = static_cast<uint8_t*>(interpreter.input(0).data);
  for (int i = 0; i < kElements; ++i) input[i] = static_cast<uint8_t>(i);
  outcome.status = interpreter.Invoke();
  const auto* output = static_cast<const uint8_t*>(interpreter.output(0).data);
  outcome.output.assign(output, output + interpreter.output(0).info.bytes);
  return outcome;
}

class KernelChoice : public testing::TestWithParam<BuiltinOperator> {
 protected:
  void SetUp() override {
    if ((kCpuAvx2 & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks avx2";
  }
  Bytes model_ = ModelOf(GetParam());
};

TEST_P(KernelChoice, IsTheBestThatTheFeaturesAllow) {
  const Outcome reference = RunModel(model_, kCpuAny, MemoryPolicy::kFast);
  const Outcome sse41 = RunModel(model_, kCpuSse41, MemoryPolicy::kFast);
  const Outcome avx2 = RunModel(model_, kCpuAvx2, MemoryPolicy::kFast);
  EXPECT_EQ(reference.kernel, "ref");
  EXPECT_EQ(sse41.kernel, "sse41");
  EXPECT_EQ(avx2.kernel, "avx2");
  EXPECT_EQ(sse41.output, reference.output);
  EXPECT_EQ(avx2.output, reference.output);
}

TEST_P(KernelChoice, OnlyPolicyFastPrepares) {
  const Outcome reference = RunModel(model_, kCpuAny, MemoryPolicy::kFast);
  const Outcome fast = RunModel(model_, kCpuAvx2, MemoryPolicy::kFast);
  EXPECT_EQ(reference.prepared_bytes, 0u);
  EXPECT_GT(fast.prepared_bytes, 0u);
  EXPECT_GE(fast.persistent_bytes, reference.persistent_bytes + fast.prepared_bytes);

  const Outcome small_reference = RunModel(model_, kCpuAny, MemoryPolicy::kSmall);
  const Outcome small = RunModel(model_, kCpuAvx2, MemoryPolicy::kSmall);
  EXPECT_EQ(small.kernel, "avx2") << "it runs without";
  EXPECT_EQ(small.prepared_bytes, 0u);
  EXPECT_EQ(small.used_bytes, small_reference.used_bytes);
  EXPECT_EQ(small.output, small_reference.output);
  EXPECT_EQ(RunModel(model_, kCpuSse41, MemoryPolicy::kSmall).kernel, "ref") << "sse41 does not run without";
}

// The search for the smallest arena relies on this.
TEST_P(KernelChoice, AskingForTheMemoryThatIsWantedEndsAtWhatIsUsed) {
  const Outcome plenty = RunModel(model_, kCpuAvx2, MemoryPolicy::kFast);
  size_t bytes = 16;
  for (int tries = 0; tries < 100; ++tries) {
    const Outcome outcome = RunModel(model_, kCpuAvx2, MemoryPolicy::kFast, bytes);
    if (outcome.status == Status::kOk) {
      EXPECT_EQ(outcome.used_bytes, plenty.used_bytes);
      EXPECT_EQ(outcome.output, plenty.output);
      return;
    }
    ASSERT_EQ(outcome.status, Status::kArenaTooSmall);
    ASSERT_GT(outcome.wanted_bytes, bytes);
    bytes = (outcome.wanted_bytes + 15) / 16 * 16;
  }
  FAIL() << "no arena was large enough";
}

// Only operands that prepare knows can be prepared.
TEST(KernelChoiceOfLayers, TakesThePreparingVariantForConstantWeights) {
  if ((kCpuAvx2 & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks avx2";
  const Bytes model = LayerModel(Weights::kConstant);
  const Outcome reference = RunModel(model, kCpuAny, MemoryPolicy::kFast);
  const Outcome fast = RunModel(model, kCpuAvx2, MemoryPolicy::kFast);
  const Outcome small = RunModel(model, kCpuAvx2, MemoryPolicy::kSmall);
  EXPECT_EQ(reference.kernel, "ref");
  EXPECT_EQ(reference.prepared_bytes, 0u);
  EXPECT_EQ(fast.kernel, "avx2");
  EXPECT_GT(fast.prepared_bytes, 0u);
  EXPECT_EQ(fast.output, reference.output);
  EXPECT_EQ(small.kernel, "ref") << "it has nothing to run from";
  EXPECT_EQ(small.prepared_bytes, 0u);
  EXPECT_EQ(small.output, reference.output);
  EXPECT_EQ(RunModel(LayerModel(Weights::kInput), kCpuAvx2, MemoryPolicy::kFast).kernel, "ref")
      << "weights that a run may change";
}

TEST(KernelChoiceOfLayers, TakesThePreparingVariantForWeightsDecodedAtInit) {
  if ((kCpuAvx2 & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks avx2";
  const Outcome plain = RunModel(LayerModel(Weights::kConstant), kCpuAvx2, MemoryPolicy::kFast);
  for (const Weights kind : {Weights::kMetadata, Weights::kDecode}) {
    const Bytes model = LayerModel(kind);
    const auto run = [&](MemoryPolicy policy, DecompressionPolicy decompression) {
      return RunModel(model, kCpuAvx2, policy, 1 << 16, decompression);
    };
    const Outcome at_init = run(MemoryPolicy::kFast, DecompressionPolicy::kAtInit);
    EXPECT_EQ(at_init.kernel, "avx2");
    EXPECT_LT(std::max(at_init.prepared_bytes, plain.prepared_bytes) -
                  std::min(at_init.prepared_bytes, plain.prepared_bytes),
              16u)
        << "what alignment leaves";
    EXPECT_EQ(at_init.output, plain.output);
    const Outcome small = run(MemoryPolicy::kSmall, DecompressionPolicy::kAtInit);
    EXPECT_EQ(small.kernel, "ref");
    EXPECT_EQ(small.output, plain.output);
    const Outcome per_use = run(MemoryPolicy::kFast, DecompressionPolicy::kPerUse);
    EXPECT_EQ(per_use.kernel, "ref") << "weights that come with each run";
    EXPECT_EQ(per_use.prepared_bytes, 0u);
    EXPECT_EQ(per_use.output, plain.output);
  }
}

INSTANTIATE_TEST_SUITE_P(, KernelChoice, testing::Values(BuiltinOperator::kRelu, BuiltinOperator::kTanh),
                         [](const auto& info) {
                           return std::string(info.param == BuiltinOperator::kRelu ? "Relu" : "Tanh");
                         });

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// CIRCULAR_BUFFER: the slices that it stores, when it has an output, and the nodes behind it in the graph.

#include "lutra/diagnosis_text.h"
#include "runtime/testing/custom_options.h"
#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

// The slices have two bytes; a RELU follows the buffer.
struct Stream {
  std::vector<int32_t> slice = {1, 1, 1, 2};
  std::vector<int32_t> slices = {1, 3, 1, 2};
  std::optional<int64_t> cycles = 2;
  bool is_variable = true;
  TensorType type = TensorType::kInt8;
  int64_t zero_point = 0;

  std::vector<uint8_t> Build() const {
    ModelBuilder builder;
    builder.AddTensor({.shape = slice, .type = type, .scale = 1, .zero_point = zero_point});
    const TensorSpec out = {.shape = slices, .scale = 1, .zero_point = zero_point};
    TensorSpec kept = out;
    kept.is_variable = is_variable;
    builder.AddTensor(kept);
    builder.AddTensor(out);
    const auto options = cycles ? FlexMap({{"cycles_max", *cycles}}) : std::vector<uint8_t>();
    builder.AddCustomOperator("CIRCULAR_BUFFER", {0}, {1}, options);
    builder.AddOperator(BuiltinOperator::kRelu, {1}, {2});
    return builder.Finish({0}, {1, 2});
  }
};

struct Step {
  Int8List input;
  Status status;
  Int8List kept;
};

void ExpectSteps(const Stream& stream, const std::vector<Step>& steps) {
  for (const MemoryPolicy policy : {MemoryPolicy::kSmall, MemoryPolicy::kFast}) {
    ModelRun run(stream.Build(), {.policy = policy});
    ASSERT_EQ(run.status(), Status::kOk) << Describe(run.diagnosis().rule).name;
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (const Step& step : steps) {
        EXPECT_EQ(run.Invoke({step.input}), step.status);
        const std::vector<ByteList> outputs = run.Outputs();
        EXPECT_EQ(outputs[0], Values(step.kept).bytes);
        if (step.status != Status::kOk) continue;
        for (size_t i = 0; i < outputs[1].size(); ++i) {
          EXPECT_EQ(static_cast<int8_t>(outputs[1][i]),
                    std::max<int>(step.kept[i], static_cast<int>(stream.zero_point)));
        }
      }
      run.interpreter().ResetVariables();
    }
  }
}

constexpr Status kWaits = Status::kNoOutputYet;

TEST(CircularBuffer, GivesAnOutputEveryFewInferences) {
  ExpectSteps({}, {{{1, 2}, kWaits, {0, 0, 0, 0, 1, 2}},
                   {{3, 4}, Status::kOk, {0, 0, 1, 2, 3, 4}},
                   {{5, -6}, kWaits, {1, 2, 3, 4, 5, -6}},
                   {{7, 8}, Status::kOk, {3, 4, 5, -6, 7, 8}},
                   {{9, 9}, kWaits, {5, -6, 7, 8, 9, 9}}});
  ExpectSteps({.cycles = 1, .zero_point = -7},
              {{{1, 2}, Status::kOk, {-7, -7, -7, -7, 1, 2}}, {{3, 4}, Status::kOk, {-7, -7, 1, 2, 3, 4}}});
  ExpectSteps({.slices = {1, 1, 1, 2}, .cycles = 3}, {{{1, 2}, kWaits, {1, 2}},
                                                      {{3, 4}, kWaits, {3, 4}},
                                                      {{5, 6}, Status::kOk, {5, 6}},
                                                      {{7, 8}, kWaits, {7, 8}}});
}

// The models have no cycles_max, or cycles_max 0.
TEST(CircularBuffer, KnowsTheLastLayersOfTwoNetworks) {
  for (const std::optional<int64_t> cycles : {std::optional<int64_t>(), std::optional<int64_t>(0)}) {
    for (const int slices : {1, 3, 5, 6, 13, 25}) {
      ModelRun run(Stream{.slices = {1, slices, 1, 2}, .cycles = cycles}.Build());
      const bool at_once = slices == 5 || slices == 13 || slices == 25;
      EXPECT_EQ(run.Invoke({Int8List{1, 2}}), at_once ? Status::kOk : kWaits) << slices;
    }
  }
  // The buffer is the fifth, with slices of [2, 96].
  ModelBuilder builder;
  for (int i = 0; i < 6; ++i) {
    builder.AddTensor({.shape = {1, 1, 2, 96}, .scale = 1, .is_variable = i > 0});
  }
  for (int i = 0; i < 5; ++i) {
    builder.AddCustomOperator("CIRCULAR_BUFFER", {i}, {i + 1});
  }
  ModelRun run(builder.Finish({0}, {5}));
  ASSERT_EQ(run.status(), Status::kOk) << Describe(run.diagnosis().rule).name;
  const ValueLists input = {Int8List(192, 3)};
  // Each of the first four buffers waits for two slices, so that the fifth is called at every 16th inference;
  // it has an output at once.
  for (int i = 1; i <= 32; ++i) EXPECT_EQ(run.Invoke(input), i % 16 == 0 ? Status::kOk : kWaits) << i;
}

TEST(CircularBuffer, Refusals) {
  const auto rule_of = [](const Stream& stream) { return ModelRun(stream.Build()).diagnosis().rule; };
  EXPECT_EQ(rule_of({}), Rule::kNone);
  EXPECT_EQ(rule_of({.is_variable = false}), Rule::kStateVariable);
  EXPECT_EQ(rule_of({.type = TensorType::kUInt8}), Rule::kUint8);
  EXPECT_EQ(rule_of({.type = TensorType::kInt16}), Rule::kOperandType);
  EXPECT_EQ(rule_of({.slice = {1, 1, 2}}), Rule::kOperandRank);
  EXPECT_EQ(rule_of({.slice = {1, 2, 1, 1}}), Rule::kOperandShape);
  EXPECT_EQ(rule_of({.slice = {2, 1, 1, 1}}), Rule::kOperandShape);
  EXPECT_EQ(rule_of({.slices = {1, 3, 2, 1}}), Rule::kOperandShape);
  EXPECT_EQ(rule_of({.slices = {1, 3, 2}}), Rule::kOperandRank);
}

}  // namespace
}  // namespace lutra

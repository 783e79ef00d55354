// SPDX-License-Identifier: Apache-2.0
// TFLM_DECODE: pairs of constants become tensors, at each use or once. Every format's own rules are tested
// in runtime/compression/.

#include "lutra/compression/format.h"
#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

TensorSpec Bytes(const ByteList& bytes) {
  return {.shape = {static_cast<int32_t>(bytes.size())}, .type = TensorType::kUInt8, .data = bytes};
}

// The worked examples of runtime/compression/FORMAT.md: a lookup table of int8, then a pruned int16.
OpModel DecodeModel() {
  return {.op = BuiltinOperator::kCustom,
          .inputs = {Bytes({0x1B, 0xE4}),
                     Bytes({0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}), Bytes({0xA5}),
                     Bytes({2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 6, 0, 7, 0, 8, 0})},
          .outputs = {{.shape = {1, 2, 4}}, {.shape = {8}, .type = TensorType::kInt16}},
          .custom_code = kDecodeCustomCode};
}

const ValueLists kDecoded = {Int8List{1, 2, 3, 4, 4, 3, 2, 1}, Int16List{5, 0, 6, 0, 0, 7, 0, 8}};

TEST(Decode, DecodesEachPair) { ExpectOutputs(DecodeModel(), {}, kDecoded); }

// Tensors are decoded once, in AllocateTensors, into memory of their own.
TEST(Decode, MayDecodeOnce) {
  ModelRun run(Build(DecodeModel()), {.decompression = DecompressionPolicy::kAtInit});
  ASSERT_EQ(run.status(), Status::kOk);
  EXPECT_EQ(run.interpreter().record(RecordKind::kDecoded).count, 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run.Invoke({}), Status::kOk);
    EXPECT_EQ(run.Outputs()[0], kDecoded[0].bytes);
    EXPECT_EQ(run.Outputs()[1], kDecoded[1].bytes);
  }
}

constexpr Refusal kDecodeRefusals[] = {
    {"three inputs for two outputs", DropInput, Rule::kDecodeOperands, kNode, 3, 4},
    {"five inputs for two outputs", AddInput, Rule::kDecodeOperands, kNode, 5, 4},
    {"no outputs",
     [](OpModel& m) {
       m.inputs.clear();
       m.outputs.clear();
     },
     Rule::kDecodeOperands, kNode, 0, 0},
    {"an input is left out", [](OpModel& m) { m.left_out = {2}; }, Rule::kInputMissing, kNode, 2},
    {"a stream that is not constant", [](OpModel& m) { m.inputs[2].data.clear(); }, Rule::kConstantRequired,
     2},
    {"a header that is not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired,
     1},
    {"a header of 15 bytes",
     [](OpModel& m) {
       m.inputs[3].data.resize(15);
       m.inputs[3].shape = {15};
     },
     Rule::kDecodeHeader, Out(1), 15, 16},
    {"a type that nobody knows", [](OpModel& m) { m.inputs[1].data[0] = 3; }, Rule::kDecodeType, Out(0), 3},
    // 0xB5 says that five values remain.
    {"a value is missing", [](OpModel& m) { m.inputs[2].data[0] = 0xB5; }, Rule::kPruneCount, Out(1), 4, 5},
};

TEST(Decode, Refusals) { ExpectRefusals(DecodeModel(), kDecodeRefusals); }

}  // namespace
}  // namespace lutra

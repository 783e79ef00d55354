// SPDX-License-Identifier: Apache-2.0
// Operators of int8 alone: they give the same bytes as the operators of all types, and refuse float32.

#include <algorithm>

#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/window_cases.h"

namespace lutra {
namespace {

#define LUTRA_INT8_OPERATOR(name, prepare, eval) {k##name##Int8Only, k##name},
struct Pair {
  Op int8_only;
  Op plain;
};
constexpr Pair kPairs[] = {LUTRA_INT8_OPERATORS(LUTRA_INT8_OPERATOR)};
#undef LUTRA_INT8_OPERATOR

constexpr int kElements = 24;  // Elements of the image [1, 2, 3, 4].

// Returns a model of `op` that keeps the shape of an image, or sums it up.
OpModel ModelOf(BuiltinOperator op) {
  const TensorSpec image = {.shape = {1, 2, 3, 4}, .scale = 0.5f, .zero_point = -3};
  switch (op) {
    case BuiltinOperator::kConv2D:
      return ConvolutionModel(op, {1, 2, 3, 4}, {4, 2, 2, 4}, Pattern(64, 7, 31), {1, 2, 3, 4});
    case BuiltinOperator::kDepthwiseConv2D:
      return ConvolutionModel(op, {1, 2, 3, 4}, {1, 2, 2, 4}, Pattern(16, 7, 31), {1, 2, 3, 4});
    case BuiltinOperator::kFullyConnected:
      return {.op = op,
              .inputs = {image, {.shape = {5, 4}, .scale = 0.25f, .data = BytesOf(Pattern(20, 5, 23))}},
              .outputs = {{.shape = {6, 5}, .scale = 2}}};
    case BuiltinOperator::kAdd:
    case BuiltinOperator::kSub:
    case BuiltinOperator::kMul:
      return {.op = op, .inputs = {image, image}, .outputs = {image}};
    case BuiltinOperator::kMean:
    case BuiltinOperator::kSum:
      return {.op = op,
              .inputs = {image, Constant<int32_t>({2}, {1, 2})},
              .outputs = {{.shape = {1, 4}, .scale = 2}}};
    case BuiltinOperator::kSoftmax:
      return {.op = op,
              .inputs = {image},
              .outputs = {{.shape = {1, 2, 3, 4}, .scale = 1.0f / 256, .zero_point = -128}}};
    case BuiltinOperator::kLogSoftmax:
      return {.op = op,
              .inputs = {image},
              .outputs = {{.shape = {1, 2, 3, 4}, .scale = 16.0f / 256, .zero_point = 127}}};
    case BuiltinOperator::kL2Normalization:
      return {.op = op, .inputs = {image}, .outputs = {image}};
    case BuiltinOperator::kSvdf:
      return {.op = op,
              .inputs = {{.shape = {6, 4}, .scale = 0.5f, .zero_point = -3},
                         {.shape = {4, 4}, .scale = 0.25f, .data = BytesOf(Pattern(16, 7, 31))},
                         {.shape = {4, 3}, .scale = 0.5f, .data = BytesOf(Pattern(12, 5, 23))},
                         {.shape = {2},
                          .type = TensorType::kInt32,
                          .scale = 4,
                          .data = BytesOf(Int32List{100, -100})},
                         {.shape = {6, 12}, .scale = 8, .is_variable = true}},
              .outputs = {{.shape = {6, 2}, .scale = 16}},
              .options = {.rank = 2}};
    default:
      return {.op = op, .inputs = {image}, .outputs = {image}, .options = {.filter = 2}};
  }
}

class OneOp {
 public:
  OneOp(const OpModel& model, const Op& op)
      : file_(Build(model)), ops_{op}, interpreter_(file_.model, ops_, Arena()) {
    EXPECT_EQ(file_.status, Status::kOk);
    status_ = interpreter_.AllocateTensors();
  }
  Status status() const { return status_; }
  const Diagnosis& diagnosis() const { return interpreter_.diagnosis(); }
  Int8List Run() {
    for (int i = 0; i < interpreter_.input_count(); ++i) {
      const Int8List values = Pattern(kElements, 37 + i, 250);
      std::copy(values.begin(), values.end(), static_cast<int8_t*>(interpreter_.input(i).data));
    }
    EXPECT_EQ(interpreter_.Invoke(), Status::kOk);
    const Tensor output = interpreter_.output(0);
    const auto* const codes = static_cast<const int8_t*>(output.data);
    return Int8List(codes, codes + output.info.bytes);
  }

 private:
  Span<uint8_t> Arena() { return {reinterpret_cast<uint8_t*>(arena_), sizeof arena_}; }

  Loaded file_;
  const Op ops_[1];
  alignas(16) uint8_t arena_[16384];
  MicroInterpreter interpreter_;
  Status status_;
};

TEST(Int8Only, GivesWhatTheOperatorOfAllTypesGives) {
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(ToString(pair.plain.code));
    EXPECT_EQ(pair.int8_only.code, pair.plain.code);
    EXPECT_EQ(pair.int8_only.compressible_inputs, pair.plain.compressible_inputs);
    EXPECT_NE(pair.int8_only.prepare, pair.plain.prepare);
    const OpModel model = ModelOf(pair.plain.code);
    OneOp int8_only(model, pair.int8_only);
    OneOp plain(model, pair.plain);
    ASSERT_EQ(int8_only.status(), Status::kOk);
    ASSERT_EQ(plain.status(), Status::kOk);
    const Int8List expected = plain.Run();
    EXPECT_GT(std::count_if(expected.begin(), expected.end(), [](int8_t code) { return code != 0; }), 2);
    EXPECT_EQ(int8_only.Run(), expected);
  }
}

TEST(Int8Only, RefusesFloat32) {
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(ToString(pair.plain.code));
    OpModel model = ModelOf(pair.plain.code);
    for (TensorSpec& spec : model.inputs) {
      const bool is_int32 = spec.type == TensorType::kInt32;
      if (is_int32 && model.inputs.size() == 2) continue;  // Axes.
      spec.type = TensorType::kFloat32;
      spec.data.assign((is_int32 ? 1 : 4) * spec.data.size(), 0);
    }
    model.outputs[0].type = TensorType::kFloat32;
    EXPECT_EQ(OneOp(model, pair.plain).status(), Status::kOk);
    const OneOp int8_only(model, pair.int8_only);
    EXPECT_NE(int8_only.status(), Status::kOk);
    EXPECT_EQ(int8_only.diagnosis().rule, Rule::kOperandType);
    EXPECT_EQ(int8_only.diagnosis().node, 0);
    EXPECT_EQ(int8_only.diagnosis().tensor, 0);
    EXPECT_EQ(int8_only.diagnosis().found, NumberOf(TensorType::kFloat32));
  }
}

// ADD and MUL also take int32, and SOFTMAX an output of int16.
TEST(Int8Only, RefusesOtherTypesThatTheOperatorTakes) {
  for (const auto& [code, op] :
       {std::pair{BuiltinOperator::kAdd, kAddInt8Only}, std::pair{BuiltinOperator::kMul, kMulInt8Only}}) {
    OpModel model = ModelOf(code);
    for (TensorSpec& spec : model.inputs) spec = {.shape = spec.shape, .type = TensorType::kInt32};
    model.outputs[0] = model.inputs[0];
    const OneOp sum(model, op);
    EXPECT_EQ(sum.diagnosis().rule, Rule::kOperandType);
  }
  OpModel softmax = ModelOf(BuiltinOperator::kSoftmax);
  softmax.outputs[0].type = TensorType::kInt16;
  softmax.outputs[0].scale = 1.0f / 65536;
  softmax.outputs[0].zero_point = INT16_MIN;
  EXPECT_EQ(OneOp(softmax, kSoftmax).status(), Status::kOk);
  EXPECT_EQ(OneOp(softmax, kSoftmaxInt8Only).diagnosis().rule, Rule::kOperandType);
}

}  // namespace
}  // namespace lutra

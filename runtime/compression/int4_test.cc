// SPDX-License-Identifier: Apache-2.0
// Weights of int4: layers give the same bytes as with these weights as int8, whichever way they are decoded.

#include "lutra/compression/decode.h"
#include "runtime/testing/decode_refusal.h"

namespace lutra {
namespace {

struct Int4Case {
  BuiltinOperator op = BuiltinOperator::kFullyConnected;
  std::vector<int32_t> input_shape = {2, 5};
  TensorType input_type = TensorType::kInt8;
  std::vector<int32_t> weights_shape = {3, 5};
  std::vector<int32_t> output_shape = {2, 3};
  std::vector<float> scales = {0.5f};
  int32_t quantized_dimension = 0;
  OperatorOptions options = {};
};

const std::vector<Int4Case>& Layers() {
  static const std::vector<Int4Case> layers = {
      {},
      {.scales = {0.5f, 0.25f, 0.75f}},
      {.op = BuiltinOperator::kConv2D,
       .input_shape = {1, 3, 3, 1},
       .weights_shape = {3, 3, 3, 1},
       .output_shape = {1, 1, 1, 3},
       .scales = {0.5f, 0.25f, 0.75f},
       .options = {.padding = 1}},
      {.op = BuiltinOperator::kDepthwiseConv2D,
       .input_shape = {1, 3, 3, 3},
       .weights_shape = {1, 1, 3, 3},
       .output_shape = {1, 3, 1, 3},
       .scales = {0.5f, 0.25f, 0.75f},
       .quantized_dimension = 3,
       .options = {.padding = 1}},
  };
  return layers;
}

int32_t Count(const std::vector<int32_t>& shape) {
  int32_t count = 1;
  for (const int32_t dim : shape) count *= dim;
  return count;
}

// Returns all sixteen codes in turn, so that their order in a byte matters.
int Code(int i) { return (i * 7 + 5) % 16 - 8; }

ByteList Build(const Int4Case& c, TensorType type) {
  const int32_t count = Count(c.weights_shape);
  ByteList codes(static_cast<size_t>(type == TensorType::kInt4 ? (count + 1) / 2 : count));
  for (int i = 0; i < count; ++i) {
    const int code = Code(i);
    if (type == TensorType::kInt4) {
      uint8_t& byte = codes[static_cast<size_t>(i / 2)];
      byte = static_cast<uint8_t>(byte | (code & 15) << (i % 2 * 4));
    } else {
      codes[static_cast<size_t>(i)] = static_cast<uint8_t>(code);
    }
  }
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = c.input_shape, .type = c.input_type, .scale = 0.5f});
  TensorSpec weights = {.shape = c.weights_shape, .type = type, .data = codes};
  if (c.scales.size() == 1) {
    weights.scale = c.scales[0];
  } else {
    weights.channel_scales = c.scales;
    weights.quantized_dimension = c.quantized_dimension;
  }
  const int w = builder.AddTensor(weights);
  const int y = builder.AddTensor({.shape = c.output_shape, .type = c.input_type, .scale = 4});
  builder.AddOperator(c.op, {x, w}, {y}, c.options);
  return builder.Finish({x}, {y});
}

std::vector<int8_t> OutputOf(const ByteList& bytes, const InterpreterOptions& options) {
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  Model model;
  Diagnosis diagnosis;
  const Span<const uint8_t> file(reinterpret_cast<const uint8_t*>(aligned.data()), bytes.size());
  EXPECT_EQ(Model::Load(file, &model, &diagnosis), Status::kOk) << Describe(diagnosis.rule).name;
  alignas(16) uint8_t arena[8192];
  MicroInterpreter interpreter(model, AllOps(), arena, options);
  EXPECT_EQ(interpreter.AllocateTensors(), Status::kOk) << Describe(interpreter.diagnosis().rule).name;
  const Tensor input = interpreter.input(0);
  for (int i = 0; i < input.info.bytes; ++i) {
    static_cast<int8_t*>(input.data)[i] = static_cast<int8_t>(i * 37 - 99);
  }
  EXPECT_EQ(interpreter.Invoke(), Status::kOk);
  const Tensor output = interpreter.output(0);
  const auto* const codes = static_cast<const int8_t*>(output.data);
  return {codes, codes + output.info.bytes};
}

TEST(Int4, LayersGiveTheBytesOfTheSameWeightsAsInt8) {
  for (const Int4Case& c : Layers()) {
    const std::vector<int8_t> expected = OutputOf(Build(c, TensorType::kInt8), {});
    EXPECT_GT(std::count_if(expected.begin(), expected.end(), [](int8_t y) { return y != 0; }), 0);
    const ByteList packed = Build(c, TensorType::kInt4);
    for (const MemoryPolicy policy : {MemoryPolicy::kSmall, MemoryPolicy::kFast}) {
      for (const DecompressionPolicy when :
           {DecompressionPolicy::kPerUse, DecompressionPolicy::kAtInit, DecompressionPolicy::kStreamed}) {
        EXPECT_EQ(OutputOf(packed, {.policy = policy, .decompression = when}), expected);
      }
      EXPECT_EQ(OutputOf(packed, {.policy = policy, .decode = DecodeInt4}), expected);
    }
  }
}

TEST(Int4, IsRefusedWithoutADecoderThatReadsIt) {
  const ByteList packed = Build(Layers()[0], TensorType::kInt4);
  EXPECT_EQ(RuleOf(packed), Rule::kNone);
  EXPECT_EQ(RuleOf(packed, DecodeLut), Rule::kDecoderMissing);
  EXPECT_EQ(RuleOf(packed, nullptr), Rule::kDecoderMissing);
}

// Operators take int4 constants if they take compressed constants, and only then.
TEST(Int4, IsRefusedWhereCompressedConstantsAre) {
  EXPECT_EQ(RuleOf(Build({.op = BuiltinOperator::kAdd, .weights_shape = {2, 5}, .output_shape = {2, 5}},
                         TensorType::kInt4)),
            Rule::kCompressedOperand);
  EXPECT_EQ(RuleOf(Build({.input_type = TensorType::kFloat32}, TensorType::kInt4)), Rule::kHybrid);
}

TEST(Int4, IsNeitherActivationNorOutputOfTheGraph) {
  ModelBuilder constant;
  const int x = constant.AddTensor({.shape = {4}, .scale = 1});
  const int y = constant.AddTensor({.shape = {4}, .scale = 1});
  constant.AddOperator(BuiltinOperator::kRelu, {x}, {y});
  const int w = constant.AddTensor({.shape = {4}, .type = TensorType::kInt4, .scale = 1, .data = {1, 2}});
  EXPECT_EQ(RuleOf(constant.Finish({x}, {y, w})), Rule::kCompressionConstant);
  ModelBuilder activation;
  const int in = activation.AddTensor({.shape = {4}, .type = TensorType::kInt4, .scale = 1});
  const int out = activation.AddTensor({.shape = {4}, .type = TensorType::kInt4, .scale = 1});
  activation.AddOperator(BuiltinOperator::kRelu, {in}, {out});
  EXPECT_EQ(RuleOf(activation.Finish({in}, {out})), Rule::kTensorType);
}

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Changes that make a correct model break each rule, by the rule's topic.

#include "conformance/linter/violations.h"

#include <cstring>
#include <map>

namespace lutra::conformance::linter {
namespace {

using Changes = std::map<std::string, Violation>;

Violation OutputScale(float scale) {
  return [scale](Net* net) { net->output().quantization->scale = {scale}; };
}

Violation InputScale(float scale) {
  return [scale](Net* net) { net->First(kActivation).quantization->scale = {scale}; };
}

Violation ScaleTimes(Role role, float factor) {
  return [role, factor](Net* net) {
    for (float& scale : net->First(role).quantization->scale) scale *= factor;
  };
}

Violation Scales(Role role, size_t count) {
  return [role, count](Net* net) {
    net->First(role).quantization->scale = std::vector<float>(count, 0.01f);
    net->First(role).quantization->zero_point.assign(count, 0);
  };
}

// QUANTIZE of float32 has its codes in the output.
Violation ScalesOfCodes(size_t count) {
  return [count](Net* net) {
    if (net->name() == "QUANTIZE") net->input(0).type = oracle::kFloat32;
    edit::TensorT& codes = net->name() == "QUANTIZE" ? net->output() : net->input(0);
    codes.quantization->scale.assign(count, 0.01f);
    codes.quantization->zero_point.assign(count, 0);
    codes.quantization->quantized_dimension = 1;
  };
}

Violation ZeroPoint(Role role, int64_t zero_point) {
  return [role, zero_point](Net* net) { net->First(role).quantization->zero_point[0] = zero_point; };
}

Violation Type(Role role, int8_t type) {
  return [role, type](Net* net) { net->First(role).type = type; };
}

Violation OutputType(int8_t type) {
  return [type](Net* net) { net->output().type = type; };
}

Violation InputShape(oracle::Shape shape) {
  return [shape](Net* net) { net->First(kActivation).shape = shape; };
}

Violation OutputShape(oracle::Shape shape) {
  return [shape](Net* net) { net->output().shape = shape; };
}

Violation Rank(int rank) {
  return [rank](Net* net) {
    for (edit::TensorT* tensor : net->All(kActivation)) tensor->shape.assign(static_cast<size_t>(rank), 1);
  };
}

// Changes the first element of the operand that steers.
Violation Steer(int32_t value, size_t operand = 0) {
  return [value, operand](Net* net) {
    oracle::Bytes& bytes = net->DataOf(*net->All(kSteering).at(operand));
    std::memcpy(bytes.data(), &value, 4);
  };
}

Violation Activation(int8_t activation) {
  return [activation](Net* net) { net->SetActivation(activation); };
}

template <typename Options>
Violation Set(Options options) {
  return [options](Net* net) { net->op().builtin_options.Set(Options(options)); };
}

template <typename Options>
void AlignAndCenter(Net* net) {
  Options options;
  options.align_corners = options.half_pixel_centers = true;
  net->op().builtin_options.Set(std::move(options));
}

void Nothing(Net*) {}

Changes QuantizationChanges() {
  return {
      {"operands", [](Net* net) { net->op().outputs.clear(); }},
      {"scale", InputScale(0)},
      {"zero-point", ZeroPoint(kActivation, 200)},
      {"per-tensor", Scales(kActivation, 2)},
      {"scale-count", ScalesOfCodes(3)},
      {"per-axis", ScalesOfCodes(4)},
      {"types", [](Net* net) { net->All(kActivation).back()->type = oracle::kInt16; }},
      {"uint8", Type(kActivation, oracle::kUint8)},
      {"uint8-codes",
       [](Net* net) {
         for (edit::TensorT* tensor : net->All(kActivation)) {
           tensor->type = oracle::kUint8;
           tensor->quantization->zero_point = {256};
         }
       }},
      {"uint8-weights",
       [](Net* net) {
         for (edit::TensorT* tensor : net->All(kActivation)) tensor->type = oracle::kUint8;
       }},
      {"weights-type", Type(kWeights, oracle::kFloat32)},
      {"weights-scale", Scales(kWeights, 0)},
      {"weights-scale-count", Scales(kWeights, 3)},
      {"weights-axis", [](Net* net) { net->First(kWeights).quantization->quantized_dimension = 1; }},
      {"weights-per-tensor", Scales(kWeights, 2)},
      {"weights-zero-point", ZeroPoint(kWeights, 1)},
      {"weights-range", [](Net* net) { net->DataOf(net->First(kWeights)).back() = 0x80; }},
      {"bias-type", Type(kBias, oracle::kInt64)},
      {"bias-zero-point", ZeroPoint(kBias, 1)},
      {"bias-size", [](Net* net) { net->First(kBias).shape = {3}; }},
      {"bias-scale", ScaleTimes(kBias, 1.5f)},
      {"S-SVDF-bias-scale", ScaleTimes(kBias, 1.5f)},
      {"bias-scale-rounded", ScaleTimes(kBias, 1.001f)},
      {"bias-has-scale", [](Net* net) { net->First(kBias).quantization->scale.clear(); }},
      {"accumulator",
       [](Net* net) {
         net->SetIntegers(&net->First(kBias), {0, INT32_MAX, 0, 0});
       }},
      {"S-MEAN-accumulator", InputShape({1, 4, 4, 9000000})},
      {"S-SUM-accumulator", InputShape({1, 4, 4, 9000000})},
      {"S-BATCH_MATMUL-accumulator", InputShape({1, 4, 4, 40000})},
      {"output-quantization", OutputScale(0.5f)},
      {"equal-quantization", [](Net* net) { net->All(kActivation).back()->quantization->zero_point[0] = 5; }},
      {"output-multiplier", OutputScale(1e-8f)},
      {"compared-scale", InputScale(2)},
      {"S-DIV-multiplier", OutputScale(1000)},
      {"S-HARD_SWISH-multiplier", OutputScale(1e-4f)},
      {"exponent-scale", InputScale(1e-9f)},
      {"left-shift", OutputScale(1e-9f)},
  };
}

Changes ShapeChanges() {
  return {
      {"activation", Activation(5)},
      {"elements", OutputShape({3})},
      {"dims", Set([] {
         edit::SqueezeOptionsT options;
         options.squeeze_dims = {1};
         return options;
       }())},
      {"broadcast", OutputShape({1, 4, 4, 3})},
      {"axis", Steer(7)},
      {"indices", Steer(9)},
      {"bounds", Steer(3)},
      {"strides", Steer(0, 2)},
      {"sizes", Steer(3)},
      {"paddings", Steer(1)},
      {"permutation", Steer(3)},
      {"E-TRANSPOSE-permutation", Steer(-4)},
      {"S-SPACE_TO_DEPTH-block", Set(edit::SpaceToDepthOptionsT())},
      {"S-DEPTH_TO_SPACE-block", Set(edit::DepthToSpaceOptionsT())},
      {"S-BATCH_MATMUL-depth", InputShape({1, 4, 4, 3})},
      {"depth", [](Net* net) { net->First(kWeights).shape.back() = 5; }},
      {"rank", Rank(9)},
      {"S-RESIZE_BILINEAR-mode", AlignAndCenter<edit::ResizeBilinearOptionsT>},
      {"S-RESIZE_NEAREST_NEIGHBOR-mode", AlignAndCenter<edit::ResizeNearestNeighborOptionsT>},
      {"divisor", [](Net* net) { net->SetData(&net->input(1), oracle::Bytes(64, 0)); }},
  };
}

Changes RuntimeChanges() {
  return {
      {"operator", Nothing},
      {"int8", Nothing},
      {"inputs", [](Net* net) { net->op().inputs.assign(11, 0); }},
      {"constant", [](Net* net) { net->DataOf(net->First(kSteering)).clear(); }},
      {"index-type", Type(kSteering, oracle::kInt64)},
      {"output-type", OutputType(oracle::kInt64)},
      {"E-CAST-output-type", OutputType(oracle::kBool)},
      {"type", Type(kActivation, oracle::kInt16)},
      {"E-CAST-type", [](Net* net) { net->input(0).type = oracle::kUint8; }},
      {"E-PACK-type", Type(kActivation, oracle::kBool)},
      {"E-SELECT_V2-type", Type(kActivation, oracle::kInt32)},
      {"E-TRANSPOSE-type", Type(kActivation, oracle::kInt32)},
      {"hybrid", Type(kActivation, oracle::kFloat32)},
      {"int4", Type(kWeights, oracle::kInt4)},
      {"int4-scales",
       [](Net* net) {
         Scales(kWeights, 4)(net);
         net->First(kWeights).type = oracle::kInt4;
       }},
      {"bias-present",
       [](Net* net) {
         for (size_t i = 0; i < net->op().inputs.size(); ++i) {
           if (FindSignature(net->name())->inputs[i] == kBias) net->op().inputs[i] = -1;
         }
       }},
      {"row", InputShape({1, 512})},
      {"state-type", Type(kState, oracle::kInt8)},
      {"reads-outside",
       [](Net* net) {
         net->input(0).shape = {1, 1, 1, 4};
         net->output().shape = {1, 55, 55, 4};
       }},
      {"shift", OutputScale(0.0125f)},
      {"D-FULLY_CONNECTED-per-tensor", Scales(kWeights, 1)},
      {"rescale", OutputScale(0.25f)},
      {"padding",
       [](Net* net) {
         Steer(1, 1)(net);
         net->output().quantization->zero_point = {3};
       }},
      {"kernel", Nothing},
      {"fine-scale", InputScale(0.001f)},
      {"image",
       [](Net* net) {
         net->SetIntegers(&net->First(kSteering), {1, 2});
       }},
      {"interpolation", OutputShape({1, 8, 8, 4})},
      {"second-zero-point", [](Net* net) { net->input(1).quantization->zero_point = {3}; }},
      {"D-SVDF-activation", Activation(0)},
      {"every-code", OutputScale(0.17f)},
      {"D-MUL-every-code", OutputScale(0.17f)},
      {"D-LOGISTIC-every-code", InputScale(4)},
      {"D-TANH-every-code", InputScale(1.0f / 256)},
  };
}

}  // namespace

const Violation* FindViolation(const LintRule& rule, const std::string& op) {
  static const std::vector<Changes> all = {QuantizationChanges(), ShapeChanges(), RuntimeChanges()};
  for (const std::string& key : {RuleId(rule, op), std::string(rule.topic)}) {
    for (const Changes& changes : all) {
      if (const auto found = changes.find(key); found != changes.end()) return &found->second;
    }
  }
  return nullptr;
}

}  // namespace lutra::conformance::linter

// SPDX-License-Identifier: Apache-2.0
// Has the rows of the int8 specification, and describes operands in its words.

#include "conformance/linter/specification.h"

#include <fmt/format.h>

#include <algorithm>

namespace lutra::conformance::linter {
namespace {

using oracle::Role;

constexpr Specification Listed(std::string_view op) { return {.op = op}; }
constexpr Specification Equal(std::string_view op, bool listed = true) {
  return {.op = op, .listed = listed, .equal_quantization = true};
}
constexpr Specification PerAxis(std::string_view op, int dimension, bool listed = true) {
  return {.op = op, .listed = listed, .weights_dimension = dimension};
}
constexpr Specification Fixed(std::string_view op, std::string_view scale, float value, int64_t zero_point) {
  return {.op = op, .output_scale_text = scale, .output = {value, zero_point}};
}

constexpr bool kNotListed = false;

std::string RangeText(const CodeRange& range) { return fmt::format("[{}, {}]", range.low, range.high); }

// Describes int16 activations, which the specification lacks.
SpecifiedOperand Int16WordsFor(const oracle::Operator& op, Role role, size_t place) {
  const bool takes_int32 =
      op.code == oracle::BuiltinOperator::CONV_2D || op.code == oracle::BuiltinOperator::FULLY_CONNECTED;
  using Code = oracle::BuiltinOperator;
  constexpr Code kWithZeroPoints[] = {
      Code::ADD,  Code::AVERAGE_POOL_2D, Code::FULLY_CONNECTED, Code::LEAKY_RELU, Code::MAX_POOL_2D,
      Code::MEAN, Code::PRELU,           Code::RELU6,           Code::SUB,        Code::SUM};
  const bool has_zero_points =
      std::find(std::begin(kWithZeroPoints), std::end(kWithZeroPoints), op.code) != std::end(kWithZeroPoints);
  switch (role) {
    case Role::kWeights:
      return {" (Weight)", "int8", "[-128, 127]", "per-tensor or per-axis", "zero_point = 0"};
    case Role::kBias:
      return {" (Bias)",
              op.code == Code::TRANSPOSE_CONV ? "int64 or int16"
              : takes_int32                   ? "int64 or int32"
                                              : "int64",
              "[-2^46, 2^46]", "per-axis", "(scale, zero_point) = (input0_scale * input1_scale[...], 0)"};
    default:
      if (op.code == Code::PRELU && place == 1) return {"", "int8", "[-128, 127]", "per-tensor", ""};
      return {"", "int16", "[-32768, 32767]", "per-tensor", has_zero_points ? "" : "zero_point = 0"};
  }
}

// Describes operands as TensorFlow Lite Micro reads them.
SpecifiedOperand LstmWordsFor(Role role, size_t place, bool is_int16) {
  constexpr size_t kCell = 19;
  const char* const codes = is_int16 ? "int16" : "int8";
  const std::string range = is_int16 ? "[-32768, 32767]" : RangeText(kActivationCodes);
  switch (role) {
    case Role::kWeights:
      return {" (Weight)", "int8", RangeText(kWeightCodes), "per-tensor", "zero_point = 0"};
    case Role::kBias:
      return {" (Bias)", is_int16 ? "int64" : "int32", is_int16 ? "[-2^46, 2^46]" : "[int32_min, int32_max]",
              "per-tensor", "(scale, zero_point) = (input0_scale * scale of the gate's input weights, 0)"};
    case Role::kState:
      if (place != kCell) return {" (State)", codes, range, "per-tensor", ""};
      return {" (State)", "int16", "[-32768, 32767]", "per-tensor", "scale = 2^n, zero_point = 0"};
    default:
      return {"", codes, range, "per-tensor", place == 0 ? "" : "those of the hidden state (input 18)"};
  }
}

SpecifiedOperand WordsFor(const oracle::Operator& op, Role role, size_t place, bool is_input) {
  const bool is_int16 = op.variant == oracle::kInt16Variant;
  if (op.code == oracle::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM) {
    return LstmWordsFor(role, is_input ? place : 1, is_int16);
  }
  if (is_int16) return Int16WordsFor(op, role, place);
  const Specification& row = SpecificationOf(edit::EnumNameBuiltinOperator(op.code));
  switch (role) {
    case Role::kWeights:
      return {" (Weight)", "int8", RangeText(kWeightCodes),
              row.weights_dimension == kOneScale ? "per-tensor"
                                                 : fmt::format("per-axis (dim = {})", row.weights_dimension),
              "zero_point = 0"};
    case Role::kBias: {
      // The specification has one scale for the weights of FULLY_CONNECTED, though models may have more.
      const bool per_axis = row.weights_dimension != kOneScale && row.op != "FULLY_CONNECTED";
      return {" (Bias)", "int32", "[int32_min, int32_max]", per_axis ? "per-axis" : "per-tensor",
              row.op == "SVDF" ? "(scale, zero_point) = (state_scale * time_scale, 0)"
                               : "(scale, zero_point) = (input0_scale * input1_scale[...], 0)"};
    }
    case Role::kState:
      return {" (State)", "int16", "[-32768, 32767]", "per-tensor", ""};
    default:
      return {"", "int8", RangeText(kActivationCodes), "per-tensor", ""};
  }
}

// Describes the scheme before int8, which the specification lacks.
SpecifiedOperand Uint8WordsFor(Role role) {
  if (role == Role::kBias) {
    return {" (Bias)", "int32", "[int32_min, int32_max]", "per-tensor",
            "(scale, zero_point) = (input0_scale * input1_scale, 0)"};
  }
  return {role == Role::kWeights ? " (Weight)" : "", "uint8", "[0, 255]", "per-tensor", ""};
}

bool HasScale(char role) {
  return role == Role::kActivation || role == Role::kWeights || role == Role::kBias || role == Role::kState;
}

void AddOperands(const oracle::Operator& op, const char* direction, std::string_view letters,
                 std::vector<SpecifiedOperand>* operands) {
  for (size_t i = 0; i < letters.size(); ++i) {
    if (!HasScale(letters[i])) continue;
    SpecifiedOperand operand =
        op.variant == oracle::kUint8Variant
            ? Uint8WordsFor(static_cast<Role>(letters[i]))
            : WordsFor(op, static_cast<Role>(letters[i]), i, direction == std::string_view("Input"));
    const bool variadic = i + 1 < letters.size() && letters[i + 1] == '+';
    operand.name = fmt::format("{} {}{}", direction, variadic ? "..." : std::to_string(i), operand.name);
    operands->push_back(std::move(operand));
  }
}

// int16 has 15 fraction bits, whatever the operator; uint8 has int8's codes plus 128.
std::string FixedOutputText(const oracle::Operator& op, const Specification& row) {
  if (op.variant == oracle::kInt16Variant) return "(scale, zero_point) = (1/32768, 0)";
  const int64_t up = op.variant == oracle::kUint8Variant ? 128 : 0;
  return fmt::format("(scale, zero_point) = ({}, {})", row.output_scale_text, row.output.zero_point + up);
}

// Describes QUANTIZE of float32 and DEQUANTIZE, for which the specification has only the scheme.
void DescribeConversion(std::string_view name, std::vector<SpecifiedOperand>* operands) {
  constexpr char kEither[] = "per-tensor or per-axis (any dim)";
  const SpecifiedOperand real = {"", "float32", "any", "none", ""};
  if (name == "QUANTIZE.float32") {
    (*operands)[0] = real;
    (*operands)[0].name = "Input 0";
    (*operands)[1].granularity = kEither;
  } else if (name == "DEQUANTIZE") {
    (*operands)[0].granularity = kEither;
    operands->push_back(real);
    operands->back().name = "Output 0";
  }
}

}  // namespace

const std::vector<Specification>& AllSpecifications() {
  static const std::vector<Specification> rows = {
      Listed("ADD"),
      Listed("ARG_MAX"),
      Equal("AVERAGE_POOL_2D"),
      Equal("BATCH_TO_SPACE_ND"),
      Equal("BROADCAST_TO", kNotListed),
      Equal("CONCATENATION"),
      PerAxis("CONV_2D", 0),
      Equal("DEPTH_TO_SPACE", kNotListed),
      PerAxis("DEPTHWISE_CONV_2D", 3),
      Equal("DYNAMIC_UPDATE_SLICE", kNotListed),
      Equal("EMBEDDING_LOOKUP", kNotListed),
      Listed("EQUAL"),
      Equal("EXPAND_DIMS", kNotListed),
      Equal("FILL", kNotListed),
      // Earlier versions have one scale here.
      PerAxis("FULLY_CONNECTED", 0),
      Equal("GATHER"),
      Equal("GATHER_ND", kNotListed),
      Listed("GREATER"),
      Listed("GREATER_EQUAL"),
      Fixed("L2_NORMALIZATION", "1/128", 1.0f / 128.0f, 0),
      Listed("LESS"),
      Listed("LESS_EQUAL"),
      Fixed("LOG_SOFTMAX", "16/256", 16.0f / 256.0f, 127),
      Fixed("LOGISTIC", "1/256", 1.0f / 256.0f, -128),
      Equal("MAX_POOL_2D"),
      Equal("MAXIMUM"),
      Listed("MEAN"),
      Equal("MINIMUM"),
      Equal("MIRROR_PAD", kNotListed),
      Listed("MUL"),
      Listed("NOT_EQUAL"),
      Equal("PACK", kNotListed),
      Equal("PAD"),
      Equal("PADV2"),
      Listed("QUANTIZE"),
      Equal("REDUCE_MAX", kNotListed),
      Equal("REDUCE_MIN", kNotListed),
      Equal("RESHAPE"),
      Equal("RESIZE_BILINEAR"),
      Equal("RESIZE_NEAREST_NEIGHBOR", kNotListed),
      Equal("REVERSE_V2", kNotListed),
      Equal("SELECT_V2", kNotListed),
      Listed("SHAPE"),
      Equal("SLICE"),
      Fixed("SOFTMAX", "1/256", 1.0f / 256.0f, -128),
      Equal("SPACE_TO_BATCH_ND"),
      Equal("SPACE_TO_DEPTH"),
      Equal("SPLIT", kNotListed),
      Equal("SPLIT_V", kNotListed),
      Equal("SQUEEZE"),
      Equal("STRIDED_SLICE", kNotListed),
      Listed("SUB"),
      Listed("SUM"),
      Fixed("TANH", "1/128", 1.0f / 128.0f, 0),
      Equal("TRANSPOSE"),
      PerAxis("TRANSPOSE_CONV", 0, kNotListed),
      Equal("UNPACK", kNotListed),
  };
  return rows;
}

const Specification& SpecificationOf(std::string_view op) {
  static constexpr Specification kNone = {.listed = kNotListed};
  const std::vector<Specification>& rows = AllSpecifications();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.op == op; });
  return found == rows.end() ? kNone : *found;
}

std::vector<SpecifiedOperand> OperandsOf(const oracle::Operator& op) {
  std::vector<SpecifiedOperand> operands;
  AddOperands(op, "Input", op.operands.inputs, &operands);
  const size_t inputs = operands.size();
  AddOperands(op, "Output", op.operands.outputs, &operands);
  const Specification& row = SpecificationOf(edit::EnumNameBuiltinOperator(op.code));
  if (row.has_fixed_output() && operands.size() > inputs) {
    operands[inputs].restriction = FixedOutputText(op, row);
  }
  DescribeConversion(op.name(), &operands);
  return operands;
}

}  // namespace lutra::conformance::linter

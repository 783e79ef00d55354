// SPDX-License-Identifier: Apache-2.0
// Cases that must be refused: functions of elements, reductions, pools; and faults that many operators share.

#include <limits>

#include "conformance/generator/broken.h"

namespace lutra::conformance {
namespace {

// ---- Rules that many operators share.

// Operators whose arithmetic needs the scales.
constexpr std::string_view kArithmetic[] = {"ADD",
                                            "SUB",
                                            "MUL",
                                            "DIV",
                                            "SQUARED_DIFFERENCE",
                                            "EQUAL",
                                            "LESS",
                                            "CONV_2D",
                                            "DEPTHWISE_CONV_2D",
                                            "FULLY_CONNECTED",
                                            "BATCH_MATMUL",
                                            "SOFTMAX",
                                            "LOG_SOFTMAX",
                                            "LOGISTIC",
                                            "TANH",
                                            "ELU",
                                            "RELU6",
                                            "LEAKY_RELU",
                                            "HARD_SWISH",
                                            "PRELU",
                                            "MEAN",
                                            "SUM",
                                            "DEQUANTIZE",
                                            "QUANTIZE",
                                            "GELU"};
// Operators whose int8 inputs give int8.
constexpr std::string_view kInt8ToInt8[] = {"ADD",
                                            "SUB",
                                            "MUL",
                                            "DIV",
                                            "CONV_2D",
                                            "DEPTHWISE_CONV_2D",
                                            "FULLY_CONNECTED",
                                            "LOG_SOFTMAX",
                                            "LOGISTIC",
                                            "TANH",
                                            "ELU",
                                            "RELU",
                                            "LEAKY_RELU",
                                            "HARD_SWISH",
                                            "PRELU",
                                            "MEAN",
                                            "MAXIMUM",
                                            "MINIMUM",
                                            "AVERAGE_POOL_2D",
                                            "MAX_POOL_2D",
                                            "CONCATENATION",
                                            "RESHAPE",
                                            "PAD",
                                            "TRANSPOSE",
                                            "SLICE",
                                            "GATHER",
                                            "RESIZE_BILINEAR",
                                            "SPACE_TO_DEPTH",
                                            "GELU"};
// Operators whose output's shape follows from the inputs' shapes.
constexpr std::string_view kShaped[] = {
    "ADD",       "MUL",     "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "BATCH_MATMUL",   "SOFTMAX",
    "LOGISTIC",  "PRELU",   "MEAN",    "AVERAGE_POOL_2D",   "MAX_POOL_2D",     "CONCATENATION",  "PAD",
    "TRANSPOSE", "SLICE",   "GATHER",  "RESIZE_BILINEAR",   "SPACE_TO_DEPTH",  "DEPTH_TO_SPACE", "PACK",
    "UNPACK",    "ARG_MAX", "SQUEEZE", "BROADCAST_TO",      "REVERSE_V2",      "STRIDED_SLICE",  "SPLIT"};
constexpr std::string_view kCounted[] = {"ADD", "CONV_2D", "SOFTMAX", "RESHAPE", "PAD", "MEAN", "TRANSPOSE"};

void AddShared(Refuser& refuser) {
  for (const std::string_view op : kArithmetic) {
    refuser.Add({op, "input_not_quantized", "an int8 input has no scale",
                 [](Broken& m) { m.tensor(m.graph().inputs[0]).quantization.reset(); }});
  }
  for (const std::string_view op : kInt8ToInt8) {
    refuser.Add({op, "output_type", "an int8 input and an int16 output", OutputType(oracle::kInt16)});
  }
  for (const std::string_view op : kShaped) {
    refuser.Add({op, "output_shape", "the output has one row or column more than the inputs give",
                 [](Broken& m) { ++m.out().shape.back(); }});
  }
  for (const std::string_view op : kCounted) {
    refuser.Add({op, "input_count", "an input is missing", [](Broken& m) { m.op().inputs.clear(); }});
    refuser.Add({op, "output_count", "there is no output", [](Broken& m) { m.op().outputs.clear(); }});
    refuser.Add({op, "input_index", "an input's number is that of no tensor",
                 [](Broken& m) { m.op().inputs[0] = 99; }});
  }
}

// ---- Faults of a tensor.

const Refusal kTensors[] = {
    {"ADD", "scale_zero", "a scale is 0", [](Broken& m) { m.Scale(m.in()) = 0; }},
    {"MUL", "scale_negative", "a scale is negative", [](Broken& m) { m.Scale(m.out()) *= -1; }},
    {"DEQUANTIZE", "scale_negative", "a scale is negative", [](Broken& m) { m.Scale(m.in()) *= -1; }},
    {"DEQUANTIZE", "zero_point_count", "2 zero points for 5 scales",
     [](Broken& m) {
       m.SetScaleCount(m.in(), 5);
       m.in().quantization->zero_point.resize(2);
       m.in().quantization->quantized_dimension = 1;
     }},
    {"FULLY_CONNECTED", "scale_not_a_number", "a scale is not a number",
     [](Broken& m) { m.Scale(m.in()) = std::numeric_limits<float>::quiet_NaN(); }},
    {"SUB", "scale_infinite", "a scale is infinite",
     [](Broken& m) { m.Scale(m.in(1)) = std::numeric_limits<float>::infinity(); }},
    {"LEAKY_RELU", "scale_zero", "the output's scale is 0", [](Broken& m) { m.Scale(m.out()) = 0; }},
    {"ADD", "zero_point_range", "an int8 zero point of 128", [](Broken& m) { m.ZeroPoint(m.in()) = 128; }},
    {"MUL", "zero_point_range", "an int8 zero point of -129", [](Broken& m) { m.ZeroPoint(m.in(1)) = -129; }},
    {"CONV_2D", "zero_point_range", "an int8 zero point of 200",
     [](Broken& m) { m.ZeroPoint(m.out()) = 200; }},
    {"FULLY_CONNECTED", "zero_point_range", "an int8 zero point of 1000",
     [](Broken& m) { m.ZeroPoint(m.in()) = 1000; }},
    {"LOGISTIC", "dimension_negative", "a dimension of -5", [](Broken& m) { m.in().shape[1] = -5; }},
    {"ADD", "per_channel_input", "an activation with a scale for each channel", ScaleCount(0, 6)},
    {"QUANTIZE", "per_channel_output", "an output with a scale for each channel",
     [](Broken& m) { m.SetScaleCount(m.out(), 5); }},
    {"GELU", "scale_zero", "the output's scale is 0", [](Broken& m) { m.Scale(m.out()) = 0; }},
    {"GELU", "zero_point_range", "an int8 zero point of 128", [](Broken& m) { m.ZeroPoint(m.in()) = 128; }},
    {"GELU", "per_channel_input", "an activation with a scale for each channel", ScaleCount(0, 5)},
    {"GELU", "per_channel_output", "an output with a scale for each channel",
     [](Broken& m) { m.SetScaleCount(m.out(), 5); }},
    {"GELU", "output_not_quantized", "the output has no scale",
     [](Broken& m) { m.out().quantization.reset(); }},
    {"RSQRT", "missing_quantization", "the input has no scale", NotQuantized(0)},
    {"RSQRT", "output_not_quantized", "the output has no scale",
     [](Broken& m) { m.out().quantization.reset(); }},
    {"RSQRT", "scale_zero", "the output's scale is 0", [](Broken& m) { m.Scale(m.out()) = 0; }},
    {"RSQRT", "zero_point_range", "an int8 zero point of -129",
     [](Broken& m) { m.ZeroPoint(m.in()) = -129; }},
    {"RSQRT", "per_channel_input", "an activation with a scale for each channel", ScaleCount(0, 5)},
    {"RSQRT", "types", "int8 and int16", OutputType(oracle::kInt16)},
    {"RSQRT", "shape", "5 columns become 4", OutputShape({2, 4})},
};

// ---- Functions of elements.

const Refusal kElements[] = {
    {"ADD", "broadcast", "rows of 6 and of 4", InputShape(1, {2, 4})},
    {"ADD", "broadcast_deep", "rows of 6 and of 4 in six dimensions",
     [](Broken& m) {
       m.in(0).shape = m.out().shape = {1, 1, 1, 1, 2, 6};
       m.in(1).shape = {1, 1, 1, 1, 2, 4};
     }},
    {"SUB", "broadcast", "rows of 6 and of 5", InputShape(1, {5})},
    {"MUL", "broadcast", "2 rows and 3 rows", InputShape(1, {3, 6})},
    {"DIV", "broadcast", "rows of 5 and of 3", InputShape(1, {2, 3})},
    {"MAXIMUM", "broadcast", "rows of 6 and of 4", InputShape(1, {2, 4})},
    {"EQUAL", "broadcast", "rows of 5 and of 4", InputShape(1, {2, 4})},
    {"SQUARED_DIFFERENCE", "broadcast", "rows of 5 and of 2", InputShape(1, {2, 2})},
    {"PRELU", "broadcast", "3 slopes for 4 channels",
     [](Broken& m) {
       m.in(1).shape = {1, 1, 3};
       m.Data(m.in(1)).resize(3);
     }},
    {"SELECT_V2", "broadcast", "conditions for 4 columns of 5", InputShape(0, {2, 4})},
    {"ADD", "types", "int8 and uint8", InputType(1, oracle::kUint8)},
    {"SUB", "types", "int8 and int16", InputType(1, oracle::kInt16)},
    {"MUL", "types", "int8 and uint8", InputType(1, oracle::kUint8)},
    {"MAXIMUM", "types", "int8 and int32", InputType(1, oracle::kInt32)},
    {"LESS", "types", "int8 and int32", InputType(1, oracle::kInt32)},
    {"GELU", "types", "uint8 and int8", InputType(0, oracle::kUint8)},
    {"GELU", "types", "int8 and float32", OutputType(oracle::kFloat32)},
    {"SELECT_V2", "types", "int8 and int16", InputType(2, oracle::kInt16)},
    {"SELECT_V2", "condition_type", "conditions of int8", InputType(0, oracle::kInt8)},
    {"EQUAL", "output_type", "the output is not bool", OutputType(oracle::kInt32)},
    {"ADD", "output_multiplier", "the output's factor is 1 or more",
     [](Broken& m) { m.Scale(m.out()) = m.Scale(m.in()) * 0x1p-20f; }},
    {"SUB", "output_multiplier", "the output's factor is 1 or more",
     [](Broken& m) { m.Scale(m.out()) = m.Scale(m.in(1)) * 0x1p-21f; }},
    {"DIV", "output_multiplier", "the quotient's factor is too small for its fixed-point form",
     [](Broken& m) { m.Scale(m.out()) = 0x1p40f; }},
    {"EQUAL", "scale_large", "a scale of 1", [](Broken& m) { m.Scale(m.in()) = 1; }},
    {"NOT_EQUAL", "scale_large", "a scale of 1", [](Broken& m) { m.Scale(m.in(1)) = 1; }},
    {"GREATER", "scale_large", "a scale of 2", [](Broken& m) { m.Scale(m.in()) = 2; }},
    {"GREATER_EQUAL", "scale_large", "a scale of 1.5", [](Broken& m) { m.Scale(m.in(1)) = 1.5f; }},
    {"LESS", "scale_large", "a scale of 1", [](Broken& m) { m.Scale(m.in()) = 1; }},
    {"LESS_EQUAL", "scale_large", "a scale of 64", [](Broken& m) { m.Scale(m.in(1)) = 64; }},
    {"HARD_SWISH", "output_multiplier", "the output's factor is above 1",
     [](Broken& m) { m.Scale(m.out()) = m.Scale(m.in()) * 0x1p-10f; }},
    {"ADD", "activation", "a fused TANH",
     [](Broken& m) { m.options<edit::AddOptionsT>().fused_activation_function = 4; }},
    {"SUB", "activation", "a fused SIGN_BIT",
     [](Broken& m) { m.options<edit::SubOptionsT>().fused_activation_function = 5; }},
    {"MUL", "activation", "a fused TANH",
     [](Broken& m) { m.options<edit::MulOptionsT>().fused_activation_function = 4; }},
    {"CONV_2D", "activation", "a fused activation that is none",
     [](Broken& m) { m.options<edit::Conv2DOptionsT>().fused_activation_function = 17; }},
    {"DEPTHWISE_CONV_2D", "activation", "a fused TANH",
     [](Broken& m) { m.options<edit::DepthwiseConv2DOptionsT>().fused_activation_function = 4; }},
    {"FULLY_CONNECTED", "activation", "a fused SIGN_BIT",
     [](Broken& m) { m.options<edit::FullyConnectedOptionsT>().fused_activation_function = 5; }},
    {"MAX_POOL_2D", "activation", "a fused TANH",
     [](Broken& m) { m.options<edit::Pool2DOptionsT>().fused_activation_function = 4; }},
};

// ---- Outputs whose parameters the specification fixes.

const Refusal kFixed[] = {
    {"LOGISTIC", "output_zero_point", "the output's zero point is not -128",
     [](Broken& m) { m.ZeroPoint(m.out()) = 0; }},
    {"SOFTMAX", "output_scale", "the output's scale is not 1/256",
     [](Broken& m) { m.Scale(m.out()) = 1.0f / 255; }},
    {"SOFTMAX", "output_zero_point", "the output's zero point is not -128",
     [](Broken& m) { m.ZeroPoint(m.out()) = 0; }},
    {"SOFTMAX", "int16_zero_point", "the zero point of an int16 output is not -32768",
     [](Broken& m) {
       m.out().type = oracle::kInt16;
       m.Scale(m.out()) = 0x1p-16f;
       m.ZeroPoint(m.out()) = 0;
     }},
    {"LOG_SOFTMAX", "output_scale", "the output's scale is not 16/256",
     [](Broken& m) { m.Scale(m.out()) = 0x1p-5f; }},
    {"LOG_SOFTMAX", "output_zero_point", "the output's zero point is not 127",
     [](Broken& m) { m.ZeroPoint(m.out()) = 126; }},
    {"L2_NORMALIZATION", "activation", "a fused RELU",
     [](Broken& m) { m.options<edit::L2NormOptionsT>().fused_activation_function = 1; }},
};

// ---- Reductions and pools.

const Refusal kReductions[] = {
    {"MEAN", "axis_range", "axis 4 of 4 dimensions", Integers(1, {1, 4})},
    {"MEAN", "axis_range", "axis -5 of 4 dimensions", Integers(1, {-5, 2})},
    {"SUM", "axis_range", "axis 9 of 4 dimensions", Integers(1, {9})},
    {"REDUCE_MAX", "axis_range", "axis 4 of 4 dimensions", Integers(1, {4})},
    {"REDUCE_MIN", "axis_range", "axis -6 of 4 dimensions", Integers(1, {-6})},
    {"ARG_MAX", "axis_range", "axis 2 of 2 dimensions", Integers(1, {2}, {})},
    {"ARG_MIN", "axis_range", "axis -3 of 2 dimensions", Integers(1, {-3}, {})},
    {"ARG_MAX", "output_type", "the output is int8", OutputType(oracle::kInt8)},
    {"MEAN", "axes_truncated", "half of the axes are missing", [](Broken& m) { m.Data(m.in(1)).resize(4); }},
    {"MEAN", "axes_type", "axes of float32", InputType(1, oracle::kFloat32)},
    {"REDUCE_MAX", "scales_differ", "another scale of the output",
     [](Broken& m) { m.Scale(m.out()) = 0.5f; }},
    {"REDUCE_MIN", "zero_points_differ", "another zero point of the output",
     [](Broken& m) { m.ZeroPoint(m.out()) = -9; }},
    {"AVERAGE_POOL_2D", "scales_differ", "another scale of the output",
     [](Broken& m) { m.Scale(m.out()) *= 2; }},
    {"AVERAGE_POOL_2D", "zero_points_differ", "another zero point of the output",
     [](Broken& m) { m.ZeroPoint(m.out()) = m.ZeroPoint(m.in()) == 7 ? 8 : 7; }},
    {"MAX_POOL_2D", "scales_differ", "another scale of the output", [](Broken& m) { m.Scale(m.out()) *= 2; }},
    {"MAX_POOL_2D", "zero_points_differ", "another zero point of the output",
     [](Broken& m) { m.ZeroPoint(m.out()) = m.ZeroPoint(m.in()) == 7 ? 8 : 7; }},
    {"AVERAGE_POOL_2D", "stride_zero", "a stride of 0",
     [](Broken& m) { m.options<edit::Pool2DOptionsT>().stride_h = 0; }},
    {"MAX_POOL_2D", "stride_zero", "a stride of 0",
     [](Broken& m) { m.options<edit::Pool2DOptionsT>().stride_w = 0; }},
    {"AVERAGE_POOL_2D", "filter_zero", "a window without rows",
     [](Broken& m) { m.options<edit::Pool2DOptionsT>().filter_height = 0; }},
    {"MAX_POOL_2D", "filter_negative", "a window of -2 columns",
     [](Broken& m) { m.options<edit::Pool2DOptionsT>().filter_width = -2; }},
    {"MAX_POOL_2D", "window_too_large", "a window of 5 rows on an image of 4, without padding",
     [](Broken& m) {
       auto& options = m.options<edit::Pool2DOptionsT>();
       options.padding = 1;
       options.filter_height = 5;
       m.out().shape = {1, 1, 3, 3};
     }},
    {"AVERAGE_POOL_2D", "input_rank", "an image of 3 dimensions", InputShape(0, {4, 4, 3})},
    {"RESIZE_BILINEAR", "both_flags", "corners aligned and pixels' centres at a half",
     [](Broken& m) {
       auto& options = m.options<edit::ResizeBilinearOptionsT>();
       options.align_corners = options.half_pixel_centers = true;
     }},
    {"RESIZE_BILINEAR", "size_count", "a size of 3 numbers", Integers(1, {4, 6, 2})},
    {"RESIZE_BILINEAR", "size_zero", "no rows", Integers(1, {0, 6})},
    {"RESIZE_BILINEAR", "input_rank", "an image of 3 dimensions", InputShape(0, {2, 3, 2})},
    {"RESIZE_BILINEAR", "reads_behind", "the fixed-point position of the last row is behind the image",
     All({InputShape(0, {1, 1, 3, 2}), Integers(1, {55, 6}), OutputShape({1, 55, 6, 2})})},
    {"RESIZE_NEAREST_NEIGHBOR", "size_negative", "-8 rows", Integers(1, {-8, 8})},
    {"RESIZE_NEAREST_NEIGHBOR", "size_count", "a size of one number", Integers(1, {8})},
};

}  // namespace

void RefuseValues(Refuser& refuser) {
  AddShared(refuser);
  refuser.Add(kTensors);
  refuser.Add(kElements);
  refuser.Add(kFixed);
  refuser.Add(kReductions);
}

}  // namespace lutra::conformance

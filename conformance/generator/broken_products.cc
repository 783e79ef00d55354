// SPDX-License-Identifier: Apache-2.0
// Cases that must be refused: operators that sum products.

#include "conformance/generator/broken.h"

namespace lutra::conformance {
namespace {

constexpr char kLstm[] = "UNIDIRECTIONAL_SEQUENCE_LSTM";

const Refusal kConvolutions[] = {
    {"CONV_2D", "filter_scale_count", "the filter has 3 scales for 4 channels", ScaleCount(1, 3)},
    {"CONV_2D", "filter_scale_count", "the filter has 5 scales for 4 channels", ScaleCount(1, 5)},
    {"DEPTHWISE_CONV_2D", "filter_scale_count", "the filter has 2 scales for 3 channels", ScaleCount(1, 2)},
    {"TRANSPOSE_CONV", "filter_scale_count", "the filter has 3 scales for 4 channels", ScaleCount(1, 3)},
    {"FULLY_CONNECTED", "weight_scale_count", "the weights have 3 scales for 4 rows", ScaleCount(1, 3)},
    {"CONV_2D", "filter_axis", "the scales belong to the input's channels",
     [](Broken& m) { m.in(1).quantization->quantized_dimension = 3; }},
    {"DEPTHWISE_CONV_2D", "filter_axis", "the scales belong to axis 0, which has 1 element",
     [](Broken& m) { m.in(1).quantization->quantized_dimension = 0; }},
    {"TRANSPOSE_CONV", "filter_axis", "the scales belong to the filter's height",
     [](Broken& m) { m.in(1).quantization->quantized_dimension = 1; }},
    {"CONV_2D", "filter_not_quantized", "the filter has no scale", NotQuantized(1)},
    {"DEPTHWISE_CONV_2D", "filter_not_quantized", "the filter has no scale", NotQuantized(1)},
    {"TRANSPOSE_CONV", "filter_not_quantized", "the filter has no scale", NotQuantized(1)},
    {"FULLY_CONNECTED", "weights_not_quantized", "the weights have no scale", NotQuantized(1)},
    {"FULLY_CONNECTED", "weight_zero_point", "the zero point of the weights is 5",
     [](Broken& m) { m.in(1).quantization->zero_point[0] = 5; }},
    {"CONV_2D", "filter_uint8", "the filter is uint8 of an int8 input", InputType(1, oracle::kUint8)},
    {"FULLY_CONNECTED", "weights_uint8", "the weights are uint8 of an int8 input",
     InputType(1, oracle::kUint8)},
    {"CONV_2D", "filter_truncated", "a byte of the filter is missing", ByteMissing(1)},
    {"DEPTHWISE_CONV_2D", "filter_truncated", "a byte of the filter is missing", ByteMissing(1)},
    {"TRANSPOSE_CONV", "filter_truncated", "a byte of the filter is missing", ByteMissing(1)},
    {"FULLY_CONNECTED", "weights_truncated", "a byte of the weights is missing", ByteMissing(1)},
    {"CONV_2D", "filter_rank", "the filter has 3 dimensions", InputShape(1, {4, 9, 3})},
    {"DEPTHWISE_CONV_2D", "filter_rank", "the filter has 3 dimensions", InputShape(1, {3, 3, 3})},
    {"TRANSPOSE_CONV", "filter_rank", "the filter has 3 dimensions", InputShape(1, {4, 4, 3})},
    {"FULLY_CONNECTED", "weight_rank", "the weights have 3 dimensions", InputShape(1, {4, 2, 3})},
    {"CONV_2D", "input_rank", "the input has 3 dimensions", InputShape(0, {4, 4, 3})},
    {"DEPTHWISE_CONV_2D", "input_rank", "the input has 3 dimensions", InputShape(0, {4, 4, 3})},
    {"TRANSPOSE_CONV", "input_rank", "the input has 3 dimensions", InputShape(2, {4, 4, 3})},
    {"CONV_2D", "input_channels", "4 input channels, of which the filter takes 3",
     InputShape(0, {1, 4, 4, 4})},
    {"TRANSPOSE_CONV", "input_channels", "2 input channels, and a filter for 3", InputShape(2, {1, 4, 4, 2})},
    {"DEPTHWISE_CONV_2D", "input_channels", "2 input channels, and a filter for 3",
     InputShape(0, {1, 4, 4, 2})},
    {"FULLY_CONNECTED", "input_depth", "rows of 5 elements, and weights for 6", InputShape(0, {2, 5})},
    {"CONV_2D", "stride_zero", "a stride of 0",
     [](Broken& m) { m.options<edit::Conv2DOptionsT>().stride_h = 0; }},
    {"CONV_2D", "dilation_zero", "a dilation of 0",
     [](Broken& m) { m.options<edit::Conv2DOptionsT>().dilation_w_factor = 0; }},
    {"DEPTHWISE_CONV_2D", "stride_zero", "a stride of 0",
     [](Broken& m) { m.options<edit::DepthwiseConv2DOptionsT>().stride_w = 0; }},
    {"DEPTHWISE_CONV_2D", "dilation_zero", "a dilation of 0",
     [](Broken& m) { m.options<edit::DepthwiseConv2DOptionsT>().dilation_h_factor = 0; }},
    {"TRANSPOSE_CONV", "stride_zero", "a stride of 0",
     [](Broken& m) { m.options<edit::TransposeConvOptionsT>().stride_h = 0; }},
    {"CONV_2D", "stride_negative", "a stride of -1",
     [](Broken& m) { m.options<edit::Conv2DOptionsT>().stride_w = -1; }},
    {"CONV_2D", "window_too_large", "a filter of 3 rows on an image of 2, without padding",
     [](Broken& m) {
       m.options<edit::Conv2DOptionsT>().padding = 1;
       m.in(0).shape = {1, 2, 4, 3};
       m.out().shape = {1, 1, 2, 4};
     }},
    {"DEPTHWISE_CONV_2D", "window_too_large", "a filter of 3 rows on an image of 2, without padding",
     [](Broken& m) {
       m.options<edit::DepthwiseConv2DOptionsT>().padding = 1;
       m.in(0).shape = {1, 2, 4, 3};
       m.out().shape = {1, 1, 2, 3};
     }},
    {"DEPTHWISE_CONV_2D", "depth_multiplier", "a depth multiplier of 2 for as many channels out as in",
     [](Broken& m) { m.options<edit::DepthwiseConv2DOptionsT>().depth_multiplier = 2; }},
    {"TRANSPOSE_CONV", "output_shape", "an output shape of 3 elements", Integers(0, {8, 8, 4})},
    {"TRANSPOSE_CONV", "output_shape", "another number of output channels than the filter's",
     Integers(0, {1, 8, 8, 5})},
    {"TRANSPOSE_CONV", "output_shape", "an output that the strides do not give from this input",
     Integers(0, {1, 30, 8, 4})},
    {"FULLY_CONNECTED", "weights_format", "shuffled weights",
     [](Broken& m) { m.options<edit::FullyConnectedOptionsT>().weights_format = 1; }},
    {"CONV_2D", "hybrid", "a float32 input with int8 weights",
     [](Broken& m) {
       m.in(0).type = m.out().type = oracle::kFloat32;
       m.in(0).quantization.reset();
       m.out().quantization.reset();
     }},
    {"DEPTHWISE_CONV_2D", "hybrid", "a float32 input with int8 weights",
     [](Broken& m) {
       m.in(0).type = m.out().type = oracle::kFloat32;
       m.in(0).quantization.reset();
       m.out().quantization.reset();
     }},
};

// `bias`: the index of the bias among the inputs.
void AddBiasRows(Refuser& refuser, std::string_view op, size_t bias) {
  const auto add = [&](std::string_view rule, const char* why, Change change) {
    refuser.Add({op, rule, why, std::move(change)});
  };
  // `more`: the number of added elements; `size`: the bytes of an element.
  const auto resize = [bias](int more, size_t size) {
    return [=](Broken& m) {
      m.in(bias).shape[0] += more;
      m.Data(m.in(bias)).resize(static_cast<size_t>(m.in(bias).shape[0]) * size);
    };
  };
  add("bias_type", "the bias is int8", All({InputType(bias, oracle::kInt8), resize(0, 1)}));
  add("bias_type", "the bias is int64 for int8 inputs", All({InputType(bias, oracle::kInt64), resize(0, 8)}));
  add("bias_size", "the bias has one element more than channels", resize(1, 4));
  add("bias_size", "the bias has one element less than channels", resize(-1, 4));
  add("bias_truncated", "a byte of the bias is missing", ByteMissing(bias));
}

const Refusal kMatrices[] = {
    {"FULLY_CONNECTED", "bias_scale", "the bias scale is four times that of the products",
     [](Broken& m) {
       m.Scale(m.in(2)) *= 4;
       m.Scale(m.out()) = m.Scale(m.in(2));
     }},
    {"BATCH_MATMUL", "inner_dimension", "rows of 6 elements times columns of 5", InputShape(1, {5, 3})},
    {"BATCH_MATMUL", "inner_dimension", "the second matrix is transposed, but not its shape",
     [](Broken& m) { m.options<edit::BatchMatMulOptionsT>().adj_y = true; }},
    {"BATCH_MATMUL", "batches", "2 batches and 3 batches",
     All({InputShape(0, {2, 2, 6}), InputShape(1, {3, 6, 3}), OutputShape({2, 2, 3})})},
    {"BATCH_MATMUL", "rank", "a vector in place of a matrix", InputShape(0, {6})},
    {"BATCH_MATMUL", "types", "int8 times int16", InputType(1, oracle::kInt16)},
    {"SVDF", "bias_scale", "the bias scale is not that of the state times the time weights",
     [](Broken& m) { m.Scale(m.in(3)) = 0.25f; }},
    {"SVDF", "state_constant", "the state is no variable", [](Broken& m) { m.in(4).is_variable = false; }},
    {"SVDF", "state_shape", "the state has 3 elements for 2 units of 2 steps", InputShape(4, {1, 3})},
    {"SVDF", "rank_zero", "rank 0", [](Broken& m) { m.options<edit::SVDFOptionsT>().rank = 0; }},
    {"SVDF", "rank_divides", "rank 3 of 2 filters",
     [](Broken& m) { m.options<edit::SVDFOptionsT>().rank = 3; }},
    {"SVDF", "feature_weights", "feature weights for 2 inputs of 3",
     [](Broken& m) {
       m.in(1).shape = {2, 2};
       m.Data(m.in(1)).resize(4);
     }},
    {"SVDF", "time_weights", "time weights of 3 filters, feature weights of 2",
     [](Broken& m) {
       m.in(2).shape = {3, 2};
       m.Data(m.in(2)).resize(12);
     }},
    {"SVDF", "bias_size", "a bias of 3 elements for 2 units",
     [](Broken& m) {
       m.in(3).shape = {3};
       m.Data(m.in(3)).resize(12);
     }},
};

const Refusal kLstms[] = {
    {kLstm, "peephole", "peepholes, which nothing computes",
     [](Broken& m) { m.op().inputs[9] = m.op().inputs[12]; }},
    {kLstm, "projection", "a projection", [](Broken& m) { m.op().inputs[16] = m.op().inputs[5]; }},
    {kLstm, "layer_norm", "a layer normalisation", [](Broken& m) { m.op().inputs[23] = m.op().inputs[12]; }},
    {kLstm, "input_gate", "no weights of the input gate", [](Broken& m) { m.op().inputs[1] = -1; }},
    {kLstm, "bias_missing", "no bias of the cell gate", [](Broken& m) { m.op().inputs[14] = -1; }},
    {kLstm, "activation", "no TANH",
     [](Broken& m) { m.options<edit::UnidirectionalSequenceLSTMOptionsT>().fused_activation_function = 0; }},
    {kLstm, "weight_scale_count", "two scales of the weights, which have one", ScaleCount(2, 2)},
    {kLstm, "weight_zero_point", "the zero point of recurrent weights is 5",
     [](Broken& m) { m.in(6).quantization->zero_point[0] = 5; }},
    {kLstm, "weights_not_quantized", "weights without a scale", NotQuantized(4)},
    {kLstm, "weights_truncated", "a byte of the weights is missing", ByteMissing(3)},
    {kLstm, "recurrent_shape", "recurrent weights of 3 columns for 2 units", InputShape(8, {2, 3})},
    {kLstm, "hidden_constant", "the hidden state is no variable",
     [](Broken& m) { m.in(18).is_variable = false; }},
    {kLstm, "hidden_shape", "a hidden state of 3 elements for 2 units", InputShape(18, {1, 3})},
    {kLstm, "cell_type", "a cell state of int8", InputType(19, oracle::kInt8)},
    {kLstm, "output_scale", "an output with another scale than the hidden state",
     [](Broken& m) { m.Scale(m.out()) = 0.5f; }},
    {kLstm, "output_shape", "an output of 3 units of 2", OutputShape({1, 2, 3})},
};

}  // namespace

void RefuseProducts(Refuser& refuser) {
  refuser.Add(kConvolutions);
  AddBiasRows(refuser, "CONV_2D", 2);
  AddBiasRows(refuser, "DEPTHWISE_CONV_2D", 2);
  AddBiasRows(refuser, "TRANSPOSE_CONV", 3);
  AddBiasRows(refuser, "FULLY_CONNECTED", 2);
  refuser.Add(kMatrices);
  refuser.Add(kLstms);
}

}  // namespace lutra::conformance

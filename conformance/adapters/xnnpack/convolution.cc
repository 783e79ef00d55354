// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED.

#include <algorithm>
#include <cmath>
#include <optional>

#include "conformance/adapters/xnnpack/case.h"

namespace lutra::conformance::xnnpack {
namespace {

// Filter and bias: the scales are one, or one for each output channel.
struct Weights {
  Weights(const Node& node, int filter_input, int bias_input, size_t channels, int channel_axis)
      : filter(node, filter_input, kInt8) {
    const edit::TensorT& tensor = node.input(filter_input);
    Require(tensor.quantization != nullptr, "a filter without a scale");
    scales = tensor.quantization->scale;
    Require(scales.size() == 1 || scales.size() == channels, "a filter with another number of scales");
    Require(scales.size() == 1 || tensor.quantization->quantized_dimension == channel_axis,
            "filter scales along another axis");
    for (const float scale : scales) Require(std::isnormal(scale) && scale > 0, "a filter scale");
    for (const int64_t zero : tensor.quantization->zero_point) {
      Support(zero == 0, "a filter with a zero point");
    }
    if (node.has_input(bias_input)) {
      bias.emplace(node, bias_input, kInt32);
      Require(bias->count() == channels, "a bias of another size");
    }
  }
  const int32_t* bias_data() const { return bias ? bias->as<int32_t>() : nullptr; }
  bool per_channel() const { return scales.size() > 1; }
  // XNNPACK's own checks leave out the lower limit, which it then asserts.
  void CheckRatios(const Node& node, Quantization input, Quantization output) {
    for (float& scale : scales) {
      float ratio = input.scale * scale / output.scale;
      if (ratio < 0x1.0p-32f && node.network().may_stand_in()) {
        // Channels without weights; the smallest ratio takes the same time.
        scale = std::nextafter(0x1.0p-32f * output.scale / input.scale, 1.0f);
        ratio = std::max(input.scale * scale / output.scale, 0x1.0p-32f);
      }
      Support(ratio >= 0x1.0p-32f && ratio < 256.0f, "a ratio of scales outside [2^-32, 2^8)");
    }
  }

  Source filter;
  std::optional<Source> bias;
  std::vector<float> scales;
};

struct Window {
  int8_t padding, activation;
  int stride_h, stride_w, dilation_h, dilation_w;
};

struct Groups {
  size_t count, inputs, outputs;  // Channels of each.
  uint32_t flags;
};

void RunConvolution(const Node& node, Weights weights, Window window, Groups groups) {
  const Image in = ImageOf(node.input(0)), out = ImageOf(node.output(0)), filter = ImageOf(node.input(1));
  Require(in.batches == out.batches, "another number of batches");
  const Source x(node, 0, kInt8);
  Destination<int8_t> y(node);
  const Quantization qx = QuantizationOf(node.input(0)), qy = QuantizationOf(node.output(0));
  weights.CheckRatios(node, qx, qy);
  const Range range = ActivationRange(window.activation, qy);
  const uint32_t stride_h = Positive(window.stride_h, "stride"),
                 stride_w = Positive(window.stride_w, "stride");
  const uint32_t dilation_h = Positive(window.dilation_h, "dilation"),
                 dilation_w = Positive(window.dilation_w, "dilation");
  const auto height = static_cast<int>(filter.height), width = static_cast<int>(filter.width);
  const Padding rows =
      WindowPadding(window.padding, in.height, out.height, height, window.stride_h, window.dilation_h);
  const Padding columns =
      WindowPadding(window.padding, in.width, out.width, width, window.stride_w, window.dilation_w);
  Call call(node);
  const auto create = [&](auto function, auto scale) {
    Check(function(rows.before, columns.after, rows.after, columns.before, Positive(height, "filter"),
                   Positive(width, "filter"), stride_h, stride_w, dilation_h, dilation_w,
                   static_cast<uint32_t>(groups.count), groups.inputs, groups.outputs, in.channels,
                   out.channels, qx.zero_point, qx.scale, scale, weights.filter.as<int8_t>(),
                   weights.bias_data(), qy.zero_point, qy.scale, range.low, range.high, groups.flags,
                   call.out()));
  };
  if (weights.per_channel()) {
    create(xnn_create_convolution2d_nhwc_qc8, weights.scales.data());
    Check(xnn_setup_convolution2d_nhwc_qc8(call.get(), in.batches, in.height, in.width, x.as<int8_t>(),
                                           y.data(), nullptr));
  } else {
    create(xnn_create_convolution2d_nhwc_qs8, weights.scales[0]);
    Check(xnn_setup_convolution2d_nhwc_qs8(call.get(), in.batches, in.height, in.width, x.as<int8_t>(),
                                           y.data(), nullptr));
  }
  call.Run();
  y.Store();
}

}  // namespace

void RunConv2D(const Node& node) {
  const auto& options = OptionsOf(node.op().builtin_options.AsConv2DOptions());
  const Image in = ImageOf(node.input(0)), out = ImageOf(node.output(0)), filter = ImageOf(node.input(1));
  Require(filter.batches == out.channels, "a filter of another number of outputs");
  Require(in.channels % filter.channels == 0, "channels that are no multiple of the filter's");
  const size_t groups = in.channels / filter.channels;
  Require(out.channels % groups == 0, "channels that are no multiple of the groups");
  RunConvolution(node, Weights(node, 1, 2, out.channels, 0),
                 {options.padding, options.fused_activation_function, options.stride_h, options.stride_w,
                  options.dilation_h_factor, options.dilation_w_factor},
                 {groups, filter.channels, out.channels / groups, 0});
}

void RunDepthwiseConv2D(const Node& node) {
  const auto& options = OptionsOf(node.op().builtin_options.AsDepthwiseConv2DOptions());
  const Image in = ImageOf(node.input(0)), out = ImageOf(node.output(0)), filter = ImageOf(node.input(1));
  Require(filter.batches == 1 && filter.channels == out.channels, "a filter of another shape");
  Require(out.channels % in.channels == 0, "channels that are no multiple of the input's");
  RunConvolution(node, Weights(node, 1, 2, out.channels, 3),
                 {options.padding, options.fused_activation_function, options.stride_h, options.stride_w,
                  options.dilation_h_factor, options.dilation_w_factor},
                 {in.channels, 1, out.channels / in.channels, XNN_FLAG_DEPTHWISE_CONVOLUTION});
}

namespace {

// What the convolution from output to input leaves over.
struct Margin {
  Padding padding;
  uint32_t adjustment;  // Outputs that no window reaches.
};

Margin MarginOf(int8_t padding, size_t in, size_t out, int filter, int stride) {
  const int64_t over = (static_cast<int64_t>(in) - 1) * stride + filter - static_cast<int64_t>(out);
  Require(over <= 0 || padding == kSame, "an output of another size");
  Support(over > -stride, "an output beyond the windows");
  if (over < 0) return {{0, 0}, static_cast<uint32_t>(-over)};
  return {{static_cast<uint32_t>(over / 2), static_cast<uint32_t>(over - over / 2)}, 0};
}

}  // namespace

void RunTransposeConv(const Node& node) {
  const auto& options = OptionsOf(node.op().builtin_options.AsTransposeConvOptions());
  const Image in = ImageOf(node.input(2)), out = ImageOf(node.output(0)), filter = ImageOf(node.input(1));
  Require(filter.batches == out.channels && filter.channels == in.channels && in.batches == out.batches,
          "a filter of another shape");
  Weights weights(node, 1, 3, out.channels, 0);
  Support(!weights.per_channel(), "a transposed convolution per channel");
  const Source x(node, 2, kInt8);
  Destination<int8_t> y(node);
  const Quantization qx = QuantizationOf(node.input(2)), qy = QuantizationOf(node.output(0));
  weights.CheckRatios(node, qx, qy);
  const Range range = ActivationRange(options.fused_activation_function, qy);
  const auto height = static_cast<int>(filter.height), width = static_cast<int>(filter.width);
  const uint32_t stride_h = Positive(options.stride_h, "stride"),
                 stride_w = Positive(options.stride_w, "stride");
  const Margin rows = MarginOf(options.padding, in.height, out.height, height, options.stride_h);
  const Margin columns = MarginOf(options.padding, in.width, out.width, width, options.stride_w);
  Call call(node);
  Check(xnn_create_deconvolution2d_nhwc_qs8(
      rows.padding.before, columns.padding.after, rows.padding.after, columns.padding.before,
      Positive(height, "filter"), Positive(width, "filter"), stride_h, stride_w, 1, 1, 1, in.channels,
      out.channels, in.channels, out.channels, qx.zero_point, qx.scale, weights.scales[0],
      weights.filter.as<int8_t>(), weights.bias_data(), qy.zero_point, qy.scale, range.low, range.high, 0,
      call.out()));
  Check(xnn_setup_deconvolution2d_nhwc_qs8(call.get(), in.batches, in.height, in.width, rows.adjustment,
                                           columns.adjustment, x.as<int8_t>(), y.data(), nullptr));
  call.Run();
  y.Store();
}

void RunFullyConnected(const Node& node) {
  const auto& options = OptionsOf(node.op().builtin_options.AsFullyConnectedOptions());
  Support(options.weights_format == 0, "shuffled weights");
  const std::vector<size_t> filter = DimensionsOf(node.input(1));
  Require(filter.size() == 2, "a filter without two dimensions");
  const size_t outputs = filter[0], inputs = filter[1];
  Weights weights(node, 1, 2, outputs, 0);
  Support(!weights.per_channel(), "a fully connected layer per channel");
  const Source x(node, 0, kInt8);
  Destination<int8_t> y(node);
  Require(x.count() % inputs == 0 && y.count() == x.count() / inputs * outputs, "an output of another size");
  const Quantization qx = QuantizationOf(node.input(0)), qy = QuantizationOf(node.output(0));
  weights.CheckRatios(node, qx, qy);
  const Range range = ActivationRange(options.fused_activation_function, qy);
  Call call(node);
  Check(xnn_create_fully_connected_nc_qs8(inputs, outputs, inputs, outputs, qx.zero_point, qx.scale,
                                          weights.scales[0], weights.filter.as<int8_t>(), weights.bias_data(),
                                          qy.zero_point, qy.scale, range.low, range.high, 0, call.out()));
  Check(xnn_setup_fully_connected_nc_qs8(call.get(), x.count() / inputs, x.as<int8_t>(), y.data(), nullptr));
  call.Run();
  y.Store();
}

}  // namespace lutra::conformance::xnnpack

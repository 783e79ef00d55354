// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D, MEAN, RESIZE_BILINEAR.

#include "conformance/adapters/xnnpack/case.h"

namespace lutra::conformance::xnnpack {
namespace {

bool SameQuantization(const Node& node) {
  const Quantization qx = QuantizationOf(node.input(0)), qy = QuantizationOf(node.output(0));
  return qx.scale == qy.scale && qx.zero_point == qy.zero_point;
}

}  // namespace

void RunGlobalAverage(const Node& node, size_t batches, size_t width, size_t channels) {
  const Source x(node, 0, kInt8);
  Destination<int8_t> y(node);
  Require(x.count() == batches * width * channels && y.count() == batches * channels,
          "an output of another size");
  const Quantization qx = QuantizationOf(node.input(0)), qy = QuantizationOf(node.output(0));
  Call call(node);
  Check(xnn_create_global_average_pooling_nwc_qs8(channels, channels, channels, qx.zero_point, qx.scale,
                                                  qy.zero_point, qy.scale, -128, 127, 0, call.out()));
  Check(xnn_setup_global_average_pooling_nwc_qs8(call.get(), batches, width, x.as<int8_t>(), y.data(),
                                                 nullptr));
  call.Run();
  y.Store();
}

void RunMaxPool2D(const Node& node) {
  const auto& options = OptionsOf(node.op().builtin_options.AsPool2DOptions());
  const Image in = ImageOf(node.input(0)), out = ImageOf(node.output(0));
  Require(in.batches == out.batches && in.channels == out.channels, "an output of another shape");
  Support(SameQuantization(node), "a pooling between two scales");
  const uint32_t height = Positive(options.filter_height, "filter"),
                 width = Positive(options.filter_width, "filter");
  const uint32_t stride_h = Positive(options.stride_h, "stride"),
                 stride_w = Positive(options.stride_w, "stride");
  Support(height > 1 || width > 1, "a pooling of single pixels");
  // XNNPACK keeps a pointer for each pixel of a window.
  Support(uint64_t{height} * width <= 1 << 16, "a window too large");
  const Padding rows =
      WindowPadding(options.padding, in.height, out.height, options.filter_height, options.stride_h, 1);
  const Padding columns =
      WindowPadding(options.padding, in.width, out.width, options.filter_width, options.stride_w, 1);
  const Source x(node, 0, kInt8);
  Destination<int8_t> y(node);
  const Range range = ActivationRange(options.fused_activation_function, QuantizationOf(node.output(0)));
  Call call(node);
  Check(xnn_create_max_pooling2d_nhwc_s8(rows.before, columns.after, rows.after, columns.before, height,
                                         width, stride_h, stride_w, 1, 1, in.channels, in.channels,
                                         in.channels, range.low, range.high, 0, call.out()));
  Check(xnn_setup_max_pooling2d_nhwc_s8(call.get(), in.batches, in.height, in.width, x.as<int8_t>(), y.data(),
                                        nullptr));
  call.Run();
  y.Store();
}

// The mean over axes that lie side by side: an image of the dimensions in front of them, theirs, and those
// behind them. Dimensions of 1 do not count.
void RunMean(const Node& node) {
  const std::vector<size_t> dims = DimensionsOf(node.input(0));
  const auto rank = static_cast<int64_t>(dims.size());
  Require(node.has_input(1), "no axes");
  std::vector<bool> reduced(dims.size(), false);
  for (const int64_t axis : node.Get(1)) {
    Require(axis >= -rank && axis < rank, "an axis out of range");
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  size_t batches = 1, width = 1, channels = 1;
  bool seen = false, behind = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    Support(!reduced[i] || !behind, "a mean of axes that are apart");
    seen = seen || reduced[i];
    behind = seen && !reduced[i];
    (reduced[i] ? width : behind ? channels : batches) *= dims[i];
  }
  RunGlobalAverage(node, batches, width, channels);
}

void RunResizeBilinear(const Node& node) {
  const auto& options = OptionsOf(node.op().builtin_options.AsResizeBilinearOptions());
  Support(!options.align_corners || !options.half_pixel_centers, "both ways to place corners");
  const Image in = ImageOf(node.input(0)), out = ImageOf(node.output(0));
  Require(in.batches == out.batches && in.channels == out.channels, "an output of another shape");
  Support(SameQuantization(node), "a resize between two scales");
  const uint32_t flags = options.align_corners        ? XNN_FLAG_ALIGN_CORNERS
                         : options.half_pixel_centers ? 0
                                                      : XNN_FLAG_TENSORFLOW_LEGACY_MODE;
  const Source x(node, 0, kInt8);
  Destination<int8_t> y(node);
  Call call(node);
  Check(xnn_create_resize_bilinear2d_nhwc_s8(in.channels, in.channels, in.channels, flags, call.out()));
  Check(xnn_setup_resize_bilinear2d_nhwc_s8(call.get(), in.batches, in.height, in.width, out.height,
                                            out.width, x.as<int8_t>(), y.data(), nullptr));
  call.Run();
  y.Store();
}

}  // namespace lutra::conformance::xnnpack

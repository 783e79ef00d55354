// SPDX-License-Identifier: Apache-2.0
// What XNNPACK of February 2022 lacks for int8, as operators that it has and that take a similar time: whole
// networks can be measured, and differ in these nodes. Tests never take them.

#include "conformance/adapters/xnnpack/case.h"

namespace lutra::conformance::xnnpack {

// Over whole images: their mean.
void RunAveragePool2D(const Node& node) {
  const auto& options = OptionsOf(node.op().builtin_options.AsPool2DOptions());
  const Image in = ImageOf(node.input(0)), out = ImageOf(node.output(0));
  Require(in.batches == out.batches && in.channels == out.channels, "an output of another shape");
  Support(out.height == 1 && out.width == 1 && options.filter_height == static_cast<int>(in.height) &&
              options.filter_width == static_cast<int>(in.width) && options.fused_activation_function == 0,
          "an average of less than the image");
  node.network().CountStandIn();
  RunGlobalAverage(node, in.batches, in.height * in.width, in.channels);
}

// In float32, between two conversions.
void RunSoftmax(const Node& node) {
  const std::vector<size_t> dims = DimensionsOf(node.input(0));
  Require(!dims.empty() && dims == DimensionsOf(node.output(0)), "an output of another shape");
  const Source x(node, 0, kInt8);
  Destination<int8_t> y(node);
  Require(x.count() == y.count(), "an output of another size");
  const Quantization qx = QuantizationOf(node.input(0)), qy = QuantizationOf(node.output(0));
  node.network().CountStandIn();
  const size_t count = x.count(), channels = dims.back();
  auto* const real = static_cast<float*>(node.network().Scratch(count * sizeof(float)));
  auto* const shares = static_cast<float*>(node.network().Scratch(count * sizeof(float)));
  Call widen(node), softmax(node), narrow(node);
  Check(xnn_create_convert_nc_qs8_f32(count, count, count, qx.scale, qx.zero_point, 0, widen.out()));
  Check(xnn_setup_convert_nc_qs8_f32(widen.get(), 1, x.as<int8_t>(), real, nullptr));
  Check(xnn_create_softmax_nc_f32(channels, channels, channels, 0, softmax.out()));
  Check(xnn_setup_softmax_nc_f32(softmax.get(), count / channels, real, shares, nullptr));
  Check(xnn_create_convert_nc_f32_qs8(count, count, count, qy.scale, qy.zero_point, -128, 127, 0,
                                      narrow.out()));
  Check(xnn_setup_convert_nc_f32_qs8(narrow.get(), 1, shares, y.data(), nullptr));
  widen.Run();
  softmax.Run();
  narrow.Run();
  y.Store();
}

}  // namespace lutra::conformance::xnnpack

// SPDX-License-Identifier: Apache-2.0
// Functions of one element: RELU, RELU6, LOGISTIC, TANH, ELU, QUANTIZE, DEQUANTIZE.

#include "conformance/adapters/xnnpack/case.h"

namespace lutra::conformance::xnnpack {
namespace {

// `create(count, call)` makes an operator of `count` channels, all of one batch.
template <typename In, typename Out, typename Create, typename Setup>
void RunElements(const Node& node, oracle::Type type, Create create, Setup setup) {
  const Source x(node, 0, type);
  Destination<Out> y(node);
  Require(x.count() == y.count(), "an output of another size");
  Call call(node);
  Check(create(x.count(), call.out()));
  Check(setup(call.get(), 1, x.as<In>(), y.data(), nullptr));
  call.Run();
  y.Store();
}

void RunClamp(const Node& node, oracle::Activation activation) {
  const Quantization qx = QuantizationOf(node.input(0)), qy = QuantizationOf(node.output(0));
  Support(qx.scale == qy.scale && qx.zero_point == qy.zero_point, "an activation between two scales");
  const Range range = ActivationRange(static_cast<int8_t>(activation), qy);
  RunElements<int8_t, int8_t>(
      node, kInt8,
      [&](size_t n, xnn_operator_t* op) {
        return xnn_create_clamp_nc_s8(n, n, n, range.low, range.high, 0, op);
      },
      xnn_setup_clamp_nc_s8);
}

// XNNPACK takes LOGISTIC and TANH with any scale here, their output scales included.
template <typename Create, typename Setup>
void RunTable(const Node& node, Create create, Setup setup) {
  const Quantization qx = QuantizationOf(node.input(0)), qy = QuantizationOf(node.output(0));
  RunElements<int8_t, int8_t>(
      node, kInt8,
      [&](size_t n, xnn_operator_t* op) {
        return create(n, n, n, qx.zero_point, qx.scale, qy.zero_point, qy.scale, -128, 127, 0, op);
      },
      setup);
}

}  // namespace

void RunRelu(const Node& node) { RunClamp(node, oracle::Activation::kRelu); }
void RunRelu6(const Node& node) { RunClamp(node, oracle::Activation::kRelu6); }
void RunLogistic(const Node& node) { RunTable(node, xnn_create_sigmoid_nc_qs8, xnn_setup_sigmoid_nc_qs8); }
void RunTanh(const Node& node) { RunTable(node, xnn_create_tanh_nc_qs8, xnn_setup_tanh_nc_qs8); }

void RunElu(const Node& node) {
  const auto create = [](size_t channels, size_t in_stride, size_t out_stride, auto... rest) {
    return xnn_create_elu_nc_qs8(channels, in_stride, out_stride, /*alpha=*/1.0f, rest...);
  };
  RunTable(node, create, xnn_setup_elu_nc_qs8);
}

void RunQuantize(const Node& node) {
  const Quantization qy = QuantizationOf(node.output(0));
  RunElements<float, int8_t>(
      node, kFloat32,
      [&](size_t n, xnn_operator_t* op) {
        return xnn_create_convert_nc_f32_qs8(n, n, n, qy.scale, qy.zero_point, -128, 127, 0, op);
      },
      xnn_setup_convert_nc_f32_qs8);
}

void RunDequantize(const Node& node) {
  const Quantization qx = QuantizationOf(node.input(0));
  RunElements<int8_t, float>(
      node, kInt8,
      [&](size_t n, xnn_operator_t* op) {
        return xnn_create_convert_nc_qs8_f32(n, n, n, qx.scale, qx.zero_point, 0, op);
      },
      xnn_setup_convert_nc_qs8_f32);
}

}  // namespace lutra::conformance::xnnpack

// SPDX-License-Identifier: Apache-2.0
// Data movement: RESHAPE, SQUEEZE, EXPAND_DIMS, CONCATENATION, PAD, PADV2.

#include "conformance/adapters/xnnpack/case.h"

namespace lutra::conformance::xnnpack {
namespace {

// `rows` times `count` bytes, to every `stride`-th byte.
void CopyRows(const Node& node, const void* from, size_t rows, size_t count, void* to, size_t stride) {
  Call call(node);
  Check(xnn_create_copy_nc_x8(count, count, stride, 0, call.out()));
  Check(xnn_setup_copy_nc_x8(call.get(), rows, from, to, nullptr));
  call.Run();
}

}  // namespace

void RunCopy(const Node& node) {
  const Source x(node, 0, kInt8);
  Destination<int8_t> y(node);
  Require(x.count() == y.count(), "an output of another size");
  CopyRows(node, x.data(), 1, x.count(), y.data(), y.count());
  y.Store();
}

void RunConcatenation(const Node& node) {
  const auto& options = OptionsOf(node.op().builtin_options.AsConcatenationOptions());
  Support(options.fused_activation_function == 0, "a fused activation");
  const std::vector<size_t> out = DimensionsOf(node.output(0));
  const auto rank = static_cast<int64_t>(out.size());
  Require(options.axis >= -rank && options.axis < rank, "an axis out of range");
  const auto axis = static_cast<size_t>(options.axis < 0 ? options.axis + rank : options.axis);
  size_t rows = 1, inner = 1;
  for (size_t i = 0; i < axis; ++i) rows *= out[i];
  for (size_t i = axis + 1; i < out.size(); ++i) inner *= out[i];
  const Quantization qy = QuantizationOf(node.output(0));
  Destination<int8_t> y(node);
  size_t offset = 0;
  for (int i = 0; i < node.input_count(); ++i) {
    const Source x(node, i, kInt8);
    const Quantization qx = QuantizationOf(node.input(i));
    Support(qx.scale == qy.scale && qx.zero_point == qy.zero_point, "a concatenation of several scales");
    std::vector<size_t> dims = DimensionsOf(node.input(i));
    Require(dims.size() == out.size(), "inputs of several ranks");
    const size_t count = dims[axis] * inner;
    dims[axis] = out[axis];
    Require(dims == out && offset + count <= out[axis] * inner, "an output of another shape");
    CopyRows(node, x.data(), rows, count, y.data() + offset, out[axis] * inner);
    offset += count;
  }
  Require(offset == out[axis] * inner, "an output of another shape");
  y.Store();
}

// PADV2 has the value as third input; PAD fills with the zero point.
void RunPad(const Node& node) {
  const Source x(node, 0, kInt8);
  Destination<int8_t> y(node);
  const std::vector<size_t> in = DimensionsOf(node.input(0)), out = DimensionsOf(node.output(0));
  Support(in.size() <= XNN_MAX_TENSOR_DIMS, "more than six dimensions");
  Require(node.has_input(1), "no paddings");
  const oracle::Codes paddings = node.Get(1);
  Require(paddings.size() == 2 * in.size() && out.size() == in.size(), "paddings of another rank");
  std::vector<size_t> before, after;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t front = paddings[2 * i], back = paddings[2 * i + 1];
    Require(front >= 0 && back >= 0 && front <= INT32_MAX && back <= INT32_MAX, "a padding out of range");
    before.push_back(static_cast<size_t>(front));
    after.push_back(static_cast<size_t>(back));
    Require(in[i] + before[i] + after[i] == out[i], "an output of another shape");
  }
  int8_t value = QuantizationOf(node.output(0)).zero_point;
  if (node.has_input(2)) {
    const Source constant(node, 2, kInt8);
    value = constant.as<int8_t>()[0];
  }
  Call call(node);
  Check(xnn_create_constant_pad_nd_x8(&value, 0, call.out()));
  Check(xnn_setup_constant_pad_nd_x8(call.get(), in.size(), in.data(), before.data(), after.data(), x.data(),
                                     y.data(), nullptr));
  call.Run();
  y.Store();
}

}  // namespace lutra::conformance::xnnpack

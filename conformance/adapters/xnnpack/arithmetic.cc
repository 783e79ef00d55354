// SPDX-License-Identifier: Apache-2.0
// ADD, SUB, MUL, with broadcasts.

#include <algorithm>

#include "conformance/adapters/xnnpack/case.h"

namespace lutra::conformance::xnnpack {
namespace {

void CheckBroadcast(const std::vector<size_t>& a, const std::vector<size_t>& b,
                    const std::vector<size_t>& out) {
  Support(std::max(a.size(), b.size()) <= XNN_MAX_TENSOR_DIMS, "more than six dimensions");
  Require(out.size() == std::max(a.size(), b.size()), "an output of another shape");
  const auto from_behind = [](const std::vector<size_t>& dims, size_t i) {
    return i < dims.size() ? dims[dims.size() - 1 - i] : size_t{1};
  };
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t da = from_behind(a, i), db = from_behind(b, i);
    Require(da == db || da == 1 || db == 1, "shapes that do not broadcast");
    Require(from_behind(out, i) == std::max(da, db), "an output of another shape");
  }
}

// `Create` and `Setup` have the same parameters for the three operators.
template <typename Create, typename Setup>
void RunPairs(const Node& node, int8_t activation, Create create, Setup setup) {
  const Source a(node, 0, kInt8), b(node, 1, kInt8);
  Destination<int8_t> y(node);
  const Quantization qa = QuantizationOf(node.input(0)), qb = QuantizationOf(node.input(1)),
                     qy = QuantizationOf(node.output(0));
  const std::vector<size_t> shape_a = DimensionsOf(node.input(0)), shape_b = DimensionsOf(node.input(1));
  CheckBroadcast(shape_a, shape_b, DimensionsOf(node.output(0)));
  const Range range = ActivationRange(activation, qy);
  Call call(node);
  Check(create(qa.zero_point, qa.scale, qb.zero_point, qb.scale, qy.zero_point, qy.scale, range.low,
               range.high, 0, call.out()));
  Check(setup(call.get(), shape_a.size(), shape_a.data(), shape_b.size(), shape_b.data(), a.as<int8_t>(),
              b.as<int8_t>(), y.data(), nullptr));
  call.Run();
  y.Store();
}

}  // namespace

void RunAdd(const Node& node) {
  RunPairs(node, OptionsOf(node.op().builtin_options.AsAddOptions()).fused_activation_function,
           xnn_create_add_nd_qs8, xnn_setup_add_nd_qs8);
}

void RunSub(const Node& node) {
  RunPairs(node, OptionsOf(node.op().builtin_options.AsSubOptions()).fused_activation_function,
           xnn_create_subtract_nd_qs8, xnn_setup_subtract_nd_qs8);
}

void RunMul(const Node& node) {
  RunPairs(node, OptionsOf(node.op().builtin_options.AsMulOptions()).fused_activation_function,
           xnn_create_multiply_nd_qs8, xnn_setup_multiply_nd_qs8);
}

}  // namespace lutra::conformance::xnnpack

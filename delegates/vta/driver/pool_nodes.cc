// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D and AVERAGE_POOL_2D nodes as problems of lower_pool.h. Nodes that the CPU's prepare would
// refuse are left to it.

#include "delegates/vta/driver/lower_pool.h"
#include "delegates/vta/driver/operators.h"
#include "lutra/fixed_point/activation.h"
#include "runtime/ops/common.h"

namespace lutra::vta {
namespace {

// Returns false if the CPU would not take the pool.
bool ReadProblem(const DelegateNode& node, PoolProblem* problem) {
  WindowOptions options;
  if (!ReadWindowOptions(node.info(), &options)) return false;
  const TensorInfo output = node.Output(0);
  const Shape in = node.Input(0).shape, out = output.shape;
  if (in.rank != 4 || out.rank != 4 || in[0] != out[0] || in[3] != out[3]) return false;
  WindowSize down, across;
  if (!ComputeWindow(options.padding, in[1], options.filter_h, options.stride_h, 1, &down) ||
      !ComputeWindow(options.padding, in[2], options.filter_w, options.stride_w, 1, &across) ||
      down.out != out[1] || across.out != out[2])
    return false;
  ActivationRange range;
  if (!QuantizedActivationRange(options.activation, output.scale, output.zero_point, &range)) return false;
  *problem = {.is_average = node.code() == BuiltinOperator::kAveragePool2D,
              .filter_height = options.filter_h,
              .filter_width = options.filter_w,
              .stride_h = options.stride_h,
              .stride_w = options.stride_w,
              .pad_top = down.pad_before,
              .pad_left = across.pad_before,
              .min = range.min,
              .max = range.max};
  return true;
}

}  // namespace

const char* RefusePool(const DriverOptions&, const DelegateNode& node) {
  if (node.input_count() != 1 || node.output_count() != 1 || !node.HasInput(0)) return "operands are missing";
  if (node.IsConstant(0)) return "all inputs are constant";
  const TensorInfo input = node.Input(0), output = node.Output(0);
  if (!IsInt8PerTensor(input) || !IsInt8PerTensor(output))
    return "input and output are not int8 with one scale";
  const double difference = static_cast<double>(input.scale) - static_cast<double>(output.scale);
  if (difference > 1e-6 || difference < -1e-6 || input.zero_point != output.zero_point)
    return "input and output differ in scale or zero point";
  PoolProblem problem;
  return ReadProblem(node, &problem) ? nullptr : "the shapes or the fused activation do not fit";
}

Status PoolImages(const Driver& driver, const DelegateNode& node, NodeImages* images) {
  const Config& config = driver.config();
  images->has_input[0] = true;
  images->inputs[0] = ImageOfTensor(config, node.Input(0));
  images->output = ImageOfTensor(config, node.Output(0));
  return Status::kOk;
}

Status LowerPoolNode(const Driver& driver, DelegatePrepareContext&, const DelegateNode& node,
                     const NodeImages& images, LoweredLayer* layer) {
  PoolProblem problem;
  if (!ReadProblem(node, &problem)) return Status::kUnsupported;
  return LowerPool(driver, problem, images.inputs[0], images.output, layer);
}

}  // namespace lutra::vta

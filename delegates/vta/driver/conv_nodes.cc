// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED nodes as problems of lower_conv.h. Nodes that the CPU's
// prepare would refuse are left to it: a model has one diagnosis, with or without the delegate.

#include <float.h>

#include "delegates/vta/driver/lower_conv.h"
#include "delegates/vta/driver/operators.h"
#include "lutra/fixed_point/activation.h"
#include "runtime/ops/common.h"

namespace lutra::vta {
namespace {

constexpr int kInput = 0, kFilter = 1, kBias = 2;
constexpr double kBiasTolerance = 0.02;  // FULLY_CONNECTED's tolerance.

// Returns the filter's dimension of output channels.
int OutputDimension(const DelegateNode& node) {
  return node.code() == BuiltinOperator::kDepthwiseConv2D ? 3 : 0;
}

const char* RefuseOperands(const DelegateNode& node, int filter_rank) {
#if defined(LUTRA_SINGLE_ROUNDING)
  return "this build rounds once, VTA's sequences twice";
#endif
  if (node.input_count() < 2 || node.input_count() > 3 || node.output_count() != 1 ||
      !node.HasInput(kInput) || !node.HasInput(kFilter))
    return "operands are missing";
  if (node.IsConstant(kInput)) return "the input is constant";
  if (!IsInt8PerTensor(node.Input(kInput)) || !IsInt8PerTensor(node.Output(0)))
    return "input and output are not int8 with one scale";
  const TensorInfo filter = node.Input(kFilter);
  if (filter.type != TensorType::kInt8 || filter.shape.rank != filter_rank || filter.shape.Count() <= 0)
    return "the filter is not int8";
  if (!node.IsConstant(kFilter)) return "the filter is not constant";
  const int32_t channels = filter.shape[OutputDimension(node)];
  if (filter.scales.size() != 1 &&
      (filter.scales.size() != channels || filter.quantized_dimension != OutputDimension(node)))
    return "the filter's scales are not those of its output channels";
  for (int32_t i = 0; i < filter.scales.size(); ++i) {
    if (!(filter.scales[i] > 0 && filter.scales[i] <= FLT_MAX))
      return "a scale of the filter is not positive";
  }
  for (int32_t i = 0; i < filter.zero_points.size(); ++i) {
    if (filter.zero_points[i] != 0) return "the filter has a zero point";
  }
  if (!node.HasInput(kBias)) return nullptr;
  const TensorInfo bias = node.Input(kBias);
  if (bias.type != TensorType::kInt32 || !node.IsConstant(kBias) || bias.shape.Count() != channels)
    return "the bias is not a constant of int32";
  return nullptr;
}

// Returns whether the frame would waste memory: otherwise it is small, or not much larger than the image
// inside.
bool IsMostlyFrame(const Image& image) {
  constexpr uint64_t kSmall = 1 << 16, kTimes = 8;
  const uint64_t pixels = uint64_t{image.rows} * image.columns;
  return pixels > kSmall && pixels / kTimes > uint64_t{image.height} * image.width;
}

// Reads the shape of a convolution that the CPU would take; returns false if it would not.
bool ReadShape(const DelegateNode& node, ConvShape* shape) {
  const bool is_depthwise = node.code() == BuiltinOperator::kDepthwiseConv2D;
  WindowOptions options;
  if (!ReadWindowOptions(node.info(), &options)) return false;
  const Shape input = node.Input(kInput).shape, filter = node.Input(kFilter).shape,
              output = node.Output(0).shape;
  if (input.rank != 4 || output.rank != 4 || input[0] != output[0]) return false;
  *shape = {.in_height = input[1],
            .in_width = input[2],
            .in_channels = input[3],
            .out_height = output[1],
            .out_width = output[2],
            .out_channels = filter[OutputDimension(node)],
            .filter_height = filter[1],
            .filter_width = filter[2],
            .filter_channels = is_depthwise ? 1 : filter[3],
            .stride_h = options.stride_h,
            .stride_w = options.stride_w,
            .dilation_h = options.dilation_h,
            .dilation_w = options.dilation_w};
  if (output[3] != shape->out_channels || shape->in_channels % shape->filter_channels != 0 ||
      shape->out_channels % (shape->in_channels / shape->filter_channels) != 0)
    return false;
  if (is_depthwise &&
      (filter[0] != 1 || options.depth_multiplier != shape->out_channels / shape->in_channels))
    return false;
  WindowSize down, across;
  if (!ComputeWindow(options.padding, input[1], filter[1], options.stride_h, options.dilation_h, &down) ||
      !ComputeWindow(options.padding, input[2], filter[2], options.stride_w, options.dilation_w, &across) ||
      down.out != output[1] || across.out != output[2])
    return false;
  shape->pad_top = down.pad_before;
  shape->pad_left = across.pad_before;
  return true;
}

bool ReadRange(const DelegateNode& node, Activation activation, ActivationRange* range) {
  const TensorInfo output = node.Output(0);
  return QuantizedActivationRange(activation, output.scale, output.zero_point, range);
}

// Returns the scale from a channel's accumulators to codes: FULLY_CONNECTED with one scale rounds the product
// of its scales to float32.
double EffectiveScale(const DelegateNode& node, const TensorInfo& filter, int32_t channel) {
  const float input = node.Input(kInput).scale;
  const double output = static_cast<double>(node.Output(0).scale);
  if (filter.scales.size() == 1 && node.code() == BuiltinOperator::kFullyConnected) {
    const float product = input * filter.scale;
    return static_cast<double>(product) / output;
  }
  const float scale = filter.scales[filter.scales.size() == 1 ? 0 : channel];
  return static_cast<double>(input) * static_cast<double>(scale) / output;
}

// Computes the multipliers of all channels by `quantize`, one from each scale.
template <typename M>
Status ReadMultipliers(const Driver& driver, const DelegateNode& node, M (*quantize)(double),
                       Span<const M>* multipliers) {
  const TensorInfo filter = node.Input(kFilter);
  Span<M> values;
  LUTRA_TRY(AllocateArray(driver, static_cast<uint64_t>(filter.scales.size()), &values));
  for (int32_t i = 0; i < filter.scales.size(); ++i) {
    values[static_cast<size_t>(i)] = quantize(EffectiveScale(node, filter, i));
  }
  *multipliers = values;
  return Status::kOk;
}

Status LowerNode(const Driver& driver, DelegatePrepareContext& context, const DelegateNode& node,
                 const ConvShape& shape, Activation activation, const NodeImages& images,
                 LoweredLayer* layer) {
  ConvProblem problem = {.shape = shape, .is_depthwise = node.code() == BuiltinOperator::kDepthwiseConv2D};
  LUTRA_TRY(context.ConstantInput(node, kFilter, &problem.filter));
  if (node.HasInput(kBias)) LUTRA_TRY(context.ConstantInput(node, kBias, &problem.bias));
  if (driver.options.mode == Mode::kLegacy16)
    LUTRA_TRY(ReadMultipliers(driver, node, QuantizeMultiplier16, &problem.legacy_multipliers));
  else
    LUTRA_TRY(ReadMultipliers(driver, node, QuantizeMultiplier, &problem.multipliers));
  problem.input_zero_point = node.Input(kInput).zero_point;
  problem.zero_point = node.Output(0).zero_point;
  ActivationRange range = {};
  if (!ReadRange(node, activation, &range)) return Status::kUnsupported;
  problem.min = range.min;
  problem.max = range.max;
  return LowerConv(driver, problem, images.inputs[kInput], images.output, layer);
}

// Returns the input's image, with the frame that the windows need.
Status InputImage(const Config& config, const DelegateNode& node, Image* image) {
  ConvShape shape;
  if (!ReadShape(node, &shape)) return Status::kUnsupported;
  *image = ImageOfTensor(config, node.Input(kInput));
  return WidenForConv(shape, image);
}

struct Rows {
  uint32_t count, depth, channels;
};
Rows RowsOf(const DelegateNode& node) {
  const Shape weights = node.Input(kFilter).shape;
  return {Unsigned(node.Output(0).shape.OuterCount()), Unsigned(weights[1]), Unsigned(weights[0])};
}

}  // namespace

const char* RefuseConv(const DriverOptions& options, const DelegateNode& node) {
  if (const char* reason = RefuseOperands(node, 4); reason != nullptr) return reason;
  ConvShape shape;
  if (!ReadShape(node, &shape)) return "the shapes do not fit the window";
  WindowOptions window;
  ActivationRange range;
  if (!ReadWindowOptions(node.info(), &window) || !ReadRange(node, window.activation, &range))
    return "the fused activation is none of RELU, RELU6, RELU_N1_TO_1";
  Image input;
  if (InputImage(options.config, node, &input) != Status::kOk || IsMostlyFrame(input))
    return "the window reaches too far beyond the image";
  return nullptr;
}

Status ConvImages(const Driver& driver, const DelegateNode& node, NodeImages* images) {
  images->has_input[kInput] = true;
  images->output = ImageOfTensor(driver.config(), node.Output(0));
  return InputImage(driver.config(), node, &images->inputs[kInput]);
}

Status LowerConvNode(const Driver& driver, DelegatePrepareContext& context, const DelegateNode& node,
                     const NodeImages& images, LoweredLayer* layer) {
  ConvShape shape;
  WindowOptions window;
  if (!ReadShape(node, &shape) || !ReadWindowOptions(node.info(), &window)) return Status::kUnsupported;
  return LowerNode(driver, context, node, shape, window.activation, images, layer);
}

const char* RefuseFullyConnected(const DriverOptions&, const DelegateNode& node) {
  if (const char* reason = RefuseOperands(node, 2); reason != nullptr) return reason;
  FullyConnectedOptions fully_connected;
  ActivationRange range;
  if (!ReadFullyConnectedOptions(node.info(), &fully_connected) || fully_connected.shuffled_weights ||
      !ReadRange(node, fully_connected.activation, &range))
    return "the fused activation is none of RELU, RELU6, RELU_N1_TO_1, or the weights are shuffled";
  const TensorInfo input = node.Input(kInput), filter = node.Input(kFilter), output = node.Output(0);
  const Rows rows = RowsOf(node);
  if (Unsigned(output.shape.Depth()) != rows.channels ||
      uint64_t{rows.count} * rows.depth != static_cast<uint64_t>(input.shape.Count()))
    return "the shapes do not fit";
  if (node.HasInput(kBias) && filter.scales.size() == 1) {
    const double product = static_cast<double>(input.scale) * static_cast<double>(filter.scale);
    const double difference = product - static_cast<double>(node.Input(kBias).scale);
    const double relative = (difference < 0 ? -difference : difference) / static_cast<double>(output.scale);
    if (!(relative <= kBiasTolerance)) return "the bias has a scale of its own";
  }
  return nullptr;
}

Status FullyConnectedImages(const Driver& driver, const DelegateNode& node, NodeImages* images) {
  const Config& config = driver.config();
  const Rows rows = RowsOf(node);
  images->has_input[kInput] = true;
  images->inputs[kInput] = ImageOfRows(config, rows.count, rows.depth);
  images->output = ImageOfRows(config, rows.count, rows.channels);
  return Status::kOk;
}

Status LowerFullyConnectedNode(const Driver& driver, DelegatePrepareContext& context,
                               const DelegateNode& node, const NodeImages& images, LoweredLayer* layer) {
  FullyConnectedOptions options;
  if (!ReadFullyConnectedOptions(node.info(), &options)) return Status::kUnsupported;
  const Rows rows = RowsOf(node);
  const auto width = static_cast<int32_t>(images.output.width);
  ConvShape shape = {.in_height = 1, .in_width = width, .in_channels = static_cast<int32_t>(rows.depth)};
  shape.out_height = 1;
  shape.out_width = width;
  shape.out_channels = static_cast<int32_t>(rows.channels);
  shape.filter_height = shape.filter_width = 1;
  shape.filter_channels = shape.in_channels;
  shape.stride_h = shape.stride_w = shape.dilation_h = shape.dilation_w = 1;
  return LowerNode(driver, context, node, shape, options.activation, images, layer);
}

}  // namespace lutra::vta

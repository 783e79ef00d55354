// SPDX-License-Identifier: Apache-2.0
// A small delegate, to begin another with: delegates/README.md explains it.

#include "lutra/delegates/example/example_delegate.h"

#include "lutra/kernels/fully_connected/fully_connected.h"

namespace lutra {
namespace {

struct Layer {  // One node. All of it is known before the first inference.
  FullyConnectedArgs args;
  Multiplier multiplier;
  int32_t input, output, rows;  // Two tensors, and how many rows they have.
  int scratch;                  // Where an output is that nobody else reads.
};

bool IsInt8(const TensorInfo& t) {
  return t.type == TensorType::kInt8 && t.scales.count == 1 && t.zero_points.count == 1 && t.scale > 1e-6f;
}

// All but the constants; false for a node that the kernel would not make exactly as the CPU does.
bool Describe(const DelegateNode& node, Layer* layer) {
  if (node.code() != BuiltinOperator::kFullyConnected || node.input_count() != 3) return false;
  if (node.output_count() != 1 || !node.HasInput(0) || !node.IsConstant(1) || !node.IsConstant(2))
    return false;
  const TensorInfo in = node.Input(0), weights = node.Input(1), bias = node.Input(2), out = node.Output(0);
  if (!IsInt8(in) || !IsInt8(weights) || !IsInt8(out)) return false;
  FullyConnectedOptions options;
  ActivationRange range;
  if (!ReadFullyConnectedOptions(node.info(), &options) || options.shuffled_weights) return false;
  if (!QuantizedActivationRange(options.activation, out.scale, out.zero_point, &range)) return false;
  const float product = in.scale * weights.scale;
  if (!(product < out.scale) || product < 1e-6f * out.scale) return false;
  const ConvQuantization quantization = {static_cast<int16_t>(-in.zero_point),
                                         static_cast<int16_t>(out.zero_point), static_cast<int8_t>(range.min),
                                         static_cast<int8_t>(range.max)};
  *layer = {.multiplier = QuantizeMultiplier(double{product} / double{out.scale}),
            .input = node.InputTensor(0),
            .output = node.OutputTensor(0),
            .rows = out.shape.OuterCount()};
  layer->args = {.depth = weights.shape[1],
                 .channels = out.shape.Depth(),
                 .quantization = quantization,
                 .one_multiplier = true};
  return weights.zero_point == 0 && weights.shape.rank == 2 && weights.shape[0] == layer->args.channels &&
         int64_t{layer->rows} * layer->args.depth == in.shape.Count() && bias.type == TensorType::kInt32 &&
         bias.shape.Count() == layer->args.channels && bias.scale == product;
}

bool IsSupported(const void*, const DelegateNode& node, const char** reason) {
  Layer layer;
  *reason = "no FULLY_CONNECTED of int8 with one scale for each tensor, constant weights and a bias";
  return Describe(node, &layer);
}

Status Prepare(void* state, DelegatePrepareContext& context) {
  Layer* layer = static_cast<Layer*>(state);
  for (int k = 0; k < context.node_count(); ++k, ++layer) {
    const DelegateNode node = context.node(k);
    if (!Describe(node, layer)) return context.Decline("not what the probe has seen");
    layer->args.multipliers = &layer->multiplier;
    LUTRA_TRY(context.ConstantInput(node, 1, &layer->args.weights));
    LUTRA_TRY(context.ConstantInput(node, 2, &layer->args.bias));
    if (!context.IsOutput(layer->output))
      LUTRA_TRY(context.RequestScratch(node.Output(0).bytes, &layer->scratch));
  }
  return Status::kOk;
}

Status Eval(void* state, DelegateEvalContext& context) {
  const Layer* const layers = static_cast<const Layer*>(state);
  const auto find = [&](int32_t tensor) {
    if (void* const outside = context.TensorData(tensor)) return static_cast<uint8_t*>(outside);
    int k = 0;
    while (layers[k].output != tensor) ++k;
    return context.Scratch<uint8_t>(layers[k].scratch);
  };
  for (int k = 0; k < context.node_count(); ++k) {
    const FullyConnectedArgs& args = layers[k].args;
    FullyConnectedRef(args, {find(layers[k].input), args.depth}, {find(layers[k].output), args.channels}, 0,
                      layers[k].rows);
  }
  return Status::kOk;
}

Status CreateKernel(void*, DelegatePrepareContext& context, DelegateKernel* kernel) {
  Layer* layers = nullptr;
  LUTRA_TRY(context.AllocateArray(context.node_count(), &layers));
  *kernel = {.state = layers, .Prepare = Prepare, .Eval = Eval};
  return Status::kOk;
}

const char* Name(const void*) { return "example"; }

}  // namespace

const Delegate kExampleDelegate = {.Name = Name,
                                   .IsNodeSupportedByDelegate = IsSupported,
                                   .CreateDelegateKernelInterface = CreateKernel,
                                   .compressed = CodecSet::Of(DecodeType::kLut)};

}  // namespace lutra

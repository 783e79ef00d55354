// SPDX-License-Identifier: Apache-2.0
// ADD, QUANTIZE between scales, RELU and RELU6 nodes as problems of lower_add.h. Nodes that the CPU's prepare
// would refuse are left to it.

#include "delegates/vta/driver/lower_add.h"
#include "delegates/vta/driver/operators.h"
#include "lutra/fixed_point/activation.h"
#include "runtime/ops/common.h"

namespace lutra::vta {
namespace {

// Sets the strides of rows and columns.
void SetRows(const uint64_t* strides, Image* image) {
  image->row_stride = strides[0];
  image->column_stride = strides[1];
  if (strides[0] == 0) image->height = image->rows = 1;
  if (strides[1] == 0) image->width = image->columns = 1;
}

// Sets the strides of the dimensions before these, of which all, some or none are repeated. `inner`: elements
// of an image.
void SetLanes(const uint64_t* strides, const Shape& output, uint64_t inner, Image* image) {
  const int count = output.rank - 3;
  bool all = true, none = true;
  for (int axis = 0; axis < count; ++axis) {
    if (output[axis] == 1) continue;
    all = all && strides[axis] == 0;
    none = none && strides[axis] != 0;
  }
  image->lane_stride = none ? inner : 0;
  if (none) return;
  if (all) {
    image->groups = 1;
    return;
  }
  image->outer_count = Unsigned(count);
  for (int axis = 0; axis < count; ++axis) {
    image->outer[axis] = {Unsigned(output[axis]), strides[axis]};
  }
}

// Returns an operand as images of the output's size, or one row, column or block of channels if that is
// repeated. Outputs are treated likewise.
Image ImageOf(const Config& config, const TensorInfo& tensor, const Shape& output) {
  const int rank = output.rank;
  const Shape shape = ExtendedShape(tensor.shape, rank);
  // By axis: its stride and the elements behind it; 0 if the operand is repeated.
  uint64_t strides[kMaxRank] = {}, inner[kMaxRank + 1] = {};
  inner[rank] = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    strides[axis] = shape[axis] == output[axis] ? inner[axis + 1] : 0;
    inner[axis] = inner[axis + 1] * Unsigned(shape[axis]);
  }
  Image image = rank <= 2
                    ? ImageOfRows(config, Unsigned(output.OuterCount()), Unsigned(output.Depth()))
                    : ImageOfNhwc(config, Unsigned(output.Count(0, rank - 3)), Unsigned(output[rank - 3]),
                                  Unsigned(output[rank - 2]), Unsigned(output[rank - 1]));
  image.fill = static_cast<int8_t>(tensor.zero_point);
  image.count = inner[0];
  if (rank >= 1 && strides[rank - 1] == 0) {
    image.channel_stride = 0;
    image.channels = image.channels < config.block() ? image.channels : config.block();
  }
  if (rank >= 3) {
    SetRows(strides + rank - 3, &image);
    SetLanes(strides, output, inner[rank - 3], &image);
  } else if (rank == 2) {
    image.lane_stride = strides[0];
    image.column_stride = strides[0] << config.log_batch;
    if (strides[0] == 0) image.width = image.columns = 1;
  }
  return image;
}

bool IsAdd(const DelegateNode& node) { return node.code() == BuiltinOperator::kAdd; }

// Reads the fused activation, or that of the operator itself.
bool ReadRange(const DelegateNode& node, ActivationRange* range) {
  Activation activation = Activation::kNone;
  if (IsAdd(node) && !ReadActivation(node.info(), &activation)) return false;
  if (node.code() == BuiltinOperator::kRelu) activation = Activation::kRelu;
  if (node.code() == BuiltinOperator::kRelu6) activation = Activation::kRelu6;
  const TensorInfo output = node.Output(0);
  return QuantizedActivationRange(activation, output.scale, output.zero_point, range);
}

// Makes the problem from quotients of scales: ADD's and QUANTIZE's in double, RELU's in float32.
AddProblem ProblemOf(const DelegateNode& node, const ActivationRange& range) {
  const TensorInfo a = node.Input(0), output = node.Output(0);
  AddProblem problem;
  if (IsAdd(node)) {
    const TensorInfo b = node.Input(1);
    problem =
        AddProblem::OfSum(a.scale, a.zero_point, b.scale, b.zero_point, output.scale, output.zero_point);
  } else {
    problem = AddProblem::OfOne(a.scale, a.zero_point, output.scale, output.zero_point);
    if (node.code() != BuiltinOperator::kQuantize) {
      problem.output = QuantizeMultiplier(static_cast<double>(a.scale / output.scale));
    }
  }
  problem.min = range.min;
  problem.max = range.max;
  return problem;
}

bool IsInScale(const DelegateNode& node) {
  const double a = static_cast<double>(node.Input(0).scale), out = static_cast<double>(node.Output(0).scale);
  if (!IsAdd(node)) return a / out < 2147483647.0;
  const double b = static_cast<double>(node.Input(1).scale);
  const double real = 2.0 * (a > b ? a : b) / ((1 << 20) * out);
  return real < 1.0 && QuantizeMultiplier(real).shift <= 0;
}

// Describes an operand as codes, or as values that the CPU scales as it packs them.
Status OperandImage(const Driver& driver, const DelegateNode& node, int operand, bool is_made, Image* image) {
  *image = ImageOf(driver.config(), node.Input(operand), node.Output(0).shape);
  const AddScaling where = driver.options.add;
  if (!IsAdd(node) || where == AddScaling::kVta || (where == AddScaling::kLoad && is_made))
    return Status::kOk;
  ActivationRange range;
  if (!ReadRange(node, &range)) return Status::kUnsupported;
  const AddProblem problem = ProblemOf(node, range);
  Span<int32_t> table;
  LUTRA_TRY(AllocateArray(driver, 256, &table));
  for (int code = -128; code <= 127; ++code) {
    table[static_cast<size_t>(code + 128)] =
        problem.Scaled(operand, static_cast<int8_t>(code), driver.options.mode);
  }
  image->table = table.data();
  return Status::kOk;
}

}  // namespace

const char* RefuseSum(const DriverOptions&, const DelegateNode& node) {
  const int inputs = IsAdd(node) ? 2 : 1;
  if (node.input_count() != inputs || node.output_count() != 1) return "operands are missing";
  bool is_constant = true;
  for (int i = 0; i < inputs; ++i) {
    if (!node.HasInput(i)) return "operands are missing";
    if (!IsInt8PerTensor(node.Input(i))) return "an input is not int8 with one scale";
    is_constant = is_constant && node.IsConstant(i);
  }
  if (is_constant) return "all inputs are constant";
  if (!IsInt8PerTensor(node.Output(0))) return "the output is not int8 with one scale";
  Shape expected = node.Input(0).shape;
  if (IsAdd(node) && !BroadcastShape(node.Input(0).shape, node.Input(1).shape, &expected))
    return "the shapes do not fit";
  if (!(expected == node.Output(0).shape)) return "the shapes do not fit";
  ActivationRange range;
  if (!ReadRange(node, &range)) return "the fused activation is none of RELU, RELU6, RELU_N1_TO_1";
  return IsInScale(node) ? nullptr : "the scales are too far apart";
}

Status SumImages(const Driver& driver, const DelegateNode& node, NodeImages* images) {
  for (int i = 0; i < node.input_count(); ++i) {
    images->has_input[i] = !node.IsConstant(i);
    if (!images->has_input[i]) continue;
    LUTRA_TRY(OperandImage(driver, node, i, images->is_made[i], &images->inputs[i]));
  }
  images->output = ImageOf(driver.config(), node.Output(0), node.Output(0).shape);
  return Status::kOk;
}

Status LowerSumNode(const Driver& driver, DelegatePrepareContext& context, const DelegateNode& node,
                    const NodeImages& images, LoweredLayer* layer) {
  ActivationRange range;
  if (!ReadRange(node, &range)) return Status::kUnsupported;
  Image inputs[kMostVtaInputs];
  for (int i = 0; i < node.input_count(); ++i) {
    if (images.has_input[i]) {
      inputs[i] = images.inputs[i];
      continue;
    }
    LUTRA_TRY(OperandImage(driver, node, i, false, &inputs[i]));
    const int8_t* values = nullptr;
    LUTRA_TRY(context.ConstantInput(node, i, &values));
    LUTRA_TRY(AllocateImage(driver, &inputs[i]));
    PackImage(driver.config(), inputs[i], values);
  }
  return LowerAdd(driver, ProblemOf(node, range), inputs[0], inputs[1], images.output, layer);
}

}  // namespace lutra::vta

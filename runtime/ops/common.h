// SPDX-License-Identifier: Apache-2.0
// Checks and small computations that several operator families share. Each check returns the status
// of MicroContext::Refuse, with the rule, when it does not hold.

#pragma once

#include "lutra/fixed_point/activation.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"
#include "lutra/micro_context.h"
#include "runtime/fixed_point/scale_ratio.h"

namespace lutra {

// `shape` with ones put in front until it has `rank` dimensions. rank >= shape.rank.
inline Shape ExtendedShape(const Shape& shape, int rank) {
  Shape extended;
  extended.rank = rank;
  const int ones = rank - shape.rank;
  for (int i = 0; i < rank; ++i) extended.dims[i] = i < ones ? 1 : shape.dims[i - ones];
  return extended;
}

// The operand as Input(i) or, for OutputOperand(i), Output(i).
TensorInfo OperandInfo(const MicroContext& context, int operand);

// The operand's type is `type`. An operand of uint8 is refused by Rule::kUint8.
Status RequireType(PrepareContext& context, int operand, TensorType type);
// Both have one type.
Status RequireSameType(PrepareContext& context, int operand_a, int operand_b);
// The operand has this shape.
Status RequireShape(PrepareContext& context, int operand, const Shape& shape);
Status RequireRank(PrepareContext& context, int operand, int min_rank, int max_rank);
Status RequireConstant(PrepareContext& context, int input);
// The operand has one finite scale above 0 and a zero point in its type's range (0 for int16 and
// int32 is not demanded here).
Status RequirePerTensor(PrepareContext& context, int operand);
// The same holds for a list of scales, one for each element of the quantised dimension, with as many zero
// points or one for all. *per_axis: whether there is more than one scale.
Status RequirePerTensorOrAxis(PrepareContext& context, int operand, bool* per_axis);
// Both have the same per-tensor scale (to the bit) and zero point.
Status RequireSameQuantization(PrepareContext& context, int operand_a, int operand_b);
// The operand's quantisation is exactly this.
Status RequireQuantization(PrepareContext& context, int operand, float scale, int32_t zero_point);

// Makes a Multiplier of `real`. Refuses it, with `operand` to blame, unless 0 <= real < 2^31.
Status RequireMultiplier(PrepareContext& context, int operand, double real, Multiplier* multiplier);
// Does the same for a ratio of scales times a factor of 0 or more, without double arithmetic.
Status RequireMultiplier(PrepareContext& context, int operand, const ScaleRatio& ratio, float factor,
                         Multiplier* multiplier);

// Clamps for a fused activation of an int8 output; TANH and SIGN_BIT are refused.
Status Int8ActivationRange(PrepareContext& context, Activation activation, const TensorInfo& output,
                           ActivationRange* range);
// Clamps for a fused activation of a float32 output.
struct FloatRange {
  float min;
  float max;
};
Status FloatActivationRange(PrepareContext& context, Activation activation, FloatRange* range);

// Shape of the result of broadcasting a and b (NumPy's rule); false if they do not fit.
bool BroadcastShape(const Shape& a, const Shape& b, Shape* result);

// Says of which elements of two inputs an output's element i is made. Bit i is set if input i has fewer
// elements than the output.
enum class Pairing : uint8_t {
  kElements = 0,     // Of both elements i.
  kFirstIsOne = 1,   // Of input 0's only element and element i of input 1.
  kSecondIsOne = 2,  // Of element i of input 0 and input 1's only element.
  kBroadcast = 3,    // The shapes say which (broadcast.h).
};
// Checks that output 0 has the shape that inputs 0 and 1 broadcast to. Declares element-wise those inputs of
// which an output element i needs element i, unless the pairing is kBroadcast.
Status PrepareBroadcast(PrepareContext& context, Pairing* pairing);
// The output may take the place of the input, element by element; both are of equal size.
Status DeclareElementwise(PrepareContext& context, int input, int output);

// Reads the node's options by a function of model.h; refused if they are not the operator's.
template <typename Options>
Status ReadOptions(PrepareContext& context, bool (*read)(const NodeInfo&, Options*), Options* options) {
  return read(context.node_info(), options) ? Status::kOk : context.Refuse(Rule::kOptionsMissing);
}

// Reads the options of a custom operator; refused unless all are there.
Status RequireCustomOptions(PrepareContext& context, Span<const CustomOption> options);
// An option has a value of min to max.
Status RequireOption(PrepareContext& context, int32_t value, int32_t min, int32_t max);

// Turns a negative axis into a positive one. False if it is outside [-rank, rank).
bool NormalizeAxis(int32_t axis, int32_t rank, int32_t* normalized);
// The same; an axis outside is refused, with `operand` to blame.
Status RequireAxis(PrepareContext& context, int operand, int32_t axis, int32_t rank, int32_t* normalized);

// One spatial dimension of a window: TFLite's SAME and VALID rules.
struct WindowSize {
  int32_t out = 0;
  int32_t pad_before = 0;
};
// False if any size is below 1, the output would be empty, or a product leaves int32.
bool ComputeWindow(Padding padding, int32_t in, int32_t window, int32_t stride, int32_t dilation,
                   WindowSize* size);

// Reads a constant list of int32 or int64 values (paddings, shapes, axes...) that fit int32.
// There may be at most `capacity` values.
Status ReadConstantInts(PrepareContext& context, int input, int32_t capacity, int32_t* values,
                        int32_t* count);
// Reads exactly `count` of them.
Status ReadConstantList(PrepareContext& context, int input, int32_t count, int32_t* values);
// Reads a constant axis of a tensor of this rank.
Status ReadConstantAxis(PrepareContext& context, int input, int32_t rank, int32_t* axis);
// Returns element i of an operand of int32 or int64, in eval.
int64_t IntegerInput(const EvalContext& context, int input, int32_t i);

// Codes of an int8 layer with weights: its input's, its output's and their clamps.
Status PrepareConvQuantization(PrepareContext& context, int input, Activation activation,
                               ConvQuantization* quantization);

}  // namespace lutra

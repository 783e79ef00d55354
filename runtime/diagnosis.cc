// SPDX-License-Identifier: Apache-2.0

#include "runtime/diagnosis.h"

namespace lutra {
namespace {

constexpr char kReExport[] = "export the model again from its source";
constexpr char kReConvert[] = "convert the model again with full int8 quantisation";
constexpr char kCheckOptions[] = "mend the operator in the source model and convert again";

struct Entry {
  Rule rule;
  RuleText text;
};

constexpr Entry kTexts[] = {
    {Rule::kNone, {"none", "nothing is wrong", "nothing"}},
    {Rule::kFileTooShort,
     {"file-size", "a .tflite file has at least a FlatBuffer header", "check that the file is complete"}},
    {Rule::kFileIdentifier,
     {"file-identifier", "bytes 4 to 7 of a .tflite file read TFL3", "check that this is a .tflite model"}},
    {Rule::kFileVersion, {"file-version", "the schema version is 3", kReExport}},
    {Rule::kFlatbuffer,
     {"flatbuffer", "every offset in the file stays inside it",
      "check that the file is complete; "
      "export it again"}},
    {Rule::kSubgraphCount, {"subgraph-count", "a model has at least one subgraph", kReExport}},
    {Rule::kBufferIndex, {"buffer-index", "every buffer index is below the number of buffers", kReExport}},
    {Rule::kBufferExternal,
     {"buffer-external", "constants lie inside the FlatBuffer",
      "export without external or over-large buffers"}},
    {Rule::kOperatorCodeIndex, {"opcode-index", "every operator names an existing operator code", kReExport}},
    {Rule::kTensorIndex, {"tensor-index", "every tensor index is below the number of tensors", kReExport}},
    {Rule::kTooMany, {"too-many", "at most 65,534 tensors and operators in all", "split the model"}},
    {Rule::kTensorType, {"tensor-type", "the type is one that TFLite defines with a fixed size", kReExport}},
    {Rule::kTensorRank,
     {"tensor-rank", "a tensor has at most 8 dimensions", "reshape the tensor in the source model"}},
    {Rule::kTensorDimension,
     {"tensor-dimension", "every dimension is at least 1",
      "give dynamic dimensions a size and convert again"}},
    {Rule::kTensorSize,
     {"tensor-size", "a tensor has fewer than 2^31 bytes", "split the tensor in the source model"}},
    {Rule::kConstantSize, {"constant-size", "a constant's buffer holds all bytes of its shape", kReExport}},
    {Rule::kSparse,
     {"sparse", "constants are stored densely", "convert without sparsity, or densify the model"}},
    {Rule::kScaleValue, {"scale-value", "every scale is finite and above 0", kReConvert}},
    {Rule::kZeroPointValue, {"zero-point-value", "a zero point lies in the range of its type", kReConvert}},
    {Rule::kNotProduced, {"not-produced", "a tensor is written before it is read", kReExport}},
    {Rule::kProducedTwice, {"produced-twice", "a tensor is written by one operator only", kReExport}},
    {Rule::kConstantWritten, {"constant-written", "constants and graph inputs are not written", kReExport}},
    {Rule::kGraphOutput,
     {"graph-output", "a graph output is a tensor that some operator writes, an input or a constant",
      kReExport}},
    {Rule::kRecursion, {"recursion", "a subgraph does not call itself", kReExport}},
    {Rule::kOperatorUnknown,
     {"operator-unknown", "the operator is one of those built into this runtime",
      "see --inspect for all of them; replace the operator, or add it to the op list"}},
    {Rule::kOptionsMissing, {"options-missing", "the operator carries its own kind of options", kReExport}},
    {Rule::kInputCount, {"input-count", "the number of inputs is the operator's", kReExport}},
    {Rule::kOutputCount, {"output-count", "the number of outputs is the operator's", kReExport}},
    {Rule::kInputMissing, {"input-missing", "this input is not optional", kReExport}},
    {Rule::kOperandType, {"operand-type", "the operand has a type that the operator takes here", kReConvert}},
    {Rule::kTypesDiffer, {"types-differ", "these operands have the same type", kReConvert}},
    {Rule::kUint8,
     {"uint8", "activations are int8; this is a model of the older uint8 quantisation", kReConvert}},
    {Rule::kHybrid,
     {"hybrid",
      "activations and weights are both int8 or both float32; this is a hybrid (dynamic range) model",
      kReConvert}},
    {Rule::kOperandRank, {"operand-rank", "the operand has a rank that the operator takes", kCheckOptions}},
    {Rule::kOperandShape,
     {"operand-shape", "the operand's shape follows from the other operands and the options", kReExport}},
    {Rule::kBroadcast, {"broadcast", "shapes are equal, or 1, aligned from the right", kCheckOptions}},
    {Rule::kElementCount, {"element-count", "input and output have the same number of elements", kReExport}},
    {Rule::kConstantRequired,
     {"constant-required", "this operand is a constant", "make it a constant in the source model"}},
    {Rule::kQuantizationMissing,
     {"quantization-missing", "the tensor has a scale and a zero point", kReConvert}},
    {Rule::kPerTensorRequired, {"per-tensor-required", "the tensor has one scale", kReConvert}},
    {Rule::kScaleCount, {"scale-count", "there is one scale, or one for each channel", kReConvert}},
    {Rule::kQuantizedDimension, {"quantized-dimension", "the channel axis is the operator's", kReConvert}},
    {Rule::kSameQuantization,
     {"same-quantization", "these operands have the same scale and zero point", kReConvert}},
    {Rule::kFixedOutputQuantization,
     {"fixed-output-quantization",
      "the output's scale and zero point are those that the specification fixes for this operator",
      kReConvert}},
    {Rule::kZeroPointZero, {"zero-point-zero", "the zero point is 0", kReConvert}},
    {Rule::kBiasScale, {"bias-scale", "the bias scale is input scale times weight scale", kReConvert}},
    {Rule::kMultiplierRange,
     {"multiplier-range", "the rescaling factor that follows from the scales is in the operator's range",
      kReConvert}},
    {Rule::kScaleRange, {"scale-range", "the scale is in the operator's range", kReConvert}},
    {Rule::kActivation, {"activation", "the fused activation is one that the operator takes", kCheckOptions}},
    {Rule::kWindow,
     {"window", "strides, dilations and window sizes are at least 1 and fit the input", kCheckOptions}},
    {Rule::kAxis, {"axis", "the axis is below the rank", kCheckOptions}},
    {Rule::kIndex, {"index", "constant indices are below the dimension they index", kCheckOptions}},
    {Rule::kPermutation, {"permutation", "every axis occurs once", kCheckOptions}},
    {Rule::kPaddings, {"paddings", "paddings and crops are not negative and fit the shapes", kCheckOptions}},
    {Rule::kBlockSize, {"block-size", "the block is at least 1 and divides the dimension", kCheckOptions}},
    {Rule::kSplitSizes, {"split-sizes", "the sizes add up to the dimension", kCheckOptions}},
    {Rule::kSliceRange, {"slice-range", "the slice lies inside the input", kCheckOptions}},
    {Rule::kResizeMode,
     {"resize-mode", "align_corners and half_pixel_centers are not both set", kCheckOptions}},
    {Rule::kResizeRange,
     {"resize-range", "the fixed-point scale keeps every row and column inside the image",
      "resize in two steps, or with half_pixel_centers"}},
    {Rule::kVariable,
     {"variable", "a resource is created by VAR_HANDLE in the same subgraph, with one type and size",
      kReExport}},
    {Rule::kStateVariable, {"state-variable", "the state is a variable tensor", kReExport}},
    {Rule::kOptionValue, {"option-value", "the option has a value that the operator takes", kCheckOptions}},
    {Rule::kAccumulator,
     {"accumulator", "sums of products fit 32 bits", "make the reduced dimension smaller"}},
    {Rule::kArenaTooSmall,
     {"arena-too-small", "the arena holds records, activations and scratch", "give a larger arena"}},
    {Rule::kOfflinePlanSize,
     {"offline-plan-size", "OfflineMemoryAllocation has one offset for each tensor",
      "make the plan again, or drop the metadata"}},
    {Rule::kOfflinePlanOffset,
     {"offline-plan-offset", "planned offsets are multiples of 16, not negative, and not given to constants",
      "make the plan again, or drop the metadata"}},
    {Rule::kOfflinePlanOverlap,
     {"offline-plan-overlap", "two tensors that are alive at once do not overlap",
      "make the plan again, or drop the metadata"}},
    {Rule::kRuntimeIndex,
     {"runtime-index", "an index computed at run time is inside its dimension",
      "check the data that the model was given"}},
    {Rule::kRuntimeDivisor,
     {"runtime-divisor", "a divisor is not zero", "check the data that the model was given"}},
};

}  // namespace

RuleText Describe(Rule rule) {
  for (const Entry& entry : kTexts) {
    if (entry.rule == rule) return entry.text;
  }
  return {"unknown", "the rule is known", "report this"};
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Properties of nodes, each with a short text.

#include "conformance/oracle/traits.h"

#include <algorithm>

namespace lutra::conformance::oracle {
namespace {

bool FromInt8ToInt8(const Node& node) {
  return node.has_input(0) && node.output_count() > 0 && node.input(0).type == kInt8 &&
         node.output(0).type == kInt8;
}

bool ToInt8(const Node& node) { return node.output_count() > 0 && node.output(0).type == kInt8; }

bool SecondZeroPointIsZero(const Node& node) {
  return node.has_input(1) && QuantizationOf(node.input(1)).zero_point == 0;
}

bool HasInt4Weights(const Node& node) { return node.has_input(1) && node.input(1).type == kInt4; }

// Returns whether every second row begins within a byte.
bool HasOddInt4Rows(const Node& node) {
  return HasInt4Weights(node) && !node.input(1).shape.empty() && node.input(1).shape.back() % 2 == 1;
}

// Returns whether the filter of TRANSPOSE_CONV is smaller than the stride on an axis: then nothing is cut off
// there, but elements get no product.
bool FilterIsSmallerThanStride(const Node& node) {
  const auto* options = node.op().builtin_options.AsTransposeConvOptions();
  constexpr int8_t kSame = 0;
  if (options == nullptr || options->padding != kSame || !node.has_input(1)) return false;
  const Shape& filter = node.input(1).shape;  // [output channel, y, x, input channel]
  return filter.size() == 4 && (filter[1] < options->stride_h || filter[2] < options->stride_w);
}

bool ShapesAreEqual(const Node& node) {
  return node.has_input(0) && node.has_input(1) && node.input(0).shape == node.input(1).shape;
}

bool HasOneWeightScale(const Node& node) {
  return node.has_input(1) && node.input(1).quantization != nullptr &&
         node.input(1).quantization->scale.size() == 1;
}

bool IsBatchOfOne(const Node& node) {
  return node.has_input(0) && !node.input(0).shape.empty() && node.input(0).shape[0] == 1;
}

bool IsOfRankFour(const Node& node) { return node.has_input(0) && node.input(0).shape.size() == 4; }

bool KeepsTheScale(const Node& node) {
  if (!node.has_input(0) || node.output_count() == 0) return false;
  const Quantization in = QuantizationOf(node.input(0)), out = QuantizationOf(node.output(0));
  return in.scale == out.scale && in.zero_point == out.zero_point;
}

bool HasGroups(const Node& node) {
  return node.has_input(0) && node.has_input(1) && node.input(0).shape.size() == 4 &&
         node.input(1).shape.size() == 4 && node.input(0).shape[3] != node.input(1).shape[3];
}

bool IsDilated(const Node& node) {
  if (const auto* conv = node.op().builtin_options.AsConv2DOptions()) {
    return conv->dilation_h_factor > 1 || conv->dilation_w_factor > 1;
  }
  const auto* depthwise = node.op().builtin_options.AsDepthwiseConv2DOptions();
  return depthwise != nullptr && (depthwise->dilation_h_factor > 1 || depthwise->dilation_w_factor > 1);
}

constexpr Trait kTraits[] = {
    {"int8 becomes int8", FromInt8ToInt8},
    {"the output is int8", ToInt8},
    {"the second operand's zero point is 0", SecondZeroPointIsZero},
    {"padding is SAME and the filter smaller than the stride", FilterIsSmallerThanStride},
    {"the weights are int4", HasInt4Weights},
    {"the weights are int4 in rows of an odd length", HasOddInt4Rows},
    {"both operands have one shape", ShapesAreEqual},
    {"the second operand has one scale", HasOneWeightScale},
    {"input and output have one scale and zero point", KeepsTheScale},
    {"the filter sees some of the channels", HasGroups},
    {"the filter is dilated", IsDilated},
    {"the input has four dimensions", IsOfRankFour},
    {"the first dimension is 1", IsBatchOfOne},
};

}  // namespace

std::span<const Trait> AllTraits() { return kTraits; }

const Trait* FindTrait(std::string_view name) {
  const auto found = std::find_if(std::begin(kTraits), std::end(kTraits),
                                  [name](const Trait& trait) { return trait.name == name; });
  return found == std::end(kTraits) ? nullptr : found;
}

}  // namespace lutra::conformance::oracle

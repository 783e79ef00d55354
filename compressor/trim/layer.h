// SPDX-License-Identifier: Apache-2.0
// A layer with weights as sums of products: CONV_2D, DEPTHWISE_CONV_2D or FULLY_CONNECTED.
//
//   if (const auto layer = ReadLayer(model, node)) {
//     const CodeRange codes = layer->CodesOf(output, ranges_of_input);
//     const auto moved = layer->ContributionOf(output, position, code);  // A constant input adds this.
//   }

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compressor/trim/code_range.h"
#include "lutra/builtin_operator.h"
#include "lutra/model.h"
#include "lutra/node_info.h"

namespace lutra::compressor {

// Taps [first, last] of a window's rows or columns lie within the image; none where first > last.
struct TapSpan {
  int32_t first = 0;
  int32_t last = 0;
  friend bool operator==(const TapSpan&, const TapSpan&) = default;
  friend auto operator<=>(const TapSpan&, const TapSpan&) = default;
};

// One dimension of a window.
struct WindowDimension {
  int32_t in = 1;
  int32_t out = 1;
  int32_t taps = 1;
  int32_t stride = 1;
  int32_t dilation = 1;
  Padding padding = Padding::kValid;
};
// Every span of taps that some output has.
std::vector<TapSpan> SpansOf(const WindowDimension& window);

class Layer {
 public:
  int node = 0;
  BuiltinOperator code = BuiltinOperator::kCustom;
  int32_t input = 0, weights = 0, bias = -1, output = 0;  // Tensors; bias -1: there is none.
  int32_t outputs = 0;                                    // Channels.
  int32_t depth = 0;      // Weights of an output at one tap: one for DEPTHWISE_CONV_2D.
  int32_t positions = 0;  // The input's last dimension.
  int32_t depth_multiplier = 1;
  int32_t rows = 1, columns = 1;  // Of the window.
  CodeScale in, out;
  ActivationRange clamps = {};
  std::span<const int8_t> values;  // The weights.
  std::vector<float> scales;       // One for each output.
  std::vector<int32_t> biases;     // One for each output.
  std::vector<TapSpan> row_spans, column_spans;

  bool is_depthwise() const { return code == BuiltinOperator::kDepthwiseConv2D; }
  int32_t taps() const { return rows * columns; }
  int64_t IndexOf(int32_t output, int32_t tap, int32_t i) const {
    if (is_depthwise()) return int64_t{tap} * outputs + output;
    return (int64_t{output} * taps() + tap) * depth + i;
  }
  // The position of the input that the i-th weight of an output reads.
  int32_t PositionOf(int32_t output, int32_t i) const {
    return is_depthwise() ? output / depth_multiplier : i % positions;
  }

  // The codes of an output's channel; `input`: those of each position.
  CodeRange CodesOf(int32_t output, std::span<const CodeRange> input) const;
  // Returns whether any weight from this position is not 0. Not for DEPTHWISE_CONV_2D.
  bool Reads(int32_t output, int32_t position) const;
  // Returns how much a position that is always `code` adds to the sums of an output; empty if windows that
  // reach over the edge get another amount. Not for DEPTHWISE_CONV_2D.
  std::optional<int64_t> ContributionOf(int32_t output, int32_t position, int32_t code) const;
};

// Constants that are never written: tensors with data that are no inputs of the graph.
class FixedTensors {
 public:
  explicit FixedTensors(const Model& model);
  bool Has(int32_t tensor) const { return tensor >= 0 && is_fixed_[static_cast<size_t>(tensor)]; }

 private:
  std::vector<bool> is_fixed_;
};

// The scale of an int8 activation; empty for any other tensor, and for one that is compressed or a variable.
std::optional<CodeScale> CodeScaleOf(const TensorInfo& tensor);

// Empty for other operators, and for layers of other types or forms.
std::optional<Layer> ReadLayer(const Model& model, int node, const FixedTensors& fixed);

}  // namespace lutra::compressor

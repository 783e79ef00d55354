// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV sum products over windows.
//
//   sum[c] = bias[c] + sum over the window, inside the image only, of filter * (q - z_in)
//   code = requantised with s_in * s_filter[c] / s_out, both products in double

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// O-CONV rounds by DRU; but grouped convolutions use the reference kernel, which rounds by DR.
constexpr ArithmeticRule kConvOptimized = {"O-CONV", Method::kOptimized, Rounding::kDoubleUp};
// CH8 rounds channels below 8 * floor(C / 8) by DRU, the others by DR.
constexpr ArithmeticRule kCh8 = {"CH8", Method::kOptimized, Rounding::kDoubleUp};

// Refuses all types but int8 for the image at `input`, the filter and the output; if the image is the first
// input, the filter may be int4.
void RequireInt8Image(const Node& node, int input) {
  for (const edit::TensorT* tensor : {&node.input(input), &node.input(1), &node.output(0)}) {
    const bool may_be_int4 = tensor == &node.input(1) && input == 0;
    if (tensor->type != kInt8 && !(may_be_int4 && tensor->type == kInt4))
      node.Refuse("only int8 is specified");
  }
}

// Turns the sums of each channel into codes.
class Channels {
 public:
  Channels(const Node& node, const ArithmeticRule& rule, const edit::TensorT& input,
           const edit::TensorT& filter, int count, int8_t activation) {
    const std::vector<float> scales = ScalesOf(filter, count);
    for (int c = 0; c < count; ++c) {
      ArithmeticRule here = rule;
      // These channels remain after a loop over eight channels at a time.
      if (rule.method == Method::kOptimized && c >= count / 8 * 8) here = kDr;
      requantizers_.emplace_back(here, QuantizationOf(input).scale, scales[static_cast<size_t>(c)],
                                 QuantizationOf(node.output(0)), activation);
    }
  }
  // `sums`: the sums of all channels of a pixel, pixel by pixel.
  Codes Apply(Codes sums) const {
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = requantizers_[i % requantizers_.size()].Apply(sums[i]);
    return sums;
  }

 private:
  std::vector<Requantizer> requantizers_;
};

// Returns the input's codes less its zero point.
Codes CentredOf(const Node& node, int input) {
  Codes codes = node.Get(input);
  for (int64_t& q : codes) q -= QuantizationOf(node.input(input)).zero_point;
  return codes;
}

Codes BiasOf(const Node& node, int input, int channels) {
  return node.has_input(input) ? node.Get(input) : Codes(static_cast<size_t>(channels), 0);
}

template <typename Options>
void EvalWindows(const Node& node, const ArithmeticRule& rule, const Options& options, bool depthwise) {
  RequireInt8Image(node, 0);
  const Image out = ImageOf(node, node.output(0));
  const Channels channels(node, rule, node.input(0), node.input(1), out.channels,
                          options.fused_activation_function);
  const Codes sums = ConvolutionSums(node, WindowsOfFilter(node, options), depthwise, CentredOf(node, 0),
                                     node.Get(1), BiasOf(node, 2, out.channels));
  node.Put(0, channels.Apply(sums));
}

void EvalConv2D(const Node& node, const ArithmeticRule& rule) {
  const bool has_groups = ImageOf(node, node.input(0)).channels > ImageOf(node, node.input(1)).channels;
  const ArithmeticRule here = rule.method != Method::kOptimized ? rule : has_groups ? kDr : kDru;
  EvalWindows(node, here, OptionsOf(node.op().builtin_options.AsConv2DOptions()), false);
}

void EvalDepthwiseConv2D(const Node& node, const ArithmeticRule& rule) {
  EvalWindows(node, rule, OptionsOf(node.op().builtin_options.AsDepthwiseConv2DOptions()), true);
}

// The inputs are the output's shape, the filter [output channel, y, x, input channel], the image, and the
// bias.
void EvalTransposeConv(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsTransposeConvOptions());
  RequireInt8Image(node, 2);
  const int count = ImageOf(node, node.output(0)).channels;
  const Channels channels(node, rule, node.input(2), node.input(1), count, options.fused_activation_function);
  node.Put(0, channels.Apply(TransposedSums(node, CentredOf(node, 2), node.Get(1), BiasOf(node, 3, count))));
}

constexpr Operator kConvolutionRows[] = {
    {BuiltinOperator::CONV_2D, {"xwb", "x"}, {kDr, kSr, kDru, kDbl, kFp32, kConvOptimized, kV16}, EvalConv2D},
    {BuiltinOperator::DEPTHWISE_CONV_2D,
     {"xwb", "x"},
     {kDr, kSr, kDru, kDbl, kFp32, kCh8},
     EvalDepthwiseConv2D},
    {BuiltinOperator::TRANSPOSE_CONV, {"pwxb", "x"}, {kDr, kSr, kDru, kDbl, kFp32, kCh8}, EvalTransposeConv},
};

}  // namespace

// Filters are [output channel, y, x, input channel of the group], or [1, y, x, output channel] if each input
// channel is a group.
Codes ConvolutionSums(const Node& node, const Windows& windows, bool depthwise, const Codes& x,
                      const Codes& w, const Codes& bias) {
  const Image in = ImageOf(node, node.input(0));
  const Image out = ImageOf(node, node.output(0));
  const Image filter = ImageOf(node, node.input(1));
  const int depth = depthwise ? 1 : filter.channels;
  if (depth == 0 || in.channels == 0 || in.channels % depth != 0)
    node.Refuse("no channels, or no whole groups");
  const int groups = in.channels / depth;
  const int outputs = depthwise ? filter.channels : filter.batches;
  if (outputs != out.channels || out.channels % groups != 0) node.Refuse("a filter of other channels");
  if (in.batches != out.batches) node.Refuse("images of another number");
  if (bias.size() != static_cast<size_t>(out.channels)) node.Refuse("a bias of other channels");
  const int per_group = out.channels / groups;
  return ElementsOf(out, [&](int b, int oy, int ox, int oc) {
    int64_t sum = bias[static_cast<size_t>(oc)];
    const int first = oc / per_group * depth;
    windows.ForEachTap(oy, ox, [&](int iy, int ix, int fy, int fx) {
      for (int ic = 0; ic < depth; ++ic) {
        const size_t at = depthwise ? filter.At(0, fy, fx, oc) : filter.At(oc, fy, fx, ic);
        sum += w[at] * x[in.At(b, iy, ix, first + ic)];
      }
    });
    return sum;
  });
}

// The windows are those of a convolution from output to input.
Codes TransposedSums(const Node& node, const Codes& x, const Codes& w, const Codes& bias) {
  const auto& options = OptionsOf(node.op().builtin_options.AsTransposeConvOptions());
  const Image in = ImageOf(node, node.input(2));
  const Image out = ImageOf(node, node.output(0));
  const Image filter = ImageOf(node, node.input(1));
  if (filter.batches != out.channels || filter.channels != in.channels || in.batches != out.batches ||
      bias.size() != static_cast<size_t>(out.channels)) {
    node.Refuse("images, filter and bias of other channels");
  }
  // These are the windows of the convolution that makes an image from the output.
  const Windows windows(options, out, filter.height, filter.width);
  Codes sums = ElementsOf(out, [&](int, int, int, int c) { return bias[static_cast<size_t>(c)]; });
  for (int b = 0; b < in.batches; ++b) {
    for (int iy = 0; iy < in.height; ++iy) {
      for (int ix = 0; ix < in.width; ++ix) {
        windows.ForEachTap(iy, ix, [&](int oy, int ox, int fy, int fx) {
          for (int oc = 0; oc < out.channels; ++oc) {
            for (int ic = 0; ic < in.channels; ++ic) {
              sums[out.At(b, oy, ox, oc)] += w[filter.At(oc, fy, fx, ic)] * x[in.At(b, iy, ix, ic)];
            }
          }
        });
      }
    }
  }
  return sums;
}

const OperatorFamily kConvolutionOperators = kConvolutionRows;

}  // namespace lutra::conformance::oracle

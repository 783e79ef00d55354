// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV: sums of products over windows.
//
//   sum[c] = bias[c] + sum over the window, inside the image only, of filter * (q - z_in)
//   code = requantised with s_in * s_filter[c] / s_out, both products in double

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// DRU; but grouped convolutions take the reference kernel, DR.
constexpr ArithmeticRule kConvOptimized = {"O-CONV", Method::kOptimized, Rounding::kDoubleUp};
// CH8: channels below 8 * floor(C / 8) DRU, the rest DR.
constexpr ArithmeticRule kCh8 = {"CH8", Method::kOptimized, Rounding::kDoubleUp};

struct Image {
  int batches, height, width, channels;
  size_t At(int b, int y, int x, int c) const {
    return static_cast<size_t>(((b * height + y) * width + x) * channels + c);
  }
  bool Has(int y, int x) const { return y >= 0 && y < height && x >= 0 && x < width; }
};

Image ImageOf(const Node& node, const edit::TensorT& tensor) {
  if (tensor.shape.size() != 4) node.Refuse("\"" + tensor.name + "\" has not four dimensions");
  return {tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.shape[3]};
}

// SAME: the extra element goes behind. 1.11 of the digest: total = max(0, (out - 1) * stride + eff - in).
int PaddingBefore(int8_t padding, int in, int out, int filter, int stride, int dilation) {
  constexpr int8_t kValid = 1;
  if (padding == kValid) return 0;
  const int total = (out - 1) * stride + (filter - 1) * dilation + 1 - in;
  return total > 0 ? total / 2 : 0;
}

// What a channel's sum becomes.
class Channels {
 public:
  Channels(const Node& node, const ArithmeticRule& rule, const edit::TensorT& input,
           const edit::TensorT& filter, int count, int8_t activation) {
    const std::vector<float> scales = ScalesOf(filter, count);
    for (int c = 0; c < count; ++c) {
      ArithmeticRule here = rule;
      // The tail of a loop over eight channels.
      if (rule.method == Method::kOptimized && c >= count / 8 * 8) here = kDr;
      requantizers_.emplace_back(here, QuantizationOf(input).scale, scales[static_cast<size_t>(c)],
                                 QuantizationOf(node.output(0)), activation);
    }
  }
  int64_t Apply(int channel, int64_t sum) const {
    return requantizers_[static_cast<size_t>(channel)].Apply(sum);
  }

 private:
  std::vector<Requantizer> requantizers_;
};

Codes BiasOf(const Node& node, int input, int channels) {
  return node.has_input(input) ? node.Get(input) : Codes(static_cast<size_t>(channels), 0);
}

void EvalConv2D(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsConv2DOptions());
  const Image in = ImageOf(node, node.input(0));
  const Image out = ImageOf(node, node.output(0));
  const Image filter = ImageOf(node, node.input(1));  // [output channel, y, x, input channel of the group]
  const Codes x = node.Get(0), w = node.Get(1), bias = BiasOf(node, 2, out.channels);
  const int64_t z = QuantizationOf(node.input(0)).zero_point;
  const int groups = in.channels / filter.channels;
  const int per_group = out.channels / groups;
  const ArithmeticRule here = rule.method != Method::kOptimized ? rule : groups > 1 ? kDr : kDru;
  const Channels channels(node, here, node.input(0), node.input(1), out.channels,
                          options.fused_activation_function);
  const int top = PaddingBefore(options.padding, in.height, out.height, filter.height, options.stride_h,
                                options.dilation_h_factor);
  const int left = PaddingBefore(options.padding, in.width, out.width, filter.width, options.stride_w,
                                 options.dilation_w_factor);
  Codes y(static_cast<size_t>(ElementCount(node.output(0).shape)));
  for (int b = 0; b < out.batches; ++b) {
    for (int oy = 0; oy < out.height; ++oy) {
      for (int ox = 0; ox < out.width; ++ox) {
        for (int oc = 0; oc < out.channels; ++oc) {
          int64_t sum = bias[static_cast<size_t>(oc)];
          const int first_channel = oc / per_group * filter.channels;
          for (int fy = 0; fy < filter.height; ++fy) {
            const int iy = oy * options.stride_h - top + fy * options.dilation_h_factor;
            for (int fx = 0; fx < filter.width; ++fx) {
              const int ix = ox * options.stride_w - left + fx * options.dilation_w_factor;
              if (!in.Has(iy, ix)) continue;
              for (int ic = 0; ic < filter.channels; ++ic) {
                sum += w[filter.At(oc, fy, fx, ic)] * (x[in.At(b, iy, ix, first_channel + ic)] - z);
              }
            }
          }
          y[out.At(b, oy, ox, oc)] = channels.Apply(oc, sum);
        }
      }
    }
  }
  node.Put(0, y);
}

void EvalDepthwiseConv2D(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsDepthwiseConv2DOptions());
  const Image in = ImageOf(node, node.input(0));
  const Image out = ImageOf(node, node.output(0));
  const Image filter = ImageOf(node, node.input(1));  // [1, y, x, input channel * multiplier + m]
  const Codes x = node.Get(0), w = node.Get(1), bias = BiasOf(node, 2, out.channels);
  const int64_t z = QuantizationOf(node.input(0)).zero_point;
  const int multiplier = out.channels / in.channels;
  const Channels channels(node, rule, node.input(0), node.input(1), out.channels,
                          options.fused_activation_function);
  const int top = PaddingBefore(options.padding, in.height, out.height, filter.height, options.stride_h,
                                options.dilation_h_factor);
  const int left = PaddingBefore(options.padding, in.width, out.width, filter.width, options.stride_w,
                                 options.dilation_w_factor);
  Codes y(static_cast<size_t>(ElementCount(node.output(0).shape)));
  for (int b = 0; b < out.batches; ++b) {
    for (int oy = 0; oy < out.height; ++oy) {
      for (int ox = 0; ox < out.width; ++ox) {
        for (int oc = 0; oc < out.channels; ++oc) {
          int64_t sum = bias[static_cast<size_t>(oc)];
          for (int fy = 0; fy < filter.height; ++fy) {
            const int iy = oy * options.stride_h - top + fy * options.dilation_h_factor;
            for (int fx = 0; fx < filter.width; ++fx) {
              const int ix = ox * options.stride_w - left + fx * options.dilation_w_factor;
              if (!in.Has(iy, ix)) continue;
              sum += w[filter.At(0, fy, fx, oc)] * (x[in.At(b, iy, ix, oc / multiplier)] - z);
            }
          }
          y[out.At(b, oy, ox, oc)] = channels.Apply(oc, sum);
        }
      }
    }
  }
  node.Put(0, y);
}

// Inputs: output shape, filter [output channel, y, x, input channel], image, bias. The padding is that of
// the convolution from output to input.
void EvalTransposeConv(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsTransposeConvOptions());
  const Image in = ImageOf(node, node.input(2));
  const Image out = ImageOf(node, node.output(0));
  const Image filter = ImageOf(node, node.input(1));
  const Codes x = node.Get(2), w = node.Get(1), bias = BiasOf(node, 3, out.channels);
  const int64_t z = QuantizationOf(node.input(2)).zero_point;
  const Channels channels(node, rule, node.input(2), node.input(1), out.channels,
                          options.fused_activation_function);
  const int top = PaddingBefore(options.padding, out.height, in.height, filter.height, options.stride_h, 1);
  const int left = PaddingBefore(options.padding, out.width, in.width, filter.width, options.stride_w, 1);
  Codes sums(static_cast<size_t>(ElementCount(node.output(0).shape)));
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = bias[i % static_cast<size_t>(out.channels)];
  for (int b = 0; b < in.batches; ++b) {
    for (int iy = 0; iy < in.height; ++iy) {
      for (int ix = 0; ix < in.width; ++ix) {
        for (int fy = 0; fy < filter.height; ++fy) {
          for (int fx = 0; fx < filter.width; ++fx) {
            const int oy = iy * options.stride_h - top + fy;
            const int ox = ix * options.stride_w - left + fx;
            if (!out.Has(oy, ox)) continue;
            for (int oc = 0; oc < out.channels; ++oc) {
              for (int ic = 0; ic < in.channels; ++ic) {
                sums[out.At(b, oy, ox, oc)] += w[filter.At(oc, fy, fx, ic)] * (x[in.At(b, iy, ix, ic)] - z);
              }
            }
          }
        }
      }
    }
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = channels.Apply(static_cast<int>(i % static_cast<size_t>(out.channels)), sums[i]);
  }
  node.Put(0, sums);
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

const OperatorFamily kConvolutionOperators = kConvolutionRows;

}  // namespace lutra::conformance::oracle

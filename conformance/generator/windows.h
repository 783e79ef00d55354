// SPDX-License-Identifier: Apache-2.0
// Sizes, scales, weights and biases of layers that sum products, and of pools.
//
//   Convolution c;
//   RandomWindow(random, &c);
//   SetScales(random, c.filter_height * c.filter_width * c.in_channels, 1, &c);
//   Case test = MakeConv2D(random, c);

#pragma once

#include "conformance/generator/model_maker.h"

namespace lutra::conformance {

// Products of an input with weights.
struct Products {
  int8_t type = oracle::kInt8;  // That of input, weights and output; kUint8 is the scheme before int8.
  bool has_bias = true;
  float in_scale = 0.5f, out_scale = 0.5f;
  int64_t in_zero = 0, out_zero = 0, weight_zero = 0;
  std::vector<float> filter_scales = {0.5f};  // One, or one for each output channel.
  Values values = Values::kRandom, weights = Values::kRandom;
  oracle::Bytes codes;          // Not empty: the input, instead of `values`.
  bool int4_weights = false;    // Two to a byte.
  int64_t least_weight = -128;  // The specification allows -127 and more, and converters keep to that.
  oracle::Bytes weight_codes;   // Not empty: instead of `weights`.
  std::vector<int32_t> bias;    // Channels without one: random,
  int32_t largest_bias = 2000;  // up to this one.
  int8_t activation = 0;
};

// Products over windows of an image. FULLY_CONNECTED has `batches` rows of `in_channels` elements.
struct Convolution : Products {
  int batches = 1, height = 4, width = 4, in_channels = 3, out_channels = 4;
  int filter_height = 3, filter_width = 3, stride = 1, dilation = 1;
  bool same = true;
  int groups = 1;
  // The output of TRANSPOSE_CONV may be shorter (SAME) or longer (VALID) than usual, by less than a stride.
  int adjust_height = 0, adjust_width = 0;
  // The steps along a row; 0: those along a column hold for both.
  int stride_across = 0, dilation_across = 0;
  int StrideAcross() const { return stride_across != 0 ? stride_across : stride; }
  int DilationAcross() const { return dilation_across != 0 ? dilation_across : dilation; }
};

const std::vector<int>& ChannelCounts();
// "none", "relu", "relu_n1_to_1", "relu6".
const char* ActivationName(int8_t activation);

// Lists every size with every stride and dilation, padded and not.
std::vector<Convolution> AllWindows();
// "same.stride1", "valid.stride2.dilation3".
std::string WindowName(const Convolution& c);
// Image, channels, activation and values for a window of AllWindows.
void RandomWindow(Random& random, Convolution* c);
// Padding, steps, sizes and activation, as far as an operator's options have them.
template <typename Options>
void SetWindow(const Convolution& c, Options* options) {
  options->padding = c.same ? 0 : 1;
  options->stride_h = c.stride;
  options->stride_w = c.StrideAcross();
  if constexpr (requires { options->dilation_h_factor; }) {
    options->dilation_h_factor = c.dilation;
    options->dilation_w_factor = c.DilationAcross();
  }
  if constexpr (requires { options->filter_height; }) {
    options->filter_height = c.filter_height;
    options->filter_width = c.filter_width;
  }
  options->fused_activation_function = c.activation;
}
int OutputHeight(const Convolution& c);
int OutputWidth(const Convolution& c);

// Scales by which sums of `products` products fill the range of the output; `scales` of them of the weights.
void SetScales(Random& random, int products, int scales, Products* p);
// An output scale of about 2^exponent for weights of one scale: codes reach both sides of clamps.
void SetOutputScale(Random& random, int exponent, Products* p);
// Multipliers near 2^exponent and sums about as large as the output's range then needs.
void SetShift(Random& random, int exponent, int repeat, int channels, Products* p);
// Sets scales whose multiplier is 2^exponent or, with `below`, so little less that its 31 bits round up to
// it. Multipliers below 2^-32 count as 0. The bias is as large as the multiplier needs, up to 2^30.
void SetMultiplier(Random& random, int exponent, bool below, int channels, Products* p);
// Sums whose scaled values are often exact ties.
void SetTies(Random& random, int channels, Products* p);
// Sets biases so that each sum is the bias alone, large, and within a few units of the sum at which the code
// changes. Such sums show in what precision scales are combined.
void SetNearHalves(Random& random, int channels, Products* p);

// ---- Of real sizes.

// Products of the whole case, where each tap of each output pixel has `per_tap` of them.
int64_t ProductsOf(const Convolution& c, int64_t per_tap);
// A window of networks, with batches, activation and padding, for an image and channels that are chosen
// already.
void DrawRealWindow(Random& random, int64_t per_tap, Convolution* c);
// An odd image, channels and a window out of networks.
struct NetworkLayer {
  int height, width, in_channels, out_channels, filter_height, filter_width, stride;
};
void SetLayer(Random& random, const NetworkLayer& layer, Convolution* c);
// A layer of the smoke set, with its further attributes. `across`: 0 if the step along a row is that along a
// column.
struct SmokeLayer {
  NetworkLayer layer;
  int batches = 1, groups = 1, dilation = 1, stride_across = 0, dilation_across = 0;
  bool same = true;
};
void SetSmokeLayer(Random& random, const SmokeLayer& row, Convolution* c);
// Sets codes and weights so that two products exceed int16, and partial sums rise to the largest that `depth`
// products make and fall again; with `wide`, biases take the sums to the ends of int32. Weights are [channel,
// depth] or, with `channels_last`, [depth, channel].
void SetSumEnds(Random& random, int depth, int channels, bool channels_last, bool wide, Products* p);

// ---- Models.

oracle::Shape ImageShape(const Convolution& c);
MadeTensor InputTensor(const Products& p, const oracle::Shape& shape);
MadeTensor OutputTensor(const Products& p, const oracle::Shape& shape);
// The Add functions add tensors with random contents.
int AddWeights(Random& random, const Products& p, const oracle::Shape& shape, int quantized_dimension,
               ModelMaker* maker);
int AddBias(Random& random, const Products& p, int channels, ModelMaker* maker);
// Adds an input of shape `input`, weights of shape `weights` and, if the layer has one, a bias.
std::vector<int> AddOperands(Random& random, const Convolution& c, const oracle::Shape& input,
                             const oracle::Shape& weights, int quantized_dimension, ModelMaker* maker);
// Makes the case of the finished model, with codes for its one input.
Case Finish(Random& random, const Products& p, const oracle::Shape& input, const ModelMaker& maker);
// Does what MakeCodes does, for int8 or uint8.
oracle::Bytes MakeTypedCodes(Random& random, int8_t type, const oracle::Shape& shape,
                             Values values = Values::kRandom, int64_t zero_point = 0);

// Each function makes a model of one layer, and is defined in the file of its operator.
Case MakeConv2D(Random& random, const Convolution& c);
Case MakeDepthwiseConv2D(Random& random, const Convolution& c);
Case MakeFullyConnected(Random& random, const Convolution& c);
Case MakePool(Random& random, const char* op, const Convolution& c);

}  // namespace lutra::conformance

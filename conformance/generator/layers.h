// SPDX-License-Identifier: Apache-2.0
// Graphs of several operators, with scales at which the codes of every layer fill their range. Layers draw
// random numbers, so a call must not have two of them among its arguments: their order is the compiler's.
//
//   Layers net(random);
//   const Layer x = net.Input({1, 6, 6, 3});
//   const Layer y = net.Conv(x, {.channels = 8, .activation = kRelu6});
//   Case test = net.Finish({net.Add(y, net.Conv(y, {.channels = 8}))});

#pragma once

#include "conformance/generator/model_maker.h"

namespace lutra::conformance {

inline constexpr int8_t kRelu = 1, kRelu6 = 3;

struct Layer {
  int tensor = -1;
  oracle::Shape shape;
  float scale = 0;
  int64_t zero_point = 0;
};

struct LayerOptions {
  int channels = 4;
  int filter = 1;
  int stride = 1;
  bool same = true;
  int8_t activation = 0;
  bool per_channel = true;
  const Layer* like = nullptr;  // The output has the scale and zero point of this one.
  int levels = 256;             // Different weights of a channel, at most;
  bool one_table = false;       // the same for all channels.
  bool sparse = false;          // Half of the weights are 0.
  int largest = 127;            // Of weights of few levels.
};

class Layers {
 public:
  explicit Layers(Random& random) : random_(random) {}

  Layer Input(const oracle::Shape& shape);
  Layer InputLike(const Layer& x);
  Layer FloatInput(const oracle::Shape& shape);
  Layer Conv(const Layer& x, const LayerOptions& options);
  Layer Depthwise(const Layer& x, const LayerOptions& options);
  // Twice the height and width; stride 2, filter 2.
  Layer TransposeConv(const Layer& x, const LayerOptions& options);
  Layer FullyConnected(const Layer& x, const LayerOptions& options);
  Layer BatchMatmul(const Layer& x, const Layer& y, bool transpose_y);
  Layer Add(const Layer& a, const Layer& b, int8_t activation = 0, const Layer* like = nullptr);
  Layer Sub(const Layer& a, const Layer& b);
  Layer Mul(const Layer& a, const Layer& b);
  Layer Maximum(const Layer& a, const Layer& b);
  Layer Concatenation(const std::vector<Layer>& parts, int axis);
  Layer MaxPool(const Layer& x, const LayerOptions& options);
  Layer AveragePool(const Layer& x, const LayerOptions& options);
  Layer AverageOfImage(const Layer& x);
  Layer Pad(const Layer& x, int before, int after);
  Layer Mean(const Layer& x, bool keep_dims);
  Layer Reshape(const Layer& x, const oracle::Shape& shape);
  Layer Transpose(const Layer& x, const std::vector<int32_t>& order);
  std::vector<Layer> Split(const Layer& x, int parts);
  Layer Enlarge(const Layer& x, int factor);
  Layer Softmax(const Layer& x);
  Layer Logistic(const Layer& x);
  Layer Tanh(const Layer& x);
  Layer HardSwish(const Layer& x);
  // Quantize goes to another scale, from float32 or int8; Dequantize goes to float32.
  Layer Quantize(const Layer& x);
  Layer Dequantize(const Layer& x);
  // Adds a constant that other layers may use as an operand.
  Layer Constant(const oracle::Shape& shape, int levels, const Layer* like = nullptr);

  // An activation that the caller has written, with the scale and zero point of `x`.
  Layer Like(const Layer& x) { return Activation(x.shape, &x); }
  Layer Like(const Layer& x, const oracle::Shape& shape) { return Activation(shape, &x); }
  // Adds a constant whose elements are all one half.
  Layer Half(const oracle::Shape& shape);
  // Removes the first element along dimension 1.
  Layer Drop(const Layer& x);

  ModelMaker& maker() { return maker_; }
  // Makes a case with these outputs, and random inputs.
  Case Finish(const std::vector<Layer>& outputs);

 private:
  Layer Activation(const oracle::Shape& shape, const Layer* like = nullptr);
  Layer Activation(const oracle::Shape& shape, float scale, int64_t zero_point);
  // Outputs of sums of products and of sums.
  Layer Products(const oracle::Shape& shape, const LayerOptions& options);
  Layer Sums(const Layer& a, const Layer& b, const Layer* like);
  Layer Pool(const char* op, const Layer& x, const LayerOptions& options);
  Layer Unary(const char* op, const Layer& x, float scale, int64_t zero_point);
  oracle::Bytes Weights(const oracle::Shape& shape, int axis, int levels, bool sparse = false,
                        int largest = 127);
  // Weights, and the bias for them.
  std::vector<int> Parameters(const Layer& x, const Layer& y, const oracle::Shape& shape, int axis,
                              const LayerOptions& options);

  Random& random_;
  ModelMaker maker_;
};

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Builds an int8 network layer by layer, and computes it in float32 for the scales.
//
//   NetworkBuilder builder(/*seed=*/1);
//   int x = builder.Input({1, 32, 32, 3});
//   x = builder.Conv(x, {.outputs = 16, .height = 3, .width = 3, .activation = kRelu});
//   std::vector<uint8_t> model = builder.Finish(x);

#pragma once

#include <vector>

#include "host/core/seeded_input.h"
#include "runtime/testing/model_builder.h"

namespace lutra::bench {

inline constexpr int kLinear = 0, kRelu = 1, kRelu6 = 3;

struct LayerShape {
  int outputs = 1;  // Channels.
  int height = 1, width = 1;
  int stride = 1, dilation = 1;
  int activation = kLinear;
};

class NetworkBuilder {
 public:
  explicit NetworkBuilder(uint64_t seed) : seeded_(seed) {}

  // Each returns the tensor that it makes. Windows have the padding SAME; what is not named in `layer` is not
  // used.
  int Input(const std::vector<int>& shape);
  int Conv(int x, const LayerShape& layer);
  int Depthwise(int x, const LayerShape& layer);
  int FullyConnected(int x, int outputs);
  int MaxPool(int x, const LayerShape& layer) { return Pool(x, layer, BuiltinOperator::kMaxPool2D); }
  int AveragePool(int x, const LayerShape& layer) { return Pool(x, layer, BuiltinOperator::kAveragePool2D); }
  int Add(int a, int b, int activation);
  // Over the image.
  int Mean(int x);
  int channels(int x) const { return of(x).shape.back(); }
  // The codes that the tensor should hold for the seeded input. They are near, as they are computed in
  // float32.
  std::vector<int8_t> CodesOf(int x) const;
  std::vector<uint8_t> Finish(int output) { return builder_.Finish({input_}, {output}); }

 private:
  using Floats = std::vector<float>;
  // A tensor's values in float32, as its codes have them.
  struct Values {
    std::vector<int> shape;
    float scale = 0;
    int64_t zero_point = 0;
    Floats floats;
  };
  // Constants are int8 codes times a scale for each channel: [tap][input][output], whatever the file's order
  // is.
  struct Weights {
    Floats floats;
    int filter = 0, bias = 0;
    Floats biases;
  };

  Floats Seeded(size_t count, float most);
  // Chooses scale and zero point by the values, or takes those of the tensor `as` unless it is -1, and rounds
  // the values.
  int AddValues(std::vector<int> shape, Floats floats, int as = -1);
  // `inputs` of a tap; the file has [outputs][taps][inputs], or [taps][outputs] for a depthwise layer.
  Weights AddWeights(int x, const std::vector<int>& shape, int taps, int inputs, int outputs, bool depthwise);
  int Convolve(int x, const LayerShape& layer, bool depthwise);
  int Pool(int x, const LayerShape& layer, BuiltinOperator code);
  const Values& of(int x) const { return values_[static_cast<size_t>(x)]; }

  host::SeededInput seeded_;
  ModelBuilder builder_;
  std::vector<Values> values_;  // By tensor; empty for constants.
  int input_ = 0;
};

}  // namespace lutra::bench

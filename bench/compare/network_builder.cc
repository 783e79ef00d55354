// SPDX-License-Identifier: Apache-2.0
// Computes layers in float32, and adds their tensors and operators to the file.

#include "bench/compare/network_builder.h"

#include <algorithm>
#include <cmath>

namespace lutra::bench {
namespace {

size_t CountOf(const std::vector<int>& shape) {
  size_t count = 1;
  for (const int dim : shape) count *= static_cast<size_t>(dim);
  return count;
}

// One axis of windows with padding SAME.
struct Axis {
  int in, out, before, filter, stride, dilation;

  Axis(int size, int filter_size, int step, int distance)
      : in(size), out((size + step - 1) / step), filter(filter_size), stride(step), dilation(distance) {
    before = std::max(0, (out - 1) * stride + (filter - 1) * dilation + 1 - in) / 2;
  }
  // Returns the position that tap `tap` of window `window` reads; outside the image it is below 0 or at least
  // `in`.
  int At(int window, int tap) const { return window * stride - before + tap * dilation; }
};

struct Windows {
  Windows(const std::vector<int>& shape, const LayerShape& layer)
      : batches(shape[0]),
        channels(shape[3]),
        rows(shape[1], layer.height, layer.stride, layer.dilation),
        columns(shape[2], layer.width, layer.stride, layer.dilation) {}

  // function(output pixel, tap, input pixel) for each tap inside the image, window by window.
  template <typename Function>
  void Visit(const Function& function) const {
    size_t window = 0;
    for (int b = 0; b < batches; ++b) {
      for (int y = 0; y < rows.out; ++y) {
        for (int x = 0; x < columns.out; ++x, ++window) VisitTaps(b, y, x, window, function);
      }
    }
  }
  std::vector<int> OutShape(int outputs) const { return {batches, rows.out, columns.out, outputs}; }

  int batches, channels;
  Axis rows, columns;

 private:
  template <typename Function>
  void VisitTaps(int b, int y, int x, size_t window, const Function& function) const {
    for (int i = 0; i < rows.filter; ++i) {
      const int row = rows.At(y, i);
      if (row < 0 || row >= rows.in) continue;
      for (int j = 0; j < columns.filter; ++j) {
        const int column = columns.At(x, j);
        if (column < 0 || column >= columns.in) continue;
        const auto pixel = (static_cast<size_t>(b) * rows.in + row) * columns.in + column;
        function(window, static_cast<size_t>(i * columns.filter + j), pixel);
      }
    }
  }
};

float Activate(float value, int activation) {
  if (activation == kLinear) return value;
  return std::min(std::max(value, 0.0f), activation == kRelu6 ? 6.0f : INFINITY);
}

}  // namespace

NetworkBuilder::Floats NetworkBuilder::Seeded(size_t count, float most) {
  Floats floats(count);
  seeded_.FillFloat(floats.data(), count);
  for (float& value : floats) value *= most;
  return floats;
}

int NetworkBuilder::AddValues(std::vector<int> shape, Floats floats, int as) {
  TensorSpec spec = {.shape = {shape.begin(), shape.end()}};
  if (as >= 0) {
    spec.scale = of(as).scale;
    spec.zero_point = of(as).zero_point;
  } else {
    const auto [low, high] = std::minmax_element(floats.begin(), floats.end());
    const float least = std::min(*low, 0.0f), most = std::max(*high, 0.0f);
    spec.scale = std::max((most - least) / 255, 1e-6f);
    spec.zero_point = std::lround(-128 - least / spec.scale);
  }
  for (float& value : floats) {
    const auto code = std::clamp<int64_t>(std::lround(value / spec.scale) + spec.zero_point, -128, 127);
    value = static_cast<float>(code - spec.zero_point) * spec.scale;
  }
  const int tensor = builder_.AddTensor(spec);
  values_.resize(static_cast<size_t>(tensor) + 1);
  values_.back() = {std::move(shape), spec.scale, spec.zero_point, std::move(floats)};
  return tensor;
}

std::vector<int8_t> NetworkBuilder::CodesOf(int x) const {
  std::vector<int8_t> codes;
  for (const float value : of(x).floats) {
    codes.push_back(static_cast<int8_t>(std::lround(value / of(x).scale) + of(x).zero_point));
  }
  return codes;
}

int NetworkBuilder::Input(const std::vector<int>& shape) {
  input_ = AddValues(shape, Seeded(CountOf(shape), 1));
  return input_;
}

NetworkBuilder::Weights NetworkBuilder::AddWeights(int x, const std::vector<int>& shape, int taps, int inputs,
                                                   int outputs, bool depthwise) {
  // The values are uniform, with a width that keeps the variance of values, which RELU halves.
  const auto fan_in = static_cast<float>(taps * inputs);
  Weights weights = {.floats = Seeded(CountOf(shape), std::sqrt(6 / fan_in))};
  const auto channels = static_cast<size_t>(outputs);
  Floats scales(channels, 0);
  for (size_t i = 0; i < weights.floats.size(); ++i) {
    scales[i % channels] = std::max(scales[i % channels], std::fabs(weights.floats[i]) / 127);
  }
  // FULLY_CONNECTED has one scale.
  const bool per_channel = shape.size() == 4;
  const float largest = *std::max_element(scales.begin(), scales.end());
  for (float& scale : scales) scale = per_channel ? std::max(scale, 1e-6f) : largest;
  std::vector<int8_t> codes(weights.floats.size());
  const size_t rows = weights.floats.size() / channels;
  for (size_t i = 0; i < weights.floats.size(); ++i) {
    const size_t channel = i % channels, row = i / channels;
    const auto code = static_cast<int8_t>(std::lround(weights.floats[i] / scales[channel]));
    weights.floats[i] = static_cast<float>(code) * scales[channel];
    codes[depthwise ? i : channel * rows + row] = code;
  }
  weights.biases = Seeded(channels, 0.1f);
  std::vector<int32_t> bias(channels);
  Floats bias_scales(channels);
  for (size_t c = 0; c < channels; ++c) {
    bias_scales[c] = of(x).scale * scales[c];
    bias[c] = static_cast<int32_t>(std::lround(weights.biases[c] / bias_scales[c]));
    weights.biases[c] = static_cast<float>(bias[c]) * bias_scales[c];
  }
  TensorSpec filter = {.shape = {shape.begin(), shape.end()}, .data = BytesOf(codes)};
  TensorSpec sums = {.shape = {outputs}, .type = TensorType::kInt32, .data = BytesOf(bias)};
  if (per_channel) {
    filter.channel_scales = scales;
    filter.quantized_dimension = depthwise ? 3 : 0;
    sums.channel_scales = bias_scales;
  } else {
    filter.scale = largest;
    sums.scale = bias_scales[0];
  }
  weights.filter = builder_.AddTensor(filter);
  weights.bias = builder_.AddTensor(sums);
  return weights;
}

int NetworkBuilder::Convolve(int x, const LayerShape& layer, bool depthwise) {
  const Windows windows(of(x).shape, layer);
  const int taps = layer.height * layer.width, outputs = depthwise ? windows.channels : layer.outputs;
  const std::vector<int> shape = {depthwise ? 1 : outputs, layer.height, layer.width, windows.channels};
  const Weights weights = AddWeights(x, shape, taps, depthwise ? 1 : windows.channels, outputs, depthwise);
  const auto channels = static_cast<size_t>(outputs), inputs = static_cast<size_t>(windows.channels);
  const std::vector<int> out_shape = windows.OutShape(outputs);
  Floats sums(CountOf(out_shape));
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = weights.biases[i % channels];
  const float* const in = of(x).floats.data();
  windows.Visit([&](size_t window, size_t tap, size_t pixel) {
    float* const sum = sums.data() + window * channels;
    if (depthwise) {
      const float* const filter = weights.floats.data() + tap * channels;
      for (size_t c = 0; c < channels; ++c) sum[c] += in[pixel * inputs + c] * filter[c];
      return;
    }
    for (size_t i = 0; i < inputs; ++i) {
      const float value = in[pixel * inputs + i];
      const float* const filter = weights.floats.data() + (tap * inputs + i) * channels;
      for (size_t c = 0; c < channels; ++c) sum[c] += value * filter[c];
    }
  });
  for (float& sum : sums) sum = Activate(sum, layer.activation);
  const int y = AddValues(out_shape, std::move(sums));
  builder_.AddOperator(depthwise ? BuiltinOperator::kDepthwiseConv2D : BuiltinOperator::kConv2D,
                       {x, weights.filter, weights.bias}, {y},
                       {.stride = layer.stride,
                        .dilation = layer.dilation,
                        .filter = layer.height,
                        .filter_w = layer.width,
                        .activation = layer.activation});
  return y;
}

int NetworkBuilder::Conv(int x, const LayerShape& layer) { return Convolve(x, layer, false); }
int NetworkBuilder::Depthwise(int x, const LayerShape& layer) { return Convolve(x, layer, true); }

int NetworkBuilder::FullyConnected(int x, int outputs) {
  const int inputs = channels(x);
  const Weights weights = AddWeights(x, {outputs, inputs}, 1, inputs, outputs, false);
  const size_t rows = of(x).floats.size() / static_cast<size_t>(inputs);
  const auto width = static_cast<size_t>(outputs);
  Floats sums;
  for (size_t row = 0; row < rows; ++row) {
    sums.insert(sums.end(), weights.biases.begin(), weights.biases.end());
    for (size_t i = 0; i < static_cast<size_t>(inputs); ++i) {
      const float value = of(x).floats[row * static_cast<size_t>(inputs) + i];
      for (size_t c = 0; c < width; ++c) sums[row * width + c] += value * weights.floats[i * width + c];
    }
  }
  const int y = AddValues({static_cast<int>(rows), outputs}, std::move(sums));
  builder_.AddOperator(BuiltinOperator::kFullyConnected, {x, weights.filter, weights.bias}, {y});
  return y;
}

int NetworkBuilder::Pool(int x, const LayerShape& layer, BuiltinOperator code) {
  const Windows windows(of(x).shape, layer);
  const bool is_max = code == BuiltinOperator::kMaxPool2D;
  const auto channels = static_cast<size_t>(windows.channels);
  const std::vector<int> shape = windows.OutShape(windows.channels);
  Floats results(CountOf(shape), is_max ? -INFINITY : 0.0f);
  std::vector<int> taps(results.size() / channels, 0);
  windows.Visit([&](size_t window, size_t, size_t pixel) {
    ++taps[window];
    for (size_t c = 0; c < channels; ++c) {
      float& result = results[window * channels + c];
      const float value = of(x).floats[pixel * channels + c];
      result = is_max ? std::max(result, value) : result + value;
    }
  });
  for (size_t i = 0; i < results.size() && !is_max; ++i) {
    results[i] /= static_cast<float>(taps[i / channels]);
  }
  const int y = AddValues(shape, std::move(results), x);
  builder_.AddOperator(code, {x}, {y},
                       {.stride = layer.stride, .filter = layer.height, .filter_w = layer.width});
  return y;
}

int NetworkBuilder::Add(int a, int b, int activation) {
  Floats sums = of(a).floats;
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = Activate(sums[i] + of(b).floats[i], activation);
  const int y = AddValues(of(a).shape, std::move(sums));
  builder_.AddOperator(BuiltinOperator::kAdd, {a, b}, {y}, {.activation = activation});
  return y;
}

int NetworkBuilder::Mean(int x) {
  const std::vector<int>& shape = of(x).shape;
  const auto channels = static_cast<size_t>(shape[3]), pixels = static_cast<size_t>(shape[1] * shape[2]);
  Floats means(static_cast<size_t>(shape[0]) * channels, 0);
  for (size_t i = 0; i < of(x).floats.size(); ++i) {
    means[i / (pixels * channels) * channels + i % channels] += of(x).floats[i] / static_cast<float>(pixels);
  }
  const int axes =
      builder_.AddTensor({.shape = {2}, .type = TensorType::kInt32, .data = BytesOf<int32_t>({1, 2})});
  const int y = AddValues({shape[0], shape[3]}, std::move(means));
  builder_.AddOperator(BuiltinOperator::kMean, {x, axes}, {y});
  return y;
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// For the tests of the convolution kernels: a ConvCase with its data, and the code around a call.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/conv_cases.h"
#include "runtime/testing/page_edge.h"

namespace lutra {

// Returns x * m in two steps, each written as its rule.
inline int32_t RequantizedInTwoSteps(int32_t x, Multiplier m) {
#ifdef LUTRA_SINGLE_ROUNDING
  return MultiplySingleRounding(x, m);
#else
  const int32_t left = m.shift > 0 ? m.shift : 0;
  const int32_t high = SaturatingRoundingDoublingHighMul(WrappingShiftLeft(x, left), m.value);
  return RoundingDivideByPowerOfTwo(high, left - m.shift);
#endif
}

// Returns the filter of channels [first, first + count) of `all`. `last`: they are the filter's last
// dimension, not its first.
template <typename Element>
std::vector<Element> FilterOfChannels(const std::vector<Element>& filter, int32_t all, int32_t first,
                                      int32_t count, bool last) {
  const int32_t others = static_cast<int32_t>(filter.size()) / all;
  std::vector<Element> some;
  for (int32_t i = 0; i < others * count; ++i) {
    some.push_back(filter[last ? i / count * all + first + i % count : first * others + i]);
  }
  return some;
}

// Calls make(first, count, output) for all of a layer's channels and for some blocks of them, which variants
// that prepare leave to the reference, and checks that each computes these channels of `expected` and writes
// nothing else.
template <typename Element, typename Make>
void ExpectOnlyChannels(const std::vector<Element>& expected, int32_t channels, const Make& make) {
  const int32_t half = (channels + 1) / 2;
  const int32_t blocks[][2] = {{0, channels}, {0, half}, {channels - half, half}, {channels / 3, 1}};
  for (const auto& [first, count] : blocks) {
    SCOPED_TRACE(testing::Message() << "channels from " << first << " on: " << count);
    std::vector<Element> output(expected.size(), 77);
    std::vector<Element> wanted = output;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const int32_t channel = static_cast<int32_t>(i) % channels - first;
      if (channel >= 0 && channel < count) wanted[i] = expected[i];
    }
    make(first, count, output.data());
    EXPECT_EQ(output, wanted);
  }
}

template <typename Element>
struct ConvProblem {
  static constexpr bool kIsFloat = std::is_same_v<Element, float>;
  using Bias = std::conditional_t<kIsFloat, float, int32_t>;

  ConvProblem(const ConvCase& c, const ConvShape& shape, int32_t filter_count)
      : c(c), shape(shape), filter(filter_count), bias(shape.out_channels) {
    input.resize(c.images * shape.in_height * shape.in_width * shape.in_channels);
    const auto input_count = static_cast<int32_t>(input.size());
    if constexpr (kIsFloat) {
      FillFloat(1, input_count, input.data());
      FillFloat(2, filter_count, filter.data());
      FillFloat(3, shape.out_channels, bias.data());
    } else {
      FillInt8(1, input_count, input.data());
      FillInt8(2, filter_count, filter.data());
      FillBias(3, shape.out_channels, bias.data());
      multipliers.resize(shape.out_channels);
      FillMultipliers(4, filter_count / shape.out_channels, shape.out_channels, multipliers.data());
      if (c.extreme) {
        std::fill(input.begin(), input.end(), INT8_MIN);
        std::fill(filter.begin(), filter.end(), INT8_MIN);
      }
    }
  }

  int32_t out_rows() const { return c.images * shape.out_height; }
  int32_t out_row_values() const { return shape.out_width * shape.out_channels; }
  Element real_zero() const { return kIsFloat ? Element{0} : static_cast<Element>(c.input_zero_point); }

  // Returns the value of an input pixel's channel less the zero point; 0 outside the image.
  template <typename Sum>
  Sum InputAt(int32_t image, int32_t y, int32_t x, int32_t channel) const {
    if (y < 0 || y >= shape.in_height || x < 0 || x >= shape.in_width) return 0;
    const int32_t row = image * shape.in_height + y;
    return static_cast<Sum>(input[(row * shape.in_width + x) * shape.in_channels + channel]) - real_zero();
  }

  // Returns the outputs of these sums of products (one for each output value, without the bias).
  template <typename Sum>
  std::vector<Element> OutputsOf(const std::vector<Sum>& sums) const {
    std::vector<Element> outputs;
    for (size_t i = 0; i < sums.size(); ++i) {
      const size_t channel = i % shape.out_channels;
      const Sum sum = sums[i] + (c.with_bias ? bias[channel] : 0);
      if constexpr (kIsFloat) {
        outputs.push_back(static_cast<float>(std::clamp<Sum>(sum, -0.75, 0.5)));
      } else {
        const int64_t scaled = RequantizedInTwoSteps(static_cast<int32_t>(sum), multipliers[channel]);
        outputs.push_back(static_cast<int8_t>(
            std::clamp<int64_t>(scaled + c.output_zero_point, c.activation_min, c.activation_max)));
      }
    }
    return outputs;
  }

  // The arguments that all convolution kernels have.
  template <typename Args>
  Args ArgsFor() const {
    Args args = {};
    args.shape = &shape;
    args.filter = filter.data();
    args.bias = c.with_bias ? bias.data() : nullptr;
    if constexpr (kIsFloat) {
      args.activation_min = -0.75f;
      args.activation_max = 0.5f;
    } else {
      args.channel_count = shape.out_channels;
      args.quantization = QuantizationOf(c);
      args.multipliers = multipliers.data();
    }
    return args;
  }

  // Checks calls that compute some of the channels. `channels_last`: as in FilterOfChannels.
  template <typename Args, typename Fn>
  void ExpectChannels(Fn run, const std::vector<Element>& expected, bool channels_last) const {
    ExpectOnlyChannels(expected, shape.out_channels, [&](int32_t first, int32_t count, Element* output) {
      const auto some = FilterOfChannels(filter, shape.out_channels, first, count, channels_last);
      Args args = ArgsFor<Args>();
      args.first_channel = first;
      args.channel_count = count;
      args.filter = some.data();
      if (args.bias != nullptr) args.bias += first;
      args.multipliers += first;
      run(args, InputRows(), {reinterpret_cast<uint8_t*>(output + first), out_row_values()}, 0, out_rows());
    });
  }

  Rows InputRows() const {
    return {reinterpret_cast<uint8_t*>(const_cast<Element*>(input.data())),
            shape.in_width * shape.in_channels * static_cast<int32_t>(sizeof(Element))};
  }

  // Computes rows [first_row, first_row + row_count) of an output full of `guard`, and checks that nothing
  // else was written, also around it. Returns the whole output.
  template <typename Args, typename Fn>
  std::vector<Element> Run(Fn run, int32_t first_row, int32_t row_count, bool* kept_inside) const {
    constexpr int32_t kGuardValues = 64;
    constexpr Element kGuard = 77;
    const int32_t row_values = out_row_values();
    std::vector<Element> memory(out_rows() * row_values + 2 * kGuardValues, kGuard);
    Element* output = memory.data() + kGuardValues;
    run(ArgsFor<Args>(), InputRows(),
        {reinterpret_cast<uint8_t*>(output), row_values * static_cast<int32_t>(sizeof(Element))}, first_row,
        row_count);
    const auto is_guard = [](Element value) { return value == kGuard; };
    const auto asked = memory.begin() + kGuardValues + first_row * row_values;
    *kept_inside = std::all_of(memory.begin(), asked, is_guard) &&
                   std::all_of(asked + row_count * row_values, memory.end(), is_guard);
    return {memory.begin() + kGuardValues, memory.end() - kGuardValues};
  }

  // Returns the whole output, computed in memory that ends, or begins, with it and with the input.
  template <typename Args, typename Fn>
  std::vector<Element> RunAtEdges(Fn run, PageEdge::Side side) const {
    const auto output_count = static_cast<size_t>(out_rows()) * static_cast<size_t>(out_row_values());
    const PageEdge in(input.size() * sizeof(Element), side);
    const PageEdge out(output_count * sizeof(Element), side);
    if (in.data() == nullptr || out.data() == nullptr) return {};
    std::memcpy(in.data(), input.data(), input.size() * sizeof(Element));
    run(ArgsFor<Args>(), {in.data(), InputRows().row_bytes},
        {out.data(), out_row_values() * static_cast<int32_t>(sizeof(Element))}, 0, out_rows());
    const auto* made = reinterpret_cast<const Element*>(out.data());
    return {made, made + output_count};
  }

  ConvCase c;
  ConvShape shape;
  std::vector<Element> input;
  std::vector<Element> filter;
  std::vector<Bias> bias;
  std::vector<Multiplier> multipliers;
};

template <typename Element>
std::vector<uint8_t> BytesOf(const std::vector<Element>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(Element));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace lutra

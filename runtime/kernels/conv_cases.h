// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the convolution kernels: sizes, and deterministic data
// to fill them with. Needs no C++ library, so that a firmware can run the same.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_args.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"
#include "runtime/kernels/problem.h"
#include "runtime/kernels/test_data.h"

namespace lutra {

struct ConvCase {
  const char* name;
  int32_t height;
  int32_t width;
  int32_t in_channels;
  int32_t out_channels;
  int32_t filter_height;
  int32_t filter_width;
  int32_t stride;
  int32_t dilation;
  bool same;  // Padding SAME; else VALID.
  // The rest is for tests; benchmarks leave it as it is.
  int32_t images = 1;
  int32_t groups = 1;
  int8_t input_zero_point = -128;
  int8_t output_zero_point = 3;
  int8_t activation_min = -128;
  int8_t activation_max = 127;
  bool with_bias = true;
  int32_t more_padding = 0;  // Added before the first row and column; the output grows by twice it.
  bool extreme = false;      // All values are -128, so that sums may leave int32.
  bool hostile = false;      // FillHostileChannels.
  int32_t first_channel = 0;
  int32_t channel_count = 0;  // A call makes so many output channels; 0: all.
};

static inline ConvShape ShapeOf(const ConvCase& c) {
  ConvShape shape = {};
  shape.in_height = c.height;
  shape.in_width = c.width;
  shape.in_channels = c.in_channels;
  shape.out_channels = c.out_channels;
  shape.filter_height = c.filter_height;
  shape.filter_width = c.filter_width;
  shape.filter_channels = c.in_channels / c.groups;
  shape.stride_h = shape.stride_w = c.stride;
  shape.dilation_h = shape.dilation_w = c.dilation;
  const int32_t reach_h = (c.filter_height - 1) * c.dilation + 1;
  const int32_t reach_w = (c.filter_width - 1) * c.dilation + 1;
  if (c.same) {
    shape.out_height = (c.height + c.stride - 1) / c.stride;
    shape.out_width = (c.width + c.stride - 1) / c.stride;
    const int32_t pad_h = (shape.out_height - 1) * c.stride + reach_h - c.height;
    const int32_t pad_w = (shape.out_width - 1) * c.stride + reach_w - c.width;
    shape.pad_top = pad_h > 0 ? pad_h / 2 : 0;
    shape.pad_left = pad_w > 0 ? pad_w / 2 : 0;
  } else {
    shape.out_height = (c.height - reach_h + c.stride) / c.stride;
    shape.out_width = (c.width - reach_w + c.stride) / c.stride;
  }
  shape.out_height += 2 * c.more_padding;
  shape.out_width += 2 * c.more_padding;
  shape.pad_top += c.more_padding;
  shape.pad_left += c.more_padding;
  return shape;
}

// Returns the shape of a depthwise convolution.
static inline ConvShape DepthwiseShapeOf(const ConvCase& c) {
  ConvShape shape = ShapeOf(c);
  shape.filter_channels = 1;
  return shape;
}

static inline ConvQuantization QuantizationOf(const ConvCase& c) {
  return {static_cast<int16_t>(-c.input_zero_point), c.output_zero_point, c.activation_min, c.activation_max};
}

static inline RowMap RowMapOf(const ConvCase& c, int32_t element_bytes) {
  const ConvShape shape = ShapeOf(c);
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = shape.in_height;
  map.out_rows = shape.out_height;
  map.in_row_bytes = shape.in_width * shape.in_channels * element_bytes;
  map.out_row_bytes = shape.out_width * shape.out_channels * element_bytes;
  map.images = c.images;
  map.window = shape.filter_height;
  map.stride = shape.stride_h;
  map.dilation = shape.dilation_h;
  map.pad_before = shape.pad_top;
  return map;
}

// A linear congruential generator; its high bits are the good ones.
static inline void FillInt8(uint32_t seed, int32_t count, int8_t* values) { FillBytes(seed, count, values); }
// Makes values in [-1, 1).
static inline void FillFloat(uint32_t seed, int32_t count, float* values) {
  for (int32_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(static_cast<int32_t>(NextRandom(&seed) & 0xFFFF) - 0x8000) /
                static_cast<float>(0x8000);
  }
}
static inline void FillBias(uint32_t seed, int32_t count, int32_t* values) {
  for (int32_t i = 0; i < count; ++i) {
    values[i] = static_cast<int32_t>(NextRandom(&seed) & 0x3FFF) - 0x2000;
  }
}
// Multipliers that bring sums of `products` products to about the width of int8, with shifts that
// vary by 2 from channel to channel.
static inline void FillMultipliers(uint32_t seed, int32_t products, int32_t count, Multiplier* values) {
  int32_t shift = -6;
  while (products > 1) {
    products /= 4;
    --shift;
  }
  for (int32_t i = 0; i < count; ++i) {
    const uint32_t random = NextRandom(&seed);
    values[i].value = static_cast<int32_t>((1u << 30) | ((random & 0x3FFFFF) << 8));
    values[i].shift = shift + static_cast<int32_t>((random >> 22) % 3);
  }
}

// Channels as no network should have them: multipliers of 0 and with shifts from -31 to 6, biases of up to
// 2^30 that no shift moves out of int32.
static inline void FillHostileChannels(uint32_t seed, int32_t count, int32_t* biases,
                                       Multiplier* multipliers) {
  for (int32_t i = 0; i < count; ++i) {
    const uint32_t kind = NextRandom(&seed) >> 4;
    const int32_t shift = static_cast<int32_t>(NextRandom(&seed) >> 4) % 38 - 31;
    const auto value = static_cast<int32_t>((1u << 30) | ((NextRandom(&seed) & 0x3FFFFF) << 8));
    multipliers[i] = {kind % 5 == 0 ? INT32_MAX : value, kind % 3 == 0 ? shift : shift % 8 - 8};
    if (kind % 6 == 0) multipliers[i].shift = static_cast<int32_t>(kind / 64 % 3);
    if (kind % 17 == 0) multipliers[i] = {0, 0};
    const int32_t most_bits = multipliers[i].shift > 0 ? 20 : 31;
    const int32_t bits = kind % 7 == 0 ? most_bits : 10 + static_cast<int32_t>(kind / 32 % 10);
    const uint32_t random = NextRandom(&seed) << 8;
    biases[i] = static_cast<int32_t>(random) >> (32 - bits);
  }
}

// Says where the weights of a channel lie.
struct WeightsLayout {
  int32_t products;
  int32_t from_channel;
  int32_t from_product;
};

// Most of the channels that are shifted to the left get sums of which a code shows every bit: a value and a
// small bias.
static inline void ShowLeftShifts(const WeightsLayout& layout, int32_t count, const Multiplier* multipliers,
                                  int32_t* biases, int8_t* weights) {
  for (int32_t i = 0; i < count; ++i) {
    if (multipliers[i].shift < 0 || i % 4 == 3) continue;
    biases[i] %= 256 >> multipliers[i].shift;
    for (int32_t k = 0; k < layout.products; ++k) {
      weights[i * layout.from_channel + k * layout.from_product] = 0;
    }
    weights[i * layout.from_channel] = i % 2 == 0 ? 1 : -1;
  }
}

// Small layers of every kind. `depthwise`: as many output channels as input channels.
static inline ConvCase RandomConvCase(uint32_t* seed, bool depthwise) {
  const auto below = [&](uint32_t limit) { return static_cast<int32_t>((NextRandom(seed) >> 4) % limit); };
  ConvCase c = {"random", 1 + below(9), 1 + below(9), 1 + below(24), 1 + below(13), 3, 3, 1 + below(3),
                1,        true};
  const bool usual = depthwise && below(4) != 0;
  if (!usual) {
    c.filter_height = 1 + below(4);
    c.filter_width = 1 + below(4);
    c.dilation = 1 + below(5) / 3;
  }
  if (below(3) == 0) c.filter_height = c.filter_width = usual ? 3 : 1;
  if (depthwise) c.out_channels = c.in_channels;
  const bool fits =
      (c.filter_height - 1) * c.dilation < c.height && (c.filter_width - 1) * c.dilation < c.width;
  c.same = !fits || below(2) == 0;
  c.images = 1 + below(2);
  if (!depthwise && below(4) == 0) {
    c.groups = 1 + below(3);
    c.in_channels *= c.groups;
    c.out_channels *= c.groups;
  }
  c.input_zero_point = static_cast<int8_t>(below(256) - 128);
  c.output_zero_point = static_cast<int8_t>(below(256) - 128);
  if (below(2) == 0) c.activation_min = c.output_zero_point;
  if (below(3) == 0)
    c.activation_max =
        static_cast<int8_t>(127 - below(static_cast<uint32_t>(128 + 127 - c.activation_min) / 2 + 1) / 2);
  if (c.activation_max < c.activation_min) c.activation_max = INT8_MAX;
  c.with_bias = below(8) != 0;
  c.more_padding = c.same ? below(5) / 4 : 0;
  c.hostile = below(3) != 0;
  if (below(3) == 0) {
    c.first_channel = below(static_cast<uint32_t>(c.out_channels)) / 4 * 4;
    c.channel_count = 1 + below(static_cast<uint32_t>(c.out_channels - c.first_channel));
    if (c.channel_count > 4) c.channel_count = c.channel_count / 4 * 4;
  }
  return c;
}

static inline int32_t InputCount(const ConvCase& c, const ConvShape& shape) {
  return c.images * shape.in_height * shape.in_width * shape.in_channels;
}
static inline int32_t OutputCount(const ConvCase& c, const ConvShape& shape) {
  return c.images * shape.out_height * shape.out_width * shape.out_channels;
}

// Output rows from `first_row` on.
template <typename Args, typename Element>
Problem<Args> RowsOfConvolution(const ConvCase& c, const ConvShape& shape, int32_t first_row,
                                const Args& args, Element* input, Element* output) {
  return {.args = args,
          .first = first_row,
          .count = c.images * shape.out_height - first_row,
          .input = RowsOf(input, shape.in_width * shape.in_channels),
          .output = {reinterpret_cast<uint8_t*>(output + c.first_channel),
                     shape.out_width * shape.out_channels * static_cast<int32_t>(sizeof(Element))}};
}

// Summed for one output value.
static inline int32_t ProductsOf(const ConvShape& shape) {
  return shape.filter_height * shape.filter_width * shape.filter_channels;
}

// Says whether a kernel with these arguments computes in float32.
template <typename Args>
constexpr bool kConvolvesReals = requires(Args args) {
  args.activation_min;
};

struct DepthwiseConv2D;
template <typename Args>
inline constexpr bool kIsDepthwise = false;
template <>
inline constexpr bool kIsDepthwise<ConvArgs<DepthwiseConv2D>> = true;

// `shape` must outlive the problem, which points to it.
template <typename Args, typename Memory>
Problem<Args> ConvolutionOf(const ConvCase& c, const ConvShape& shape, int32_t first_row, Memory& memory) {
  const int32_t inputs = InputCount(c, shape);
  if constexpr (kConvolvesReals<Args>) {
    auto* const filter = Filled<float>(memory, 2, ProductsOf(shape) * shape.out_channels);
    const Args args = {.shape = &shape,
                       .filter = filter,
                       .bias = c.with_bias ? Filled<float>(memory, 3, shape.out_channels) : nullptr,
                       .activation_min = -1.5f,
                       .activation_max = 6.0f};
    return RowsOfConvolution(c, shape, first_row, args, Filled<float>(memory, 1, inputs),
                             Output<float>(memory, OutputCount(c, shape)));
  } else {
    const int32_t channels = c.channel_count > 0 ? c.channel_count : shape.out_channels;
    const int32_t weights = ProductsOf(shape) * channels;
    auto* const input = Filled<uint8_t>(memory, 1, inputs);
    auto* const filter = Filled<int8_t>(memory, 2, weights);
    if (c.extreme) {
      memset(input, 0x80, static_cast<size_t>(inputs));
      memset(filter, 0x80, static_cast<size_t>(weights));
    }
    auto* const bias = Data<int32_t>(memory, channels);
    FillBias(3, channels, bias);
    auto* const multipliers = Data<Multiplier>(memory, channels);
    FillMultipliers(4, ProductsOf(shape), channels, multipliers);
    if (c.hostile) {
      const int32_t products = ProductsOf(shape);
      FillHostileChannels(static_cast<uint32_t>(inputs + products), channels, bias, multipliers);
      const bool is_depthwise = kIsDepthwise<Args>;
      ShowLeftShifts({products, is_depthwise ? 1 : products, is_depthwise ? channels : 1}, channels,
                     multipliers, bias, filter);
    }
    const Args args = {.shape = &shape,
                       .first_channel = c.first_channel,
                       .channel_count = channels,
                       .quantization = QuantizationOf(c),
                       .filter = filter,
                       .bias = c.with_bias ? bias : nullptr,
                       .multipliers = multipliers};
    return RowsOfConvolution(c, shape, first_row, args, input,
                             Output<uint8_t>(memory, OutputCount(c, shape)));
  }
}

// Adds a problem of a case. Reals are many instructions where there is no unit for them: of these only cases
// with few products, and of channels each third number.
template <typename Args, typename Memory, typename Problems>
void AddConvolution(const ConvCase& c, const ConvShape& shape, Memory& memory, Problems& problems) {
  const bool is_large = c.images * c.height * c.width * c.out_channels > 2000 || ProductsOf(shape) > 300;
  if (kConvolvesReals<Args> && is_large) return;
  auto* const kept_shape = Data<ConvShape>(memory, 1);
  *kept_shape = shape;
  const int32_t first_row = FirstRow(problems.count(), c.images * shape.out_height);
  problems.Add(ConvolutionOf<Args>(c, *kept_shape, first_row, memory));
}
template <typename Args>
constexpr int32_t kChannelStep = kConvolvesReals<Args> ? 3 : 1;

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// The geometry of a convolution, and what the convolution kernels share.
//
// Images are [rows, width, channels]; the rows of a batch are numbered through (rows.h). Output
// pixel (y, x) looks at the input pixels
//   (y * stride_h - pad_top + ky * dilation_h, x * stride_w - pad_left + kx * dilation_w),
// those outside the image count as real 0. Prepare has checked that every such coordinate fits
// int32; a window may lie outside the image altogether.

#pragma once

#include <stdint.h>

#include "runtime/fixed_point/fixed_point.h"

namespace lutra {

struct ConvShape {
  int32_t in_height;  // Of one image.
  int32_t in_width;
  int32_t in_channels;
  int32_t out_height;
  int32_t out_width;
  int32_t out_channels;
  int32_t filter_height;
  int32_t filter_width;
  int32_t filter_channels;  // The input channels that one output channel sees.
  int32_t stride_h;
  int32_t stride_w;
  int32_t dilation_h;
  int32_t dilation_w;
  int32_t pad_top;
  int32_t pad_left;
};

// How an int8 convolution reads its input and writes its output.
struct ConvQuantization {
  int16_t input_offset;   // Minus the input's zero point.
  int16_t output_offset;  // The output's zero point.
  int8_t activation_min;
  int8_t activation_max;
};

// The taps [begin, end) of a window of `window` taps, from `origin` and `dilation` apart, that lie
// within [0, size). Empty: end <= begin.
struct TapRange {
  int32_t begin;
  int32_t end;
};
static inline TapRange TapsInside(int32_t origin, int32_t window, int32_t dilation, int32_t size) {
  TapRange taps = {0, 0};
  if (origin >= size) return taps;
  if (origin < 0) taps.begin = (-1 - origin) / dilation + 1;
  // Without overflow: origin may be far below 0, but then the window reaches at most int32.
  const int64_t last = (static_cast<int64_t>(size) - 1 - origin) / dilation;
  taps.end = last + 1 < window ? static_cast<int32_t>(last + 1) : window;
  return taps;
}

// Adds to sums[0..3] the products of `values` with four filters that lie `filter_stride` apart.
// |value| <= 255 and count <= 65536, so that the products alone stay within int32; sums wrap.
static inline void AddFourDotProducts(const int16_t* values, int32_t count, const int8_t* filter,
                                      int32_t filter_stride, uint32_t* sums) {
  const int8_t* filter1 = filter + filter_stride;
  const int8_t* filter2 = filter1 + filter_stride;
  const int8_t* filter3 = filter2 + filter_stride;
  int32_t sum0 = 0;
  int32_t sum1 = 0;
  int32_t sum2 = 0;
  int32_t sum3 = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int16_t value = values[i];
    sum0 += value * static_cast<int16_t>(filter[i]);
    sum1 += value * static_cast<int16_t>(filter1[i]);
    sum2 += value * static_cast<int16_t>(filter2[i]);
    sum3 += value * static_cast<int16_t>(filter3[i]);
  }
  sums[0] += static_cast<uint32_t>(sum0);
  sums[1] += static_cast<uint32_t>(sum1);
  sums[2] += static_cast<uint32_t>(sum2);
  sums[3] += static_cast<uint32_t>(sum3);
}

// The same for one filter.
static inline uint32_t DotProduct(const int16_t* values, int32_t count, const int8_t* filter) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += values[i] * static_cast<int16_t>(filter[i]);
  return static_cast<uint32_t>(sum);
}

// The same for `channels` filters.
static inline void AddDotProducts(const int16_t* values, int32_t count, const int8_t* filter,
                                  int32_t filter_stride, int32_t channels, uint32_t* sums) {
  int32_t c = 0;
  for (; c + 4 <= channels; c += 4, filter += 4 * static_cast<intptr_t>(filter_stride)) {
    AddFourDotProducts(values, count, filter, filter_stride, sums + c);
  }
  for (; c < channels; ++c, filter += filter_stride) sums[c] += DotProduct(values, count, filter);
}

// to[i] = from[i] + offset.
static inline void Widen(const int8_t* __restrict from, int32_t count, int16_t offset,
                         int16_t* __restrict to) {
  for (int32_t i = 0; i < count; ++i) to[i] = static_cast<int16_t>(from[i] + offset);
}

// Sums of output channels [first, first + count) before any product. `bias` may be null.
static inline void StartSums(const int32_t* bias, int32_t first, int32_t count, uint32_t* sums) {
  for (int32_t i = 0; i < count; ++i) {
    sums[i] = bias != nullptr ? static_cast<uint32_t>(bias[first + i]) : 0;
  }
}

// The int8 results of finished sums.
static inline void StoreSums(const uint32_t* sums, const Multiplier* multipliers, int32_t count,
                             const ConvQuantization& quantization, int8_t* output) {
  const int32_t offset = quantization.output_offset;
  const int32_t min = quantization.activation_min;
  const int32_t max = quantization.activation_max;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t scaled =
        MultiplyByQuantizedMultiplier(static_cast<int32_t>(sums[i]), multipliers[i]);
    output[i] = static_cast<int8_t>(ClampToInt8(WrappingAdd(scaled, offset), min, max));
  }
}

}  // namespace lutra

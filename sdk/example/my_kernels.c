/* SPDX-License-Identifier: Apache-2.0
 * A library of one kernel, to begin another with: sdk/README.md explains it. */

#include "lutra_kernels.h"

static int32_t clamp(int32_t value, int32_t min, int32_t max) {
  return value < min ? min : value > max ? max : value;
}

/* x * value / 2^31 * 2^shift, rounded twice, as TensorFlow Lite Micro does. */
static int32_t multiply(int32_t x, lutra_multiplier m) {
  const int left = m.shift > 0 ? m.shift : 0, right = m.shift > 0 ? 0 : -m.shift;
  const int64_t product = (int64_t)(int32_t)((uint32_t)x << left) * m.value;
  const int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  const int32_t high = (int32_t)((product + nudge) / (INT64_C(1) << 31));
  const int32_t mask = (int32_t)((INT64_C(1) << right) - 1), rest = high & mask;
  return (high >> right) + (rest > (mask >> 1) + (high < 0));
}

/* The sum of products of one output value, whose window begins at (y0, x0). */
static int32_t window(const lutra_conv_args* a, const int8_t* image, int32_t y0, int32_t x0, int32_t o) {
  const int32_t first = o / (a->out_channels / (a->in_channels / a->filter_channels)) * a->filter_channels;
  const int8_t* filter = a->filter + o * a->filter_height * a->filter_width * a->filter_channels;
  uint32_t sum = a->bias != 0 ? (uint32_t)a->bias[o] : 0; /* It wraps. */
  for (int32_t ky = 0; ky < a->filter_height; ++ky) {
    for (int32_t kx = 0; kx < a->filter_width; ++kx, filter += a->filter_channels) {
      const int32_t y = y0 + ky * a->dilation_h, x = x0 + kx * a->dilation_w;
      if (y < 0 || y >= a->in_height || x < 0 || x >= a->in_width) continue;
      const int8_t* input = image + (y * a->in_width + x) * a->in_channels + first;
      for (int32_t c = 0; c < a->filter_channels; ++c)
        sum += (uint32_t)((input[c] + a->input_offset) * filter[c]);
    }
  }
  return (int32_t)sum;
}

static int my_conv_2d_s8(const lutra_conv_args* a, const int8_t* input, int8_t* output) {
  if (a->in_channels > 4096) return 1; /* A kernel may leave what it is not made for. */
  for (int32_t n = 0; n < a->images; ++n, input += a->in_height * a->in_width * a->in_channels) {
    for (int32_t y = 0; y < a->out_height; ++y) {
      for (int32_t x = 0; x < a->out_width; ++x) {
        for (int32_t o = 0; o < a->out_channels; ++o) {
          const int32_t sum =
              window(a, input, y * a->stride_h - a->pad_top, x * a->stride_w - a->pad_left, o);
          const int32_t code = multiply(sum, a->multipliers[o]) + a->output_offset;
          *output++ = (int8_t)clamp(code, a->activation_min, a->activation_max);
        }
      }
    }
  }
  return 0;
}

int lutra_kernels(int32_t version, lutra_kernel_table* table) {
  if (version != LUTRA_KERNELS_VERSION) return 1;
  table->conv_2d_s8 = my_conv_2d_s8;
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * The example with a fault, one for each LUTRA_FAULT. */

#define lutra_kernels right_kernels
#include "../example/my_kernels.c"
#undef lutra_kernels

static int faulty_conv(const lutra_conv_args* right, const int8_t* input, int8_t* output) {
  lutra_conv_args a = *right;
  if (LUTRA_FAULT == 1) ++a.pad_left;
  if (LUTRA_FAULT == 2) ++a.pad_top;
  if (LUTRA_FAULT == 3) a.activation_max = 127;
  if (LUTRA_FAULT == 4) a.activation_min = -128;
  if (LUTRA_FAULT == 5) a.bias = 0;
  if (LUTRA_FAULT == 6) a.dilation_h = a.dilation_w;
  if (LUTRA_FAULT == 7) a.stride_w = a.stride_h;
  if (LUTRA_FAULT == 8) ++a.output_offset;
  return my_conv_2d_s8(&a, input, output);
}

/* Rounds once. */
static int faulty_fully_connected(const lutra_fully_connected_args* a, const int8_t* input, int8_t* output) {
  for (int32_t i = 0; i < a->rows * a->channels; ++i) {
    const int32_t row = i / a->channels, channel = i % a->channels;
    int32_t sum = a->bias != 0 ? a->bias[channel] : 0;
    for (int32_t c = 0; c < a->depth; ++c)
      sum += (input[row * a->depth + c] + a->input_offset) * a->weights[channel * a->depth + c];
    const lutra_multiplier m = a->multipliers[a->one_multiplier ? 0 : channel];
    const int shift = 31 - m.shift;
    const int64_t code = (((int64_t)sum * m.value + (INT64_C(1) << (shift - 1))) >> shift) + a->output_offset;
    output[i] = (int8_t)(code < a->activation_min   ? a->activation_min
                         : code > a->activation_max ? a->activation_max
                                                    : code);
  }
  return 0;
}

int lutra_kernels(int32_t version, lutra_kernel_table* table) {
  if (LUTRA_FAULT == 9) {
    table->fully_connected_s8 = faulty_fully_connected;
    return 0;
  }
  if (right_kernels(version, table) != 0) return 1;
  table->conv_2d_s8 = faulty_conv;
  return 0;
}

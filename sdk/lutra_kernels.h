/* SPDX-License-Identifier: Apache-2.0
 * Kernels of your own behind Lutra's operators, in C: to have them judged, explained and timed.
 *
 *   static int my_softmax(const lutra_softmax_args* a, const int8_t* input, int8_t* output) { ...; return 0;
 * }
 *
 *   int lutra_kernels(int32_t version, lutra_kernel_table* table) {
 *     if (version != LUTRA_KERNELS_VERSION) return 1;
 *     table->softmax_s8 = my_softmax;
 *     return 0;
 *   }
 *
 *   cc -shared -fPIC -o my.so my.c && conformance run --kernels ./my.so --filter 'int8.softmax.*'
 *
 * A function gets what the runtime's own prepare has computed, and the memory of whole tensors, which do not
 * overlap. It returns 0 if it has written the whole output, anything else if it has no kernel for these
 * arguments. It needs no memory of the runtime's: what it wants besides is its own. Calls come one at a time.
 *
 * The int8 scheme: real = scale * (code - zero point). An offset of an input is minus its zero point, that of
 * an output its zero point. A multiplier stands for value / 2^31 * 2^shift; a sum of int32 is multiplied by
 * it and rounded as the profile says that the kernel is held against. */

#ifndef LUTRA_KERNELS_H_
#define LUTRA_KERNELS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUTRA_KERNELS_VERSION 1

typedef struct lutra_multiplier {
  int32_t value;
  int32_t shift; /* Positive: to the left. */
} lutra_multiplier;

/* CONV_2D and DEPTHWISE_CONV_2D. Tensors are [images, height, width, channels]; the filter is [out_channels,
 * filter_height, filter_width, filter_channels], of DEPTHWISE_CONV_2D [1, filter_height, filter_width,
 * out_channels]. The window of output (y, x) begins at input (y * stride_h - pad_top, x * stride_w -
 * pad_left); outside of the image an input counts as its zero point. */
typedef struct lutra_conv_args {
  int32_t images;
  int32_t in_height, in_width, in_channels;
  int32_t out_height, out_width, out_channels;
  int32_t filter_height, filter_width;
  int32_t filter_channels; /* The input channels that one output channel sees: fewer than in_channels are
                              groups. */
  int32_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
  int32_t input_offset, output_offset;
  int32_t activation_min, activation_max;
  const int8_t* filter;
  const int32_t* bias;                 /* [out_channels], or null: zeros. */
  const lutra_multiplier* multipliers; /* [out_channels] */
} lutra_conv_args;

/* FULLY_CONNECTED: input [rows, depth], weights [channels, depth], output [rows, channels]. */
typedef struct lutra_fully_connected_args {
  int32_t rows, depth, channels;
  int32_t input_offset, output_offset;
  int32_t activation_min, activation_max;
  const int8_t* weights;
  const int32_t* bias;                 /* [channels], or null: zeros. */
  const lutra_multiplier* multipliers; /* [channels], or one for all: */
  int32_t one_multiplier;
} lutra_fully_connected_args;

/* AVERAGE_POOL_2D and MAX_POOL_2D: windows count only what lies inside the image. */
typedef struct lutra_pool_args {
  int32_t images;
  int32_t in_height, in_width, depth, out_height, out_width;
  int32_t filter_height, filter_width, stride_h, stride_w, pad_top, pad_left;
  int32_t activation_min, activation_max;
} lutra_pool_args;

/* ADD, SUB and MUL of `count` elements; a step of 0: the one element is used for all of them. ADD and SUB:
 * each operand less its zero point, times 2^20, by its multiplier; the sum by out_multiplier. MUL: the
 * product by out_multiplier alone. */
typedef struct lutra_binary_args {
  int32_t count, a_step, b_step;
  int32_t a_offset, b_offset, output_offset;
  lutra_multiplier a_multiplier, b_multiplier, out_multiplier;
  int32_t activation_min, activation_max;
} lutra_binary_args;

/* SOFTMAX of int8 to int8: rows of `depth` elements. The multiplier stands for beta * scale in Q5.26;
 * elements further than diff_min below the largest count as 0. */
typedef struct lutra_softmax_args {
  int32_t rows, depth;
  lutra_multiplier multiplier;
  int32_t diff_min;
} lutra_softmax_args;

/* Null: Lutra's reference runs. */
typedef struct lutra_kernel_table {
  int (*conv_2d_s8)(const lutra_conv_args* args, const int8_t* input, int8_t* output);
  int (*depthwise_conv_2d_s8)(const lutra_conv_args* args, const int8_t* input, int8_t* output);
  int (*fully_connected_s8)(const lutra_fully_connected_args* args, const int8_t* input, int8_t* output);
  int (*average_pool_2d_s8)(const lutra_pool_args* args, const int8_t* input, int8_t* output);
  int (*max_pool_2d_s8)(const lutra_pool_args* args, const int8_t* input, int8_t* output);
  int (*add_s8)(const lutra_binary_args* args, const int8_t* a, const int8_t* b, int8_t* output);
  int (*sub_s8)(const lutra_binary_args* args, const int8_t* a, const int8_t* b, int8_t* output);
  int (*mul_s8)(const lutra_binary_args* args, const int8_t* a, const int8_t* b, int8_t* output);
  int (*softmax_s8)(const lutra_softmax_args* args, const int8_t* input, int8_t* output);
} lutra_kernel_table;

/* The one function that a library exports. `table` is all null. Returns 0, or anything else if the library is
 * made for another version. */
int lutra_kernels(int32_t version, lutra_kernel_table* table);

#ifdef __cplusplus
}
#endif

#endif /* LUTRA_KERNELS_H_ */

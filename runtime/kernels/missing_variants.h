// SPDX-License-Identifier: Apache-2.0
// Why a table has no variant for an instruction set of x86: the cells of VARIANTS.md that hold no variant.
// For tests; kernel_test writes the page.
//
// A reason is a few words that somebody measured, or a fact. It stands for one cell; where the table is null,
// for all cells of the column, and where the set is null, for those of the row that have no variant and no
// other reason. One that is no longer needed, as there is a variant now, fails kernel_test, and so does a
// cell that has neither.
//
// What is "compiled for it": the functions of another set, compiled with this one's options, beside
// themselves as they are; `kernel_bench` with one file exchanged, minima of three runs, on Zen 4. The figure
// is the mean over the benchmarks of a table: 1.2 is a fifth quicker. It says what a compiler finds and no
// more: `bit_unpack` was as quick compiled for AVX2, and is fifteen times as quick written for it.

#pragma once

namespace lutra {

struct MissingVariant {
  const char* table;  // As in tables.h, or null.
  const char* set;    // As in cpu.h, or null.
  const char* reason;
};

// Cannon Lake had AVX512-VBMI without VNNI; nothing that came after it has.
inline constexpr char kVnniIsThere[] = "what has it has `avx512vnni`";

// It brings dot products and nothing else.
inline constexpr char kOnlyDots[] = "has nothing for it but dot products";

// On Zen 4, for 130 to 262,144 codes.
inline constexpr char kNoGainBeyondAvx2[] = "as quick as `avx2`, or slower";

// 0.9 to 1.1 on average.
inline constexpr char kRefAsQuick[] = "`ref` compiled for it is as quick";
inline constexpr char kRefNoQuicker[] = "`ref` compiled for it is as quick, or slower";
inline constexpr char kSse41AsQuick[] = "`sse41` compiled for it is as quick";
inline constexpr char kAvx2AsQuick[] = "`avx2` compiled for it is as quick";
inline constexpr char kAvx2NoQuicker[] = "`avx2` compiled for it is as quick, or slower";

// Speed is for models of int8.
inline constexpr char kOlderScheme[] = "`compress convert-uint8` makes int8 of it";

inline constexpr MissingVariant kMissingVariants[] = {
    {nullptr, "avxvnni", kOnlyDots},
    {"add_float", "sse41", "`ref` compiled for it: 1.16 times as quick"},
    {"add_float", nullptr, kAvx2AsQuick},
    {"add_int32", nullptr, kRefAsQuick},
    {"add_int8", "avx512vbmi", kVnniIsThere},
    {"arg_max_float", nullptr, kRefAsQuick},
    {"arg_max_int8", nullptr, "`ref` compiled for it: 0.84 times as quick"},
    {"average_pool_float", "avx2", "`ref` compiled for it: 1.26 times as quick"},
    {"average_pool_float", "sse41", kRefAsQuick},
    {"average_pool_float", nullptr, "`ref` compiled for it: 1.18 times as quick"},
    {"average_pool_int8", nullptr, kAvx2AsQuick},
    {"average_pool_uint8", nullptr, kOlderScheme},
    {"batch_matmul_float", "avx512vbmi", "`ref` compiled for it: 1.14 times as quick"},
    {"batch_matmul_float", "avx512vnni", "`ref` compiled for it: 1.14 times as quick"},
    {"batch_matmul_float", nullptr, kRefAsQuick},
    {"batch_matmul_int8", "avx512vbmi", kVnniIsThere},
    {"bit_unpack_16", nullptr, kAvx2AsQuick},
    {"bit_unpack_32", nullptr, kAvx2AsQuick},
    {"bit_unpack_8", nullptr, kAvx2AsQuick},
    {"compare", "sse41", kRefAsQuick},
    {"compare", nullptr, kAvx2AsQuick},
    {"conv_2d_float", nullptr, kRefNoQuicker},
    {"conv_2d_int8", "avx512vbmi", kVnniIsThere},
    {"conv_2d_uint8", nullptr, kOlderScheme},
    {"convert", "sse41", kRefAsQuick},
    {"convert", nullptr, kAvx2AsQuick},
    {"copy", nullptr, kAvx2AsQuick},
    {"depthwise_conv_2d_float", nullptr, kRefNoQuicker},
    {"depthwise_conv_2d_int8", "avx512vbmi", kVnniIsThere},
    {"div_float", "sse41", "`ref` compiled for it: 1.13 times as quick"},
    {"div_float", nullptr, kAvx2AsQuick},
    {"div_int8", nullptr, kRefAsQuick},
    {"fully_connected_float", nullptr, kRefNoQuicker},
    {"fully_connected_int8", "avx512vbmi", kVnniIsThere},
    {"fully_connected_uint8", nullptr, kOlderScheme},
    {"gather", nullptr, kRefNoQuicker},
    {"gather_nd", nullptr, kRefAsQuick},
    {"huffman_decode_16", nullptr, kSse41AsQuick},
    {"huffman_decode_8", nullptr, kSse41AsQuick},
    {"huffman_lut_decode_16", nullptr, kSse41AsQuick},
    {"huffman_lut_decode_32", nullptr, kSse41AsQuick},
    {"huffman_lut_decode_64", nullptr, kSse41AsQuick},
    {"huffman_lut_decode_8", nullptr, kSse41AsQuick},
    {"l2_normalize_int8", nullptr, kRefAsQuick},
    {"log_softmax_int8", nullptr, kRefAsQuick},
    {"lookup", nullptr, kAvx2AsQuick},
    {"lut_decode_16", nullptr, "`avx2` compiled for it: 1.11 times as quick"},
    {"lut_decode_32", nullptr, kAvx2AsQuick},
    {"lut_decode_64", nullptr, kAvx2AsQuick},
    {"lut_decode_8", nullptr, kAvx2AsQuick},
    {"max_pool_float", "avx2", "`ref` compiled for it: 1.36 times as quick"},
    {"max_pool_float", "sse41", kRefAsQuick},
    {"max_pool_float", nullptr, "`ref` compiled for it: 1.19 times as quick"},
    {"max_pool_int8", nullptr, kAvx2NoQuicker},
    {"max_pool_uint8", nullptr, kOlderScheme},
    {"min_max", nullptr, kNoGainBeyondAvx2},
    {"mul_float", "sse41", "`ref` compiled for it: 1.17 times as quick"},
    {"mul_float", nullptr, kAvx2AsQuick},
    {"mul_int32", nullptr, kRefAsQuick},
    {"mul_int8", "avx512vbmi", kVnniIsThere},
    {"prelu_int8", "sse41", kRefAsQuick},
    {"prelu_int8", nullptr, kAvx2AsQuick},
    {"prune_decode_16", nullptr, kSse41AsQuick},
    {"prune_decode_32", nullptr, kAvx2AsQuick},
    {"prune_decode_64", nullptr, kAvx2AsQuick},
    {"prune_decode_8", "avx2", "`sse41` compiled for it: 1.19 times as quick"},
    {"prune_decode_8", nullptr, kSse41AsQuick},
    {"reduce_max_float", "avx2", "`ref` compiled for it: 1.11 times as quick"},
    {"reduce_max_float", nullptr, kRefAsQuick},
    {"reduce_max_int8", "sse41", "`ref` compiled for it: 1.23 times as quick"},
    {"reduce_max_int8", nullptr, kAvx2AsQuick},
    {"reduce_min_float", "avx2", "`ref` compiled for it: 1.11 times as quick"},
    {"reduce_min_float", "avx512vbmi", "`ref` compiled for it: 1.14 times as quick"},
    {"reduce_min_float", "avx512vnni", "`ref` compiled for it: 1.14 times as quick"},
    {"reduce_min_float", nullptr, kRefAsQuick},
    {"reduce_min_int8", "sse41", "`ref` compiled for it: 1.22 times as quick"},
    {"reduce_min_int8", nullptr, kAvx2AsQuick},
    {"reduce_sum_float", nullptr, kRefAsQuick},
    {"reduce_sum_int8", "sse41", kRefAsQuick},
    {"reduce_sum_int8", nullptr, kAvx2NoQuicker},
    {"resize_bilinear_int8", "sse41", "`ref` compiled for it: 1.37 times as quick"},
    {"resize_bilinear_int8", nullptr, kAvx2AsQuick},
    {"resize_nearest", "sse41", kRefAsQuick},
    {"resize_nearest", nullptr, "`avx2` compiled for it: 1.12 times as quick"},
    {"select", nullptr, "`avx2` compiled for it: 1.12 times as quick"},
    {"softmax_float", nullptr, kRefAsQuick},
    {"softmax_int16_output", "sse41", kRefAsQuick},
    {"softmax_int16_output", nullptr, kAvx2AsQuick},
    {"softmax_int8", "sse41", kRefAsQuick},
    {"softmax_int8", nullptr, kAvx2AsQuick},
    {"sparse_lut_decode_16", nullptr, kRefAsQuick},
    {"sparse_lut_decode_32", nullptr, kRefAsQuick},
    {"sparse_lut_decode_8", nullptr, kRefAsQuick},
    {"squared_difference_float", "sse41", "`ref` compiled for it: 1.19 times as quick"},
    {"squared_difference_float", nullptr, kAvx2AsQuick},
    {"squared_difference_int8", "sse41", kRefAsQuick},
    {"squared_difference_int8", nullptr, kAvx2AsQuick},
    {"sub_float", "sse41", "`ref` compiled for it: 1.17 times as quick"},
    {"sub_float", nullptr, kAvx2AsQuick},
    {"sub_int32", nullptr, kRefAsQuick},
    {"sub_int8", "avx512vbmi", kVnniIsThere},
    {"svdf_int16_state", "sse41", kRefAsQuick},
    {"svdf_int16_state", nullptr, kAvx2AsQuick},
    {"svdf_int8_state", "sse41", kRefAsQuick},
    {"svdf_int8_state", nullptr, kAvx2AsQuick},
    {"transpose_conv_float", nullptr, kRefNoQuicker},
    {"transpose_conv_int8", "avx512vbmi", kVnniIsThere},
    {"unary_float", nullptr, kRefNoQuicker},
};

}  // namespace lutra

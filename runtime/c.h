/* SPDX-License-Identifier: Apache-2.0 */
/* Lutra's runtime for C99: freestanding, without allocation.
 *
 *   static uint8_t arena[32 * 1024];
 *
 *   // model_bytes: a .tflite file, aligned to 4. Returns 0, or what went wrong.
 *   LutraStatus Classify(const void* model_bytes, size_t size, const void* samples, void* scores) {
 *     const LutraOp ops[] = {LUTRA_OP_CONV_2D, LUTRA_OP_SOFTMAX};  // Links these two and no other.
 *     LutraModel model;
 *     LutraInterpreter interpreter;
 *     LutraTensor input, output;
 *     LutraStatus status = lutra_model_load(&model, model_bytes, size, NULL);
 *     if (status != LUTRA_OK) return status;
 *     lutra_interpreter_init(&interpreter, &model, ops, 2, arena, sizeof arena, NULL);
 *     status = lutra_allocate_tensors(&interpreter);
 *     if (status != LUTRA_OK) return status;  // See lutra_diagnosis.
 *     lutra_input(&interpreter, 0, &input);
 *     memcpy(input.data, samples, input.bytes);
 *     status = lutra_invoke(&interpreter);
 *     lutra_output(&interpreter, 0, &output);
 *     memcpy(scores, output.data, output.bytes);
 *     return status;
 *   }
 *
 * Model, operators and arena must outlive the interpreter. Nothing is ever freed. A null pointer where none
 * is allowed, or an index that is out of range, gives LUTRA_INVALID_ARGUMENT. The structs are the same as
 * long as LUTRA_ABI_VERSION is. */

#ifndef LUTRA_C_H_
#define LUTRA_C_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LUTRA_API __attribute__((visibility("default")))
#else
#define LUTRA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LUTRA_ABI_VERSION 1

typedef int32_t LutraStatus;
enum {
  LUTRA_OK = 0,
  LUTRA_INVALID_MODEL = 1,    /* The bytes are malformed, or break a rule. */
  LUTRA_UNSUPPORTED = 2,      /* Well-formed, but nothing here implements it. */
  LUTRA_ARENA_TOO_SMALL = 3,  /* wanted_bytes of LutraDiagnosis: a lower bound of an arena that works. */
  LUTRA_INVALID_ARGUMENT = 4, /* The caller broke a rule of this header. */
  LUTRA_INVALID_INPUT = 5,    /* A value met at run time, an index or a divisor, breaks a rule. */
  LUTRA_NO_OUTPUT_YET = 6     /* No error: CIRCULAR_BUFFER wants more inferences first. */
};

/* The numbers of the file format. */
enum {
  LUTRA_FLOAT32 = 0,
  LUTRA_INT32 = 2,
  LUTRA_UINT8 = 3,
  LUTRA_INT64 = 4,
  LUTRA_BOOL = 6,
  LUTRA_INT16 = 7,
  LUTRA_INT8 = 9
};

/* The rule that a model broke, and where. Members without a value: -1; found and required: INT32_MIN. */
typedef struct {
  int32_t rule; /* lutra/rule.h */
  int32_t subgraph;
  int32_t node;
  int32_t tensor;
  int32_t found;
  int32_t required;
  size_t wanted_bytes;
} LutraDiagnosis;

#define LUTRA_MAX_RANK 8
typedef struct {
  void* data;
  size_t bytes;
  int32_t type; /* LUTRA_INT8 */
  int32_t rank;
  int32_t shape[LUTRA_MAX_RANK];
  float scale; /* The real value of a code is scale * (code - zero_point); 0: no codes. */
  int32_t zero_point;
} LutraTensor;

/* Memory for a model and for an interpreter. The caller must not use its content. */
#define LUTRA_MODEL_BYTES (8 * sizeof(void*))
#define LUTRA_INTERPRETER_BYTES (80 * sizeof(void*))
typedef union {
  void* alignment;
  unsigned char bytes[LUTRA_MODEL_BYTES];
} LutraModel;
typedef union {
  void* alignment;
  unsigned char bytes[LUTRA_INTERPRETER_BYTES];
} LutraInterpreter;

/* An operator: LUTRA_OP_CONV_2D and the like, below. */
typedef struct {
  int32_t code;
  void (*prepare)(void);
  void (*eval)(void);
  uint32_t compressible_inputs;
  const char* custom_code;
} LutraOp;

/* Decode tensors of COMPRESSION_METADATA; run groups of a LUTRA_PLAN. A program links those that it names. */
typedef struct LutraDecoder LutraDecoder;
typedef struct LutraRowGroups LutraRowGroups;
LUTRA_API extern const LutraDecoder* const lutra_decoder;
LUTRA_API extern const LutraRowGroups* const lutra_row_groups;

enum { LUTRA_MEMORY_SMALL = 0, LUTRA_MEMORY_FAST = 1 };
typedef struct {
  int32_t memory;                   /* LUTRA_MEMORY_SMALL or LUTRA_MEMORY_FAST */
  const LutraDecoder* decoder;      /* lutra_decoder or NULL */
  const LutraRowGroups* row_groups; /* lutra_row_groups or NULL */
} LutraOptions;

/* LUTRA_ABI_VERSION of the library. */
LUTRA_API int32_t lutra_abi_version(void);

/* Checks the bytes, which must be aligned to 4. diagnosis may be NULL. */
LUTRA_API LutraStatus lutra_model_load(LutraModel* model, const void* bytes, size_t size,
                                       LutraDiagnosis* diagnosis);
/* options: NULL for policy small and nothing else. */
LUTRA_API LutraStatus lutra_interpreter_init(LutraInterpreter* interpreter, const LutraModel* model,
                                             const LutraOp* ops, size_t op_count, void* arena,
                                             size_t arena_bytes, const LutraOptions* options);
/* Call it once for each interpreter. */
LUTRA_API LutraStatus lutra_allocate_tensors(LutraInterpreter* interpreter);
/* Runs one inference. Fill every input before each call. */
LUTRA_API LutraStatus lutra_invoke(LutraInterpreter* interpreter);
LUTRA_API void lutra_reset_variables(LutraInterpreter* interpreter);

LUTRA_API int32_t lutra_input_count(const LutraInterpreter* interpreter);
LUTRA_API int32_t lutra_output_count(const LutraInterpreter* interpreter);
LUTRA_API LutraStatus lutra_input(const LutraInterpreter* interpreter, int32_t index, LutraTensor* tensor);
LUTRA_API LutraStatus lutra_output(const LutraInterpreter* interpreter, int32_t index, LutraTensor* tensor);

LUTRA_API LutraStatus lutra_diagnosis(const LutraInterpreter* interpreter, LutraDiagnosis* diagnosis);
/* An arena of so many bytes, aligned to 16, works, and no smaller one does. */
LUTRA_API size_t lutra_arena_used_bytes(const LutraInterpreter* interpreter);

/* Every operator of the library. A program that calls this links them all. */
LUTRA_API const LutraOp* lutra_all_ops(size_t* count);

LUTRA_API extern const LutraOp lutra_op_abs;
LUTRA_API extern const LutraOp lutra_op_add;
LUTRA_API extern const LutraOp lutra_op_add_n;
LUTRA_API extern const LutraOp lutra_op_arg_max;
LUTRA_API extern const LutraOp lutra_op_arg_min;
LUTRA_API extern const LutraOp lutra_op_assign_variable;
LUTRA_API extern const LutraOp lutra_op_average_pool_2d;
LUTRA_API extern const LutraOp lutra_op_batch_matmul;
LUTRA_API extern const LutraOp lutra_op_batch_to_space_nd;
LUTRA_API extern const LutraOp lutra_op_broadcast_args;
LUTRA_API extern const LutraOp lutra_op_broadcast_to;
LUTRA_API extern const LutraOp lutra_op_call_once;
LUTRA_API extern const LutraOp lutra_op_cast;
LUTRA_API extern const LutraOp lutra_op_ceil;
LUTRA_API extern const LutraOp lutra_op_concatenation;
LUTRA_API extern const LutraOp lutra_op_conv_2d;
LUTRA_API extern const LutraOp lutra_op_cos;
LUTRA_API extern const LutraOp lutra_op_cumsum;
LUTRA_API extern const LutraOp lutra_op_depth_to_space;
LUTRA_API extern const LutraOp lutra_op_depthwise_conv_2d;
LUTRA_API extern const LutraOp lutra_op_dequantize;
LUTRA_API extern const LutraOp lutra_op_div;
LUTRA_API extern const LutraOp lutra_op_dynamic_update_slice;
LUTRA_API extern const LutraOp lutra_op_elu;
LUTRA_API extern const LutraOp lutra_op_embedding_lookup;
LUTRA_API extern const LutraOp lutra_op_equal;
LUTRA_API extern const LutraOp lutra_op_exp;
LUTRA_API extern const LutraOp lutra_op_expand_dims;
LUTRA_API extern const LutraOp lutra_op_fill;
LUTRA_API extern const LutraOp lutra_op_floor;
LUTRA_API extern const LutraOp lutra_op_floor_div;
LUTRA_API extern const LutraOp lutra_op_floor_mod;
LUTRA_API extern const LutraOp lutra_op_fully_connected;
LUTRA_API extern const LutraOp lutra_op_gather;
LUTRA_API extern const LutraOp lutra_op_gather_nd;
LUTRA_API extern const LutraOp lutra_op_gelu;
LUTRA_API extern const LutraOp lutra_op_greater;
LUTRA_API extern const LutraOp lutra_op_greater_equal;
LUTRA_API extern const LutraOp lutra_op_hard_swish;
LUTRA_API extern const LutraOp lutra_op_if;
LUTRA_API extern const LutraOp lutra_op_l2_normalization;
LUTRA_API extern const LutraOp lutra_op_l2_pool_2d;
LUTRA_API extern const LutraOp lutra_op_leaky_relu;
LUTRA_API extern const LutraOp lutra_op_less;
LUTRA_API extern const LutraOp lutra_op_less_equal;
LUTRA_API extern const LutraOp lutra_op_log;
LUTRA_API extern const LutraOp lutra_op_logical_and;
LUTRA_API extern const LutraOp lutra_op_logical_not;
LUTRA_API extern const LutraOp lutra_op_logical_or;
LUTRA_API extern const LutraOp lutra_op_logistic;
LUTRA_API extern const LutraOp lutra_op_log_softmax;
LUTRA_API extern const LutraOp lutra_op_maximum;
LUTRA_API extern const LutraOp lutra_op_max_pool_2d;
LUTRA_API extern const LutraOp lutra_op_mean;
LUTRA_API extern const LutraOp lutra_op_minimum;
LUTRA_API extern const LutraOp lutra_op_mirror_pad;
LUTRA_API extern const LutraOp lutra_op_mul;
LUTRA_API extern const LutraOp lutra_op_neg;
LUTRA_API extern const LutraOp lutra_op_not_equal;
LUTRA_API extern const LutraOp lutra_op_pack;
LUTRA_API extern const LutraOp lutra_op_pad;
LUTRA_API extern const LutraOp lutra_op_padv2;
LUTRA_API extern const LutraOp lutra_op_prelu;
LUTRA_API extern const LutraOp lutra_op_quantize;
LUTRA_API extern const LutraOp lutra_op_read_variable;
LUTRA_API extern const LutraOp lutra_op_reduce_all;
LUTRA_API extern const LutraOp lutra_op_reduce_max;
LUTRA_API extern const LutraOp lutra_op_reduce_min;
LUTRA_API extern const LutraOp lutra_op_relu;
LUTRA_API extern const LutraOp lutra_op_relu6;
LUTRA_API extern const LutraOp lutra_op_reshape;
LUTRA_API extern const LutraOp lutra_op_resize_bilinear;
LUTRA_API extern const LutraOp lutra_op_resize_nearest_neighbor;
LUTRA_API extern const LutraOp lutra_op_reverse_v2;
LUTRA_API extern const LutraOp lutra_op_round;
LUTRA_API extern const LutraOp lutra_op_rsqrt;
LUTRA_API extern const LutraOp lutra_op_select_v2;
LUTRA_API extern const LutraOp lutra_op_shape;
LUTRA_API extern const LutraOp lutra_op_sin;
LUTRA_API extern const LutraOp lutra_op_slice;
LUTRA_API extern const LutraOp lutra_op_softmax;
LUTRA_API extern const LutraOp lutra_op_space_to_batch_nd;
LUTRA_API extern const LutraOp lutra_op_space_to_depth;
LUTRA_API extern const LutraOp lutra_op_split;
LUTRA_API extern const LutraOp lutra_op_split_v;
LUTRA_API extern const LutraOp lutra_op_sqrt;
LUTRA_API extern const LutraOp lutra_op_square;
LUTRA_API extern const LutraOp lutra_op_squared_difference;
LUTRA_API extern const LutraOp lutra_op_squeeze;
LUTRA_API extern const LutraOp lutra_op_strided_slice;
LUTRA_API extern const LutraOp lutra_op_sub;
LUTRA_API extern const LutraOp lutra_op_sum;
LUTRA_API extern const LutraOp lutra_op_svdf;
LUTRA_API extern const LutraOp lutra_op_tanh;
LUTRA_API extern const LutraOp lutra_op_transpose;
LUTRA_API extern const LutraOp lutra_op_transpose_conv;
LUTRA_API extern const LutraOp lutra_op_unpack;
LUTRA_API extern const LutraOp lutra_op_unidirectional_sequence_lstm;
LUTRA_API extern const LutraOp lutra_op_var_handle;
LUTRA_API extern const LutraOp lutra_op_while;
LUTRA_API extern const LutraOp lutra_op_circular_buffer;
LUTRA_API extern const LutraOp lutra_op_decode;
LUTRA_API extern const LutraOp lutra_op_detection_postprocess;
LUTRA_API extern const LutraOp lutra_op_signal_delay;
LUTRA_API extern const LutraOp lutra_op_signal_energy;
LUTRA_API extern const LutraOp lutra_op_signal_fft_auto_scale;
LUTRA_API extern const LutraOp lutra_op_signal_filter_bank;
LUTRA_API extern const LutraOp lutra_op_signal_filter_bank_log;
LUTRA_API extern const LutraOp lutra_op_signal_filter_bank_spectral_subtraction;
LUTRA_API extern const LutraOp lutra_op_signal_filter_bank_square_root;
LUTRA_API extern const LutraOp lutra_op_signal_framer;
LUTRA_API extern const LutraOp lutra_op_signal_irfft;
LUTRA_API extern const LutraOp lutra_op_signal_overlap_add;
LUTRA_API extern const LutraOp lutra_op_signal_pcan;
LUTRA_API extern const LutraOp lutra_op_signal_rfft;
LUTRA_API extern const LutraOp lutra_op_signal_stacker;
LUTRA_API extern const LutraOp lutra_op_signal_window;
LUTRA_API extern const LutraOp lutra_op_zeros_like;

#define LUTRA_OP_ABS lutra_op_abs
#define LUTRA_OP_ADD lutra_op_add
#define LUTRA_OP_ADD_N lutra_op_add_n
#define LUTRA_OP_ARG_MAX lutra_op_arg_max
#define LUTRA_OP_ARG_MIN lutra_op_arg_min
#define LUTRA_OP_ASSIGN_VARIABLE lutra_op_assign_variable
#define LUTRA_OP_AVERAGE_POOL_2D lutra_op_average_pool_2d
#define LUTRA_OP_BATCH_MATMUL lutra_op_batch_matmul
#define LUTRA_OP_BATCH_TO_SPACE_ND lutra_op_batch_to_space_nd
#define LUTRA_OP_BROADCAST_ARGS lutra_op_broadcast_args
#define LUTRA_OP_BROADCAST_TO lutra_op_broadcast_to
#define LUTRA_OP_CALL_ONCE lutra_op_call_once
#define LUTRA_OP_CAST lutra_op_cast
#define LUTRA_OP_CEIL lutra_op_ceil
#define LUTRA_OP_CONCATENATION lutra_op_concatenation
#define LUTRA_OP_CONV_2D lutra_op_conv_2d
#define LUTRA_OP_COS lutra_op_cos
#define LUTRA_OP_CUMSUM lutra_op_cumsum
#define LUTRA_OP_DEPTH_TO_SPACE lutra_op_depth_to_space
#define LUTRA_OP_DEPTHWISE_CONV_2D lutra_op_depthwise_conv_2d
#define LUTRA_OP_DEQUANTIZE lutra_op_dequantize
#define LUTRA_OP_DIV lutra_op_div
#define LUTRA_OP_DYNAMIC_UPDATE_SLICE lutra_op_dynamic_update_slice
#define LUTRA_OP_ELU lutra_op_elu
#define LUTRA_OP_EMBEDDING_LOOKUP lutra_op_embedding_lookup
#define LUTRA_OP_EQUAL lutra_op_equal
#define LUTRA_OP_EXP lutra_op_exp
#define LUTRA_OP_EXPAND_DIMS lutra_op_expand_dims
#define LUTRA_OP_FILL lutra_op_fill
#define LUTRA_OP_FLOOR lutra_op_floor
#define LUTRA_OP_FLOOR_DIV lutra_op_floor_div
#define LUTRA_OP_FLOOR_MOD lutra_op_floor_mod
#define LUTRA_OP_FULLY_CONNECTED lutra_op_fully_connected
#define LUTRA_OP_GATHER lutra_op_gather
#define LUTRA_OP_GATHER_ND lutra_op_gather_nd
#define LUTRA_OP_GELU lutra_op_gelu
#define LUTRA_OP_GREATER lutra_op_greater
#define LUTRA_OP_GREATER_EQUAL lutra_op_greater_equal
#define LUTRA_OP_HARD_SWISH lutra_op_hard_swish
#define LUTRA_OP_IF lutra_op_if
#define LUTRA_OP_L2_NORMALIZATION lutra_op_l2_normalization
#define LUTRA_OP_L2_POOL_2D lutra_op_l2_pool_2d
#define LUTRA_OP_LEAKY_RELU lutra_op_leaky_relu
#define LUTRA_OP_LESS lutra_op_less
#define LUTRA_OP_LESS_EQUAL lutra_op_less_equal
#define LUTRA_OP_LOG lutra_op_log
#define LUTRA_OP_LOGICAL_AND lutra_op_logical_and
#define LUTRA_OP_LOGICAL_NOT lutra_op_logical_not
#define LUTRA_OP_LOGICAL_OR lutra_op_logical_or
#define LUTRA_OP_LOGISTIC lutra_op_logistic
#define LUTRA_OP_LOG_SOFTMAX lutra_op_log_softmax
#define LUTRA_OP_MAXIMUM lutra_op_maximum
#define LUTRA_OP_MAX_POOL_2D lutra_op_max_pool_2d
#define LUTRA_OP_MEAN lutra_op_mean
#define LUTRA_OP_MINIMUM lutra_op_minimum
#define LUTRA_OP_MIRROR_PAD lutra_op_mirror_pad
#define LUTRA_OP_MUL lutra_op_mul
#define LUTRA_OP_NEG lutra_op_neg
#define LUTRA_OP_NOT_EQUAL lutra_op_not_equal
#define LUTRA_OP_PACK lutra_op_pack
#define LUTRA_OP_PAD lutra_op_pad
#define LUTRA_OP_PADV2 lutra_op_padv2
#define LUTRA_OP_PRELU lutra_op_prelu
#define LUTRA_OP_QUANTIZE lutra_op_quantize
#define LUTRA_OP_READ_VARIABLE lutra_op_read_variable
#define LUTRA_OP_REDUCE_ALL lutra_op_reduce_all
#define LUTRA_OP_REDUCE_MAX lutra_op_reduce_max
#define LUTRA_OP_REDUCE_MIN lutra_op_reduce_min
#define LUTRA_OP_RELU lutra_op_relu
#define LUTRA_OP_RELU6 lutra_op_relu6
#define LUTRA_OP_RESHAPE lutra_op_reshape
#define LUTRA_OP_RESIZE_BILINEAR lutra_op_resize_bilinear
#define LUTRA_OP_RESIZE_NEAREST_NEIGHBOR lutra_op_resize_nearest_neighbor
#define LUTRA_OP_REVERSE_V2 lutra_op_reverse_v2
#define LUTRA_OP_ROUND lutra_op_round
#define LUTRA_OP_RSQRT lutra_op_rsqrt
#define LUTRA_OP_SELECT_V2 lutra_op_select_v2
#define LUTRA_OP_SHAPE lutra_op_shape
#define LUTRA_OP_SIN lutra_op_sin
#define LUTRA_OP_SLICE lutra_op_slice
#define LUTRA_OP_SOFTMAX lutra_op_softmax
#define LUTRA_OP_SPACE_TO_BATCH_ND lutra_op_space_to_batch_nd
#define LUTRA_OP_SPACE_TO_DEPTH lutra_op_space_to_depth
#define LUTRA_OP_SPLIT lutra_op_split
#define LUTRA_OP_SPLIT_V lutra_op_split_v
#define LUTRA_OP_SQRT lutra_op_sqrt
#define LUTRA_OP_SQUARE lutra_op_square
#define LUTRA_OP_SQUARED_DIFFERENCE lutra_op_squared_difference
#define LUTRA_OP_SQUEEZE lutra_op_squeeze
#define LUTRA_OP_STRIDED_SLICE lutra_op_strided_slice
#define LUTRA_OP_SUB lutra_op_sub
#define LUTRA_OP_SUM lutra_op_sum
#define LUTRA_OP_SVDF lutra_op_svdf
#define LUTRA_OP_TANH lutra_op_tanh
#define LUTRA_OP_TRANSPOSE lutra_op_transpose
#define LUTRA_OP_TRANSPOSE_CONV lutra_op_transpose_conv
#define LUTRA_OP_UNPACK lutra_op_unpack
#define LUTRA_OP_UNIDIRECTIONAL_SEQUENCE_LSTM lutra_op_unidirectional_sequence_lstm
#define LUTRA_OP_VAR_HANDLE lutra_op_var_handle
#define LUTRA_OP_WHILE lutra_op_while
#define LUTRA_OP_CIRCULAR_BUFFER lutra_op_circular_buffer
#define LUTRA_OP_DECODE lutra_op_decode
#define LUTRA_OP_DETECTION_POSTPROCESS lutra_op_detection_postprocess
#define LUTRA_OP_SIGNAL_DELAY lutra_op_signal_delay
#define LUTRA_OP_SIGNAL_ENERGY lutra_op_signal_energy
#define LUTRA_OP_SIGNAL_FFT_AUTO_SCALE lutra_op_signal_fft_auto_scale
#define LUTRA_OP_SIGNAL_FILTER_BANK lutra_op_signal_filter_bank
#define LUTRA_OP_SIGNAL_FILTER_BANK_LOG lutra_op_signal_filter_bank_log
#define LUTRA_OP_SIGNAL_FILTER_BANK_SPECTRAL_SUBTRACTION lutra_op_signal_filter_bank_spectral_subtraction
#define LUTRA_OP_SIGNAL_FILTER_BANK_SQUARE_ROOT lutra_op_signal_filter_bank_square_root
#define LUTRA_OP_SIGNAL_FRAMER lutra_op_signal_framer
#define LUTRA_OP_SIGNAL_IRFFT lutra_op_signal_irfft
#define LUTRA_OP_SIGNAL_OVERLAP_ADD lutra_op_signal_overlap_add
#define LUTRA_OP_SIGNAL_PCAN lutra_op_signal_pcan
#define LUTRA_OP_SIGNAL_RFFT lutra_op_signal_rfft
#define LUTRA_OP_SIGNAL_STACKER lutra_op_signal_stacker
#define LUTRA_OP_SIGNAL_WINDOW lutra_op_signal_window
#define LUTRA_OP_ZEROS_LIKE lutra_op_zeros_like

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LUTRA_C_H_ */

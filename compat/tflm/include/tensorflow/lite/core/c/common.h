// SPDX-License-Identifier: Apache-2.0
// TfLiteTensor and its parts, as in TensorFlow Lite Micro.
//
//   const TfLiteTensor* output = interpreter.output(0);
//   for (int i = 0; i < output->dims->size; ++i) MicroPrintf("%d", output->dims->data[i]);

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tensorflow/lite/core/c/c_api_types.h"

// Programs expect TensorFlow Lite Micro's headers to include these. A toolchain without a C++ library has
// none.
#if __has_include(<stdlib.h>)
#include <stdlib.h>
#endif
#if __has_include(<tuple>)
#include <algorithm>
#include <limits>
#include <new>
#include <tuple>
#endif

// Arrays of no fixed length are C, and an extension of compilers for C++.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wc99-extensions"
#endif
typedef struct TfLiteIntArray {
  int size;
  int data[];
} TfLiteIntArray;

typedef struct TfLiteFloatArray {
  int size;
  float data[];
} TfLiteFloatArray;
#pragma GCC diagnostic pop

typedef struct TfLiteComplex64 {
  float re, im;
} TfLiteComplex64;

typedef struct TfLiteComplex128 {
  double re, im;
} TfLiteComplex128;

typedef struct TfLiteFloat16 {
  uint16_t data;
} TfLiteFloat16;

typedef struct TfLiteBFloat16 {
  uint16_t data;
} TfLiteBFloat16;

typedef union TfLitePtrUnion {
  int32_t* i32;
  uint32_t* u32;
  int64_t* i64;
  uint64_t* u64;
  float* f;
  double* f64;
  char* raw;
  const char* raw_const;
  uint8_t* uint8;
  bool* b;
  int16_t* i16;
  uint16_t* ui16;
  int8_t* int8;
  void* data;
} TfLitePtrUnion;

typedef enum TfLiteAllocationType {
  kTfLiteMemNone = 0,
  kTfLiteMmapRo,
  kTfLiteArenaRw,
  kTfLiteArenaRwPersistent,
  kTfLiteDynamic,
  kTfLitePersistentRo,
  kTfLiteCustom,
} TfLiteAllocationType;

typedef enum TfLiteQuantizationType {
  kTfLiteNoQuantization = 0,
  kTfLiteAffineQuantization = 1,
} TfLiteQuantizationType;

// `params` of kTfLiteAffineQuantization.
typedef struct TfLiteAffineQuantization {
  TfLiteFloatArray* scale;
  TfLiteIntArray* zero_point;
  int32_t quantized_dimension;
} TfLiteAffineQuantization;

typedef struct TfLiteQuantization {
  TfLiteQuantizationType type;
  void* params;
} TfLiteQuantization;

typedef struct TfLiteTensor {
  TfLiteQuantization quantization;
  TfLiteQuantizationParams params;
  TfLitePtrUnion data;
  TfLiteIntArray* dims;
  size_t bytes;
  TfLiteType type;
  TfLiteAllocationType allocation_type;
  bool is_variable;
} TfLiteTensor;

// A kernel sees this of a tensor while it runs.
typedef struct TfLiteEvalTensor {
  TfLitePtrUnion data;
  TfLiteIntArray* dims;
  TfLiteType type;
} TfLiteEvalTensor;

// An operand that is left out has this number.
#define kTfLiteOptionalTensor (-1)

// A node, as the kernels of programs see it. Operands have the numbers of the model's tensors.
typedef struct TfLiteNode {
  TfLiteIntArray* inputs;
  TfLiteIntArray* outputs;
  TfLiteIntArray* intermediates;    // There are none.
  void* user_data;                  // What init returned.
  void* builtin_data;               // Null.
  const void* custom_initial_data;  // The operator's options in the file.
  int custom_initial_data_size;
} TfLiteNode;

typedef enum TfLiteExternalContextType {
  kTfLiteEigenContext = 0,
  kTfLiteGemmLowpContext = 1,
  kTfLiteEdgeTpuContext = 2,
  kTfLiteCpuBackendContext = 3,
} TfLiteExternalContextType;

struct TfLiteContext;
typedef struct TfLiteExternalContext {
  TfLiteExternalContextType type;
  TfLiteStatus (*Refresh)(struct TfLiteContext* context);
} TfLiteExternalContext;

// The kernels of programs call these functions; micro_context.h describes each.
typedef struct TfLiteContext {
  size_t tensors_size;  // Of the model's first subgraph.
  void* impl_;
  TfLiteTensor* (*GetTensor)(const struct TfLiteContext* context, int tensor);
  TfLiteEvalTensor* (*GetEvalTensor)(const struct TfLiteContext* context, int tensor);
  void* (*AllocatePersistentBuffer)(struct TfLiteContext* context, size_t bytes);
  TfLiteStatus (*RequestScratchBufferInArena)(struct TfLiteContext* context, size_t bytes, int* index);
  void* (*GetScratchBuffer)(struct TfLiteContext* context, int index);
  TfLiteExternalContext* (*GetExternalContext)(struct TfLiteContext* context, TfLiteExternalContextType type);
  void (*ReportError)(struct TfLiteContext* context, const char* format, ...);
  int recommended_num_threads;
} TfLiteContext;

// The functions of an operator that a program has for itself, as programs of before 2023 write it;
// micro_common.h has TFLMRegistration.
typedef struct TfLiteRegistration {
  void* (*init)(TfLiteContext* context, const char* options, size_t bytes) = nullptr;
  void (*free)(TfLiteContext* context, void* user_data) = nullptr;
  TfLiteStatus (*prepare)(TfLiteContext* context, TfLiteNode* node) = nullptr;
  TfLiteStatus (*invoke)(TfLiteContext* context, TfLiteNode* node) = nullptr;
  const char* (*profiling_string)(const TfLiteContext* context, const TfLiteNode* node) = nullptr;
  int32_t builtin_code = 0;
  const char* custom_name = nullptr;
  int version = 0;
} TfLiteRegistration;
typedef TfLiteRegistration TfLiteRegistration_V1;

// "INT8"; "Unknown type" for a number that is none.
extern "C" const char* TfLiteTypeGetName(TfLiteType type);
// Returns 1 if both have the same elements, else 0.
extern "C" int TfLiteIntArrayEqual(const TfLiteIntArray* a, const TfLiteIntArray* b);

#ifdef TF_LITE_STRIP_ERROR_STRINGS
#define TF_LITE_KERNEL_LOG(context, ...) static_cast<void>(context)
#define TF_LITE_MAYBE_KERNEL_LOG(context, ...) static_cast<void>(context)
#else
#define TF_LITE_KERNEL_LOG(context, ...) (context)->ReportError((context), __VA_ARGS__)
#define TF_LITE_MAYBE_KERNEL_LOG(context, ...)                            \
  do {                                                                    \
    if ((context) != nullptr) TF_LITE_KERNEL_LOG((context), __VA_ARGS__); \
  } while (false)
#endif

// These return kTfLiteError from a function that returns TfLiteStatus, after a line of text, if what they
// name is not so.
#define LUTRA_TFLM_ENSURE(condition, context, ...) \
  do {                                             \
    if (!(condition)) {                            \
      TF_LITE_KERNEL_LOG((context), __VA_ARGS__);  \
      return kTfLiteError;                         \
    }                                              \
  } while (false)
#define TF_LITE_ENSURE(context, a) \
  LUTRA_TFLM_ENSURE(a, context, "%s:%d %s was not true.", __FILE__, __LINE__, #a)
#define TF_LITE_ENSURE_MSG(context, a, ...) LUTRA_TFLM_ENSURE(a, context, __FILE__ " " __VA_ARGS__)
#define TF_LITE_ENSURE_EQ(context, a, b) \
  LUTRA_TFLM_ENSURE((a) == (b), context, "%s:%d %s != %s (%d != %d)", __FILE__, __LINE__, #a, #b, (a), (b))
#define TF_LITE_ENSURE_TYPES_EQ(context, a, b)                                                    \
  LUTRA_TFLM_ENSURE((a) == (b), context, "%s:%d %s != %s (%s != %s)", __FILE__, __LINE__, #a, #b, \
                    TfLiteTypeGetName(a), TfLiteTypeGetName(b))
#define TF_LITE_ENSURE_NEAR(context, a, b, epsilon)                                                        \
  LUTRA_TFLM_ENSURE(((a) > (b) ? (a) - (b) : (b) - (a)) <= (epsilon), context,                             \
                    "%s:%d %s not near %s (%f != %f)", __FILE__, __LINE__, #a, #b, static_cast<double>(a), \
                    static_cast<double>(b))
// A text may follow the status.
#define TF_LITE_ENSURE_OK(context, expression, ...)                   \
  do {                                                                \
    const TfLiteStatus lutra_status_ = (expression);                  \
    if (lutra_status_ != kTfLiteOk) {                                 \
      TF_LITE_MAYBE_KERNEL_LOG((context), __FILE__ ": " __VA_ARGS__); \
      return lutra_status_;                                           \
    }                                                                 \
  } while (false)

// Returns early, with the status, from a function that returns TfLiteStatus.
#define TF_LITE_ENSURE_STATUS(expression)                 \
  do {                                                    \
    const TfLiteStatus lutra_status_ = (expression);      \
    if (lutra_status_ != kTfLiteOk) return lutra_status_; \
  } while (false)

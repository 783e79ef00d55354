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

// Returns early, with the status, from a function that returns TfLiteStatus.
#define TF_LITE_ENSURE_STATUS(expression)                 \
  do {                                                    \
    const TfLiteStatus lutra_status_ = (expression);      \
    if (lutra_status_ != kTfLiteOk) return lutra_status_; \
  } while (false)

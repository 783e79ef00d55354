// SPDX-License-Identifier: Apache-2.0
// Checks that end the program: TFLITE_CHECK always, TFLITE_DCHECK unless NDEBUG is defined.
//
//   TFLITE_CHECK_EQ(interpreter.inputs_size(), 1);

#pragma once

#include <stdint.h>

#include "tensorflow/lite/kernels/op_macros.h"

// The condition is evaluated in any case, as in TensorFlow Lite Micro.
#define LUTRA_TFLM_CHECK(condition, otherwise) \
  do {                                         \
    if (!(condition)) {                        \
      otherwise;                               \
    }                                          \
  } while (false)

#define TFLITE_CHECK(condition) LUTRA_TFLM_CHECK(condition, TFLITE_ABORT)
#define TFLITE_CHECK_EQ(a, b) TFLITE_CHECK((a) == (b))
#define TFLITE_CHECK_NE(a, b) TFLITE_CHECK((a) != (b))
#define TFLITE_CHECK_GE(a, b) TFLITE_CHECK((a) >= (b))
#define TFLITE_CHECK_GT(a, b) TFLITE_CHECK((a) > (b))
#define TFLITE_CHECK_LE(a, b) TFLITE_CHECK((a) <= (b))
#define TFLITE_CHECK_LT(a, b) TFLITE_CHECK((a) < (b))

#define TFLITE_DCHECK(condition) LUTRA_TFLM_CHECK(condition, TFLITE_ASSERT_FALSE)
#define TFLITE_DCHECK_EQ(a, b) TFLITE_DCHECK((a) == (b))
#define TFLITE_DCHECK_NE(a, b) TFLITE_DCHECK((a) != (b))
#define TFLITE_DCHECK_GE(a, b) TFLITE_DCHECK((a) >= (b))
#define TFLITE_DCHECK_GT(a, b) TFLITE_DCHECK((a) > (b))
#define TFLITE_DCHECK_LE(a, b) TFLITE_DCHECK((a) <= (b))
#define TFLITE_DCHECK_LT(a, b) TFLITE_DCHECK((a) < (b))

#define TFLITE_DEPRECATED(message) [[deprecated(message)]]

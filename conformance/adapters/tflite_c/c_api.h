// SPDX-License-Identifier: Apache-2.0
// The functions of TensorFlow Lite's C API that the adapter needs, as its documentation gives them. They
// are looked up in a library at run time, so no header of that project is needed.

#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// Incomplete on purpose: the library's own.
struct TfLiteModel;
struct TfLiteInterpreterOptions;
struct TfLiteInterpreter;
struct TfLiteTensor;

}  // extern "C"

namespace lutra::conformance::tflite_c {

// TfLiteStatus. All others: something failed.
inline constexpr int kStatusOk = 0;
inline constexpr int kStatusUnresolvedOps = 7;  // No kernel takes some operator.

struct Api {
  const char* (*version)();
  TfLiteModel* (*model_create)(const void* data, size_t bytes);
  void (*model_delete)(TfLiteModel*);
  TfLiteInterpreterOptions* (*options_create)();
  void (*options_delete)(TfLiteInterpreterOptions*);
  void (*options_set_threads)(TfLiteInterpreterOptions*, int32_t threads);
  TfLiteInterpreter* (*interpreter_create)(const TfLiteModel*, const TfLiteInterpreterOptions*);
  void (*interpreter_delete)(TfLiteInterpreter*);
  int (*allocate_tensors)(TfLiteInterpreter*);
  int (*invoke)(TfLiteInterpreter*);
  int32_t (*input_count)(const TfLiteInterpreter*);
  TfLiteTensor* (*input)(const TfLiteInterpreter*, int32_t index);
  int32_t (*output_count)(const TfLiteInterpreter*);
  const TfLiteTensor* (*output)(const TfLiteInterpreter*, int32_t index);
  size_t (*tensor_bytes)(const TfLiteTensor*);
  void* (*tensor_data)(const TfLiteTensor*);
  int (*copy_from)(TfLiteTensor*, const void* data, size_t bytes);
};

// Throws std::runtime_error, one line, if the library or a function of it is missing.
Api LoadApi(const char* library);

}  // namespace lutra::conformance::tflite_c

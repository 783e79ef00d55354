// SPDX-License-Identifier: Apache-2.0
// The functions of TensorFlow Lite's C API that we need, as its documentation gives them. They are looked up
// in a library at run time, so no header of that project is needed.
//
//   const Api api = LoadApi("libtensorflowlite_c.so");
//   Session session(api, model.data(), model.size(), /*threads=*/1);
//   session.Fill(0, input.data(), input.size());
//   session.Invoke();
//   Use(session.Output(0));

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "conformance/adapters/protocol.h"

extern "C" {

// These types are incomplete: the library defines them.
struct TfLiteModel;
struct TfLiteInterpreterOptions;
struct TfLiteInterpreter;
struct TfLiteTensor;

}  // extern "C"

namespace lutra::conformance::tflite_c {

// Values of TfLiteStatus; all others mean failures.
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

// A failure of the library; what() is the function, or what is wrong.
class Failure : public std::runtime_error {
 public:
  Failure(CaseAnswer::Kind kind, const std::string& why) : std::runtime_error(why), kind_(kind) {}
  CaseAnswer::Kind kind() const { return kind_; }

 private:
  CaseAnswer::Kind kind_;
};

// A model in an interpreter of the library. Every function throws Failure.
class Session {
 public:
  // The library does not copy the model: it must outlive the session.
  Session(const Api& api, const void* model, size_t bytes, int threads);
  int input_count() const { return api_.input_count(interpreter_.get()); }
  int output_count() const { return api_.output_count(interpreter_.get()); }
  void Fill(int input, const void* bytes, size_t count);
  void Invoke();
  // Values of a tensor; valid until the next inference.
  struct Values {
    const void* data;
    size_t bytes;
  };
  Values Output(int output) const;

 private:
  template <typename T>
  using Owned = std::unique_ptr<T, void (*)(T*)>;

  const Api api_;
  Owned<TfLiteModel> model_;
  Owned<TfLiteInterpreter> interpreter_{nullptr, api_.interpreter_delete};
};

}  // namespace lutra::conformance::tflite_c

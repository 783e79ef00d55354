// SPDX-License-Identifier: Apache-2.0
// MicroMutableOpResolver: the operators that a program links, one after the other.
//
//   tflite::MicroMutableOpResolver<2> resolver;
//   TF_LITE_ENSURE_STATUS(resolver.AddConv2D(tflite::Register_CONV_2D_INT8()));
//   TF_LITE_ENSURE_STATUS(resolver.AddSoftmax());

#pragma once

#include "tensorflow/lite/kernels/internal/compatibility.h"
#include "tensorflow/lite/micro/micro_op_resolver.h"

namespace tflite {

class ErrorReporter;

template <unsigned int capacity>
class MicroMutableOpResolver : public MicroOpResolver {
 public:
  MicroMutableOpResolver() : MicroOpResolver(room_, capacity) {}
  // Older programs give an error reporter, which is not used.
  explicit MicroMutableOpResolver(ErrorReporter*) : MicroMutableOpResolver() {}
  MicroMutableOpResolver(const MicroMutableOpResolver& other) : MicroOpResolver(room_, capacity) {
    CopyFrom(other);
  }
  MicroMutableOpResolver& operator=(const MicroMutableOpResolver& other) {
    CopyFrom(other);
    return *this;
  }

#define LUTRA_TFLM_ADD(method, name, number)                                           \
  TfLiteStatus Add##method(const TFLMRegistration& registration = Register_##name()) { \
    return Add(registration, number, nullptr);                                         \
  }
  LUTRA_TFLM_BUILTIN_OPERATORS(LUTRA_TFLM_ADD)
#undef LUTRA_TFLM_ADD
#define LUTRA_TFLM_ADD_CUSTOM(method, name, text)                                      \
  TfLiteStatus Add##method(const TFLMRegistration& registration = Register_##name()) { \
    return Add(registration, kCustom, text);                                           \
  }
  LUTRA_TFLM_CUSTOM_OPERATORS(LUTRA_TFLM_ADD_CUSTOM)
#undef LUTRA_TFLM_ADD_CUSTOM

  // Adds nothing, as TensorFlow Lite Micro does without such a processor.
  TfLiteStatus AddEthosU() { return kTfLiteOk; }
  // Returns kTfLiteError: Lutra cannot call kernels that are written for TensorFlow Lite Micro.
  TfLiteStatus AddCustom(const char* name, const TFLMRegistration*) { return RefuseCustom(name); }

 private:
  alignas(void*) unsigned char room_[capacity * lutra::compat::kOperatorBytes];
};

}  // namespace tflite

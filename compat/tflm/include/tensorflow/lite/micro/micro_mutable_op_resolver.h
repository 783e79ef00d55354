// SPDX-License-Identifier: Apache-2.0
// MicroMutableOpResolver: the operators that a program links, one after the other.
//
//   tflite::MicroMutableOpResolver<2> resolver;
//   TF_LITE_ENSURE_STATUS(resolver.AddConv2D(tflite::Register_CONV_2D_INT8()));
//   TF_LITE_ENSURE_STATUS(resolver.AddSoftmax());

#pragma once

#include "tensorflow/lite/kernels/internal/compatibility.h"
#include "tensorflow/lite/micro/micro_op_resolver.h"

namespace lutra::compat {

// Return null, after a line of MicroPrintf, for a kernel that cannot be added. Only programs that call these
// link what calls such kernels.
const Operator* AddKernel(const char* name, const TFLMRegistration* registration);
const Operator* AddKernel(const char* name, const TfLiteRegistration* registration);

}  // namespace lutra::compat

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

#define LUTRA_TFLM_ADD(method, name, number)                                                      \
  TfLiteStatus Add##method(const lutra::compat::Registration& registration = Register_##name()) { \
    return Add(registration, number, nullptr);                                                    \
  }                                                                                               \
  TfLiteStatus Add##method(const TFLMRegistration& registration) {                                \
    return Add({registration.lutra_operator}, number, nullptr);                                   \
  }
  LUTRA_TFLM_BUILTIN_OPERATORS(LUTRA_TFLM_ADD)
#undef LUTRA_TFLM_ADD
#define LUTRA_TFLM_ADD_CUSTOM(method, name, text)                                                 \
  TfLiteStatus Add##method(const lutra::compat::Registration& registration = Register_##name()) { \
    return Add(registration, kCustom, text);                                                      \
  }                                                                                               \
  TfLiteStatus Add##method(const TFLMRegistration& registration) {                                \
    return Add({registration.lutra_operator}, kCustom, text);                                     \
  }
  LUTRA_TFLM_CUSTOM_OPERATORS(LUTRA_TFLM_ADD_CUSTOM)
#undef LUTRA_TFLM_ADD_CUSTOM

  // Adds nothing, as TensorFlow Lite Micro does without such a processor.
  TfLiteStatus AddEthosU() { return kTfLiteOk; }
  // Adds an operator of the program's own, or one of Lutra's. The name must outlive all interpreters. A
  // program has one kernel for each name.
  TfLiteStatus AddCustom(const char* name, const TFLMRegistration* registration) {
    return Add({lutra::compat::AddKernel(name, registration)}, kCustom, name);
  }
  TfLiteStatus AddCustom(const char* name, const TfLiteRegistration* registration) {
    return Add({lutra::compat::AddKernel(name, registration)}, kCustom, name);
  }
  TfLiteStatus AddCustom(const char* name, const lutra::compat::Registration& registration) {
    return Add(registration, kCustom, name);
  }

 private:
  alignas(void*) unsigned char room_[capacity * lutra::compat::kOperatorBytes];
};

}  // namespace tflite

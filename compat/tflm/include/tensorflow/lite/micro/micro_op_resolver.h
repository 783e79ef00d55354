// SPDX-License-Identifier: Apache-2.0
// MicroOpResolver: the operators that a program has. Its size stands in MicroMutableOpResolver.

#pragma once

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/micro/kernels/micro_ops.h"

namespace tflite {

class MicroOpResolver {
 public:
  unsigned int GetRegistrationLength() const { return count_; }
  // Lutra's, in the order in which they were added.
  const lutra::compat::Operator* operators() const {
    return reinterpret_cast<const lutra::compat::Operator*>(room_);
  }

 protected:
  // Room for so many operators, aligned as a pointer.
  MicroOpResolver(unsigned char* room, unsigned int capacity) : room_(room), capacity_(capacity) {}
  MicroOpResolver(const MicroOpResolver&) = delete;
  MicroOpResolver& operator=(const MicroOpResolver&) = delete;

  static constexpr int kCustom = 32;  // Of models.

  // kTfLiteError, and a line of MicroPrintf, if it is there or all places are taken, or if the registration
  // is another operator's than the method's. That one is not named: who gives another form of it does not
  // link it.
  TfLiteStatus Add(const TFLMRegistration& registration, int code, const char* custom_code);
  // As Add, of what is refused in any case.
  TfLiteStatus RefuseCustom(const char* name) const;
  void CopyFrom(const MicroOpResolver& other);

 private:
  unsigned char* room_;
  unsigned int capacity_;
  unsigned int count_ = 0;
};

}  // namespace tflite

// SPDX-License-Identifier: Apache-2.0
// MicroOpResolver: the operators of a program. MicroMutableOpResolver sets their largest number.

#pragma once

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/micro/kernels/micro_ops.h"

namespace tflite {

class MicroOpResolver {
 public:
  unsigned int GetRegistrationLength() const { return count_; }
  // Returns Lutra's operators, in the order in which they were added.
  const lutra::compat::Operator* operators() const {
    return reinterpret_cast<const lutra::compat::Operator*>(room_);
  }

 protected:
  // `room`: memory for `capacity` operators, aligned as a pointer.
  MicroOpResolver(unsigned char* room, unsigned int capacity) : room_(room), capacity_(capacity) {}
  MicroOpResolver(const MicroOpResolver&) = delete;
  MicroOpResolver& operator=(const MicroOpResolver&) = delete;

  static constexpr int kCustom = 32;  // The number of custom operators in models.

  // Adds an operator. Returns kTfLiteError, after a line of MicroPrintf, if it was added before or all places
  // are taken, or if the registration belongs to another operator than the method. The line does not name the
  // other operator, whose name would have to be linked.
  TfLiteStatus Add(const lutra::compat::Registration& registration, int code, const char* custom_code);
  void CopyFrom(const MicroOpResolver& other);

 private:
  unsigned char* room_;
  unsigned int capacity_;
  unsigned int count_ = 0;
};

}  // namespace tflite

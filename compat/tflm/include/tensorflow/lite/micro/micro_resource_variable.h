// SPDX-License-Identifier: Apache-2.0
// MicroResourceVariables: variables that a model's operators share. They lie in the arena whether a program
// asks for them or not; this object is for programs that do.

#pragma once

#include "tensorflow/lite/micro/micro_allocator.h"

namespace tflite {

class MicroResourceVariables {
 public:
  // There is no limit to their number. Null: there is no allocator.
  static MicroResourceVariables* Create(MicroAllocator* allocator, int count);

 private:
  MicroResourceVariables() = delete;
};

}  // namespace tflite

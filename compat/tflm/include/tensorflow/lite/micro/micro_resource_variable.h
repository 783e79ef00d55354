// SPDX-License-Identifier: Apache-2.0
// MicroResourceVariables: variables that a model's operators share. They are in the arena in any case; this
// object is for programs that create one.

#pragma once

#include "tensorflow/lite/micro/micro_allocator.h"

namespace tflite {

class MicroResourceVariables {
 public:
  // There is no limit to the number of variables. Returns null if there is no allocator.
  static MicroResourceVariables* Create(MicroAllocator* allocator, int count);

 private:
  MicroResourceVariables() = delete;
};

}  // namespace tflite

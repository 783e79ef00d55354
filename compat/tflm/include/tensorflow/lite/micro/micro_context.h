// SPDX-License-Identifier: Apache-2.0
// Of what kernels see there are here the names that applications use.

#pragma once

#include <stddef.h>

#include "tensorflow/lite/core/c/common.h"

// Of streaming models whose inputs do not suffice yet. No operator here gives it.
const TfLiteStatus kTfLiteAbort = static_cast<TfLiteStatus>(15);

namespace tflite {

class MicroContext {
 public:
  // Memory outside the arena for tensors that are decompressed: MicroInterpreter::SetDecompressionMemory.
  struct AlternateMemoryRegion {
    void* address;
    size_t bytes;
  };

 private:
  MicroContext() = delete;
};

}  // namespace tflite

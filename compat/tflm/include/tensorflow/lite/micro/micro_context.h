// SPDX-License-Identifier: Apache-2.0
// Kernels see more names; the ones that applications use are here.

#pragma once

#include <stddef.h>

#include "tensorflow/lite/core/c/common.h"

// Streaming models end with it while their inputs do not suffice yet. No operator here gives it.
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

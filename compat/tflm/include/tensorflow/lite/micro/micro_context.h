// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite Micro's header has more names, for kernels; this one has those that applications use.

#pragma once

#include <stddef.h>

#include "tensorflow/lite/core/c/common.h"

// Streaming models return it until they have enough inputs. No operator of Lutra returns it.
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

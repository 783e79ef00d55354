// SPDX-License-Identifier: Apache-2.0
// AllOpsResolver: every operator. A program that uses it links them all; MicroMutableOpResolver links those
// that are named.
//
//   tflite::AllOpsResolver resolver;
//   tflite::MicroInterpreter interpreter(model, resolver, arena, sizeof(arena));

#pragma once

#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"

namespace tflite {

// As in TensorFlow Lite Micro there are places left for the program's own operators.
class AllOpsResolver : public MicroMutableOpResolver<128> {
 public:
  AllOpsResolver();
};

}  // namespace tflite

// SPDX-License-Identifier: Apache-2.0
// Lutra's runtime: everything an application needs to run a .tflite model.
//
//   #include <lutra/lutra.h>
//
//   alignas(16) static uint8_t arena[32 * 1024];
//
//   // An application lists the operators that its model uses, and links those only.
//   constexpr lutra::Op kOps[] = {lutra::kConv2D, lutra::kDepthwiseConv2D, lutra::kAveragePool2D,
//                                 lutra::kFullyConnected, lutra::kSoftmax};
//
//   // model_bytes: a .tflite file, aligned to 4. Returns the class, or -1.
//   int Classify(lutra::Span<const uint8_t> model_bytes, const int8_t* features) {
//     lutra::Model model;
//     lutra::Diagnosis diagnosis;
//     if (lutra::Model::Load(model_bytes, &model, &diagnosis) != lutra::Status::kOk) return -1;
//
//     lutra::MicroInterpreter interpreter(model, kOps, arena);
//     if (interpreter.AllocateTensors() != lutra::Status::kOk) return -1;  // See interpreter.diagnosis().
//
//     const lutra::Tensor input = interpreter.input(0);
//     memcpy(input.data, features, input.info.bytes);
//     if (interpreter.Invoke() != lutra::Status::kOk) return -1;
//
//     const lutra::Tensor output = interpreter.output(0);
//     const auto* scores = static_cast<const int8_t*>(output.data);
//     int best = 0;
//     for (int i = 1; i < output.info.bytes; ++i) {
//       if (scores[i] > scores[best]) best = i;
//     }
//     return best;
//   }
//
// Complete programs: runtime/example/ for a PC, platforms/example/ for bare metal.

#pragma once

#include "lutra/diagnosis.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"
#include "lutra/ops/ops.h"
#include "lutra/span.h"
#include "lutra/status.h"

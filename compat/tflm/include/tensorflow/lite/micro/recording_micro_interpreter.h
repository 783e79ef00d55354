// SPDX-License-Identifier: Apache-2.0
// RecordingMicroInterpreter: an interpreter that records the use of its arena.
//
//   tflite::RecordingMicroInterpreter interpreter(model, resolver, arena, sizeof(arena));
//   if (interpreter.AllocateTensors() == kTfLiteOk) interpreter.GetMicroAllocator().PrintAllocations();

#pragma once

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/recording_micro_allocator.h"

namespace tflite {

class RecordingMicroInterpreter : public MicroInterpreter {
 public:
  RecordingMicroInterpreter(const Model* model, const MicroOpResolver& resolver, uint8_t* arena, size_t bytes,
                            MicroResourceVariables* variables = nullptr,
                            MicroProfilerInterface* profiler = nullptr)
      : RecordingMicroInterpreter(model, resolver, RecordingMicroAllocator::Create(arena, bytes), variables,
                                  profiler) {}
  RecordingMicroInterpreter(const Model* model, const MicroOpResolver& resolver,
                            RecordingMicroAllocator* allocator, MicroResourceVariables* variables = nullptr,
                            MicroProfilerInterface* profiler = nullptr)
      : MicroInterpreter(model, resolver, allocator, variables, profiler) {}

  // There must have been room for the allocator: initialization_status() says so.
  const RecordingMicroAllocator& GetMicroAllocator() const {
    return static_cast<const RecordingMicroAllocator&>(allocator());
  }
};

}  // namespace tflite

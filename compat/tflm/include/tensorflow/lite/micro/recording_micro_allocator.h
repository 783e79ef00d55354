// SPDX-License-Identifier: Apache-2.0
// RecordingMicroAllocator: an arena that records the use of its bytes.
//
//   tflite::RecordingMicroAllocator* allocator = tflite::RecordingMicroAllocator::Create(arena,
//   sizeof(arena)); tflite::RecordingMicroInterpreter interpreter(model, resolver, allocator); if
//   (interpreter.AllocateTensors() == kTfLiteOk) allocator->PrintAllocations();

#pragma once

#include "tensorflow/lite/micro/micro_allocator.h"

namespace tflite {

class RecordingMicroAllocator : public MicroAllocator {
 public:
  static RecordingMicroAllocator* Create(uint8_t* arena, size_t bytes);
  RecordedAllocation GetRecordedAllocation(RecordedAllocationType type) const { return GetRecorded(type); }
  const RecordingSingleArenaBufferAllocator* GetSimpleMemoryAllocator() const { return &whole(); }
  void PrintAllocations() const;

 private:
  using MicroAllocator::MicroAllocator;
};

}  // namespace tflite

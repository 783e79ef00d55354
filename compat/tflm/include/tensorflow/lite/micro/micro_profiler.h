// SPDX-License-Identifier: Apache-2.0
// MicroProfiler: measures the time of each operator.
//
//   tflite::MicroProfiler profiler;
//   tflite::MicroInterpreter interpreter(model, resolver, arena, sizeof(arena), nullptr, &profiler);
//   interpreter.Invoke();
//   profiler.LogTicksPerTagCsv();

#pragma once

#include <stdint.h>

#include "tensorflow/lite/micro/compatibility.h"
#include "tensorflow/lite/micro/micro_profiler_interface.h"

// Each event takes 12 bytes if pointers have 32 bits.
#ifndef LUTRA_TFLM_PROFILER_EVENTS
#define LUTRA_TFLM_PROFILER_EVENTS 1024
#endif

namespace tflite {

// Events are recorded while there is room for them; Log prints how many were not recorded.
class MicroProfiler : public MicroProfilerInterface {
 public:
  MicroProfiler() : MicroProfiler(events_, LUTRA_TFLM_PROFILER_EVENTS) {}
  MicroProfiler(const MicroProfiler&) = delete;
  MicroProfiler& operator=(const MicroProfiler&) = delete;
  ~MicroProfiler() override = default;

  // The tag outlives the profiler.
  uint32_t BeginEvent(const char* tag) override;
  void EndEvent(uint32_t event) override;
  void ClearEvents() { count_ = 0; }

  // Returns the sum of all events.
  uint32_t GetTotalTicks() const;
  // Prints a line for each event.
  void Log() const;
  void LogCsv() const;
  // Prints a line for each tag, and one for the sum.
  void LogTicksPerTagCsv() const;

 private:
  struct Event {
    const char* tag;
    uint32_t begin;
    uint32_t end;
  };

  MicroProfiler(Event* events, uint32_t capacity) : first_(events), capacity_(capacity) {}
  uint32_t recorded() const { return count_ < capacity_ ? count_ : capacity_; }
  void LogMissing() const;

  Event* first_;
  uint32_t capacity_;
  uint32_t count_ = 0;
  Event events_[LUTRA_TFLM_PROFILER_EVENTS];

  TF_LITE_REMOVE_VIRTUAL_DELETE
};

// An event from here to the end of the block.
//
//   tflite::ScopedMicroProfiler scoped("features", &profiler);
class ScopedMicroProfiler {
 public:
  // The profiler may be null.
  ScopedMicroProfiler(const char* tag, MicroProfilerInterface* profiler) : profiler_(profiler) {
    if (profiler != nullptr) event_ = profiler->BeginEvent(tag);
  }
  ScopedMicroProfiler(const ScopedMicroProfiler&) = delete;
  ScopedMicroProfiler& operator=(const ScopedMicroProfiler&) = delete;
  ~ScopedMicroProfiler() {
    if (profiler_ != nullptr) profiler_->EndEvent(event_);
  }

 private:
  MicroProfilerInterface* profiler_;
  uint32_t event_ = 0;
};

}  // namespace tflite

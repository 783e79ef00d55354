// SPDX-License-Identifier: Apache-2.0
// MicroProfiler, which prints the lines of TensorFlow Lite Micro's, as scripts read them.

#include "tensorflow/lite/micro/micro_profiler.h"

#include <string.h>

#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/micro_time.h"

namespace tflite {

uint32_t MicroProfiler::BeginEvent(const char* tag) {
  const uint32_t event = count_++;
  if (event < capacity_) {
    const uint32_t now = GetCurrentTimeTicks();
    first_[event] = {tag, now, now};
  }
  return event;
}

void MicroProfiler::EndEvent(uint32_t event) {
  if (event < recorded()) first_[event].end = GetCurrentTimeTicks();
}

uint32_t MicroProfiler::GetTotalTicks() const {
  uint32_t ticks = 0;
  for (uint32_t i = 0; i < recorded(); ++i) ticks += first_[i].end - first_[i].begin;
  return ticks;
}

void MicroProfiler::LogMissing() const {
  if (count_ <= capacity_) return;
  MicroPrintf("%u events are missing; LUTRA_TFLM_PROFILER_EVENTS says how many there is room for",
              static_cast<unsigned>(count_ - capacity_));
}

void MicroProfiler::Log() const {
  for (uint32_t i = 0; i < recorded(); ++i) {
    const uint32_t ticks = first_[i].end - first_[i].begin;
    MicroPrintf("%s took %u ticks (%d ms).", first_[i].tag, static_cast<unsigned>(ticks),
                static_cast<int>(TicksToMs(static_cast<int32_t>(ticks))));
  }
  LogMissing();
}

void MicroProfiler::LogCsv() const {
  MicroPrintf("\"Event\",\"Tag\",\"Ticks\"");
  for (uint32_t i = 0; i < recorded(); ++i) {
    MicroPrintf("%u,%s,%u", static_cast<unsigned>(i), first_[i].tag,
                static_cast<unsigned>(first_[i].end - first_[i].begin));
  }
  LogMissing();
}

void MicroProfiler::LogTicksPerTagCsv() const {
  MicroPrintf("\"Unique Tag\",\"Total ticks across all events with that tag.\"");
  for (uint32_t i = 0; i < recorded(); ++i) {
    bool seen = false;
    for (uint32_t earlier = 0; earlier < i; ++earlier)
      seen = seen || strcmp(first_[earlier].tag, first_[i].tag) == 0;
    if (seen) continue;
    uint32_t ticks = 0;
    for (uint32_t j = i; j < recorded(); ++j) {
      if (strcmp(first_[j].tag, first_[i].tag) == 0) ticks += first_[j].end - first_[j].begin;
    }
    MicroPrintf("%s, %d", first_[i].tag, static_cast<int>(ticks));
  }
  MicroPrintf("\"total number of ticks\", %d", static_cast<int>(GetTotalTicks()));
  LogMissing();
}

}  // namespace tflite

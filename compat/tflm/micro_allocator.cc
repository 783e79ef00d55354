// SPDX-License-Identifier: Apache-2.0
// Divides an arena from its start: the allocator itself, then the requested memory.

#include "tensorflow/lite/micro/micro_allocator.h"

#include <string.h>

#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/micro_resource_variable.h"
#include "tensorflow/lite/micro/recording_micro_allocator.h"

namespace tflite {
namespace {

constexpr size_t kAlignment = 16;

constexpr size_t RoundUp(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

uint8_t* MicroAllocator::Align(uint8_t* arena, size_t* bytes) {
  const size_t skip = RoundUp(reinterpret_cast<uintptr_t>(arena)) - reinterpret_cast<uintptr_t>(arena);
  if (arena == nullptr || *bytes < skip + RoundUp(sizeof(RecordingMicroAllocator))) {
    MicroPrintf("there is no arena, or its %u bytes do not hold the allocator's %u",
                static_cast<unsigned>(*bytes),
                static_cast<unsigned>(RoundUp(sizeof(RecordingMicroAllocator)) + kAlignment - 1));
    return nullptr;
  }
  *bytes -= skip;
  return arena + skip;
}

MicroAllocator::MicroAllocator(uint8_t* base, size_t bytes, size_t own_bytes) : base_(base), bytes_(bytes) {
  taken_ = RoundUp(own_bytes);
  CountPersistent(taken_);
}

MicroAllocator* MicroAllocator::Create(uint8_t* arena, size_t bytes) {
  uint8_t* const base = Align(arena, &bytes);
  return base == nullptr ? nullptr : new (base) MicroAllocator(base, bytes, sizeof(MicroAllocator));
}

RecordingMicroAllocator* RecordingMicroAllocator::Create(uint8_t* arena, size_t bytes) {
  uint8_t* const base = Align(arena, &bytes);
  return base == nullptr ? nullptr
                         : new (base) RecordingMicroAllocator(base, bytes, sizeof(RecordingMicroAllocator));
}

void* MicroAllocator::Take(size_t bytes) {
  if (bytes > bytes_ - taken_ || RoundUp(bytes) > bytes_ - taken_) return nullptr;
  void* const memory = base_ + taken_;
  memset(memory, 0, bytes);
  taken_ += RoundUp(bytes);
  return memory;
}

void MicroAllocator::Count(int type, size_t bytes, size_t count) {
  RecordedAllocation& record = records_[type];
  record.requested_bytes += bytes;
  record.used_bytes += bytes;
  record.count += count;
  whole_.count_ += count;
}

void RecordingMicroAllocator::PrintAllocations() const {
  const auto print = [](const char* what, size_t bytes) {
    MicroPrintf("[RecordingMicroAllocator] Arena allocation %s %d bytes", what, static_cast<int>(bytes));
  };
  print("total", whole().GetUsedBytes());
  print("head", whole().GetNonPersistentUsedBytes());
  print("tail", whole().GetPersistentUsedBytes());
  static constexpr const char* kNames[] = {"live tensors",  "input and output tensors",
                                           "quantization",  "constants and tables",
                                           "variables",     "nodes",
                                           "operator data", "decompression"};
  for (int i = 0; i < static_cast<int>(sizeof(kNames) / sizeof(kNames[0])); ++i) {
    const RecordedAllocation record = GetRecordedAllocation(static_cast<RecordedAllocationType>(i));
    MicroPrintf("[RecordingMicroAllocator] %s: %d bytes in %d allocations", kNames[i],
                static_cast<int>(record.used_bytes), static_cast<int>(record.count));
  }
}

MicroResourceVariables* MicroResourceVariables::Create(MicroAllocator* allocator, int) {
  return reinterpret_cast<MicroResourceVariables*>(allocator);  // It is never dereferenced.
}

}  // namespace tflite

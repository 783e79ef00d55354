// SPDX-License-Identifier: Apache-2.0
// MicroAllocator: an arena that several interpreters share, each with a part of its own.
//
//   tflite::MicroAllocator* allocator = tflite::MicroAllocator::Create(arena, sizeof(arena));
//   tflite::MicroInterpreter first(first_model, resolver, allocator);
//   tflite::MicroInterpreter second(second_model, resolver, allocator);

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/common.h"

namespace tflite {

// Each kind of memory is counted for all interpreters of the arena.
enum class RecordedAllocationType {
  kTfLiteEvalTensorData,
  kPersistentTfLiteTensorData,
  kPersistentTfLiteTensorQuantizationData,
  kPersistentBufferData,
  kTfLiteTensorVariableBufferData,
  kNodeAndRegistrationArray,
  kOpData,
#ifdef USE_TFLM_COMPRESSION
  kCompressionData,
#endif
  kNumAllocationTypes,
};

struct RecordedAllocation {
  size_t requested_bytes;
  size_t used_bytes;
  size_t count;
};

// The arena as a whole.
class RecordingSingleArenaBufferAllocator {
 public:
  size_t GetUsedBytes() const { return persistent_bytes_ + other_bytes_; }
  size_t GetPersistentUsedBytes() const { return persistent_bytes_; }
  // Returns the bytes of activations and scratch.
  size_t GetNonPersistentUsedBytes() const { return other_bytes_; }
  size_t GetRequestedBytes() const { return GetUsedBytes(); }
  size_t GetAllocatedCount() const { return count_; }

 private:
  friend class MicroAllocator;
  size_t persistent_bytes_ = 0;
  size_t other_bytes_ = 0;
  size_t count_ = 0;
};

class MicroAllocator {
 public:
  // The allocator is in the arena. Returns null if there is no room for it.
  static MicroAllocator* Create(uint8_t* arena, size_t bytes);
  MicroAllocator(const MicroAllocator&) = delete;
  MicroAllocator& operator=(const MicroAllocator&) = delete;

  // Returns the bytes of an arena, aligned to 16, that suffices.
  size_t used_bytes() const { return taken_; }

 protected:
  RecordedAllocation GetRecorded(RecordedAllocationType type) const {
    return records_[static_cast<int>(type)];
  }
  const RecordingSingleArenaBufferAllocator& whole() const { return whole_; }
  // Returns the first address that is aligned to 16, and the bytes from there on; null if there is no room
  // for an allocator.
  static uint8_t* Align(uint8_t* arena, size_t* bytes);
  MicroAllocator(uint8_t* base, size_t bytes, size_t own_bytes);
  static void* operator new(size_t, void* room) { return room; }

 private:
  friend class MicroInterpreter;
  // All programs record this kind, whether they name kCompressionData or not.
  static constexpr int kCompression = 7;

  // Returns zeroed memory, aligned to 16. Null: there is no room.
  void* Take(size_t bytes);
  void Count(int type, size_t bytes, size_t count);
  void CountPersistent(size_t bytes) { whole_.persistent_bytes_ += bytes; }
  void CountOther(size_t bytes) { whole_.other_bytes_ += bytes; }

  uint8_t* base_;  // Aligned to 16.
  size_t bytes_;
  size_t taken_ = 0;
  RecordingSingleArenaBufferAllocator whole_;
  RecordedAllocation records_[kCompression + 1] = {};
};

}  // namespace tflite

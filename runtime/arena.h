// SPDX-License-Identifier: Apache-2.0
// Arena: the caller's memory, used from both ends. What persists grows down from the end; the
// beginning (the head) holds working arrays while tensors are allocated, and afterwards the
// activations and scratch buffers.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/options.h"
#include "lutra/span.h"

namespace lutra {

inline constexpr size_t kArenaAlignment = 16;

// The uses of persistent memory.
enum class RecordKind : uint8_t {
  kTensors,       // Live tensors: index and offset.
  kNodes,         // Operators and the addresses of their operands.
  kOperatorData,  // What prepare computed for each operator.
  kMultipliers,   // Per-channel multipliers (policy fast).
  kTables,        // Lookup tables.
  kPrepared,      // What kernel variants made of weights and tables (policy fast).
  kVariables,     // Variable tensors and resources.
  kConstants,     // Constants copied because the file does not align them.
  kCompression,   // Where each compressed tensor is decoded to.
  kDecoded,       // Values of compressed tensors that are decoded once (policy at-init).
#if LUTRA_HOSTED
  kDelegates,  // Partitions of delegates, and what their kernels asked for.
  kCount,
#else
  kCount,
  kDelegates = kPrepared,  // A record of its own would take memory in every program without delegates.
#endif
};
const char* ToString(RecordKind kind);

struct RecordUse {
  int32_t count = 0;
  size_t bytes = 0;
};

class Arena {
 public:
  Arena() = default;
  explicit Arena(Span<uint8_t> memory);

  // Returns persistent, zeroed memory; null if it does not fit. `alignment`: a power of two, at most 16.
  // `records`: how many records of this kind the memory is for.
  void* AllocatePersistent(size_t bytes, size_t alignment, RecordKind kind, int32_t records = 1);
  // Appends `bytes` to the head's working memory, in multiples of 8; null if it does not fit.
  void* GrowHead(size_t bytes);
  void ClearHead() { head_bytes_ = 0; }
  // Sets the head back to a length that head_bytes() has returned before.
  void ShrinkHead(size_t head_bytes) { head_bytes_ = head_bytes; }
  // Sets everything but the peak back to `earlier`, a copy of this arena.
  void Restore(const Arena& earlier) {
    const size_t peak_bytes = peak_bytes_;
    *this = earlier;
    peak_bytes_ = peak_bytes;
  }

  uint8_t* base() const { return base_; }
  size_t capacity_bytes() const { return capacity_bytes_; }
  // The caller's bytes in front of the base: 0 if the memory is aligned to 16.
  size_t skipped_bytes() const { return skipped_bytes_; }
  size_t persistent_bytes() const { return tail_bytes_; }
  size_t head_bytes() const { return head_bytes_; }
  // Returns the largest sum of persistent_bytes() and head_bytes() so far.
  size_t peak_bytes() const { return peak_bytes_; }
  // The bytes that are left for the head, a multiple of 16.
  size_t head_capacity_bytes() const {
    return (capacity_bytes_ - tail_bytes_) / kArenaAlignment * kArenaAlignment;
  }
  RecordUse record(RecordKind kind) const { return records_[static_cast<int>(kind)]; }

 private:
  void NotePeak() {
    if (tail_bytes_ + head_bytes_ > peak_bytes_) peak_bytes_ = tail_bytes_ + head_bytes_;
  }

  uint8_t* base_ = nullptr;  // Aligned to 16.
  size_t skipped_bytes_ = 0;
  size_t capacity_bytes_ = 0;
  size_t tail_bytes_ = 0;
  size_t head_bytes_ = 0;
  size_t peak_bytes_ = 0;
  RecordUse records_[static_cast<int>(RecordKind::kCount)];
};

}  // namespace lutra

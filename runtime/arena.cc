// SPDX-License-Identifier: Apache-2.0
// The two ends of the arena.

#include "lutra/arena.h"

#include <string.h>

namespace lutra {

const char* ToString(RecordKind kind) {
  static constexpr const char* kNames[] = {
    "tensors",
    "nodes",
    "operator_data",
    "multipliers",
    "tables",
    "prepared",
    "variables",
    "constants",
    "compression",
    "decoded",
#if LUTRA_HOSTED
    "delegates"
#endif
  };
  return kNames[static_cast<int>(kind)];
}

Arena::Arena(Span<uint8_t> memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  skipped_bytes_ = (kArenaAlignment - address % kArenaAlignment) % kArenaAlignment;
  if (memory.size() < skipped_bytes_) return;
  base_ = memory.data() + skipped_bytes_;
  capacity_bytes_ = (memory.size() - skipped_bytes_) / kArenaAlignment * kArenaAlignment;
}

void* Arena::AllocatePersistent(size_t bytes, size_t alignment, RecordKind kind, int32_t records) {
  const size_t free_bytes = capacity_bytes_ - tail_bytes_ - head_bytes_;
  if (bytes > free_bytes) return nullptr;
  size_t tail = tail_bytes_ + bytes;
  tail = (tail + alignment - 1) / alignment * alignment;
  if (tail > capacity_bytes_ - head_bytes_) return nullptr;
  RecordUse& record = records_[static_cast<int>(kind)];
  record.count += records;
  record.bytes += tail - tail_bytes_;
  tail_bytes_ = tail;
  NotePeak();
  void* memory = base_ + capacity_bytes_ - tail;
  if (bytes > 0) memset(memory, 0, bytes);  // An arena without memory has no address, either.
  return memory;
}

void* Arena::GrowHead(size_t bytes) {
  const size_t rounded = (bytes + 7) / 8 * 8;
  if (rounded < bytes || rounded > capacity_bytes_ - tail_bytes_ - head_bytes_) return nullptr;
  void* memory = base_ + head_bytes_;
  head_bytes_ += rounded;
  NotePeak();
  return memory;
}

}  // namespace lutra

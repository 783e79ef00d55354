// SPDX-License-Identifier: Apache-2.0
// PreparedModel: an interpreter in an arena between guard bytes, and the search for the smallest arena.

#include "host/prepared_model.h"

#include <algorithm>
#include <cstring>

#include "host/environment.h"
#include "lutra/ops/ops.h"

namespace lutra::host {
namespace {

constexpr int64_t kLargestArena = int64_t{1} << 32;

}  // namespace

PreparedModel::PreparedModel(const ModelFile& file, const InterpreterOptions& options, size_t arena_bytes,
                             const MicroInterpreter::Visitor& visitor, const Profiler* profiler,
                             Span<const AlternateMemoryRegion> regions)
    : file_(file),
      arena_bytes_(arena_bytes),
      memory_(arena_bytes + kGuardBytes),
      init_ns_(NowNs()),
      interpreter_(file.model, AllOps(), {memory_.data(), arena_bytes}, options) {
  std::memset(memory_.data() + arena_bytes_, kGuard, kGuardBytes);
  interpreter_.set_visitor(visitor);
  interpreter_.set_profiler(profiler);
  (void)interpreter_.SetDecompressionMemory(regions);  // It is early enough.
  const int64_t start_ns = NowNs();
  init_ns_ = start_ns - init_ns_;
  const Status status = interpreter_.AllocateTensors();
  prepare_ns_ = NowNs() - start_ns;
  if (status != Status::kOk) throw BadInput(DescribeRefusal(file, status, interpreter_.diagnosis()));
}

void PreparedModel::Invoke() {
  const Status status = interpreter_.Invoke();
  if (status != Status::kOk) throw BadInput(DescribeRefusal(file_, status, interpreter_.diagnosis()));
  CheckGuard();
}

void PreparedModel::CheckGuard() const {
  for (size_t i = 0; i < kGuardBytes; ++i) {
    if (memory_.data()[arena_bytes_ + i] != kGuard) {
      throw WrongResult(file_.path + ": a kernel wrote past the end of the arena");
    }
  }
}

size_t SmallestArena(const ModelFile& file, const InterpreterOptions& options,
                     Span<const AlternateMemoryRegion> regions) {
  const auto attempt = [&](size_t bytes) {
    const AlignedBytes memory(bytes);
    MicroInterpreter interpreter(file.model, AllOps(), memory.span(), options);
    (void)interpreter.SetDecompressionMemory(regions);
    const Status status = interpreter.AllocateTensors();
    if (status == Status::kOk) return size_t{0};
    if (status != Status::kArenaTooSmall) {
      throw BadInput(DescribeRefusal(file, status, interpreter.diagnosis()));
    }
    return std::max(bytes + kArenaAlignment, interpreter.diagnosis().wanted_bytes);
  };
  // Invariant: everything below `low` fails, `high` works (once it is known).
  size_t low = 0;
  size_t high = 1024;
  for (size_t wanted = attempt(high); wanted != 0; wanted = attempt(high)) {
    low = wanted;
    high = std::max(2 * high, wanted);
    if (high > kLargestArena) throw BadInput(file.path + ": the model needs more than 4 GiB of arena");
  }
  while (low < high) {
    const size_t middle = (low + (high - low) / 2) / kArenaAlignment * kArenaAlignment;
    const size_t wanted = attempt(middle);
    if (wanted == 0) {
      high = middle;
    } else {
      low = wanted;
    }
  }
  return high;
}

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Prepares an interpreter in an arena between guard bytes, and searches the smallest arena.

#include "host/prepared_model.h"

#include <cstring>

#include "host/environment.h"
#include "lutra/arena.h"
#include "lutra/graph.h"
#include "lutra/ops/ops.h"
#include "lutra/profiler.h"

namespace lutra::host {

PreparedModel::PreparedModel(const ModelFile& file, const InterpreterOptions& options, size_t arena_bytes,
                             const MicroInterpreter::Visitor& visitor, const Profiler* profiler,
                             Span<const AlternateMemoryRegion> regions, const DelegateList& delegates)
    : file_(file),
      arena_bytes_(arena_bytes),
      memory_(arena_bytes + kGuardBytes),
      init_ns_(NowNs()),
      interpreter_(file.model, AllOps(), {memory_.data(), arena_bytes}, options) {
  std::memset(memory_.data() + arena_bytes_, kGuard, kGuardBytes);
  interpreter_.set_visitor(visitor);
  interpreter_.set_profiler(profiler);
  (void)interpreter_.SetDecompressionMemory(regions);  // Before AllocateTensors.
  const int64_t start_ns = NowNs();
  init_ns_ = start_ns - init_ns_;
  const Status status = interpreter_.AllocateTensors(delegates);
  prepare_ns_ = NowNs() - start_ns;
  if (status != Status::kOk) throw BadInput(DescribeRefusal(file, status, interpreter_.diagnosis()));
}

void PreparedModel::Invoke() {
  const Status status = interpreter_.Invoke();
  if (!HasRun(status)) throw BadInput(DescribeRefusal(file_, status, interpreter_.diagnosis()));
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
                     Span<const AlternateMemoryRegion> regions, const DelegateList& delegates) {
  const auto attempt = [&](size_t bytes) {
    const AlignedBytes memory(bytes);
    MicroInterpreter interpreter(file.model, AllOps(), memory.span(), options);
    const KernelsOwner owner(&interpreter);
    (void)interpreter.SetDecompressionMemory(regions);
    const Status status = interpreter.AllocateTensors(delegates);
    if (status == Status::kOk) return size_t{0};
    if (status != Status::kArenaTooSmall) {
      throw BadInput(DescribeRefusal(file, status, interpreter.diagnosis()));
    }
    return std::max(bytes + kArenaAlignment, interpreter.diagnosis().wanted_bytes);
  };
  ArenaBounds bounds = GrowArena(1024, attempt);
  if (bounds.enough == 0) throw BadInput(file.path + ": the model needs more than 4 GiB of arena");
  while (bounds.least < bounds.enough) {
    const size_t middle =
        (bounds.least + (bounds.enough - bounds.least) / 2) / kArenaAlignment * kArenaAlignment;
    const size_t wanted = attempt(middle);
    if (wanted == 0) {
      bounds.enough = middle;
    } else {
      bounds.least = wanted;
    }
  }
  return bounds.enough;
}

}  // namespace lutra::host

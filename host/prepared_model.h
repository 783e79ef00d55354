// SPDX-License-Identifier: Apache-2.0
// A model that is ready to run, in an arena of its own between guard bytes.
//
//   PreparedModel prepared(file, {}, SmallestArena(file, {}));   // throws BadInput
//   prepared.Invoke();

#pragma once

#include <algorithm>
#include <cstdint>

#include "host/kernels_owner.h"
#include "host/model_file.h"
#include "lutra/delegate.h"
#include "lutra/graph.h"
#include "lutra/micro_interpreter.h"
#include "lutra/profiler.h"

namespace lutra::host {

// An interpreter and the arena it lives in, ready to run.
class PreparedModel {
 public:
  // Throws BadInput if the model is refused or the arena is too small. `regions`, in which compressed tensors
  // may be decoded, and `delegates` outlive it.
  PreparedModel(const ModelFile& file, const InterpreterOptions& options, size_t arena_bytes,
                const MicroInterpreter::Visitor& visitor = {}, const Profiler* profiler = nullptr,
                Span<const AlternateMemoryRegion> regions = {}, const DelegateList& delegates = {});
  MicroInterpreter& operator*() { return interpreter_; }
  MicroInterpreter* operator->() { return &interpreter_; }
  int64_t init_ns() const { return init_ns_; }
  int64_t prepare_ns() const { return prepare_ns_; }
  // Throws BadInput if the inference fails, or if a kernel wrote past the arena.
  void Invoke();
  // The second half of Invoke, for callers of the interpreter's Invoke.
  void CheckGuard() const;

 private:
  static constexpr size_t kGuardBytes = 64;
  static constexpr uint8_t kGuard = 0xC3;

  const ModelFile& file_;
  size_t arena_bytes_;
  AlignedBytes memory_;
  int64_t init_ns_ = 0;
  MicroInterpreter interpreter_;
  KernelsOwner owner_{&interpreter_};
  int64_t prepare_ns_ = 0;
};

inline constexpr auto kLargestArena = static_cast<size_t>(std::min<uint64_t>(uint64_t{1} << 32, PTRDIFF_MAX));

// The known bounds of the arena that a model needs.
struct ArenaBounds {
  size_t least = 0;   // Fewer bytes are too few.
  size_t enough = 0;  // So many bytes suffice; 0: no arena of up to 4 GiB does.
};

// Calls attempt(bytes) with larger and larger arenas until it returns 0. Any other return value is a lower
// bound of the bytes needed.
template <typename Attempt>
ArenaBounds GrowArena(size_t bytes, const Attempt& attempt) {
  ArenaBounds bounds;
  while (bytes <= kLargestArena) {
    const size_t wanted = attempt(bytes);
    if (wanted == 0) {
      bounds.enough = bytes;
      break;
    }
    bounds.least = wanted;
    bytes = std::max(2 * bytes, wanted);
  }
  return bounds;
}

// The smallest arena, a multiple of 16, in which the model can be prepared. Throws BadInput if the
// model is refused.
size_t SmallestArena(const ModelFile& file, const InterpreterOptions& options,
                     Span<const AlternateMemoryRegion> regions = {}, const DelegateList& delegates = {});

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Says how many bytes the runtime's records take on a board of 32 bits, so that a host counts the arena of a
// firmware to the byte.
//
//   BoardUse use{BoardKernels::kArmdsp};
//   MicroInterpreter interpreter(model, AllOps(), arena, OptionsOfBoards(MemoryPolicy::kSmall));
//   interpreter.set_visitor({.board = &use});
//   if (interpreter.AllocateTensors() == Status::kOk) printf("%zu bytes\n", use.used_bytes);
//
// A build for such a board compares each of these sizes with its type's (Graph::AllocateRecords).

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/options.h"

namespace lutra {

// The bytes of a type's objects on a board. Types without pointers have one size everywhere and need none.
struct BoardRecord {
  uint16_t reference;  // In a build with reference kernels.
  uint16_t armdsp;     // In one with the variants armdsp.
  uint16_t alignment = 4;
  uint16_t mve = armdsp;  // In one with the variants mve, whose layers prepare.
};

// True of a type that only hosts allocate.
template <typename T>
inline constexpr bool kOnlyOnHosts = false;
template <typename T>
inline constexpr bool kIsPointer = false;
template <typename T>
inline constexpr bool kIsPointer<T*> = true;

template <typename T>
constexpr BoardRecord BoardRecordOf() {
  if constexpr (requires { T::kBoardRecord; }) {
    return T::kBoardRecord;
  } else if constexpr (kIsPointer<T>) {
    return {4, 4};
  } else if constexpr (kOnlyOnHosts<T>) {
    return {0, 0, 1};
  } else {
    return {sizeof(T), sizeof(T), alignof(T)};
  }
}

#if LUTRA_HOSTED

// False: T may have pointers, and its size on a board is not known.
template <typename T>
constexpr bool HasBoardRecord() {
  return alignof(T) < 8 || kIsPointer<T> || kOnlyOnHosts<T> || requires { T::kBoardRecord; };
}

// The kernels of a board. reference: its processor has no variants of its own; armdsp: a Cortex-M with the
// DSP extension; mve: one with vectors besides.
enum class BoardKernels : uint8_t { kReference, kArmdsp, kMve };

// Counts the bytes of a board's arena that AllocateTensors would have taken by now: like Arena, from both
// ends. Delegates, which no board has, are not counted.
struct BoardUse {
  BoardKernels kernels = BoardKernels::kReference;
  size_t persistent_bytes = 0;
  size_t head_bytes = 0;
  size_t peak_bytes = 0;
  // Has the meaning of MemoryUse::used_bytes; 0 before the memory is planned.
  size_t used_bytes = 0;

  void AddPersistent(size_t bytes, size_t alignment) {
    persistent_bytes = (persistent_bytes + bytes + alignment - 1) / alignment * alignment;
    NotePeak();
  }
  template <typename T>
  void AddRecords(size_t count) {
    AddPersistent(count * BytesOf<T>(), BoardRecordOf<T>().alignment);
  }
  template <typename T>
  void AddHead(size_t count) {
    head_bytes += (count * BytesOf<T>() + 7) / 8 * 8;
    NotePeak();
  }
  // The planned part of the head has the same size everywhere.
  void Finish(size_t planned_head_bytes) {
    const auto round_up = [](size_t bytes) { return (bytes + 15) / 16 * 16; };
    const size_t planned = round_up(persistent_bytes) + planned_head_bytes;
    const size_t peak = round_up(peak_bytes);
    used_bytes = planned > peak ? planned : peak;
  }

 private:
  template <typename T>
  size_t BytesOf() {
    constexpr BoardRecord kRecord = BoardRecordOf<T>();
    return kernels == BoardKernels::kMve      ? kRecord.mve
           : kernels == BoardKernels::kArmdsp ? kRecord.armdsp
                                              : kRecord.reference;
  }
  void NotePeak() {
    if (persistent_bytes + head_bytes > peak_bytes) peak_bytes = persistent_bytes + head_bytes;
  }
};

// Returns the options with which firmware runs a model.
inline InterpreterOptions OptionsOfBoards(MemoryPolicy policy) {
  InterpreterOptions options;
  options.policy = policy;
  options.plan.search_moves = 0;
  options.cpu_features = kCpuAny;
  options.streaming = nullptr;
#if LUTRA_HAVE_UINT8
  options.uint8 = nullptr;
#endif
#if LUTRA_HAVE_INT16
  options.int16 = nullptr;
#endif
  return options;
}

#elif __SIZEOF_POINTER__ == 4

template <typename T>
constexpr bool HasItsBoardRecord() {
  constexpr BoardRecord kRecord = BoardRecordOf<T>();
#if LUTRA_HAVE_PREPARING_LAYERS
  constexpr size_t kBytes = kRecord.mve;
#elif LUTRA_HAVE_SCRATCH_LAYERS
  constexpr size_t kBytes = kRecord.armdsp;
#else
  constexpr size_t kBytes = kRecord.reference;
#endif
  constexpr bool kNever = kRecord.reference == 0 && kRecord.alignment == 1;
  return kNever || (kBytes == sizeof(T) && kRecord.alignment == alignof(T));
}

#endif

}  // namespace lutra

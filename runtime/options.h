// SPDX-License-Identifier: Apache-2.0
// InterpreterOptions: how an interpreter trades memory for time. All but `replacement` gives the same bits.
//
//   MicroInterpreter interpreter(model, kOps, arena, {.policy = MemoryPolicy::kSmall});

#pragma once

#include <stddef.h>
#include <stdint.h>

// A host has memory to spare and wants speed; bare metal the reverse.
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define LUTRA_HOSTED 1
#else
#define LUTRA_HOSTED 0
#endif
// The older scheme of uint8 (uint8.h) and int16 (int16.h): hosts have them, and firmware whose build says so.
#ifndef LUTRA_HAVE_UINT8
#define LUTRA_HAVE_UINT8 LUTRA_HOSTED
#endif
#ifndef LUTRA_HAVE_INT16
#define LUTRA_HAVE_INT16 LUTRA_HOSTED
#endif
#ifndef LUTRA_HAVE_USER_KERNELS
#define LUTRA_HAVE_USER_KERNELS LUTRA_HOSTED
#endif

namespace lutra {

// small: what can be recomputed at each run is not stored, nothing is repacked.
// fast: multipliers are stored, weights may be repacked.
enum class MemoryPolicy : uint8_t { kSmall, kFast };

// per-use: compressed tensors are decoded before each use, into memory that other tensors share.
// at-init: once, in AllocateTensors, into memory of their own.
// streamed: some rows at a time, into less memory (Streaming; what cannot be streamed is decoded per-use).
enum class DecompressionPolicy : uint8_t { kPerUse, kAtInit, kStreamed };

using CpuFeatures = uint32_t;  // A set of instruction sets: cpu.h.
// Were it a constant, GCC would copy InterpreterOptions from an image of it, which takes more flash.
inline CpuFeatures AllCpuFeatures() { return ~CpuFeatures{0}; }
struct Encoding;
// Decoders of compressed tensors: compression/decode.h.
using DecodeFn = bool (*)(const Encoding& encoding, CpuFeatures features, void* output);
bool Decode(const Encoding& encoding, CpuFeatures features, void* output);

extern const struct Streaming kStreaming;
extern const struct RowGroups kRowGroups;
extern const struct Uint8Operators kUint8Operators;
extern const struct Int16Operators kInt16Operators;

// Memory outside the arena for decoded tensors (MicroInterpreter::SetDecompressionMemory).
struct AlternateMemoryRegion {
  void* address = nullptr;
  size_t bytes = 0;
};

struct PlanOptions {
  int32_t search_moves = 300;  // Random re-insertions that the memory planner tries above the lower bound.
};

struct InterpreterOptions {
  MemoryPolicy policy = LUTRA_HOSTED ? MemoryPolicy::kFast : MemoryPolicy::kSmall;
  // False keeps tensors intact until their last reader has run, for debuggers and comparisons by nodes.
  bool overlap = true;
#if LUTRA_HOSTED
  // False: no kernel variant has memory for packed weights or tables, whatever the policy.
  bool repack = true;
#endif
#if LUTRA_HAVE_USER_KERNELS
  const struct KernelReplacement* replacement = nullptr;  // In the place of references (cpu.h).
#endif
  PlanOptions plan = {.search_moves = LUTRA_HOSTED ? 300 : 0};
  // WHILE may run bodies as often as this in one inference, all loops together; more is an error of the run.
  int32_t loop_limit = 1 << 20;
#if LUTRA_HAVE_USER_KERNELS
  // Kernel variants that need more than this, or more than the processor has, are passed over. Firmware runs
  // the best variant that its build has, and links no other.
  CpuFeatures cpu_features = AllCpuFeatures();
#else
  static constexpr CpuFeatures cpu_features = ~CpuFeatures{0};
#endif
  DecompressionPolicy decompression = DecompressionPolicy::kPerUse;
  // Decodes tensors that COMPRESSION_METADATA lists, weights of int4 and, for delegates, tensors that a
  // TFLM_DECODE would make: Decode or, smaller, DecodeLut and DecodeInt4; on boards none, unless named.
  // Delegates get no nodes that it cannot read.
  DecodeFn decode = LUTRA_HOSTED ? Decode : nullptr;
  // Policy streamed needs &kStreaming. Null: it decodes as per-use does.
  const Streaming* streaming = LUTRA_HOSTED ? &kStreaming : nullptr;
  // Runs groups of the model's LUTRA_PLAN row by row (row_groups.h), if `overlap` is true. Null: it does not.
  const RowGroups* row_groups = LUTRA_HOSTED ? &kRowGroups : nullptr;
#if LUTRA_HAVE_UINT8
  // Runs models of uint8, the scheme before int8. Null: they are refused.
  const Uint8Operators* uint8 = &kUint8Operators;
#endif
#if LUTRA_HAVE_INT16
  // Runs operators with activations of int16. Null: those that compute are refused.
  const Int16Operators* int16 = &kInt16Operators;
#endif
};

// Returns whether the decoder of these options reads the encoding's codec.
inline bool CanDecode(const InterpreterOptions& options, const Encoding& encoding) {
  return options.decode != nullptr && options.decode(encoding, options.cpu_features, nullptr);
}

// Says how AllocateTensors divided the arena.
struct MemoryUse {
  // An arena of so many bytes, aligned to 16, works, and no smaller one does. It is the head, what persists
  // and the gap that aligns the head, or the most that AllocateTensors used at a time, if that is more.
  size_t used_bytes = 0;
  size_t head_bytes = 0;        // activations and scratch, as planned
  size_t activation_bytes = 0;  // what the head would be without scratch buffers above it
  size_t scratch_bytes = 0;     // head_bytes - activation_bytes
  size_t persistent_bytes = 0;
  size_t bound_bytes = 0;  // No plan of the head can be smaller than this.
};

}  // namespace lutra

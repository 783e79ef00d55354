// SPDX-License-Identifier: Apache-2.0
// The instruction sets that kernels are written for, and the tables of variants that drive dispatch, tests
// and benchmarks alike.
//
//   Kernel<LookupFn> LookupRef, LookupAvx2;
//   inline constexpr Variant<LookupFn> kLookup[] = {
//   #if LUTRA_HAVE_X86
//       {"avx2", kCpuAvx2, LookupAvx2},
//   #endif
//       {"ref", kCpuAny, LookupRef},
//   };
//   const LookupFn run = Best(kLookup, CpuFeaturesHere()).run;

#pragma once

#include <stdint.h>

// The instruction sets that this build compiles variants for. On x86 a program asks its processor, so that a
// build has all sets; elsewhere it has those that the build's own flags name. A file that is compiled with
// further flags sees the same sets. LUTRA_REFERENCE_ONLY: a build without variants.
#if (defined(__x86_64__) || defined(__i386__)) && !defined(LUTRA_REFERENCE_ONLY)
#define LUTRA_HAVE_X86 1  // All of the following.
#define LUTRA_HAVE_SSE41 1
#define LUTRA_HAVE_AVX2 1
#define LUTRA_HAVE_AVXVNNI 1
#define LUTRA_HAVE_AVX512VNNI 1
#define LUTRA_HAVE_AVX512VBMI 1
// Layers with weights have variants that prepare, from compressed weights, too. In other builds their Args
// have no members for this.
#define LUTRA_HAVE_PREPARING_LAYERS 1
#define LUTRA_HAVE_STREAMING_LAYERS 1
#endif
#if defined(__ARM_NEON)
#define LUTRA_HAVE_NEON 1
#if defined(__ARM_FEATURE_DOTPROD)
#define LUTRA_HAVE_NEONDOT 1
#endif
#endif
#if defined(__ARM_FEATURE_DSP) && __ARM_ARCH_PROFILE == 'M' && !defined(LUTRA_REFERENCE_ONLY)
#define LUTRA_HAVE_ARMDSP 1
// Layers with weights have variants that work in scratch. Other builds plan no memory for this.
#define LUTRA_HAVE_SCRATCH_LAYERS 1
#endif
// The variants mve round twice: builds with single rounding have none.
#if defined(__ARM_FEATURE_MVE) && !defined(LUTRA_REFERENCE_ONLY) && !defined(LUTRA_SINGLE_ROUNDING)
#define LUTRA_HAVE_MVE 1
#define LUTRA_HAVE_PREPARING_LAYERS 1
#endif
#if defined(__riscv_vector)
#define LUTRA_HAVE_RVV 1
#endif
#if defined(__wasm_simd128__)
#define LUTRA_HAVE_SIMD128 1
#endif

// Says whether a kernel's table has the variants of a set, ARMDSP or MVE: the build's LUTRA_WITHOUT_KERNELS
// leaves those of some kernels out.
#define LUTRA_HAS_VARIANTS(kernel, set) (LUTRA_HAVE_##set && !LUTRA_WITHOUT_##kernel)

namespace lutra {

using CpuFeatures = uint32_t;

// A set has the bits of the sets that it implies, so that a mask of kCpuAvx2 also lets the variants for
// SSE4.1 run.
inline constexpr CpuFeatures kCpuAny = 0;
inline constexpr CpuFeatures kCpuSse41 = 1u << 0;             // With SSE3, SSSE3.
inline constexpr CpuFeatures kCpuAvx2 = 1u << 1 | kCpuSse41;  // With SSE4.2, POPCNT, AVX, FMA.
inline constexpr CpuFeatures kCpuAvxVnni = 1u << 2 | kCpuAvx2;
inline constexpr CpuFeatures kCpuAvx512Vnni = 1u << 3 | kCpuAvx2;  // With F, BW, DQ, VL.
inline constexpr CpuFeatures kCpuAvx512Vbmi = 1u << 4 | kCpuAvx2;  // With F, BW, DQ, VL.
inline constexpr CpuFeatures kCpuNeon = 1u << 5;
inline constexpr CpuFeatures kCpuNeonDot = 1u << 6 | kCpuNeon;
inline constexpr CpuFeatures kCpuArmDsp = 1u << 7;
inline constexpr CpuFeatures kCpuMve = 1u << 8 | kCpuArmDsp;
inline constexpr CpuFeatures kCpuRvv = 1u << 9;
inline constexpr CpuFeatures kCpuSimd128 = 1u << 10;

// `name` is the name of the set's variants, the suffix of their files and an argument of --kernels. The
// compilers' flags for each set are in cmake/instruction_sets.cmake.
struct InstructionSet {
  const char* name;
  CpuFeatures features;
};
inline constexpr InstructionSet kInstructionSets[] = {
    {"sse41", kCpuSse41},
    {"avx2", kCpuAvx2},
    {"avxvnni", kCpuAvxVnni},
    {"avx512vnni", kCpuAvx512Vnni},
    {"avx512vbmi", kCpuAvx512Vbmi},
    {"neon", kCpuNeon},
    {"neondot", kCpuNeonDot},
    {"armdsp", kCpuArmDsp},
    {"mve", kCpuMve},
    {"rvv", kCpuRvv},
    {"simd128", kCpuSimd128},
};

#if defined(__x86_64__) || defined(__i386__)
// Not every compiler's builtin knows AVX-VNNI. The processor must have AVX2, whose registers AVX-VNNI uses,
// so that the operating system saves them.
inline bool CpuidHasAvxVnni() {
  uint32_t eax = 7;
  uint32_t ebx = 0;
  uint32_t ecx = 1;
  uint32_t edx = 0;
  __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  return (eax >> 4 & 1) != 0;
}
#endif

// Returns the sets that the processor of this program has and that its operating system lets programs use. A
// set counts if the processor has every extension that the flags of the set's files
// (cmake/instruction_sets.cmake) enable: a virtual machine may hide some of them.
inline CpuFeatures CpuFeaturesHere() {
  CpuFeatures features = kCpuAny;
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  const bool sse41 =
      __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1");
  const bool avx2 = sse41 && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") &&
                    __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (sse41) features |= kCpuSse41;
  if (avx2) features |= kCpuAvx2;
  if (avx2 && CpuidHasAvxVnni()) features |= kCpuAvxVnni;
  if (avx512 && __builtin_cpu_supports("avx512vnni")) features |= kCpuAvx512Vnni;
  if (avx512 && __builtin_cpu_supports("avx512vbmi")) features |= kCpuAvx512Vbmi;
#endif
#if LUTRA_HAVE_NEON
  features |= kCpuNeon;
#endif
#if LUTRA_HAVE_NEONDOT
  features |= kCpuNeonDot;
#endif
#if LUTRA_HAVE_ARMDSP
  features |= kCpuArmDsp;
#endif
#if LUTRA_HAVE_MVE
  features |= kCpuMve;
#endif
#if LUTRA_HAVE_RVV
  features |= kCpuRvv;
#endif
#if LUTRA_HAVE_SIMD128
  features |= kCpuSimd128;
#endif
  return features;
}

// From the type of a pointer to a kernel's functions: `Args`, the type of their first parameter, and
// `Function`, the type by which they are declared.
template <typename Fn>
struct KernelTypes;
template <typename FirstArgs, typename... Rest>
struct KernelTypes<void (*)(const FirstArgs&, Rest...)> {
  using Args = FirstArgs;
  using Function = void(const FirstArgs&, Rest...);
};
template <typename Fn>
using KernelArgs = typename KernelTypes<Fn>::Args;
template <typename Fn>
using Kernel = typename KernelTypes<Fn>::Function;

// A variant's prepare returns this for arguments that the variant is not made for.
inline constexpr int32_t kNotForTheseArgs = -1;

// The least and the most bytes of scratch that a variant can work with.
struct ScratchBytes {
  int32_t least;
  int32_t most;
};

// Says whether a variant that gets no memory to prepare in runs without it or is passed over.
enum class Unprepared : uint8_t { kRuns, kIsPassedOver };

// One implementation of one kernel. Tables of these are listed best first and always end with the reference,
// which needs kCpuAny and prepares nothing.
template <typename Fn>
struct Variant {
  // Reads the arguments that are known before the first run; pointers to data that change from run to run are
  // null. Returns how many bytes of packed weights, tables or proofs the variant can make of them beforehand,
  // 0 for none, or kNotForTheseArgs; unless `memory` is null, writes these bytes there. `memory` is aligned
  // to 16; runs find its address in args.prepared, or null if the variant runs without it. At a run,
  // constants may have other addresses than here.
  using PrepareFn = int32_t (*)(const KernelArgs<Fn>& args, void* memory);
  // Returns how many rows of an image a call may make where the output overlaps the input (rows.h): the
  // variant reads all that these rows need before it writes, or makes them in the order that `args` names.
  using RowsAtOnceFn = int32_t (*)(const KernelArgs<Fn>& args);

  const char* name;
  CpuFeatures needs;
  Fn run;
  PrepareFn prepare = nullptr;
  Unprepared unprepared = Unprepared::kRuns;
#if LUTRA_HAVE_PREPARING_LAYERS || LUTRA_HAVE_SCRATCH_LAYERS
  RowsAtOnceFn rows_at_once = nullptr;  // Null: one.
#endif
#if LUTRA_HAVE_SCRATCH_LAYERS
  // Returns how much scratch the variant takes for these arguments, whose pointers are null, if a call makes
  // `rows` rows of an image (operators without images: the whole output). Runs find the scratch in
  // args.scratch and its size in args.scratch_bytes; its bytes are not kept from run to run. The plan
  // adds the least to the arena, and more where the head is free while the node runs.
  using ScratchFn = ScratchBytes (*)(const KernelArgs<Fn>& args, int32_t rows);
  ScratchFn scratch = nullptr;  // Null: none.
#endif
};

// Replaces reference kernels by a user's, which are judged and timed that way (sdk/). With cpu_features
// kCpuAny, all kernels are references.
struct KernelReplacement {
  using AnyFn = void (*)();

  const char* name;                // Stands where a variant's name would.
  AnyFn (*find)(AnyFn reference);  // Returns a function of the reference's type; null: the reference runs.
};

// Returns whether a processor with these features can run a variant.
template <typename Fn>
constexpr bool CanRun(const Variant<Fn>& variant, CpuFeatures have) {
  return (variant.needs & ~have) == 0;
}

// Returns the first variant that a processor with these features can run and that does not prepare.
template <typename Fn, int N>
constexpr const Variant<Fn>& Best(const Variant<Fn> (&variants)[N], CpuFeatures have) {
  int i = 0;
  while (i + 1 < N && !(CanRun(variants[i], have) && variants[i].prepare == nullptr)) ++i;
  return variants[i];
}

}  // namespace lutra

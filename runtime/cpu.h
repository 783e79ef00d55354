// SPDX-License-Identifier: Apache-2.0
// The instruction sets a kernel variant may need, one bit each, and the table of variants that
// drives dispatch, tests and benchmarks alike.
//
//   inline constexpr Variant<LookupFn> kLookup[] = {{"ref", kCpuAny, LookupRef}};
//   const LookupFn run = Best(kLookup, CpuFeaturesHere()).run;

#pragma once

#include <stdint.h>

namespace lutra {

using CpuFeatures = uint32_t;

inline constexpr CpuFeatures kCpuAny = 0;
inline constexpr CpuFeatures kCpuSsse3 = 1u << 0;
inline constexpr CpuFeatures kCpuAvx2 = 1u << 1;
inline constexpr CpuFeatures kCpuAvx512Vnni = 1u << 2;
inline constexpr CpuFeatures kCpuArmDsp = 1u << 3;
inline constexpr CpuFeatures kCpuArmMve = 1u << 4;
inline constexpr CpuFeatures kCpuArmNeon = 1u << 5;
inline constexpr CpuFeatures kCpuRiscvV = 1u << 6;

// What the processor that runs this program has.
inline CpuFeatures CpuFeaturesHere() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  return (__builtin_cpu_supports("ssse3") ? kCpuSsse3 : kCpuAny) |
         (__builtin_cpu_supports("avx2") ? kCpuAvx2 : kCpuAny) |
         (__builtin_cpu_supports("avx512vnni") ? kCpuAvx512Vnni : kCpuAny);
#else
  // A build for these cores compiles only what the core has.
  CpuFeatures features = kCpuAny;
#if defined(__ARM_FEATURE_DSP)
  features |= kCpuArmDsp;
#endif
#if defined(__ARM_FEATURE_MVE)
  features |= kCpuArmMve;
#endif
#if defined(__ARM_NEON)
  features |= kCpuArmNeon;
#endif
#if defined(__riscv_vector)
  features |= kCpuRiscvV;
#endif
  return features;
#endif
}

// One implementation of one kernel. Tables of these are listed best first and always end with the
// reference, which needs kCpuAny.
template <typename Fn>
struct Variant {
  const char* name;
  CpuFeatures needs;
  Fn run;
};

// The first variant that a processor with these features can run.
template <typename Fn, int N>
constexpr const Variant<Fn>& Best(const Variant<Fn> (&variants)[N], CpuFeatures have) {
  int i = 0;
  while (i + 1 < N && (variants[i].needs & ~have) != 0) ++i;
  return variants[i];
}

}  // namespace lutra

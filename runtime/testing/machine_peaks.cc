// SPDX-License-Identifier: Apache-2.0
// Loops of independent multiply-accumulates, and memcpy.

#include "runtime/testing/machine_peaks.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "lutra/cpu.h"

#if LUTRA_HAVE_AVX2
#include <immintrin.h>
#endif

namespace lutra {
namespace {

constexpr int kTries = 5;

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Returns the shortest of several tries.
template <typename Function>
double ShortestSeconds(const Function& function) {
  double shortest = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const double start = Seconds();
    function();
    shortest = std::min(shortest, Seconds() - start);
  }
  return shortest;
}

std::string InGiga(double count, double seconds, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.1f %s", count / seconds / 1e9, unit);
  return text;
}

#if LUTRA_HAVE_AVX2

constexpr int64_t kSteps = 200'000;
// More than the cycles of an instruction's latency times the instructions that begin in a cycle.
constexpr int kSums = 10;

// Computes kSums independent sums in a step. For the compiler, `a` and the sum change each time, so that
// nothing moves out of the loop.
#define LUTRA_PEAK_STEP(sum, step)       \
  asm volatile("" : "+x"(a), "+x"(sum)); \
  sum = step(sum, a, b);
#define LUTRA_PEAK_LOOP(type, zero, step)                                                    \
  type s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, a = zero, b = zero;            \
  type s5 = zero, s6 = zero, s7 = zero, s8 = zero, s9 = zero;                                \
  asm volatile("" : "+x"(b));                                                                \
  for (int64_t i = 0; i < kSteps; ++i) {                                                     \
    LUTRA_PEAK_STEP(s0, step)                                                                \
    LUTRA_PEAK_STEP(s1, step)                                                                \
    LUTRA_PEAK_STEP(s2, step)                                                                \
    LUTRA_PEAK_STEP(s3, step)                                                                \
    LUTRA_PEAK_STEP(s4, step)                                                                \
    LUTRA_PEAK_STEP(s5, step)                                                                \
    LUTRA_PEAK_STEP(s6, step)                                                                \
    LUTRA_PEAK_STEP(s7, step)                                                                \
    LUTRA_PEAK_STEP(s8, step)                                                                \
    LUTRA_PEAK_STEP(s9, step)                                                                \
  }                                                                                          \
  asm volatile("" ::"x"(s0), "x"(s1), "x"(s2), "x"(s3), "x"(s4), "x"(s5), "x"(s6), "x"(s7)); \
  asm volatile("" ::"x"(s8), "x"(s9));

#define LUTRA_PEAK_SSE41(sum, a, b) _mm_add_epi32(sum, _mm_madd_epi16(a, b))
#define LUTRA_PEAK_AVX2(sum, a, b) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))

[[gnu::target("sse4.1")]] void MultiplySse41() {
  LUTRA_PEAK_LOOP(__m128i, _mm_setzero_si128(), LUTRA_PEAK_SSE41)
}
[[gnu::target("avx2")]] void MultiplyAvx2() {
  LUTRA_PEAK_LOOP(__m256i, _mm256_setzero_si256(), LUTRA_PEAK_AVX2)
}
[[gnu::target("avx2,avxvnni")]] void MultiplyAvxVnni() {
  LUTRA_PEAK_LOOP(__m256i, _mm256_setzero_si256(), _mm256_dpbusd_avx_epi32)
}
[[gnu::target("avx512f,avx512vnni")]] void MultiplyAvx512Vnni() {
  LUTRA_PEAK_LOOP(__m512i, _mm512_setzero_si512(), _mm512_dpbusd_epi32)
}

struct PeakLoop {
  const char* name;
  CpuFeatures needs;
  int products;  // In one instruction.
  void (*run)();
};
constexpr PeakLoop kPeakLoops[] = {
    {"peak sse41 pmaddwd", kCpuSse41, 8, MultiplySse41},
    {"peak avx2 vpmaddwd", kCpuAvx2, 16, MultiplyAvx2},
    {"peak avxvnni vpdpbusd", kCpuAvxVnni, 32, MultiplyAvxVnni},
    {"peak avx512vnni vpdpbusd", kCpuAvx512Vnni, 64, MultiplyAvx512Vnni},
};

void AddMultipliers(std::vector<MachinePeak>* peaks) {
  for (const PeakLoop& multiplier : kPeakLoops) {
    if ((multiplier.needs & ~CpuFeaturesHere()) != 0) continue;
    const double count = static_cast<double>(kSteps) * kSums * multiplier.products;
    peaks->push_back({multiplier.name, InGiga(count, ShortestSeconds(multiplier.run), "GMAC/s")});
  }
}

#else

void AddMultipliers(std::vector<MachinePeak>*) {}

#endif

void AddCopies(std::vector<MachinePeak>* peaks) {
  constexpr size_t kLargest = size_t{16} << 20;
  std::vector<uint8_t> from(kLargest, 1), to(kLargest, 2);
  for (const size_t kibibytes : {16, 256, 2048, 16384}) {
    const size_t bytes = kibibytes << 10, copies = kLargest / bytes;
    const double seconds = ShortestSeconds([&] {
      for (size_t i = 0; i < copies; ++i) {
        std::memcpy(to.data(), from.data(), bytes);
        asm volatile("" ::"r"(to.data()), "r"(from.data()) : "memory");
      }
    });
    peaks->push_back({"memcpy " + std::to_string(kibibytes) + " KiB",
                      InGiga(static_cast<double>(copies * bytes), seconds, "GB/s")});
  }
}

}  // namespace

std::vector<MachinePeak> MeasurePeaks() {
  std::vector<MachinePeak> peaks;
  AddMultipliers(&peaks);
  AddCopies(&peaks);
  return peaks;
}

}  // namespace lutra

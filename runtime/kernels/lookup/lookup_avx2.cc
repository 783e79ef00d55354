// SPDX-License-Identifier: Apache-2.0
// Lookup with AVX2, with a plan that prepare made or, if there is none, the run makes.

#include <immintrin.h>

#include "lutra/kernels/lookup/lookup.h"
#include "runtime/kernels/lookup/lookup_segments.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kBytes = 32;
  static Vector Load(const uint8_t* bytes) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes))};
  }
  static Vector Repeat16(const uint8_t* bytes) {
    return {_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)))};
  }
  static Vector Repeat4(uint32_t bytes) { return {_mm256_set1_epi32(static_cast<int32_t>(bytes))}; }

  __m256i bits;
};

void Store(Vector x, uint8_t* bytes) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes), x.bits); }
Vector LookUp16(Vector table, Vector indices) { return {_mm256_shuffle_epi8(table.bits, indices.bits)}; }
Vector ExclusiveOr(Vector a, Vector b) { return {_mm256_xor_si256(a.bits, b.bits)}; }
Vector SubtractSaturated(Vector a, Vector b) { return {_mm256_subs_epi8(a.bits, b.bits)}; }
Vector AddSaturated(Vector a, Vector b) { return {_mm256_adds_epi8(a.bits, b.bits)}; }
Vector Min(Vector a, Vector b) { return {_mm256_min_epi8(a.bits, b.bits)}; }
Vector Max(Vector a, Vector b) { return {_mm256_max_epi8(a.bits, b.bits)}; }

}  // namespace

int32_t PrepareLookupAvx2(const LookupArgs& args, void* memory) { return PrepareLookupPlan(args, memory); }

void LookupAvx2(const LookupArgs& args, int32_t first, int32_t count) {
  // From this count on, a plan for one run saves more time than it takes.
  constexpr int32_t kFewForAPlan = 1024;
  if (count < (args.prepared != nullptr ? Vector::kBytes : kFewForAPlan))
    return LookupRef(args, first, count);
  if (args.prepared != nullptr) {
    return LookUpVectors<Vector>(*static_cast<const LookupPlan*>(args.prepared), args.input + first,
                                 args.output + first, count);
  }
  LookupPlan plan;
  FindSegments(args.table, &plan);
  LookUpVectors<Vector>(plan, args.input + first, args.output + first, count);
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Lookup with SSE4.1, with a plan that prepare makes. Without a plan it is no faster than the reference.

#include <immintrin.h>

#include "lutra/kernels/lookup/lookup.h"
#include "runtime/kernels/lookup/lookup_segments.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kBytes = 16;
  static Vector Load(const uint8_t* bytes) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))};
  }
  static Vector Repeat16(const uint8_t* bytes) { return Load(bytes); }
  static Vector Repeat4(uint32_t bytes) { return {_mm_set1_epi32(static_cast<int32_t>(bytes))}; }

  __m128i bits;
};

void Store(Vector x, uint8_t* bytes) { _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), x.bits); }
Vector LookUp16(Vector table, Vector indices) { return {_mm_shuffle_epi8(table.bits, indices.bits)}; }
Vector ExclusiveOr(Vector a, Vector b) { return {_mm_xor_si128(a.bits, b.bits)}; }
Vector SubtractSaturated(Vector a, Vector b) { return {_mm_subs_epi8(a.bits, b.bits)}; }
Vector AddSaturated(Vector a, Vector b) { return {_mm_adds_epi8(a.bits, b.bits)}; }
Vector Min(Vector a, Vector b) { return {_mm_min_epi8(a.bits, b.bits)}; }
Vector Max(Vector a, Vector b) { return {_mm_max_epi8(a.bits, b.bits)}; }

}  // namespace

int32_t PrepareLookupSse41(const LookupArgs& args, void* memory) { return PrepareLookupPlan(args, memory); }

void LookupSse41(const LookupArgs& args, int32_t first, int32_t count) {
  const auto& plan = *static_cast<const LookupPlan*>(args.prepared);
  // With many segments, a few vectors take longer than single loads.
  constexpr int32_t kManySegments = 10;
  const bool many = plan.low_count + plan.high_count > kManySegments;
  if (count < (many ? 4 : 1) * Vector::kBytes) return LookupRef(args, first, count);
  LookUpVectors<Vector>(plan, args.input + first, args.output + first, count);
}

}  // namespace lutra

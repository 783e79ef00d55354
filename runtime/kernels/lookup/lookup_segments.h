// SPDX-License-Identifier: Apache-2.0
// Lookup by vector instructions that look 16 bytes up in a table of 16 entries, in which a byte whose highest
// bit is set gives 0: for SSE4.1 and AVX2. For the variants' .cc files, each of which brings its own Vector
// type, so that each keeps its own copy.
//
// The 256 entries are 16 segments of 16, eight for codes below 128 and eight for those above. Of each half,
// the first segment is stored as it is, and each other as its difference (exclusive or) from the one before.
// A code is looked up in all segments of its half, less 16 for each: the differences up to its own segment
// combine to its entry; in later segments the reduced code is negative and gives 0. A segment that equals the
// one before is left out, so that tables that saturate have few.
//
// Some tables need no lookup: RELU and similar operators only add a constant and clamp. They are found by
// trying all 256 codes.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/kernels/lookup/lookup.h"

namespace lutra {

struct LookupSegment {
  uint8_t differences[16];
  uint32_t step;  // Four times the distance of its first code from that of the segment stored before it.
};

struct LookupPlan {
  // Signed codes x become min(max(x + offset saturated, min), max); then there are no segments.
  struct Clamp {
    int8_t offset;
    int8_t min;
    int8_t max;
    bool suffices;
  };
  Clamp clamp;
  int32_t low_count;   // Segments of codes below 128,
  int32_t high_count;  // and, behind them, of the other codes.
  LookupSegment segments[16];
};

static inline int32_t Saturated(int32_t code) { return code < -128 ? -128 : code > 127 ? 127 : code; }

static inline LookupPlan::Clamp FindClamp(const uint8_t* table) {
  const auto entry = [table](int32_t code) { return static_cast<int8_t>(table[static_cast<uint8_t>(code)]); };
  LookupPlan::Clamp clamp = {0, entry(-128), entry(127), true};
  // Between the clamped ends, each entry is its code plus the offset.
  for (int32_t code = -128; code < 128; ++code) {
    if (entry(code) > clamp.min && entry(code) < clamp.max) {
      const int32_t offset = entry(code) - code;
      if (offset < -128 || offset > 127) break;
      clamp.offset = static_cast<int8_t>(offset);
      break;
    }
  }
  for (int32_t code = -128; code < 128; ++code) {
    int32_t right = Saturated(code + clamp.offset);
    right = right < clamp.min ? clamp.min : right;
    right = right > clamp.max ? clamp.max : right;
    clamp.suffices = clamp.suffices && right == entry(code);
  }
  return clamp;
}

static inline void FindSegments(const uint8_t* table, LookupPlan* plan) {
  plan->clamp.suffices = false;
  int32_t kept = 0;
  for (int32_t half = 0; half < 2; ++half) {
    const int32_t first_kept = kept;
    uint8_t before[16] = {};
    uint32_t distance = 0;
    for (int32_t i = 0; i < 8; ++i, distance += 16) {
      LookupSegment& segment = plan->segments[kept];
      memcpy(segment.differences, table + 128 * half + 16 * i, 16);
      uint8_t any = 0;
      for (int32_t k = 0; k < 16; ++k) {
        const uint8_t difference = segment.differences[k] ^ before[k];
        before[k] = segment.differences[k];
        segment.differences[k] = difference;
        any |= difference;
      }
      if (any == 0) continue;
      segment.step = distance * 0x01010101u;
      distance = 0;
      ++kept;
    }
    (half == 0 ? plan->low_count : plan->high_count) = kept - first_kept;
  }
}

// The variants' prepare.
static inline int32_t PrepareLookupPlan(const LookupArgs& args, void* memory) {
  LookupPlan plan = {};
  plan.clamp = FindClamp(args.table);
  if (!plan.clamp.suffices) FindSegments(args.table, &plan);
  const size_t bytes = offsetof(LookupPlan, segments) +
                       static_cast<size_t>(plan.low_count + plan.high_count) * sizeof(LookupSegment);
  if (memory != nullptr) memcpy(memory, &plan, bytes);
  return static_cast<int32_t>(bytes);
}

template <typename Vector>
struct FourVectors {
  Vector a;
  Vector b;
  Vector c;
  Vector d;
};

// Shifts codes to the next segment and adds the differences found there.
template <typename Vector>
[[gnu::always_inline]] static inline void AddSegment(Vector differences, Vector step, Vector* codes,
                                                     Vector* sums) {
  *codes = SubtractSaturated(*codes, step);
  *sums = ExclusiveOr(*sums, LookUp16(differences, *codes));
}

// Adds `count` segments to four vectors at once, which share the loads of the segments.
template <typename Vector>
[[gnu::always_inline]] static inline void AddSegments(const LookupSegment* segments, int32_t count,
                                                      FourVectors<Vector> codes, FourVectors<Vector>* sums) {
  for (int32_t i = 0; i < count; ++i) {
    const Vector differences = Vector::Repeat16(segments[i].differences);
    const Vector step = Vector::Repeat4(segments[i].step);
    AddSegment(differences, step, &codes.a, &sums->a);
    AddSegment(differences, step, &codes.b, &sums->b);
    AddSegment(differences, step, &codes.c, &sums->c);
    AddSegment(differences, step, &codes.d, &sums->d);
  }
}

inline constexpr uint32_t kSignBits = 0x80808080u;

template <typename Vector>
[[gnu::always_inline]] static inline void LookUpFour(const LookupPlan& plan, const uint8_t* input,
                                                     uint8_t* output) {
  constexpr int32_t kBytes = Vector::kBytes;
  FourVectors<Vector> codes = {Vector::Load(input), Vector::Load(input + kBytes),
                               Vector::Load(input + 2 * kBytes), Vector::Load(input + 3 * kBytes)};
  const Vector zero = Vector::Repeat4(0);
  const Vector sign = Vector::Repeat4(kSignBits);
  FourVectors<Vector> sums = {zero, zero, zero, zero};
  AddSegments(plan.segments, plan.low_count, codes, &sums);
  codes = {ExclusiveOr(codes.a, sign), ExclusiveOr(codes.b, sign), ExclusiveOr(codes.c, sign),
           ExclusiveOr(codes.d, sign)};
  AddSegments(plan.segments + plan.low_count, plan.high_count, codes, &sums);
  Store(sums.a, output);
  Store(sums.b, output + kBytes);
  Store(sums.c, output + 2 * kBytes);
  Store(sums.d, output + 3 * kBytes);
}

template <typename Vector>
[[gnu::always_inline]] static inline Vector LookUpOne(const LookupPlan& plan, Vector codes) {
  Vector sums = Vector::Repeat4(0);
  Vector high_codes = ExclusiveOr(codes, Vector::Repeat4(kSignBits));
  const LookupSegment* segment = plan.segments;
  for (int32_t i = 0; i < plan.low_count; ++i, ++segment) {
    AddSegment(Vector::Repeat16(segment->differences), Vector::Repeat4(segment->step), &codes, &sums);
  }
  for (int32_t i = 0; i < plan.high_count; ++i, ++segment) {
    AddSegment(Vector::Repeat16(segment->differences), Vector::Repeat4(segment->step), &high_codes, &sums);
  }
  return sums;
}

// Computes `count` elements, at least a vector. The last vector may be computed twice, so it is read before
// the output, which may be the input, is written.
template <typename Vector, typename Map>
[[gnu::always_inline]] static inline void ForEachVector(const uint8_t* input, uint8_t* output, int32_t count,
                                                        const Map& map) {
  const int32_t last = count - Vector::kBytes;
  const Vector last_codes = Vector::Load(input + last);
  for (int32_t i = 0; i < last; i += Vector::kBytes) Store(map(Vector::Load(input + i)), output + i);
  Store(map(last_codes), output + last);
}

// `count` is at least a vector.
template <typename Vector>
static inline void LookUpVectors(const LookupPlan& plan, const uint8_t* input, uint8_t* output,
                                 int32_t count) {
  if (plan.clamp.suffices) {
    const auto repeat = [](int8_t code) { return Vector::Repeat4(static_cast<uint8_t>(code) * 0x01010101u); };
    const Vector offset = repeat(plan.clamp.offset);
    const Vector min = repeat(plan.clamp.min);
    const Vector max = repeat(plan.clamp.max);
    return ForEachVector<Vector>(
        input, output, count, [=](Vector codes) __attribute__((always_inline)) {
          return Min(Max(AddSaturated(codes, offset), min), max);
        });
  }
  for (; count >= 5 * Vector::kBytes; count -= 4 * Vector::kBytes) {
    LookUpFour<Vector>(plan, input, output);
    input += 4 * Vector::kBytes;
    output += 4 * Vector::kBytes;
  }
  ForEachVector<Vector>(
      input, output,
      count, [&](Vector codes) __attribute__((always_inline)) { return LookUpOne(plan, codes); });
}

}  // namespace lutra

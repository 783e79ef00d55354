// SPDX-License-Identifier: Apache-2.0
// AVX2. If elements along the dimension are neighbours, a first walk finds the largest one and a second walk
// its first place. Otherwise each lane follows an output of its own.

#include <immintrin.h>
#include <string.h>

#include "lutra/kernels/arg_max/arg_max.h"

namespace lutra {
namespace {

// The elements of a vector.
template <typename Element>
struct LanesOf;

template <>
struct LanesOf<int8_t> {
  using Element = int8_t;
  using Place = uint8_t;
  static constexpr int32_t kCount = 32;
  static constexpr int32_t kPlaces = 256;  // Places that a Place can hold.
  // An exclusive or with these bits reverses the order of elements.
  static __m256i ReversingBits() { return _mm256_set1_epi8(-1); }
  static __m256i Repeat(int8_t x) { return _mm256_set1_epi8(x); }
  static __m256i Next(__m256i places) { return _mm256_add_epi8(places, _mm256_set1_epi8(1)); }
  static __m256i IsGreater(__m256i a, __m256i b) { return _mm256_cmpgt_epi8(a, b); }
  static __m256i IsEqual(__m256i a, __m256i b) { return _mm256_cmpeq_epi8(a, b); }
  static __m256i Max(__m256i a, __m256i b) { return _mm256_max_epi8(a, b); }
  static __m256i MaxOfAll(__m256i x) {
    x = Max(x, _mm256_permute2x128_si256(x, x, 1));
    x = Max(x, _mm256_alignr_epi8(x, x, 8));
    x = Max(x, _mm256_alignr_epi8(x, x, 4));
    x = Max(x, _mm256_alignr_epi8(x, x, 2));
    return Max(x, _mm256_alignr_epi8(x, x, 1));
  }
};

template <>
struct LanesOf<float> {
  using Element = float;
  using Place = int32_t;
  static constexpr int32_t kCount = 8;
  static constexpr int32_t kPlaces = INT32_MAX;
  static __m256i ReversingBits() { return _mm256_set1_epi32(INT32_MIN); }
  static __m256i Repeat(float x) { return _mm256_castps_si256(_mm256_set1_ps(x)); }
  static __m256i Next(__m256i places) { return _mm256_add_epi32(places, _mm256_set1_epi32(1)); }
  static __m256i IsGreater(__m256i a, __m256i b) {
    return _mm256_castps_si256(_mm256_cmp_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _CMP_GT_OQ));
  }
  static __m256i IsEqual(__m256i a, __m256i b) {
    return _mm256_castps_si256(_mm256_cmp_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _CMP_EQ_OQ));
  }
  // Returns b if a or b is not a number.
  static __m256i Max(__m256i a, __m256i b) {
    return _mm256_castps_si256(_mm256_max_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
  }
  static __m256i MaxOfAll(__m256i x) {
    x = Max(x, _mm256_permute2x128_si256(x, x, 1));
    x = Max(x, _mm256_alignr_epi8(x, x, 8));
    return Max(x, _mm256_alignr_epi8(x, x, 4));
  }
};

template <typename Lanes>
__m256i Load(const typename Lanes::Element* from, __m256i reversing) {
  return _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), reversing);
}

// Returns the place of the first of the largest of `count` neighbours, which are at least a vector. If the
// first is not a number, it is the largest, although no element equals it.
template <typename Lanes>
int32_t PlaceOfLargest(const typename Lanes::Element* in, int32_t count, __m256i reversing) {
  constexpr int32_t kUnrolled = 4;
  const int32_t last = count - Lanes::kCount;
  const __m256i first = _mm256_xor_si256(Lanes::Repeat(*in), reversing);
  __m256i largest[kUnrolled] = {first, first, first, first};
  for (int32_t i = 0; i < count; i += kUnrolled * Lanes::kCount) {
#pragma GCC unroll 4
    for (int32_t k = 0; k < kUnrolled; ++k) {
      const int32_t at = i + k * Lanes::kCount;
      largest[k] = Lanes::Max(Load<Lanes>(in + (at < last ? at : last), reversing), largest[k]);
    }
  }
  const __m256i best =
      Lanes::MaxOfAll(Lanes::Max(Lanes::Max(largest[0], largest[1]), Lanes::Max(largest[2], largest[3])));
  for (int32_t i = 0; i < count; i += Lanes::kCount) {
    const int32_t at = i < last ? i : last;
    const __m256i found = Lanes::IsEqual(Load<Lanes>(in + at, reversing), best);
    const auto bits = static_cast<uint32_t>(_mm256_movemask_epi8(found));
    if (bits != 0) return at + __builtin_ctz(bits) / static_cast<int32_t>(sizeof(typename Lanes::Element));
  }
  return 0;
}

// Finds the place of the largest element for each lane of a vector, among `count` elements that are `step`
// apart.
template <typename Lanes>
void PlacesOfLargest(const typename Lanes::Element* in, int32_t count, intptr_t step, __m256i reversing,
                     int32_t (&to)[Lanes::kCount]) {
  using Place = typename Lanes::Place;
  memset(to, 0, sizeof(to));
  __m256i best = Load<Lanes>(in, reversing);
  for (int32_t begin = 0; begin < count;) {
    const int32_t part = count - begin < Lanes::kPlaces ? count - begin : Lanes::kPlaces;
    __m256i place = _mm256_setzero_si256();
    __m256i places = place;
    __m256i changed = place;
    for (int32_t k = 0; k < part; ++k, in += step, place = Lanes::Next(place)) {
      const __m256i x = Load<Lanes>(in, reversing);
      const __m256i is_greater = Lanes::IsGreater(x, best);
      best = _mm256_blendv_epi8(best, x, is_greater);
      places = _mm256_blendv_epi8(places, place, is_greater);
      changed = _mm256_or_si256(changed, is_greater);
    }
    Place found[Lanes::kCount];
    Place is_changed[Lanes::kCount];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(found), places);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(is_changed), changed);
    for (int32_t i = 0; i < Lanes::kCount; ++i) to[i] = is_changed[i] != 0 ? begin + found[i] : to[i];
    begin += part;
  }
}

void StorePlace(const ArgMaxArgs& args, intptr_t at, int32_t place) {
  if (args.int64_output) {
    static_cast<int64_t*>(args.output)[at] = place;
  } else {
    static_cast<int32_t*>(args.output)[at] = place;
  }
}

template <typename Lanes>
void ArgMax(const ArgMaxArgs& args) {
  const __m256i reversing = args.smallest ? Lanes::ReversingBits() : _mm256_setzero_si256();
  const auto* in = static_cast<const typename Lanes::Element*>(args.input);
  const intptr_t step = args.inner;
  for (intptr_t o = 0; o < args.outer; ++o, in += step * args.count) {
    if (step == 1) {
      StorePlace(args, o, PlaceOfLargest<Lanes>(in, args.count, reversing));
      continue;
    }
    for (intptr_t i = 0; i < step; i += Lanes::kCount) {
      // The last vector begins earlier, so that it ends with the last element.
      const intptr_t first = i < step - Lanes::kCount ? i : step - Lanes::kCount;
      int32_t places[Lanes::kCount];
      PlacesOfLargest<Lanes>(in + first, args.count, step, reversing, places);
      for (int32_t k = 0; k < Lanes::kCount; ++k) StorePlace(args, o * step + first + k, places[k]);
    }
  }
}

}  // namespace

template <typename Element>
void ArgMaxAvx2(const ArgMaxArgs& args) {
  using Lanes = LanesOf<Element>;
  // A vector holds neighbours: elements of one output if `inner` is 1, else elements of several outputs.
  if ((args.inner == 1 ? args.count : args.inner) < Lanes::kCount) return ArgMaxRef<Element>(args);
  ArgMax<Lanes>(args);
}
template void ArgMaxAvx2<int8_t>(const ArgMaxArgs&);
template void ArgMaxAvx2<float>(const ArgMaxArgs&);

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Int8 reductions with AVX2. If the innermost dimension is kept, its elements are lanes, 64 or 16 at a time;
// if it is reduced, vectors of it are added up or compared. The reference computes dimensions that are
// narrower than a vector.

#include <immintrin.h>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/multiply_avx2.h"
#include "runtime/kernels/reduce/reduce_walk.h"

namespace lutra {
namespace {

constexpr int32_t kGroup = 16;  // Kept elements in a vector that is widened.
constexpr int32_t kVector = 32;

__m128i Load16(const int8_t* codes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)); }
__m256i Load32(const int8_t* codes) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes)); }
void Store16(__m128i codes, int8_t* to) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), codes); }

class Sums {
 public:
  explicit Sums(const ReduceArgs& args)
      : args_(args),
        multiply_(args.multiplier),
        sum_offset_(_mm256_set1_epi32(args.sum_offset)),
        output_offset_(_mm256_set1_epi32(args.output_offset)) {}

  template <int32_t kGroups>
  struct Lanes {
    __m256i narrow[kGroups];
    __m256i wide[2 * kGroups];
    int32_t narrow_count;
  };

  template <int32_t kGroups>
  [[gnu::always_inline]] static void Start(Lanes<kGroups>* lanes) {
    for (__m256i& sum : lanes->narrow) sum = _mm256_setzero_si256();
    for (__m256i& sum : lanes->wide) sum = _mm256_setzero_si256();
    lanes->narrow_count = 0;
  }
  template <int32_t kGroups>
  [[gnu::always_inline]] static void Add(const int8_t* codes, Lanes<kGroups>* lanes) {
    // An int16 can hold the sum of this many codes.
    if (lanes->narrow_count == 256) Widen(lanes);
    ++lanes->narrow_count;
    for (int32_t i = 0; i < kGroups; ++i) {
      lanes->narrow[i] = _mm256_add_epi16(lanes->narrow[i], _mm256_cvtepi8_epi16(Load16(codes + kGroup * i)));
    }
  }
  template <int32_t kGroups>
  [[gnu::always_inline]] void Finish(Lanes<kGroups>* lanes, int8_t* output) const {
    Widen(lanes);
    for (int32_t i = 0; i < kGroups; ++i) {
      Store16(PackInt8Avx2(Scale(lanes->wide[2 * i]), Scale(lanes->wide[2 * i + 1])), output + kGroup * i);
    }
  }

  // Returns the sum of contiguous codes, at least 32.
  static int32_t Of(const int8_t* codes, int32_t count) {
    const __m256i sign = _mm256_set1_epi8(INT8_MIN);
    const __m256i zero = _mm256_setzero_si256();
    // Codes of the last vector that an earlier one has added are masked.
    const int32_t last = count - kVector;
    const __m256i places = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                            19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    const __m256i is_new = _mm256_cmpgt_epi8(
        places, _mm256_set1_epi8(static_cast<int8_t>((kVector - count % kVector) % kVector - 1)));
    const auto raised = [sign](const int8_t* at) { return _mm256_xor_si256(Load32(at), sign); };
    __m256i sums = _mm256_sad_epu8(_mm256_and_si256(raised(codes + last), is_new), zero);
    for (int32_t i = 0; i < last; i += kVector) {
      sums = _mm256_add_epi64(sums, _mm256_sad_epu8(raised(codes + i), zero));
    }
    const __m128i halves = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    // Each code was counted 128 too high.
    return _mm_cvtsi128_si32(_mm_add_epi64(halves, _mm_unpackhi_epi64(halves, halves))) - 128 * count;
  }
  static int32_t Start() { return 0; }
  static int32_t Join(int32_t a, int32_t b) { return a + b; }
  int8_t Finish(int32_t sum) const {
    const int32_t scaled = MultiplyByQuantizedMultiplier(sum + args_.sum_offset, args_.multiplier);
    return static_cast<int8_t>(ClampToInt8(WrappingAdd(scaled, args_.output_offset), INT8_MIN, INT8_MAX));
  }

 private:
  template <int32_t kGroups>
  [[gnu::always_inline]] static void Widen(Lanes<kGroups>* lanes) {
    for (int32_t i = 0; i < kGroups; ++i) {
      const __m256i sums = lanes->narrow[i];
      __m256i* const wide = lanes->wide + 2 * i;
      wide[0] = _mm256_add_epi32(wide[0], _mm256_cvtepi16_epi32(_mm256_castsi256_si128(sums)));
      wide[1] = _mm256_add_epi32(wide[1], _mm256_cvtepi16_epi32(_mm256_extracti128_si256(sums, 1)));
      lanes->narrow[i] = _mm256_setzero_si256();
    }
    lanes->narrow_count = 0;
  }
  [[gnu::always_inline]] __m256i Scale(__m256i sums) const {
    return _mm256_add_epi32(multiply_(_mm256_add_epi32(sums, sum_offset_)), output_offset_);
  }

  const ReduceArgs& args_;
  MultiplyAvx2 multiply_;
  __m256i sum_offset_;
  __m256i output_offset_;
};

// Computes maxima, or minima.
template <bool kMax>
class Extremes {
 public:
  explicit Extremes(const ReduceArgs&) {}

  template <int32_t kGroups>
  struct Lanes {
    __m128i best[kGroups];
  };

  template <int32_t kGroups>
  [[gnu::always_inline]] static void Start(Lanes<kGroups>* lanes) {
    for (__m128i& best : lanes->best) best = _mm_set1_epi8(Start());
  }
  template <int32_t kGroups>
  [[gnu::always_inline]] static void Add(const int8_t* codes, Lanes<kGroups>* lanes) {
    for (int32_t i = 0; i < kGroups; ++i) {
      const __m128i x = Load16(codes + kGroup * i);
      lanes->best[i] = kMax ? _mm_max_epi8(lanes->best[i], x) : _mm_min_epi8(lanes->best[i], x);
    }
  }
  template <int32_t kGroups>
  [[gnu::always_inline]] static void Finish(Lanes<kGroups>* lanes, int8_t* output) {
    for (int32_t i = 0; i < kGroups; ++i) Store16(lanes->best[i], output + kGroup * i);
  }

  static int8_t Of(const int8_t* codes, int32_t count) {
    const auto pick = [](__m256i a, __m256i b) __attribute__((always_inline)) {
      return kMax ? _mm256_max_epi8(a, b) : _mm256_min_epi8(a, b);
    };
    __m256i best = Load32(codes + count - kVector);
    for (int32_t i = 0; i < count - kVector; i += kVector) best = pick(best, Load32(codes + i));
    int8_t lanes[kVector];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), best);
    int8_t found = lanes[0];
    for (const int8_t lane : lanes) found = Join(found, lane);
    return found;
  }
  static int8_t Start() { return kMax ? INT8_MIN : INT8_MAX; }
  static int8_t Join(int8_t a, int8_t b) { return kMax == (b > a) ? b : a; }
  static int8_t Finish(int8_t found) { return found; }
};

// Computes kGroups * kGroup outputs.
template <int32_t kGroups, typename Function>
[[gnu::always_inline]] inline void ComputeLanes(const Function& function, const ReduceShape& shape,
                                                const int8_t* input, int8_t* output) {
  typename Function::template Lanes<kGroups> lanes;
  function.Start(&lanes);
  const ReduceDim inner = shape.reduced_rank > 0 ? shape.reduced[shape.reduced_rank - 1] : ReduceDim{1, 0};
  Walk outer(shape.reduced, shape.reduced_rank > 0 ? shape.reduced_rank - 1 : 0);
  do {
    const int8_t* in = input + outer.offset();
    for (int32_t i = 0; i < inner.count; ++i)
      function.Add(in + i * static_cast<intptr_t>(inner.stride), &lanes);
  } while (outer.Next());
  function.Finish(&lanes, output);
}

// For a kept innermost dimension.
template <typename Function>
void ReduceOuter(const Function& function, const ReduceArgs& args) {
  constexpr int32_t kMany = 4 * kGroup;
  const auto* input = static_cast<const int8_t*>(args.input);
  auto* output = static_cast<int8_t*>(args.output);
  const int32_t count = args.shape.kept[args.shape.kept_rank - 1].count;
  Walk kept(args.shape.kept, args.shape.kept_rank - 1);
  do {
    const int8_t* const in = input + kept.offset();
    int32_t first = 0;
    for (; count - first >= kMany; first += kMany)
      ComputeLanes<4>(function, args.shape, in + first, output + first);
    // The last vector may be computed twice.
    for (; first < count; first += kGroup) {
      const int32_t at = first < count - kGroup ? first : count - kGroup;
      ComputeLanes<1>(function, args.shape, in + at, output + at);
    }
    output += count;
  } while (kept.Next());
}

// For a reduced innermost dimension.
template <typename Function>
void ReduceInner(const Function& function, const ReduceArgs& args) {
  const ReduceShape& shape = args.shape;
  const auto* input = static_cast<const int8_t*>(args.input);
  auto* output = static_cast<int8_t*>(args.output);
  const int32_t run = shape.reduced[shape.reduced_rank - 1].count;
  Walk kept(shape.kept, shape.kept_rank);
  do {
    auto state = function.Start();
    Walk reduced(shape.reduced, shape.reduced_rank - 1);
    do {
      state = function.Join(state, function.Of(input + kept.offset() + reduced.offset(), run));
    } while (reduced.Next());
    *output++ = function.Finish(state);
  } while (kept.Next());
}

bool KeepsInnermost(const ReduceShape& shape) {
  return shape.kept_rank > 0 && shape.kept[shape.kept_rank - 1].stride == 1;
}

// Returns whether there are enough contiguous elements for a vector.
bool FillsVectors(const ReduceShape& shape) {
  if (KeepsInnermost(shape)) return shape.kept[shape.kept_rank - 1].count >= kGroup;
  return shape.reduced_rank > 0 && shape.reduced[shape.reduced_rank - 1].count >= kVector;
}

// A separate function, so that calls of the reference do not set up its stack frame.
template <typename Function>
[[gnu::noinline]] void Reduce(const ReduceArgs& args) {
  const Function function(args);
  KeepsInnermost(args.shape) ? ReduceOuter(function, args) : ReduceInner(function, args);
}

}  // namespace

void ReduceSumAvx2(const ReduceArgs& args) {
  if (!FillsVectors(args.shape) || !MultiplyAvx2::Takes(args.multiplier)) return ReduceSumRef(args);
  Reduce<Sums>(args);
}

void ReduceMaxAvx2(const ReduceArgs& args) {
  if (!FillsVectors(args.shape)) return ReduceMaxRef(args);
  Reduce<Extremes<true>>(args);
}

void ReduceMinAvx2(const ReduceArgs& args) {
  if (!FillsVectors(args.shape)) return ReduceMinRef(args);
  Reduce<Extremes<false>>(args);
}

}  // namespace lutra

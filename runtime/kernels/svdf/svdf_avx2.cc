// SPDX-License-Identifier: Apache-2.0
// SVDF with AVX2: products of int16 in pairs, four filters at a time. The newest values of a block of filters
// are stored before any state is read: a load that includes a value stored just before would have to wait.

#include <immintrin.h>

#include "runtime/kernels/multiply_avx2.h"
#include "runtime/kernels/svdf/svdf_state.h"

namespace lutra {
namespace {

constexpr int32_t kLanes = 16;
constexpr int32_t kHalf = kLanes / 2;
constexpr int32_t kFilterBlock = 32;

// Loads sixteen values, or eight and zeros, as int16.
__m256i Load16(const int8_t* codes) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
}
__m256i Load8(const int8_t* codes) {
  return _mm256_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes)));
}
__m256i Load16(const int16_t* values) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values)); }
__m256i Load8(const int16_t* values) {
  return _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)));
}

// Products of the input with contiguous filters.
struct FeatureProducts {
  [[gnu::always_inline]] __m256i Sixteen(int32_t f, int32_t i) const {
    return _mm256_madd_epi16(_mm256_add_epi16(Load16(input + i), offset), Load16(weights + f * depth + i));
  }
  [[gnu::always_inline]] __m256i Eight(int32_t f, int32_t i) const {
    return _mm256_madd_epi16(_mm256_add_epi16(Load8(input + i), offset), Load8(weights + f * depth + i));
  }
  [[gnu::always_inline]] uint32_t One(int32_t f, int32_t i) const {
    return static_cast<uint32_t>(static_cast<int16_t>(input[i] + input_offset) * weights[f * depth + i]);
  }

  void Skip(int32_t filters) { weights += filters * depth; }

  const int8_t* input;
  const int8_t* weights;
  intptr_t depth;
  int16_t input_offset;
  __m256i offset;
};

// Products of states and their weights. Differences from the zero point may not fit int16 if states have 16
// bits, so products of the zero point are subtracted. All sums wrap.
template <typename State>
struct TimeProducts {
  [[gnu::always_inline]] __m256i Sixteen(int32_t f, int32_t i) const {
    return Of(Load16(state + f * memory + i), Load16(weights + f * memory + i));
  }
  [[gnu::always_inline]] __m256i Eight(int32_t f, int32_t i) const {
    return Of(Load8(state + f * memory + i), Load8(weights + f * memory + i));
  }
  [[gnu::always_inline]] uint32_t One(int32_t f, int32_t i) const {
    const intptr_t at = f * memory + i;
    return static_cast<uint32_t>(state[at] - zero_point) * static_cast<uint32_t>(int32_t{weights[at]});
  }
  [[gnu::always_inline]] __m256i Of(__m256i x, __m256i weight) const {
    const __m256i products = _mm256_madd_epi16(x, weight);
    if (zero_point == 0) return products;
    return _mm256_sub_epi32(products, _mm256_madd_epi16(_mm256_set1_epi16(zero_point), weight));
  }

  void Skip(int32_t filters) {
    state += filters * memory;
    weights += filters * memory;
  }

  const State* state;
  const State* weights;
  intptr_t memory;
  int16_t zero_point;
};

// Computes the sums of `count` products for each of up to four filters.
template <int32_t kFilters, typename Products>
[[gnu::always_inline]] inline void SumTogether(const Products& products, int32_t count, uint32_t* sums) {
  __m256i lanes[4];
#pragma GCC unroll 4
  for (__m256i& lane : lanes) lane = _mm256_setzero_si256();
  int32_t i = 0;
  for (; count - i >= kLanes; i += kLanes) {
#pragma GCC unroll 4
    for (int32_t f = 0; f < kFilters; ++f) lanes[f] = _mm256_add_epi32(lanes[f], products.Sixteen(f, i));
  }
  if (count - i >= kHalf) {
#pragma GCC unroll 4
    for (int32_t f = 0; f < kFilters; ++f) lanes[f] = _mm256_add_epi32(lanes[f], products.Eight(f, i));
    i += kHalf;
  }
  const __m256i pairs =
      _mm256_hadd_epi32(_mm256_hadd_epi32(lanes[0], lanes[1]), _mm256_hadd_epi32(lanes[2], lanes[3]));
  uint32_t four[4];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(four),
                   _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1)));
#pragma GCC unroll 4
  for (int32_t f = 0; f < kFilters; ++f) {
    for (int32_t k = i; k < count; ++k) four[f] += products.One(f, k);
    sums[f] = four[f];
  }
}

template <typename Products>
void Sum(Products products, int32_t filters, int32_t count, uint32_t* sums) {
  int32_t f = 0;
  for (; filters - f >= 4; f += 4) {
    SumTogether<4>(products, count, sums + f);
    products.Skip(4);
  }
  for (; f < filters; ++f) {
    SumTogether<1>(products, count, sums + f);
    products.Skip(1);
  }
}

template <typename State>
class Batches {
 public:
  explicit Batches(const SvdfArgs& args) : args_(args), feature_(args.feature), time_(args.time) {}

  void RunAll() const {
    RunBatches<State>(
        args_, [this](const int8_t* input, State* state, int8_t* output) { Run(input, state, output); });
  }

 private:
  void Run(const int8_t* input, State* state, int8_t* output) const {
    const int32_t filters = args_.units * args_.rank;
    Units units = {args_.bias, output, 0, args_.rank, 0, {}};
    for (int32_t first = 0; first < filters; first += kFilterBlock) {
      const int32_t count = filters - first < kFilterBlock ? filters - first : kFilterBlock;
      State* const states = state + first * static_cast<intptr_t>(args_.memory);
      uint32_t sums[kFilterBlock] = {};
      Sum(FeatureProducts{input, args_.feature_weights + first * static_cast<intptr_t>(args_.depth),
                          args_.depth, args_.input_offset, _mm256_set1_epi16(args_.input_offset)},
          count, args_.depth, sums);
      StoreNewest(sums, count, states);
      const auto* const weights = static_cast<const State*>(args_.time_weights);
      Sum(TimeProducts<State>{states, weights + first * static_cast<intptr_t>(args_.memory), args_.memory,
                              args_.state_zero_point},
          count, args_.memory, sums);
      AddToUnits(sums, count, &units);
    }
  }

  struct Units {
    const int32_t* bias;
    int8_t* output;
    uint32_t sum;
    int32_t filters_left;  // Filters left of the current unit.
    int32_t count;         // Units whose sums wait.
    uint32_t sums[kFilterBlock];
  };

  static __m256i Load(const uint32_t* sums) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums));
  }

  void StoreNewest(const uint32_t* features, int32_t count, State* states) const {
    int32_t newest[kFilterBlock];
    for (int32_t i = 0; i < count; i += 8) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(newest + i), feature_(Load(features + i)));
    }
    for (int32_t i = 0; i < count; ++i) {
      states[(i + 1) * static_cast<intptr_t>(args_.memory) - 1] = ToState<State>(args_, newest[i]);
    }
  }

  void AddToUnits(const uint32_t* sums, int32_t count, Units* units) const {
    for (int32_t i = 0; i < count; ++i) {
      units->sum += sums[i];
      if (--units->filters_left > 0) continue;
      if (units->bias != nullptr) units->sum += static_cast<uint32_t>(*units->bias++);
      units->sums[units->count++] = units->sum;
      units->sum = 0;
      units->filters_left = args_.rank;
    }
    StoreUnits(units);
  }

  void StoreUnits(Units* units) const {
    const __m256i offset = _mm256_set1_epi32(args_.output_offset);
    const auto scaled = [&](const uint32_t* sums) __attribute__((always_inline)) {
      return _mm256_add_epi32(time_(Load(sums)), offset);
    };
    int8_t codes[kFilterBlock];
    for (int32_t i = 0; i < units->count; i += kLanes) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i),
                       PackInt8Avx2(scaled(units->sums + i), scaled(units->sums + i + kHalf)));
    }
    memcpy(units->output, codes, static_cast<size_t>(units->count));
    units->output += units->count;
    units->count = 0;
  }

  const SvdfArgs& args_;
  MultiplyAvx2 feature_;
  MultiplyAvx2 time_;
};

// Returns whether this variant is faster than the reference, and exact.
bool Takes(const SvdfArgs& args) {
  return args.units * args.rank >= kHalf && MultiplyAvx2::Takes(args.feature) &&
         MultiplyAvx2::Takes(args.time);
}

}  // namespace

template <typename State>
void SvdfAvx2(const SvdfArgs& args) {
  if (!Takes(args)) return SvdfRef<State>(args);
  Batches<State>(args).RunAll();
}
template void SvdfAvx2<int8_t>(const SvdfArgs&);
template void SvdfAvx2<int16_t>(const SvdfArgs&);

}  // namespace lutra

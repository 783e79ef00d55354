// SPDX-License-Identifier: Apache-2.0
// Conversions between float32 and codes of 8 and 16 bits, and from codes to codes, with AVX2, sixteen
// elements at a time. The reference makes casts, other types and the elements that fill no vector.

#include <immintrin.h>

#include "lutra/kernels/convert/convert.h"
#include "runtime/kernels/multiply_avx2.h"

namespace lutra {
namespace {

constexpr int32_t kElements = 16;
constexpr int32_t kHalf = kElements / 2;
// No code's zero point is beyond these; sums with them stay far from the ends of int32.
constexpr int32_t kMaxZeroPoint = 1 << 16;
// A value this far away clamps to an end of the codes, with any zero point.
constexpr int32_t kFarAway = 1 << 20;

bool IsShort(TensorType type) {
  return type == TensorType::kInt8 || type == TensorType::kUInt8 || type == TensorType::kInt16;
}
bool IsZeroPoint(int32_t x) { return x >= -kMaxZeroPoint && x <= kMaxZeroPoint; }

template <typename Code>
[[gnu::always_inline]] inline WideCodesAvx2 LoadCodes(const Code* codes) {
  if constexpr (sizeof(Code) == 2) {
    const auto* const halves = reinterpret_cast<const __m128i*>(codes);
    return {_mm256_cvtepi16_epi32(_mm_loadu_si128(halves)),
            _mm256_cvtepi16_epi32(_mm_loadu_si128(halves + 1))};
  } else {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes));
    if constexpr (static_cast<Code>(-1) < 0) return WidenInt8Avx2(bytes);
    return {_mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_unpackhi_epi64(bytes, bytes))};
  }
}

// Stores codes, saturated.
template <typename Code>
[[gnu::always_inline]] inline void StoreCodes(WideCodesAvx2 x, Code* codes) {
  const __m256i halves = PackInt16Avx2(x.low, x.high);
  if constexpr (sizeof(Code) == 2) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(codes), halves);
  } else {
    const __m128i low = _mm256_castsi256_si128(halves);
    const __m128i high = _mm256_extracti128_si256(halves, 1);
    constexpr bool kIsSigned = static_cast<Code>(-1) < 0;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes),
                     kIsSigned ? _mm_packs_epi16(low, high) : _mm_packus_epi16(low, high));
  }
}

// Rounds to the nearest, ties away from zero, and NaN to 0; clamps far values to +-kFarAway.
[[gnu::always_inline]] inline __m256i RoundAway(__m256 x) {
  const __m256 known = _mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
  const __m256 near =
      _mm256_min_ps(_mm256_max_ps(known, _mm256_set1_ps(-kFarAway)), _mm256_set1_ps(kFarAway));
  const __m256 whole = _mm256_round_ps(near, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m256 sign = _mm256_set1_ps(-0.0f);
  // The subtraction is exact.
  const __m256 rest = _mm256_andnot_ps(sign, _mm256_sub_ps(near, whole));
  const __m256 away = _mm256_or_ps(_mm256_set1_ps(1.0f), _mm256_and_ps(near, sign));
  const __m256 step = _mm256_and_ps(away, _mm256_cmp_ps(rest, _mm256_set1_ps(0.5f), _CMP_GE_OQ));
  return _mm256_cvttps_epi32(_mm256_add_ps(whole, step));
}

// The functions below return how many elements they converted.

template <typename Code>
int32_t Quantize(const ConvertArgs& args, int32_t first, int32_t count) {
  const float* const input = static_cast<const float*>(args.input) + first;
  Code* const output = static_cast<Code*>(args.output) + first;
  const __m256 scale = _mm256_set1_ps(args.scale);
  const __m256i zero_point = _mm256_set1_epi32(args.out_zero_point);
  const auto code = [=](const float* at) __attribute__((always_inline)) {
    return _mm256_add_epi32(RoundAway(_mm256_div_ps(_mm256_loadu_ps(at), scale)), zero_point);
  };
  int32_t done = 0;
  for (; count - done >= kElements; done += kElements) {
    StoreCodes<Code>({code(input + done), code(input + done + kHalf)}, output + done);
  }
  return done;
}

template <typename From, typename To>
int32_t Requantize(const ConvertArgs& args, int32_t first, int32_t count) {
  const From* const input = static_cast<const From*>(args.input) + first;
  To* const output = static_cast<To*>(args.output) + first;
  const MultiplyAvx2 multiply(args.multiplier);
  const __m256i in_zero_point = _mm256_set1_epi32(args.in_zero_point);
  const __m256i out_zero_point = _mm256_set1_epi32(args.out_zero_point);
  const auto code = [&](__m256i x) __attribute__((always_inline)) {
    const __m256i scaled = multiply(_mm256_sub_epi32(x, in_zero_point));
    const __m256i near =
        _mm256_min_epi32(_mm256_max_epi32(scaled, _mm256_set1_epi32(-kFarAway)), _mm256_set1_epi32(kFarAway));
    return _mm256_add_epi32(near, out_zero_point);
  };
  int32_t done = 0;
  for (; count - done >= kElements; done += kElements) {
    const WideCodesAvx2 x = LoadCodes(input + done);
    StoreCodes<To>({code(x.low), code(x.high)}, output + done);
  }
  return done;
}

// Differences of at most 24 bits are exact as floats, and a product of two floats is rounded once, as in
// double.
template <typename Code>
int32_t Dequantize(const ConvertArgs& args, int32_t first, int32_t count) {
  const Code* const input = static_cast<const Code*>(args.input) + first;
  float* const output = static_cast<float*>(args.output) + first;
  const __m256 scale = _mm256_set1_ps(args.scale);
  const __m256i zero_point = _mm256_set1_epi32(args.in_zero_point);
  const auto store = [=](__m256i x, float* to) __attribute__((always_inline)) {
    _mm256_storeu_ps(to, _mm256_mul_ps(scale, _mm256_cvtepi32_ps(_mm256_sub_epi32(x, zero_point))));
  };
  int32_t done = 0;
  for (; count - done >= kElements; done += kElements) {
    const WideCodesAvx2 x = LoadCodes(input + done);
    store(x.low, output + done);
    store(x.high, output + done + kHalf);
  }
  return done;
}

template <typename From>
int32_t RequantizeFrom(const ConvertArgs& args, int32_t first, int32_t count) {
  switch (args.out_type) {
    case TensorType::kInt8:
      return Requantize<From, int8_t>(args, first, count);
    case TensorType::kUInt8:
      return Requantize<From, uint8_t>(args, first, count);
    default:
      return Requantize<From, int16_t>(args, first, count);
  }
}

int32_t QuantizeVectors(const ConvertArgs& args, int32_t first, int32_t count) {
  if (!IsShort(args.out_type) || !IsZeroPoint(args.out_zero_point)) return 0;
  switch (args.out_type) {
    case TensorType::kInt8:
      return Quantize<int8_t>(args, first, count);
    case TensorType::kUInt8:
      return Quantize<uint8_t>(args, first, count);
    default:
      return Quantize<int16_t>(args, first, count);
  }
}

int32_t RequantizeVectors(const ConvertArgs& args, int32_t first, int32_t count) {
  if (!IsShort(args.in_type) || !IsShort(args.out_type) || !IsZeroPoint(args.out_zero_point)) return 0;
  if (!MultiplyAvx2::Takes(args.multiplier)) return 0;
  switch (args.in_type) {
    case TensorType::kInt8:
      return RequantizeFrom<int8_t>(args, first, count);
    case TensorType::kUInt8:
      return RequantizeFrom<uint8_t>(args, first, count);
    default:
      return RequantizeFrom<int16_t>(args, first, count);
  }
}

int32_t DequantizeVectors(const ConvertArgs& args, int32_t first, int32_t count) {
  if (!IsShort(args.in_type) || !IsZeroPoint(args.in_zero_point)) return 0;
  switch (args.in_type) {
    case TensorType::kInt8:
      return Dequantize<int8_t>(args, first, count);
    case TensorType::kUInt8:
      return Dequantize<uint8_t>(args, first, count);
    default:
      return Dequantize<int16_t>(args, first, count);
  }
}

int32_t ConvertVectors(const ConvertArgs& args, int32_t first, int32_t count) {
  if (count < kElements) return 0;
  switch (args.conversion) {
    case Conversion::kQuantize:
      return QuantizeVectors(args, first, count);
    case Conversion::kRequantize:
      return RequantizeVectors(args, first, count);
    case Conversion::kDequantize:
      return DequantizeVectors(args, first, count);
    default:
      return 0;
  }
}

}  // namespace

void ConvertAvx2(const ConvertArgs& args, int32_t first, int32_t count) {
  const int32_t done = ConvertVectors(args, first, count);
  if (done < count) ConvertRef(args, first + done, count - done);
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// BitUnpack with AVX-512 VBMI: 64 bytes of output at a time, for items of up to 7, 14 or 28 bits; wider ones
// are unpacked with AVX2.

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's header reads a register that it does not set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/kernels/bit_unpack/bit_unpack_windows.h"
#include "runtime/kernels/bit_windows_avx2.h"
#include "runtime/kernels/bit_windows_avx512vbmi.h"

namespace lutra {
namespace {

template <typename T>
__m512i Repeat(uint32_t x) {
  return sizeof(T) == 1   ? _mm512_set1_epi8(static_cast<char>(x))
         : sizeof(T) == 2 ? _mm512_set1_epi16(static_cast<int16_t>(x))
                          : _mm512_set1_epi32(static_cast<int32_t>(x));
}
template <typename T>
__m512i Difference(__m512i x, __m512i y) {
  return sizeof(T) == 1   ? _mm512_sub_epi8(x, y)
         : sizeof(T) == 2 ? _mm512_sub_epi16(x, y)
                          : _mm512_sub_epi32(x, y);
}

template <typename T>
void Unpack(BitUnpackFn ref, const BitUnpackArgs& args, int32_t first, int32_t count) {
  constexpr int32_t kBytes = sizeof(T);
  constexpr int32_t kItems = kVectorBytes / kBytes;
  constexpr int32_t kLaneBits = 64;
  const int32_t width = args.width;
  const uint64_t bit =
      static_cast<uint64_t>(args.first_bit) + static_cast<uint64_t>(first) * static_cast<uint64_t>(width);
  // The items of a lane fit it from any bit of a byte on.
  if (8 / kBytes * width > kLaneBits - 7 || bit / 8 >= args.stream_bytes) {
    return UnpackByWindows<PartsAvx2, T>(ref, args, first, count);
  }
  const Cut<kBytes> cut(width, args.order == BitOrder::kMsbFirst, static_cast<int>(bit % 8));
  const __m512i bytes = _mm512_loadu_si512(cut.bytes), shifts = _mm512_loadu_si512(cut.shifts);
  const __m512i mask = Repeat<T>((1u << width) - 1);
  // (x ^ sign) - sign extends the sign of a number of `width` bits.
  const __m512i sign = Repeat<T>(args.sign_extend ? 1u << (width - 1) : 0);
  const auto unpack = [&](__m512i stream) __attribute__((always_inline)) {
    const __m512i items = _mm512_multishift_epi64_epi8(shifts, _mm512_permutexvar_epi8(bytes, stream));
    return Difference<T>(_mm512_xor_si512(_mm512_and_si512(items, mask), sign), sign);
  };
  const uint8_t* in = args.stream + bit / 8;
  const uint8_t* const end = args.stream + args.stream_bytes;
  const int32_t step = kItems / 8 * width;
  auto* output = static_cast<uint8_t*>(args.output);
  for (; count >= kItems && end - in >= kVectorBytes; count -= kItems, in += step, output += kVectorBytes) {
    _mm512_storeu_si512(output, unpack(_mm512_loadu_si512(in)));
  }
  for (; count > 0; count -= kItems, output += kVectorBytes) {
    const int64_t left = end - in;
    const __m512i stream = _mm512_maskz_loadu_epi8(FirstBytes(left), in);
    _mm512_mask_storeu_epi8(output, FirstBytes(int64_t{count} * kBytes), unpack(stream));
    in += left < step ? left : step;
  }
}

}  // namespace

template <typename T>
void BitUnpackAvx512vbmi(const BitUnpackArgs& args, int32_t first, int32_t count) {
  Unpack<T>(BitUnpackRef<T>, args, first, count);
}
template void BitUnpackAvx512vbmi<uint8_t>(const BitUnpackArgs&, int32_t, int32_t);
template void BitUnpackAvx512vbmi<uint16_t>(const BitUnpackArgs&, int32_t, int32_t);
template void BitUnpackAvx512vbmi<uint32_t>(const BitUnpackArgs&, int32_t, int32_t);

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Lookup with AVX-512 VBMI: an instruction looks 64 codes up in 128 entries, so that two of them and a choice
// by the highest bit cover the whole table. Nothing needs to be prepared.

// GCC 12 warns of uninitialised variables in its own header, which are meant to be so.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "lutra/kernels/lookup/lookup.h"

namespace lutra {
namespace {

constexpr int32_t kVectorBytes = 64;

class Table {
 public:
  explicit Table(const uint8_t* entries)
      : entries_{_mm512_loadu_si512(entries), _mm512_loadu_si512(entries + kVectorBytes),
                 _mm512_loadu_si512(entries + 2 * kVectorBytes),
                 _mm512_loadu_si512(entries + 3 * kVectorBytes)} {}

  [[gnu::always_inline]] __m512i operator()(__m512i codes) const {
    const __m512i low = _mm512_permutex2var_epi8(entries_[0], codes, entries_[1]);
    const __m512i high = _mm512_permutex2var_epi8(entries_[2], codes, entries_[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), low, high);
  }

 private:
  __m512i entries_[4];
};

}  // namespace

void LookupAvx512Vbmi(const LookupArgs& args, int32_t first, int32_t count) {
  constexpr int32_t kFew = 16;
  if (count < kFew) return LookupRef(args, first, count);
  const Table table(args.table);
  const uint8_t* const input = args.input + first;
  uint8_t* const output = args.output + first;
  if (count < kVectorBytes) {
    const __mmask64 there = ~__mmask64{0} >> (kVectorBytes - count);
    _mm512_mask_storeu_epi8(output, there, table(_mm512_maskz_loadu_epi8(there, input)));
    return;
  }
  // The last vector may be computed twice: it is read before the output, which may be the input, is written.
  const int32_t last = count - kVectorBytes;
  const __m512i last_codes = _mm512_loadu_si512(input + last);
  for (int32_t i = 0; i < last; i += kVectorBytes) {
    _mm512_storeu_si512(output + i, table(_mm512_loadu_si512(input + i)));
  }
  _mm512_storeu_si512(output + last, table(last_codes));
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// LutDecode with AVX2: 32 elements at a time, 16 in each half of a vector.

#include <immintrin.h>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/bit_windows_avx2.h"
#include "runtime/kernels/lut_decode/lut_decode_windows.h"

namespace lutra {

void LutDecode8Avx2(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsAvx2, uint8_t>(LutDecode8Ref, args, first, count);
}
void LutDecode16Avx2(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsAvx2, uint16_t>(LutDecode16Ref, args, first, count);
}
void LutDecode32Avx2(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsAvx2, uint32_t>(LutDecode32Ref, args, first, count);
}
void LutDecode64Avx2(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsAvx2, uint64_t>(LutDecode64Ref, args, first, count);
}

}  // namespace lutra

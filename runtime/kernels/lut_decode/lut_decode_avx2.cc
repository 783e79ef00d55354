// SPDX-License-Identifier: Apache-2.0
// LutDecode with AVX2: 32 elements at a time, 16 in each half of a vector.

#include <immintrin.h>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/bit_windows_avx2.h"
#include "runtime/kernels/lut_decode/lut_decode_windows.h"

namespace lutra {

template <typename T>
void LutDecodeAvx2(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsAvx2, T>(LutDecodeRef<T>, args, first, count);
}
template void LutDecodeAvx2<uint8_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeAvx2<uint16_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeAvx2<uint32_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeAvx2<uint64_t>(const LutDecodeArgs&, int32_t, int32_t);

}  // namespace lutra

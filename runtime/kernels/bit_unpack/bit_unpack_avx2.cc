// SPDX-License-Identifier: Apache-2.0
// BitUnpack with AVX2: 32 bytes at a time, 16 in each half of a vector.

#include <immintrin.h>

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/kernels/bit_unpack/bit_unpack_windows.h"
#include "runtime/kernels/bit_windows_avx2.h"

namespace lutra {

void BitUnpack8Avx2(const BitUnpackArgs& args, int32_t first, int32_t count) {
  UnpackByWindows<PartsAvx2, uint8_t>(BitUnpack8Ref, args, first, count);
}
void BitUnpack16Avx2(const BitUnpackArgs& args, int32_t first, int32_t count) {
  UnpackByWindows<PartsAvx2, uint16_t>(BitUnpack16Ref, args, first, count);
}
void BitUnpack32Avx2(const BitUnpackArgs& args, int32_t first, int32_t count) {
  UnpackByWindows<PartsAvx2, uint32_t>(BitUnpack32Ref, args, first, count);
}

}  // namespace lutra

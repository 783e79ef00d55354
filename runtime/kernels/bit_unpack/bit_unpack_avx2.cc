// SPDX-License-Identifier: Apache-2.0
// BitUnpack with AVX2: 32 bytes at a time, 16 in each half of a vector.

#include <immintrin.h>

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/kernels/bit_unpack/bit_unpack_windows.h"
#include "runtime/kernels/bit_windows_avx2.h"

namespace lutra {

template <typename T>
void BitUnpackAvx2(const BitUnpackArgs& args, int32_t first, int32_t count) {
  UnpackByWindows<PartsAvx2, T>(BitUnpackRef<T>, args, first, count);
}
template void BitUnpackAvx2<uint8_t>(const BitUnpackArgs&, int32_t, int32_t);
template void BitUnpackAvx2<uint16_t>(const BitUnpackArgs&, int32_t, int32_t);
template void BitUnpackAvx2<uint32_t>(const BitUnpackArgs&, int32_t, int32_t);

}  // namespace lutra

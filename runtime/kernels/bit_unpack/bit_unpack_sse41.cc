// SPDX-License-Identifier: Apache-2.0
// BitUnpack with SSE4.1: 16 bytes at a time.

#include <immintrin.h>

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/kernels/bit_unpack/bit_unpack_windows.h"
#include "runtime/kernels/bit_windows_sse41.h"

namespace lutra {

template <typename T>
void BitUnpackSse41(const BitUnpackArgs& args, int32_t first, int32_t count) {
  UnpackByWindows<PartsSse41, T>(BitUnpackRef<T>, args, first, count);
}
template void BitUnpackSse41<uint8_t>(const BitUnpackArgs&, int32_t, int32_t);
template void BitUnpackSse41<uint16_t>(const BitUnpackArgs&, int32_t, int32_t);
template void BitUnpackSse41<uint32_t>(const BitUnpackArgs&, int32_t, int32_t);

}  // namespace lutra

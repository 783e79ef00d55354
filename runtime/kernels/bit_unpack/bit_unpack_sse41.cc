// SPDX-License-Identifier: Apache-2.0
// BitUnpack with SSE4.1: 16 bytes at a time.

#include <immintrin.h>

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/kernels/bit_unpack/bit_unpack_windows.h"
#include "runtime/kernels/bit_windows_sse41.h"

namespace lutra {

void BitUnpack8Sse41(const BitUnpackArgs& args, int32_t first, int32_t count) {
  UnpackByWindows<PartsSse41, uint8_t>(BitUnpack8Ref, args, first, count);
}
void BitUnpack16Sse41(const BitUnpackArgs& args, int32_t first, int32_t count) {
  UnpackByWindows<PartsSse41, uint16_t>(BitUnpack16Ref, args, first, count);
}
void BitUnpack32Sse41(const BitUnpackArgs& args, int32_t first, int32_t count) {
  UnpackByWindows<PartsSse41, uint32_t>(BitUnpack32Ref, args, first, count);
}

}  // namespace lutra

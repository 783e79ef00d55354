// SPDX-License-Identifier: Apache-2.0
// LutDecode with SSE4.1: 16 elements at a time.

#include <immintrin.h>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/bit_windows_sse41.h"
#include "runtime/kernels/lut_decode/lut_decode_windows.h"

namespace lutra {

void LutDecode8Sse41(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsSse41, uint8_t>(LutDecode8Ref, args, first, count);
}
void LutDecode16Sse41(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsSse41, uint16_t>(LutDecode16Ref, args, first, count);
}
void LutDecode32Sse41(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsSse41, uint32_t>(LutDecode32Ref, args, first, count);
}
void LutDecode64Sse41(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsSse41, uint64_t>(LutDecode64Ref, args, first, count);
}

}  // namespace lutra

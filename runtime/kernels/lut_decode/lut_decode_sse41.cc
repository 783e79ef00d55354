// SPDX-License-Identifier: Apache-2.0
// LutDecode with SSE4.1: 16 elements at a time.

#include <immintrin.h>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/bit_windows_sse41.h"
#include "runtime/kernels/lut_decode/lut_decode_windows.h"

namespace lutra {

template <typename T>
void LutDecodeSse41(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<PartsSse41, T>(LutDecodeRef<T>, args, first, count);
}
template void LutDecodeSse41<uint8_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeSse41<uint16_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeSse41<uint32_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeSse41<uint64_t>(const LutDecodeArgs&, int32_t, int32_t);

}  // namespace lutra

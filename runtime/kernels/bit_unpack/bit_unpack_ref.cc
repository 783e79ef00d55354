// SPDX-License-Identifier: Apache-2.0
// Cuts as many items at a time as fit a word of 64 bits.

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/kernels/bit_stream.h"

namespace lutra {
template <typename T>
void BitUnpackRef(const BitUnpackArgs& args, int32_t first, int32_t count) {
  auto* output = static_cast<T*>(args.output);
  const int width = args.width;
  const uint32_t mask = (1u << width) - 1;
  // (x ^ sign) - sign extends the sign of a number of `width` bits.
  const uint32_t sign = args.sign_extend ? 1u << (width - 1) : 0;
  uint64_t bit =
      static_cast<uint64_t>(args.first_bit) + static_cast<uint64_t>(first) * static_cast<uint64_t>(width);
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  const uint8_t* const stream = args.stream;  // A local copy, as writes might change `args`.
  const size_t stream_bytes = args.stream_bytes;
  const int32_t in_window = kWindowBits / width;
  for (int32_t i = 0; i < count; bit += static_cast<uint64_t>(in_window) * static_cast<uint64_t>(width)) {
    uint64_t window = msb_first ? MsbWindow(stream, stream_bytes, bit) : LsbWindow(stream, stream_bytes, bit);
    const int32_t stop = in_window < count - i ? i + in_window : count;
    for (; i < stop; ++i) {
      const auto item = static_cast<uint32_t>(msb_first ? window >> (64 - width) : window & mask);
      window = msb_first ? window << width : window >> width;
      output[i] = static_cast<T>((item ^ sign) - sign);
    }
  }
}
template void BitUnpackRef<uint8_t>(const BitUnpackArgs&, int32_t, int32_t);
template void BitUnpackRef<uint16_t>(const BitUnpackArgs&, int32_t, int32_t);
template void BitUnpackRef<uint32_t>(const BitUnpackArgs&, int32_t, int32_t);

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Decodes several elements from each word of 64 bits, without branching on their flags.

#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"
#include "runtime/kernels/bit_stream.h"

namespace lutra {
template <typename T>
void SparseLutDecodeRef(const SparseLutDecodeArgs& args) {
  auto* output = static_cast<T*>(args.output);
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  const auto width = static_cast<uint32_t>(args.width);
  const uint32_t mask = (1u << width) - 1;
  const uint8_t* const stream = args.stream;  // A local copy, as writes might change `args`.
  const size_t stream_bytes = args.stream_bytes;
  const uint8_t* const values = args.values;
  const auto special = static_cast<T>(args.special);
  const int32_t count = args.count;
  auto bit = static_cast<uint64_t>(args.first_bit);
  // Elements of up to nine bits.
  constexpr int32_t kInWindow = kWindowBits / 9;
  for (int32_t i = 0; i < count;) {
    uint64_t window = msb_first ? MsbWindow(stream, stream_bytes, bit) : LsbWindow(stream, stream_bytes, bit);
    const int32_t stop = count - i < kInWindow ? count : i + kInWindow;
    for (; i < stop; ++i) {
      // Flags are nearly random, so no branch depends on them.
      const uint32_t indexed = 0u - static_cast<uint32_t>(msb_first ? window >> 63 : window & 1);
      const auto field = static_cast<uint32_t>(msb_first ? window >> (63 - width) : window >> 1);
      const T value = LoadElement<T>(values + (field & mask & indexed) * sizeof(T));
      output[i] = static_cast<T>((value & indexed) | (special & ~indexed));
      const uint32_t used = 1 + (width & indexed);
      window = msb_first ? window << used : window >> used;
      bit += used;
    }
  }
}
template void SparseLutDecodeRef<uint8_t>(const SparseLutDecodeArgs&);
template void SparseLutDecodeRef<uint16_t>(const SparseLutDecodeArgs&);
template void SparseLutDecodeRef<uint32_t>(const SparseLutDecodeArgs&);

}  // namespace lutra

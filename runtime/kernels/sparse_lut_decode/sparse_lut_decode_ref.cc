// SPDX-License-Identifier: Apache-2.0

#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/sparse_lut_decode/sparse_lut_decode.h"

namespace lutra {
namespace {

template <typename T>
void SparseLutDecode(const SparseLutDecodeArgs& args) {
  auto* output = static_cast<T*>(args.output);
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  const int bits = args.width + 1;
  const uint32_t mask = (1u << args.width) - 1;
  auto bit = static_cast<uint64_t>(args.first_bit);
  // A window of 57 bits holds six elements of up to nine.
  constexpr int kInWindow = 6;
  for (int32_t i = 0; i < args.count;) {
    uint64_t window = msb_first ? MsbWindow(args.stream, args.stream_bytes, bit)
                                : LsbWindow(args.stream, args.stream_bytes, bit);
    const int32_t stop = args.count - i < kInWindow ? args.count : i + kInWindow;
    for (; i < stop; ++i) {
      const bool indexed = msb_first ? window >> 63 != 0 : (window & 1) != 0;
      const auto field = static_cast<uint32_t>(msb_first ? window >> (64 - bits) : window >> 1);
      output[i] =
          indexed ? LoadElement<T>(args.values + (field & mask) * sizeof(T)) : static_cast<T>(args.special);
      const int used = indexed ? bits : 1;
      window = msb_first ? window << used : window >> used;
      bit += static_cast<uint64_t>(used);
    }
  }
}

}  // namespace

void SparseLutDecode8Ref(const SparseLutDecodeArgs& args) { SparseLutDecode<uint8_t>(args); }
void SparseLutDecode16Ref(const SparseLutDecodeArgs& args) { SparseLutDecode<uint16_t>(args); }
void SparseLutDecode32Ref(const SparseLutDecodeArgs& args) { SparseLutDecode<uint32_t>(args); }

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0

#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/bit_unpack/bit_unpack.h"

namespace lutra {
namespace {

template <typename T>
void BitUnpack(const BitUnpackArgs& args, int32_t first, int32_t count) {
  auto* output = static_cast<T*>(args.output);
  const int width = args.width;
  const uint32_t mask = (1u << width) - 1;
  // (x ^ sign) - sign extends the sign of a number of `width` bits.
  const uint32_t sign = args.sign_extend ? 1u << (width - 1) : 0;
  uint64_t bit =
      static_cast<uint64_t>(args.first_bit) + static_cast<uint64_t>(first) * static_cast<uint64_t>(width);
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  for (int32_t i = 0; i < count; ++i, bit += static_cast<uint64_t>(width)) {
    const uint64_t item = msb_first ? MsbWindow(args.stream, args.stream_bytes, bit) >> (64 - width)
                                    : LsbWindow(args.stream, args.stream_bytes, bit);
    output[i] = static_cast<T>(((static_cast<uint32_t>(item) & mask) ^ sign) - sign);
  }
}

}  // namespace

void BitUnpack8Ref(const BitUnpackArgs& args, int32_t first, int32_t count) {
  BitUnpack<uint8_t>(args, first, count);
}
void BitUnpack16Ref(const BitUnpackArgs& args, int32_t first, int32_t count) {
  BitUnpack<uint16_t>(args, first, count);
}
void BitUnpack32Ref(const BitUnpackArgs& args, int32_t first, int32_t count) {
  BitUnpack<uint32_t>(args, first, count);
}

}  // namespace lutra

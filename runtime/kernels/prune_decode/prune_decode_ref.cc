// SPDX-License-Identifier: Apache-2.0

#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/prune_decode/prune_decode.h"

namespace lutra {
namespace {

template <typename T>
void FillWithZeroPoints(const PruneDecodeArgs& args, T* output) {
  int32_t channel = 0;
  for (int32_t i = 0; i < args.count;) {
    const T zero_point = args.zero_points.size() == 0 ? T{0} : static_cast<T>(args.zero_points[channel]);
    const int32_t run = args.channels == 1 || args.count - i < args.inner ? args.count - i : args.inner;
    for (const int32_t stop = i + run; i < stop; ++i) output[i] = zero_point;
    channel = channel + 1 == args.channels ? 0 : channel + 1;
  }
}

template <typename T>
void PruneDecode(const PruneDecodeArgs& args) {
  auto* output = static_cast<T*>(args.output);
  FillWithZeroPoints(args, output);
  const uint8_t* value = args.values;
  for (int32_t i = 0; i < args.count; i += 8) {
    uint32_t kept = args.map[i / 8];
    if (args.count - i < 8) kept &= 0xFFu << (8 - (args.count - i)) & 0xFF;
    // From one bit that is set to the next.
    while (kept != 0) {
      const int bit = __builtin_clz(kept) - 24;
      output[i + bit] = LoadElement<T>(value);
      value += sizeof(T);
      kept &= ~(0x80u >> bit);
    }
  }
}

}  // namespace

void PruneDecode8Ref(const PruneDecodeArgs& args) { PruneDecode<uint8_t>(args); }
void PruneDecode16Ref(const PruneDecodeArgs& args) { PruneDecode<uint16_t>(args); }
void PruneDecode32Ref(const PruneDecodeArgs& args) { PruneDecode<uint32_t>(args); }
void PruneDecode64Ref(const PruneDecodeArgs& args) { PruneDecode<uint64_t>(args); }

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// PruneDecode of bytes for Cortex-M: stores zero points for eight elements, then values where bits are set;
// counting leading zeros finds the next bit.

#include <string.h>

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/loops_armdsp.h"

namespace lutra {
namespace {

// Stores the next values where bits are set, the highest bit first. Returns a pointer behind these values.
[[gnu::always_inline]] inline const uint8_t* PutValues(uint32_t bits, const uint8_t* values,
                                                       uint8_t* output) {
  while (bits != 0) {
    const int k = __builtin_clz(bits);
    bits &= ~(0x80000000u >> k);
    output[k] = *values++;
  }
  return values;
}

LUTRA_OFTEN void DecodeWithOneZeroPoint(const PruneDecodeArgs& args, uint8_t zero_point) {
  const uint8_t* map = args.map;
  const uint8_t* values = args.values;
  auto* output = static_cast<uint8_t*>(args.output);
  const uint32_t four = zero_point * 0x01010101u;
  const int32_t rest = args.count % 8;
  for (const uint8_t* const end = output + args.count / 8 * 8; output != end; output += 8) {
    memcpy(output, &four, sizeof four);
    memcpy(output + 4, &four, sizeof four);
    values = PutValues(static_cast<uint32_t>(*map++) << 24, values, output);
  }
  if (rest == 0) return;
  for (int32_t k = 0; k < rest; ++k) output[k] = zero_point;
  PutValues(static_cast<uint32_t>(*map & 0xFF00 >> rest) << 24, values, output);
}

}  // namespace

void PruneDecodeArmdsp(const PruneDecodeArgs& args) {
  const auto at = [&](int32_t channel) {
    return args.zero_points.count == 0 ? uint8_t{0} : static_cast<uint8_t>(args.zero_points[channel]);
  };
  for (int32_t channel = 1; channel < args.channels; ++channel) {
    if (at(channel) != at(0)) return PruneDecodeRef<uint8_t>(args);
  }
  DecodeWithOneZeroPoint(args, at(0));
}

}  // namespace lutra

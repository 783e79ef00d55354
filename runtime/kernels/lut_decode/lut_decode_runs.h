// SPDX-License-Identifier: Apache-2.0
// Runs of elements that share a table, for the variants that decode bytes. The unnamed namespace lets each
// keep its own copy.

#pragma once

#include "lutra/kernels/lut_decode/lut_decode.h"

namespace lutra {
namespace {

// Shorter runs change their tables too often: the reference decodes them.
constexpr int32_t kLeastRun = 16;

// Calls decode_run(table, first, count, output) for each run.
template <typename DecodeRun>
[[gnu::always_inline]] inline void DecodeRuns(const LutDecodeArgs& args, int32_t first, int32_t count,
                                              const DecodeRun& decode_run) {
  if (args.channels > 1 && args.inner < kLeastRun) return LutDecodeRef<uint8_t>(args, first, count);
  auto* output = static_cast<uint8_t*>(args.output);
  int32_t channel = args.channels == 1 ? 0 : first / args.inner % args.channels;
  int32_t left = args.channels == 1 ? count : args.inner - first % args.inner;
  while (count > 0) {
    const int32_t made = left < count ? left : count;
    decode_run(args.values + static_cast<intptr_t>(channel) * args.stride, first, made, output);
    output += made;
    first += made;
    count -= made;
    channel = channel + 1 == args.channels ? 0 : channel + 1;
    left = args.inner;
  }
}

}  // namespace
}  // namespace lutra

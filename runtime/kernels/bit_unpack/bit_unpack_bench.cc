// SPDX-License-Identifier: Apache-2.0
// Every width, sign-extended to elements of each size.

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

template <typename Element>
void Run(benchmark::State& state, const VariantUse<BitUnpackFn>& use, const CountCase& width) {
  const std::vector<uint8_t> stream = RandomBytes(static_cast<size_t>(kDecodedElements * width.count / 8));
  std::vector<Element> output(kDecodedElements);
  Measure(state, use,
          {.stream = stream.data(),
           .stream_bytes = stream.size(),
           .order = BitOrder::kLsbFirst,
           .width = width.count,
           .sign_extend = true,
           .first_bit = 0,
           .output = output.data()},
          0, kDecodedElements);
  CountDecoded(state, sizeof(Element));
}

const bool registered = RegisterKernel(kBitUnpack<uint8_t>, Counts({1, 2, 3, 4, 5, 6, 7}), Run<uint8_t>) &&
                        RegisterKernel(kBitUnpack<uint16_t>, Counts({4, 12}), Run<uint16_t>) &&
                        RegisterKernel(kBitUnpack<uint32_t>, Counts({4, 20}), Run<uint32_t>);

}  // namespace
}  // namespace lutra

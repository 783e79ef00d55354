// SPDX-License-Identifier: Apache-2.0
// Indices of each width; half of the elements are special, at random.

#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

template <typename Element>
void Run(benchmark::State& state, const VariantUse<SparseLutDecodeFn>& use, const CountCase& width) {
  const std::vector<uint8_t> stream =
      RandomBytes(static_cast<size_t>(kDecodedElements * (width.count + 1) / 8));
  const std::vector<uint8_t> values = RandomBytes(256 * sizeof(Element));
  std::vector<Element> output(kDecodedElements);
  Measure(state, use,
          {.stream = stream.data(),
           .stream_bytes = stream.size(),
           .order = BitOrder::kLsbFirst,
           .width = width.count,
           .first_bit = 0,
           .values = values.data(),
           .special = 0,
           .count = kDecodedElements,
           .output = output.data()});
  CountDecoded(state, sizeof(Element));
}

const bool registered = RegisterKernel(kSparseLutDecode<uint8_t>, Counts({2, 4, 6, 8}), Run<uint8_t>) &&
                        RegisterKernel(kSparseLutDecode<uint16_t>, Counts({4}), Run<uint16_t>) &&
                        RegisterKernel(kSparseLutDecode<uint32_t>, Counts({4}), Run<uint32_t>);

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// A case's count is how many of eight elements are kept, at random.

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

template <typename Element>
void Run(benchmark::State& state, const VariantUse<PruneDecodeFn>& use, const CountCase& kept) {
  std::vector<uint8_t> map(kDecodedElements / 8);
  std::mt19937 random(1);
  for (uint8_t& byte : map) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<uint8_t>(byte << 1 | (random() % 8 < static_cast<uint32_t>(kept.count) ? 1 : 0));
    }
  }
  const std::vector<uint8_t> values = RandomBytes(kDecodedElements * sizeof(Element));
  std::vector<Element> output(kDecodedElements);
  Measure(state, use,
          {.map = map.data(),
           .values = values.data(),
           .zero_points = {},
           .channels = 1,
           .inner = 1,
           .count = kDecodedElements,
           .output = output.data()});
  CountDecoded(state, sizeof(Element));
}

const bool registered = RegisterKernel(kPruneDecode<uint8_t>, Counts({0, 1, 2, 4, 6, 8}), Run<uint8_t>) &&
                        RegisterKernel(kPruneDecode<uint16_t>, Counts({2, 4}), Run<uint16_t>) &&
                        RegisterKernel(kPruneDecode<uint32_t>, Counts({2, 4}), Run<uint32_t>) &&
                        RegisterKernel(kPruneDecode<uint64_t>, Counts({2, 4}), Run<uint64_t>);

}  // namespace
}  // namespace lutra

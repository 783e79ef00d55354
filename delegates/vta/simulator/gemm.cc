// SPDX-License-Identifier: Apache-2.0
// Plain loops of a constant length, which compilers turn into multiply-adds of pairs.

#include "delegates/vta/simulator/gemm.h"

namespace lutra::vta::sim {
namespace {

template <uint32_t block>
void MultiplyRow(const int16_t* inp, const int16_t* wgt, int32_t* acc) {
  for (uint32_t j = 0; j < block; ++j) {
    int32_t sum = 0;  // 64 products of 8 bits are far from its end.
    // Left alone, GCC writes 16 steps out one by one, and then finds nothing to make vectors of.
#pragma GCC unroll 4
    for (uint32_t k = 0; k < block; ++k) sum += inp[k] * wgt[j * block + k];
    acc[j] = static_cast<int32_t>(static_cast<uint32_t>(acc[j]) + static_cast<uint32_t>(sum));
  }
}

}  // namespace

void MultiplyBlock(const int16_t* inp, const int16_t* wgt, int32_t* acc, uint32_t batch, uint32_t block) {
  for (uint32_t b = 0; b < batch; ++b, inp += block, acc += block) {
    switch (block) {
      case 2:
        MultiplyRow<2>(inp, wgt, acc);
        break;
      case 4:
        MultiplyRow<4>(inp, wgt, acc);
        break;
      case 8:
        MultiplyRow<8>(inp, wgt, acc);
        break;
      case 16:
        MultiplyRow<16>(inp, wgt, acc);
        break;
      case 32:
        MultiplyRow<32>(inp, wgt, acc);
        break;
      default:
        MultiplyRow<64>(inp, wgt, acc);
        break;
    }
  }
}

}  // namespace lutra::vta::sim

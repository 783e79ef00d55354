// SPDX-License-Identifier: Apache-2.0
// The products of a micro-op: where a simulated network spends its time.

#pragma once

#include <cstdint>

namespace lutra::vta::sim {

// acc[b][j] += sum over k of inp[b][k] * wgt[j][k], modulo 2^32.
void MultiplyBlock(const int16_t* inp, const int16_t* wgt, int32_t* acc, uint32_t batch, uint32_t block);

}  // namespace lutra::vta::sim

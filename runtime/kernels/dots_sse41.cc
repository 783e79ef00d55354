// SPDX-License-Identifier: Apache-2.0
// The kernels that are dot products, with SSE4.1.

#include "runtime/kernels/dot_kernels.h"
#include "runtime/kernels/dot_sse41.h"

namespace lutra {

template <typename Args>
struct DotSetOf<Sse41, Args> {
  using Type = DotSse41;
};
// With two vectors a register holds the values of a block.
template <>
struct DotSetOf<Sse41, DepthwiseConv2DArgs> {
  using Type = DotSse41Of<2>;
};

LUTRA_DEFINE_DOTS(Sse41)

}  // namespace lutra

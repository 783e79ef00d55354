// SPDX-License-Identifier: Apache-2.0
// The kernels that are dot products, with AVX2.

#include "runtime/kernels/dot_avx2.h"
#include "runtime/kernels/dot_kernels.h"

namespace lutra {

template <typename Args>
struct DotSetOf<Avx2, Args> {
  using Type = DotAvx2;
};

LUTRA_DEFINE_DOTS(Avx2)

}  // namespace lutra

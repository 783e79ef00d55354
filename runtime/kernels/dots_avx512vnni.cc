// SPDX-License-Identifier: Apache-2.0
// The kernels that are dot products, with AVX512-VNNI.

#include "runtime/kernels/dot_avx512vnni.h"
#include "runtime/kernels/dot_kernels.h"

namespace lutra {

template <typename Args>
struct DotSetOf<Avx512Vnni, Args> {
  using Type = DotAvx512Vnni;
};

LUTRA_DEFINE_DOTS(Avx512Vnni)

}  // namespace lutra

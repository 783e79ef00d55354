// SPDX-License-Identifier: Apache-2.0
// The kernels that are dot products, with AVX-VNNI.

#include "runtime/kernels/dot_avxvnni.h"
#include "runtime/kernels/dot_kernels.h"

namespace lutra {

template <typename Args>
struct DotSetOf<AvxVnni, Args> {
  using Type = DotAvxVnni;
};

LUTRA_DEFINE_DOTS(AvxVnni)

}  // namespace lutra

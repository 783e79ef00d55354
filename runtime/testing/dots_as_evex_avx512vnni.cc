// SPDX-License-Identifier: Apache-2.0
// The avxvnni variants, compiled for AVX512-VNNI: the same code except for the encoding of vpdpbusd.
// Processors have the one set or the other, and QEMU has neither, so that few machines can test avxvnni
// itself.

#include "runtime/kernels/dot_avxvnni.h"
#include "runtime/kernels/dot_kernels.h"
#include "runtime/testing/dots_as_evex.h"

namespace lutra {

template <typename Args>
struct DotSetOf<AvxVnniAsEvex, Args> {
  using Type = DotAvxVnni;
};

LUTRA_DEFINE_DOTS(AvxVnniAsEvex)

}  // namespace lutra

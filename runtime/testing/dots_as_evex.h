// SPDX-License-Identifier: Apache-2.0
// The avxvnni variants for processors that have AVX512-VNNI instead (dots_as_evex_avx512vnni.cc); tests
// of kernels run them beside those of the table.
//
//   LUTRA_TEST_AS_EVEX(Conv2DInt8, kConv2DInt8);

#pragma once

#include "lutra/kernels/dots.h"
#include "runtime/testing/kernel_test.h"

#if LUTRA_HAVE_AVX512VNNI

namespace lutra {

struct AvxVnniAsEvex {
  static constexpr InstructionSet kSet = {"avxvnni", kCpuAvx512Vnni};
};

// Leaves out the reference, which the table's own test runs.
template <typename Fn, int N>
TestedVariant<Fn> TestedAsEvex(const Variant<Fn> (&table)[N]) {
  const Variant<Fn> as_evex[] = {VariantOf<AvxVnniAsEvex, Fn>(), table[N - 1]};
  return TestedVariantsOf(as_evex).front();
}

}  // namespace lutra

#define LUTRA_TEST_AS_EVEX(suite, table)                                        \
  INSTANTIATE_TEST_SUITE_P(AsEvex, suite, testing::Values(TestedAsEvex(table)), \
                           [](const auto& info) { return TestedVariantName(info); })

#else

#define LUTRA_TEST_AS_EVEX(suite, table) static_assert(true)

#endif

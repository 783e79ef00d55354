// SPDX-License-Identifier: Apache-2.0
// Kernels that are dot products of int8. kernels/dots_SET.cc compiles all of them for an instruction set, and
// VariantOf<Set, Fn>() makes a kernel's row.
//
//   LUTRA_DECLARE_DOTS(Conv2DFn)
//   inline constexpr Variant<Conv2DFn> kConv2DInt8[] = {LUTRA_DOT_VARIANTS(Conv2DFn, Conv2DRef)};

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/kernels/rows.h"

namespace lutra {

struct Sse41 {
  static constexpr InstructionSet kSet = {"sse41", kCpuSse41};
};
struct Avx2 {
  static constexpr InstructionSet kSet = {"avx2", kCpuAvx2};
};
struct AvxVnni {
  static constexpr InstructionSet kSet = {"avxvnni", kCpuAvxVnni};
};
struct Avx512Vnni {
  static constexpr InstructionSet kSet = {"avx512vnni", kCpuAvx512Vnni};
};

// Applies a macro to the instruction sets of this build that have a file dots_<set>.cc, best first.
#if LUTRA_HAVE_X86
#define LUTRA_FOR_DOT_SETS(macro, Fn) \
  macro(Avx512Vnni, Fn) macro(AvxVnni, Fn) macro(Avx2, Fn) macro(Sse41, Fn)
#else
#define LUTRA_FOR_DOT_SETS(macro, Fn)
#endif

// The functions that an instruction set's file defines for the kernels of a type.
template <typename Set, typename Fn>
struct Dots;

// A kernel that gets its operands when it runs.
template <typename Set, typename Args>
struct Dots<Set, void (*)(const Args&)> {
  static void Run(const Args& args);
};

// A layer, whose filters are packed beforehand; it does not run without packed filters.
template <typename Set, typename Args>
struct Dots<Set, void (*)(const Args&, const Rows&, const Rows&, int32_t, int32_t)> {
  static void Run(const Args& args, const Rows& input, const Rows& output, int32_t first_row,
                  int32_t row_count);
  static int32_t Prepare(const Args& args, void* memory);
  static int32_t RowsAtOnce(const Args& args);
};

template <typename Set, typename Fn>
consteval Variant<Fn> VariantOf() {
  using Kernel = Dots<Set, Fn>;
  Variant<Fn> variant = {Set::kSet.name, Set::kSet.features, Kernel::Run};
#if LUTRA_HAVE_PREPARING_LAYERS
  if constexpr (requires { &Kernel::Prepare; }) {
    variant.prepare = Kernel::Prepare;
    variant.unprepared = Unprepared::kIsPassedOver;
    variant.rows_at_once = Kernel::RowsAtOnce;
  }
#endif
  return variant;
}

// These declarations keep other files from compiling the functions.
#define LUTRA_DECLARE_DOTS_OF(Set, Fn) extern template struct Dots<Set, Fn>;
#define LUTRA_DECLARE_DOTS(Fn) LUTRA_FOR_DOT_SETS(LUTRA_DECLARE_DOTS_OF, Fn)

#define LUTRA_DOT_VARIANT_OF(Set, Fn) VariantOf<Set, Fn>(),
#define LUTRA_DOT_VARIANTS(Fn, reference) \
  LUTRA_FOR_DOT_SETS(LUTRA_DOT_VARIANT_OF, Fn) { "ref", kCpuAny, reference }

}  // namespace lutra

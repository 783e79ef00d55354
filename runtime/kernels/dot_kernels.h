// SPDX-License-Identifier: Apache-2.0
// The kernels that are dot products, for dots_<set>.cc, which chooses the arithmetic of its set.

#pragma once

#include "lutra/kernels/dots.h"
#include "runtime/kernels/batch_matmul/batch_matmul_dots.h"
#include "runtime/kernels/conv_2d/conv_2d_dots.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_dots.h"
#include "runtime/kernels/fully_connected/fully_connected_dots.h"
#include "runtime/kernels/transpose_conv/transpose_conv_dots.h"

namespace lutra {

// The arithmetic of an instruction set (dot_set.h), for kernels with these arguments.
template <typename Set, typename Args>
struct DotSetOf;

template <typename Set, typename Args>
void Dots<Set, void (*)(const Args&)>::Run(const Args& args) {
  RunDots<typename DotSetOf<Set, Args>::Type>(args);
}

template <typename Set, typename Args>
void Dots<Set, void (*)(const Args&, const Rows&, const Rows&, int32_t, int32_t)>::Run(
    const Args& args, const Rows& input, const Rows& output, int32_t first_row, int32_t row_count) {
  RunDots<typename DotSetOf<Set, Args>::Type>(args, input, output, first_row, row_count);
}

template <typename Set, typename Args>
int32_t Dots<Set, void (*)(const Args&, const Rows&, const Rows&, int32_t, int32_t)>::Prepare(
    const Args& args, void* memory) {
  return PrepareDots<typename DotSetOf<Set, Args>::Type>(args, memory);
}

template <typename Set, typename Args>
int32_t Dots<Set, void (*)(const Args&, const Rows&, const Rows&, int32_t, int32_t)>::RowsAtOnce(
    const Args& args) {
  return RowsAtOnceOfDots<typename DotSetOf<Set, Args>::Type>(args);
}

#define LUTRA_DEFINE_DOTS(Set)                  \
  template struct Dots<Set, Conv2DFn>;          \
  template struct Dots<Set, DepthwiseConv2DFn>; \
  template struct Dots<Set, FullyConnectedFn>;  \
  template struct Dots<Set, MatMulFn>;          \
  template struct Dots<Set, TransposeConvFn>;

}  // namespace lutra

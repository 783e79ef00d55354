// SPDX-License-Identifier: Apache-2.0
// Walks the elements of a broadcast (NumPy's rule) in runs that a kernel can make in one call.
//
//   const Broadcast broadcast({a.shape, b.shape}, output.shape);
//   broadcast.ForEachRun([&](const Broadcast::Run& run) {
//     Kernel(a + run.offset[0], run.step[0], b + run.offset[1], run.step[1], out + run.output, run.count);
//   });
//
// EvalTwoInputs does this for kernels whose Args have a, b, output, a_step and b_step.

#pragma once

#include "lutra/micro_context.h"
#include "lutra/tensor_info.h"
#include "runtime/ops/common.h"

namespace lutra {

class Broadcast {
 public:
  static constexpr int kMaxInputs = 3;

  // Offsets and counts are in elements; step is 0 where the input is repeated along the run.
  struct Run {
    int32_t offset[kMaxInputs];
    int32_t step[kMaxInputs];
    int32_t output;
    int32_t count;
  };

  // Each input's shape broadcasts to the output's.
  Broadcast(Span<const Shape> inputs, const Shape& output) : inputs_(static_cast<int>(inputs.size())) {
    for (int axis = 0; axis < output.rank; ++axis) {
      bool repeats[kMaxInputs] = {};
      for (int k = 0; k < inputs_; ++k) {
        const int at = axis - (output.rank - inputs[k].rank);
        repeats[k] = at < 0 || inputs[k].dims[at] == 1;
      }
      if (output.dims[axis] > 1) AddAxis(output.dims[axis], repeats);
    }
    if (rank_ == 0) AddAxis(1, nullptr);
    int32_t size[kMaxInputs] = {1, 1, 1};
    for (int axis = rank_ - 1; axis >= 0; --axis) {
      for (int k = 0; k < inputs_; ++k) {
        stride_[axis][k] = repeats_[axis][k] ? 0 : size[k];
        if (!repeats_[axis][k]) size[k] *= dims_[axis];
      }
    }
  }

  template <typename Visit>
  void ForEachRun(const Visit& visit) const {
    const int inner = rank_ - 1;
    Run run = {};
    run.count = dims_[inner];
    for (int k = 0; k < inputs_; ++k) run.step[k] = stride_[inner][k] != 0 ? 1 : 0;
    int32_t index[kMaxRank] = {};
    for (;;) {
      visit(run);
      run.output += run.count;
      int axis = inner - 1;
      for (; axis >= 0; --axis) {
        const bool more = ++index[axis] < dims_[axis];
        const int32_t moved = more ? 1 : 1 - dims_[axis];
        for (int k = 0; k < inputs_; ++k) run.offset[k] += moved * stride_[axis][k];
        if (more) break;
        index[axis] = 0;
      }
      if (axis < 0) return;
    }
  }

 private:
  // Joins the axis to the one before it if every input repeats along both or along neither.
  void AddAxis(int32_t size, const bool* repeats) {
    bool joins = rank_ > 0;
    for (int k = 0; k < inputs_ && joins; ++k) joins = repeats_[rank_ - 1][k] == repeats[k];
    if (joins) {
      dims_[rank_ - 1] *= size;
      return;
    }
    dims_[rank_] = size;
    for (int k = 0; k < inputs_; ++k) repeats_[rank_][k] = repeats != nullptr && repeats[k];
    ++rank_;
  }

  int inputs_;
  int rank_ = 0;
  int32_t dims_[kMaxRank] = {};
  bool repeats_[kMaxRank][kMaxInputs] = {};
  int32_t stride_[kMaxRank][kMaxInputs] = {};
};

// Runs a kernel on inputs 0 and 1 and output 0, which has `count` elements: run by run if `pairing` is
// kBroadcast, else in the order of rows that the memory plan wants. Elements of the inputs and of the output
// have in_bytes and out_bytes. The rest of `args` is filled in.
template <typename Args>
Status EvalTwoInputs(EvalContext& context, Pairing pairing, int32_t count, int32_t in_bytes,
                     int32_t out_bytes, Args args,
                     void (*run)(const Args& args, int32_t first, int32_t count)) {
  const auto* const a = context.InputData<uint8_t>(0);
  const auto* const b = context.InputData<uint8_t>(1);
  auto* const output = context.OutputData<uint8_t>(0);
  args.a = a;
  args.b = b;
  args.output = output;
  args.a_step = pairing == Pairing::kFirstIsOne ? 0 : 1;
  args.b_step = pairing == Pairing::kSecondIsOne ? 0 : 1;
  if (pairing != Pairing::kBroadcast) {
    context.ForEachRows(count, [&](int32_t first, int32_t rows) { run(args, first, rows); });
    return Status::kOk;
  }
  const Shape shapes[] = {context.InputShape(0), context.InputShape(1)};
  Broadcast(shapes, context.OutputShape(0)).ForEachRun([&](const Broadcast::Run& r) {
    args.a = a + r.offset[0] * in_bytes;
    args.b = b + r.offset[1] * in_bytes;
    args.output = output + r.output * out_bytes;
    args.a_step = r.step[0];
    args.b_step = r.step[1];
    run(args, 0, r.count);
  });
  return Status::kOk;
}

}  // namespace lutra

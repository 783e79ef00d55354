// SPDX-License-Identifier: Apache-2.0
// Walks the elements of a broadcast (NumPy's rule) in runs that a kernel can make in one go.
//
//   const Broadcast broadcast({a.shape, b.shape}, output.shape);
//   broadcast.ForEachRun([&](const Broadcast::Run& run) {
//     Kernel(a + run.offset[0], run.step[0], b + run.offset[1], run.step[1], out + run.output, run.count);
//   });

#pragma once

#include "runtime/tensor_info.h"

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

}  // namespace lutra

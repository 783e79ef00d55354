// SPDX-License-Identifier: Apache-2.0
// Copy by vectors: short runs without calls, repeated elements, reversed runs, and transpositions, in which
// the input is dense along another dimension than the output. The reference makes other copies. For the
// variants' .cc files, each of which brings its own Vector type; the unnamed namespace lets each keep its own
// copy.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/copy/copy.h"
#include "runtime/kernels/copy/copy_planes.h"
#include "runtime/kernels/copy/copy_rows.h"
#include "runtime/kernels/copy/copy_runs.h"
#include "runtime/kernels/copy/copy_transpose.h"

namespace lutra {
namespace {

// Returns the innermost dimension along which the input is dense; -1 if there is none or if that dimension or
// one inside it has fill.
inline int32_t DenseInputDim(const CopyArgs& args) {
  for (int32_t i = args.rank - 1; i >= 0; --i) {
    const CopyDim& dim = args.dims[i];
    if (dim.before != 0 || dim.after != 0) return -1;
    if (dim.input_stride == args.element_bytes) return i;
  }
  return -1;
}

// A copy with at least two dimensions, of which the innermost is dense in the output.
class VectorCopy {
 public:
  VectorCopy(const CopyArgs& args, int32_t first_row, int32_t row_count)
      : rank_(args.rank), element_bytes_(args.element_bytes), filler_(args.fill, args.element_bytes) {
    const CopyRows rows = CopyRowsOf(args, first_row, row_count);
    input_ = rows.input;
    output_ = rows.output;
    dims_[0] = rows.dim;
    for (int32_t i = 1; i < rank_; ++i) dims_[i] = args.dims[i];
  }

  // Copies if the innermost dimension is dense in the input, too.
  void CopyRuns() const {
    CopyInside(0, input_, output_,
               [this](const uint8_t* input, uint8_t* output) { RunPlane(input, output); });
  }
  // Copies if the innermost dimension repeats one element.
  void RepeatElements() const {
    CopyInside(0, input_, output_,
               [this](const uint8_t* input, uint8_t* output) { RepeatPlane(input, output); });
  }
  // Copies if the innermost dimension is dense in the input, backwards, and at least a vector long.
  template <typename Vector>
  void ReverseElements() const {
    uint8_t places[kVectorBytes];
    for (int32_t i = 0; i < kVectorBytes; ++i) {
      const int32_t inside = i % element_bytes_;
      places[i] = static_cast<uint8_t>(kVectorBytes - element_bytes_ - i + 2 * inside);
    }
    CopyInside(0, input_, output_, [&](const uint8_t* input, uint8_t* output) {
      ReversePlane(Vector::template Load<kVectorBytes>(places, places), input, output);
    });
  }
  // `dense`: DenseInputDim.
  template <typename Vector, int32_t kBytes>
  void Transpose(int32_t dense) {
    const CopyDim rows = dims_[dense];
    for (int32_t i = dense; i + 2 < rank_; ++i) dims_[i] = dims_[i + 1];
    dims_[rank_ - 2] = rows;
    CopyInside(0, input_, output_, [this](const uint8_t* input, uint8_t* output) {
      const Transposition t = {.input = input,
                               .output = output,
                               .line_stride = inner().input_stride,
                               .row_stride = outer().output_stride,
                               .lines = inner().count,
                               .rows = outer().count};
      if constexpr (Vector::kLanes == 1 && kBytes == 1) {
        if (PlaneCopy<Vector>::Run(t)) return;
      }
      Transposer<Vector, kBytes>::Run(t);
    });
  }

 private:
  const CopyDim& outer() const { return dims_[rank_ - 2]; }
  const CopyDim& inner() const { return dims_[rank_ - 1]; }

  // Copies dimension d and all inside it, at most kMaxCopyRank deep. plane(input, output) copies the two
  // innermost dimensions, but not the fill of the outer one.
  template <typename Plane>
  void CopyInside(int32_t d, const uint8_t* input, uint8_t* output, const Plane& plane) const {
    const CopyDim& dim = dims_[d];
    const intptr_t input_stride = dim.input_stride;
    const intptr_t output_stride = dim.output_stride;
    filler_.Fill(output, dim.before * output_stride);
    output += dim.before * output_stride;
    if (d + 2 == rank_) {
      plane(input, output);
    } else {
      for (int32_t i = 0; i < dim.count; ++i) {
        CopyInside(d + 1, input + i * input_stride, output + i * output_stride, plane);
      }
    }
    filler_.Fill(output + dim.count * output_stride, dim.after * output_stride);
  }

  // Fills around the elements of each row of a plane. Returns the bytes of fill before the elements.
  intptr_t FillInner(uint8_t* output) const {
    const intptr_t before = inner().before * static_cast<intptr_t>(element_bytes_);
    const intptr_t after = inner().after * static_cast<intptr_t>(element_bytes_);
    const intptr_t behind = before + inner().count * static_cast<intptr_t>(element_bytes_);
    const intptr_t output_stride = outer().output_stride;
    if (before + after == 0) return 0;
    for (int32_t i = 0; i < outer().count; ++i) {
      filler_.Fill(output + i * output_stride, before);
      filler_.Fill(output + i * output_stride + behind, after);
    }
    return before;
  }

  void RunPlane(const uint8_t* input, uint8_t* output) const {
    output += FillInner(output);
    CopyRunsOf(outer(), inner().count * static_cast<intptr_t>(element_bytes_), input, output);
  }

  void RepeatPlane(const uint8_t* input, uint8_t* output) const {
    output += FillInner(output);
    const intptr_t bytes = inner().count * static_cast<intptr_t>(element_bytes_);
    if (bytes == 0) return;
    for (int32_t i = 0; i < outer().count; ++i) {
      const Filler element(input + i * static_cast<intptr_t>(outer().input_stride), element_bytes_);
      element.Fill(output + i * static_cast<intptr_t>(outer().output_stride), bytes);
    }
  }

  // The last vector of a run may be copied twice.
  template <typename Vector>
  void ReversePlane(Vector places, const uint8_t* input, uint8_t* output) const {
    output += FillInner(output);
    const intptr_t last = inner().count * static_cast<intptr_t>(element_bytes_) - kVectorBytes;
    for (int32_t i = 0; i < outer().count; ++i) {
      const uint8_t* const end = input + i * static_cast<intptr_t>(outer().input_stride) + element_bytes_;
      uint8_t* const to = output + i * static_cast<intptr_t>(outer().output_stride);
      const auto reverse = [&](intptr_t at) {
        const uint8_t* const from = end - at - kVectorBytes;
        Vector::Shuffle(Vector::template Load<kVectorBytes>(from, from), places).Store(to + at, to + at);
      };
      for (intptr_t at = 0; at < last; at += kVectorBytes) reverse(at);
      reverse(last);
    }
  }

  static constexpr int32_t kVectorBytes = 16;

  int32_t rank_;
  int32_t element_bytes_;
  Filler filler_;
  const uint8_t* input_;
  uint8_t* output_;
  CopyDim dims_[kMaxCopyRank];
};

// Returns false, with nothing written, if the innermost dimension is neither dense nor a repeated element.
inline bool CopyRunsOrRepeat(const CopyArgs& args, int32_t first_row, int32_t row_count) {
  if (args.rank < 2) return false;
  const CopyDim& inner = args.dims[args.rank - 1];
  if (inner.output_stride != args.element_bytes) return false;
  if (inner.input_stride == args.element_bytes) {
    VectorCopy(args, first_row, row_count).CopyRuns();
  } else if (inner.input_stride == 0) {
    VectorCopy(args, first_row, row_count).RepeatElements();
  } else {
    return false;
  }
  return true;
}

// Returns false, with nothing written, if no runs are reversed or they are too short.
template <typename Vector>
bool ReverseRuns(const CopyArgs& args, int32_t first_row, int32_t row_count) {
  if (args.rank < 2) return false;
  const CopyDim& inner = args.dims[args.rank - 1];
  const intptr_t bytes = inner.count * static_cast<intptr_t>(args.element_bytes);
  if (inner.output_stride != args.element_bytes || inner.input_stride != -args.element_bytes || bytes < 16)
    return false;
  VectorCopy(args, first_row, row_count).ReverseElements<Vector>();
  return true;
}

template <typename Vector, int32_t kBytes>
bool TransposeElements(const CopyArgs& args, int32_t dense, int32_t first_row, int32_t row_count) {
  const int32_t lines = args.dims[args.rank - 1].count;
  const int32_t rows = dense == 0 ? row_count : args.dims[dense].count;
  if (!Transposer<Vector, kBytes>::Fits(lines, rows)) return false;
  VectorCopy(args, first_row, row_count).Transpose<Vector, kBytes>(dense);
  return true;
}

// Returns false, with nothing written, if it is no transposition, or of a kind that Vector does not support.
template <typename Vector>
bool Transpose(const CopyArgs& args, int32_t first_row, int32_t row_count) {
  if (args.dims[args.rank - 1].output_stride != args.element_bytes) return false;
  const int32_t dense = DenseInputDim(args);
  if (dense < 0 || dense == args.rank - 1) return false;
  switch (args.element_bytes) {
    case 1:
      return TransposeElements<Vector, 1>(args, dense, first_row, row_count);
    case 2:
      return TransposeElements<Vector, 2>(args, dense, first_row, row_count);
    case 4:
      return TransposeElements<Vector, 4>(args, dense, first_row, row_count);
    default:
      return TransposeElements<Vector, 8>(args, dense, first_row, row_count);
  }
}

}  // namespace
}  // namespace lutra

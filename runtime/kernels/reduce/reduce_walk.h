// SPDX-License-Identifier: Apache-2.0
// Walks through the elements for the variants of the reductions. The unnamed namespace lets each keep its own
// copy.

#pragma once

#include <stdint.h>

#include "lutra/kernels/reduce/reduce.h"

namespace lutra {
namespace {

// Walks through all indices of some dimensions, the last one fastest.
class Walk {
 public:
  Walk(const ReduceDim* dims, int32_t rank) : dims_(dims), rank_(rank) {}
  intptr_t offset() const { return offset_; }
  // Returns false when all have been visited; the walk is at the beginning again then.
  bool Next() {
    for (int32_t i = rank_ - 1; i >= 0; --i) {
      offset_ += dims_[i].stride;
      if (++index_[i] < dims_[i].count) return true;
      offset_ -= static_cast<intptr_t>(dims_[i].count) * dims_[i].stride;
      index_[i] = 0;
    }
    return false;
  }

 private:
  const ReduceDim* dims_;
  int32_t rank_;
  int32_t index_[kMaxReduceRank] = {};
  intptr_t offset_ = 0;
};

}  // namespace
}  // namespace lutra

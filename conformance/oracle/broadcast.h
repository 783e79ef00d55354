// SPDX-License-Identifier: Apache-2.0
// Operators of two operands: numpy's rule, shapes aligned at their ends.

#pragma once

#include <utility>

#include "conformance/oracle/node.h"

namespace lutra::conformance::oracle {

// Says which elements of the inputs `first`, `first + 1`, ... each element of the output is computed from.
class Broadcast {
 public:
  Broadcast(const Shape& output, const Shape& input);
  // Index in the input for element `i` of the output.
  size_t operator[](size_t i) const { return indices_[i]; }

 private:
  std::vector<size_t> indices_;
};

// f(x, y, i) for each element i of the output.
template <typename F>
Codes ForEachPair(const Node& node, F&& f) {
  const Codes a = node.Get(0), b = node.Get(1);
  const Shape& shape = node.output(0).shape;
  const Broadcast of_a(shape, node.input(0).shape), of_b(shape, node.input(1).shape);
  Codes result(static_cast<size_t>(ElementCount(shape)));
  for (size_t i = 0; i < result.size(); ++i) result[i] = f(a[of_a[i]], b[of_b[i]], i);
  return result;
}

// If the operands are int32, puts f(x, y), which int32 must hold: int32 has no scale, so no rule rounds.
// Returns false for other types.
template <typename F>
bool PutInt32(const Node& node, int8_t activation, F&& f) {
  if (node.input(0).type != kInt32) return false;
  if (node.input(1).type != kInt32 || node.output(0).type != kInt32) node.Refuse("operands of several types");
  if (activation != 0) node.Refuse("a fused activation of integers");
  node.Put(0, ForEachPair(node, [&](int64_t a, int64_t b, size_t) {
             const int64_t result = f(a, b);
             if (result < INT32_MIN || result > INT32_MAX) node.Refuse("a result that int32 does not hold");
             return result;
           }));
  return true;
}

}  // namespace lutra::conformance::oracle

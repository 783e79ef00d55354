// SPDX-License-Identifier: Apache-2.0
// Select by vectors: conditions become masks as wide as elements. For the variants' .cc files, each of which
// brings its own Vector type; the unnamed namespace lets each keep its own copy.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/select/select.h"

namespace lutra {
namespace {

// Elements of kBytes bytes; with step 0, one element is repeated.
template <typename Vector, int32_t kBytes>
class Elements {
 public:
  Elements(const uint8_t* elements, int32_t step)
      : elements_(elements), repeats_(step == 0), same_(Vector::template Repeat<kBytes>(elements)) {}
  [[gnu::always_inline]] Vector Load(int32_t i) const {
    return repeats_ ? same_ : Vector::Load(elements_ + static_cast<intptr_t>(i) * kBytes);
  }

 private:
  const uint8_t* elements_;
  bool repeats_;
  Vector same_;
};

// Returns how many elements it computed.
template <typename Vector, int32_t kBytes>
int32_t ComputeVectors(const SelectArgs& args, int32_t count) {
  constexpr int32_t kElements = Vector::kBytes / kBytes;
  if (count < kElements) return 0;
  const Elements<Vector, kBytes> a(args.a, args.a_step);
  const Elements<Vector, kBytes> b(args.b, args.b_step);
  const bool repeats = args.condition_step == 0;
  // All bits of the mask are set if the condition is 0.
  const uint8_t all = args.condition[0] == 0 ? 0xFF : 0;
  const Vector same = Vector::template Repeat<1>(&all);
  int32_t done = 0;
  for (; count - done >= kElements; done += kElements) {
    const Vector is_zero = repeats ? same : Vector::template LoadIsZero<kBytes>(args.condition + done);
    Vector::Choose(a.Load(done), b.Load(done), is_zero)
        .Store(args.output + static_cast<intptr_t>(done) * kBytes);
  }
  return done;
}

template <typename Vector>
int32_t ComputeElements(const SelectArgs& args, int32_t count) {
  switch (args.element_bytes) {
    case 1:
      return ComputeVectors<Vector, 1>(args, count);
    case 2:
      return ComputeVectors<Vector, 2>(args, count);
    case 4:
      return ComputeVectors<Vector, 4>(args, count);
    case 8:
      return ComputeVectors<Vector, 8>(args, count);
    default:
      return 0;
  }
}

// `rest` computes elements that fill no vector.
template <typename Vector>
void SelectByVectors(const SelectArgs& args, int32_t count, SelectFn rest) {
  if (static_cast<int64_t>(count) * args.element_bytes < Vector::kBytes) return rest(args, count);
  const int32_t done = ComputeElements<Vector>(args, count);
  if (done == count) return;
  SelectArgs left = args;
  left.condition += done * args.condition_step;
  left.a += static_cast<intptr_t>(done) * args.a_step * args.element_bytes;
  left.b += static_cast<intptr_t>(done) * args.b_step * args.element_bytes;
  left.output += static_cast<intptr_t>(done) * args.element_bytes;
  rest(left, count - done);
}

// Returns the first element as an unsigned number.
template <typename T>
[[gnu::always_inline]] inline T FirstElement(const uint8_t* elements) {
  T first;
  memcpy(&first, elements, sizeof(first));
  return first;
}

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// MinMax of int8 by vectors. For the variants' .cc files, each of which brings its own Vector type; the
// namespace without a name lets each keep its own copy.

#pragma once

#include <stdint.h>

#include "lutra/kernels/min_max/min_max.h"

namespace lutra {
namespace {

template <typename Vector>
class RepeatedOrNot {
 public:
  RepeatedOrNot(const void* codes, int32_t step)
      : codes_(static_cast<const int8_t*>(codes)),
        repeats_(step == 0),
        // In a row group element 0 may lie outside the arena.
        same_(Vector::Repeat(repeats_ ? codes_[0] : int8_t{0})) {}
  [[gnu::always_inline]] Vector Load(int32_t i) const { return repeats_ ? same_ : Vector::Load(codes_ + i); }

 private:
  const int8_t* codes_;
  bool repeats_;
  Vector same_;
};

// A separate function, so that short runs do not set up its stack frame.
template <typename Vector, bool kMaximum>
[[gnu::noinline]] int32_t ComputeVectors(const MinMaxArgs& args, int32_t first, int32_t count) {
  const RepeatedOrNot<Vector> a(args.a, args.a_step);
  const RepeatedOrNot<Vector> b(args.b, args.b_step);
  auto* const output = static_cast<int8_t*>(args.output) + first;
  int32_t done = 0;
  for (; count - done >= Vector::kBytes; done += Vector::kBytes) {
    const Vector x = a.Load(first + done);
    const Vector y = b.Load(first + done);
    (kMaximum ? Vector::Max(x, y) : Vector::Min(x, y)).Store(output + done);
  }
  return done;
}

// `rest` computes elements that fill no vector, and other types.
template <typename Vector>
void MinMaxByVectors(const MinMaxArgs& args, int32_t first, int32_t count, MinMaxFn rest) {
  if (args.type != TensorType::kInt8 || count < Vector::kBytes) return rest(args, first, count);
  const int32_t done = args.maximum ? ComputeVectors<Vector, true>(args, first, count)
                                    : ComputeVectors<Vector, false>(args, first, count);
  if (done < count) rest(args, first + done, count - done);
}

}  // namespace
}  // namespace lutra

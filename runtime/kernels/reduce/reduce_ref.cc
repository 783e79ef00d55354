// SPDX-License-Identifier: Apache-2.0
// Computes outputs one by one, or blocks of them if the innermost dimension is kept.

#include <float.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/reduce/reduce.h"
#include "runtime/kernels/reduce/reduce_walk.h"

namespace lutra {
namespace {

// Outputs whose state is kept at a time, if the innermost dimension is kept.
constexpr int32_t kBlock = 64;

// For each output: state = start, then add(state, element) for each element, then finish(state).
template <typename Element, typename State, typename Add, typename Finish>
void Reduce(const ReduceArgs& args, State start, const Add& add, const Finish& finish) {
  const auto* input = static_cast<const Element*>(args.input);
  auto* output = static_cast<Element*>(args.output);
  const ReduceShape& shape = args.shape;
  const bool innermost_is_kept = shape.kept_rank > 0 && shape.kept[shape.kept_rank - 1].stride == 1;
  if (innermost_is_kept) {
    const int32_t count = shape.kept[shape.kept_rank - 1].count;
    Walk kept(shape.kept, shape.kept_rank - 1);
    do {
      for (int32_t first = 0; first < count; first += kBlock) {
        const int32_t block = count - first < kBlock ? count - first : kBlock;
        State states[kBlock];
        for (int32_t i = 0; i < block; ++i) states[i] = start;
        Walk reduced(shape.reduced, shape.reduced_rank);
        do {
          const Element* in = input + kept.offset() + reduced.offset() + first;
          for (int32_t i = 0; i < block; ++i) states[i] = add(states[i], in[i]);
        } while (reduced.Next());
        for (int32_t i = 0; i < block; ++i) *output++ = finish(states[i]);
      }
    } while (kept.Next());
    return;
  }
  const bool innermost_is_reduced = shape.reduced_rank > 0;
  const int32_t run = innermost_is_reduced ? shape.reduced[shape.reduced_rank - 1].count : 1;
  Walk kept(shape.kept, shape.kept_rank);
  do {
    State state = start;
    Walk reduced(shape.reduced, innermost_is_reduced ? shape.reduced_rank - 1 : 0);
    do {
      const Element* in = input + kept.offset() + reduced.offset();
      for (int32_t i = 0; i < run; ++i) state = add(state, in[i]);
    } while (reduced.Next());
    *output++ = finish(state);
  } while (kept.Next());
}

template <typename Element>
void Max(const ReduceArgs& args, Element lowest) {
  Reduce<Element>(
      args, lowest, [](Element best, Element x) { return x > best ? x : best; },
      [](Element best) { return best; });
}

template <typename Element>
void Min(const ReduceArgs& args, Element highest) {
  Reduce<Element>(
      args, highest, [](Element best, Element x) { return x < best ? x : best; },
      [](Element best) { return best; });
}

template <typename Code, Code kLowest, Code kHighest>
void Sum(const ReduceArgs& args) {
  Reduce<Code>(
      args, int32_t{0}, [](int32_t sum, Code x) { return sum + x; },
      [&args](int32_t sum) {
        const int32_t scaled = MultiplyByQuantizedMultiplier(sum + args.sum_offset, args.multiplier);
        return static_cast<Code>(ClampToInt8(WrappingAdd(scaled, args.output_offset), kLowest, kHighest));
      });
}

}  // namespace

void ReduceSumRef(const ReduceArgs& args) { Sum<int8_t, INT8_MIN, INT8_MAX>(args); }
void ReduceSumInt16Ref(const ReduceArgs& args) { Sum<int16_t, INT16_MIN, INT16_MAX>(args); }

void ReduceMaxRef(const ReduceArgs& args) { Max<int8_t>(args, INT8_MIN); }
void ReduceMinRef(const ReduceArgs& args) { Min<int8_t>(args, INT8_MAX); }

void ReduceSumFloatRef(const ReduceArgs& args) {
  // Sums of many numbers keep their last digits only in double.
  Reduce<float>(
      args, 0.0, [](double sum, float x) { return sum + x; },
      [&args](double sum) { return static_cast<float>(sum * args.scale); });
}

void ReduceMaxFloatRef(const ReduceArgs& args) { Max<float>(args, -FLT_MAX); }
void ReduceMinFloatRef(const ReduceArgs& args) { Min<float>(args, FLT_MAX); }

}  // namespace lutra

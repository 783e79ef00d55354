// SPDX-License-Identifier: Apache-2.0
// One call of a kernel with its data, as tests, benchmarks and firmware run it with one variant after
// another. A kernel's <k>_cases.h makes problems of cases. Needs no C++ library, so that a firmware can run
// the same.
//
// The data lie in a Memory: ProblemMemory (runtime/testing/problem_memory.h), or on firmware the
// VariantChecker (platforms/variants/variants.h). It has
//
//   Take(count, element_bytes)              memory aligned to the element
//   TakeFilled(seed, count, element_bytes)  full of bytes of all values, the same numbers on every machine
//   TakeFilledReals(seed, count)            full of floats in [-1, 1)
//   TakeOutput(count, element_bytes)        an output of the problem that is added next
//   TakeOutputReals(count)                  one that may differ in its last bits

#pragma once

#include <stdint.h>

#include "lutra/kernels/rows.h"

namespace lutra {

// A kernel gets those members that its signature has.
template <typename Args>
struct Problem {
  Args args;
  int32_t first = 0;
  int32_t count = 0;
  Rows input = {};
  Rows output = {};
};

// The seed of random problems.
inline uint32_t random_problems_seed = 1;

// `args`: the problem's, as the variant prepared them.
template <typename Args>
void Call(void (*run)(const Args&), const Args& args, const Problem<Args>&) {
  run(args);
}
template <typename Args>
void Call(void (*run)(const Args&, int32_t), const Args& args, const Problem<Args>& p) {
  run(args, p.count);
}
template <typename Args>
void Call(void (*run)(const Args&, int32_t, int32_t), const Args& args, const Problem<Args>& p) {
  run(args, p.first, p.count);
}
template <typename Args>
void Call(void (*run)(const Args&, const Rows&, const Rows&, int32_t, int32_t), const Args& args,
          const Problem<Args>& p) {
  run(args, p.input, p.output, p.first, p.count);
}

template <typename Element>
constexpr bool kIsReal = false;
template <>
inline constexpr bool kIsReal<float> = true;

template <typename Element, typename Memory>
Element* Data(Memory& memory, int32_t count) {
  return reinterpret_cast<Element*>(memory.Take(count, sizeof(Element)));
}
template <typename Element, typename Memory>
Element* Filled(Memory& memory, uint32_t seed, int32_t count) {
  if constexpr (kIsReal<Element>) {
    return memory.TakeFilledReals(seed, count);
  } else {
    return reinterpret_cast<Element*>(memory.TakeFilled(seed, count, sizeof(Element)));
  }
}
template <typename Element, typename Memory>
Element* Output(Memory& memory, int32_t count) {
  if constexpr (kIsReal<Element>) {
    return memory.TakeOutputReals(count);
  } else {
    return reinterpret_cast<Element*>(memory.TakeOutput(count, sizeof(Element)));
  }
}

// Rows of elements that lie one after the other.
template <typename Element>
Rows RowsOf(Element* elements, int32_t row_elements) {
  return {reinterpret_cast<uint8_t*>(elements), row_elements * static_cast<int32_t>(sizeof(Element))};
}

// Problems of rows leave out the first row by turns.
inline int32_t FirstRow(int32_t problem, int32_t rows) { return rows > 1 ? problem % 2 : 0; }

// Problems of elements begin behind some that must stay as they are.
inline int32_t FirstElement(int32_t count) { return count % 3; }

// The steps of two inputs: one element after the other, or the same again and again.
struct Steps {
  int32_t a;
  int32_t b;
};
inline constexpr Steps kSteps[] = {{1, 1}, {1, 0}, {0, 1}};

// All counts of elements up to this one are tried: they have whole vectors of up to 64 bytes, and every rest
// behind a vector.
inline constexpr int32_t kMaxCount = 70;
// Further ones: powers of two and one beside each, as real networks have them.
inline constexpr int32_t kLargeCounts[] = {127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 5000};
// These few counts are used where each problem takes long.
inline constexpr int32_t kFewCounts[] = {1, 4, 7, 8, 15, 16, 17, 33, 64};
// For loops over {false, true}: such a list would need a header of the C++ library.
inline constexpr bool kFalseAndTrue[] = {false, true};
inline constexpr int32_t kElementSizes[] = {1, 2, 4, 8};

}  // namespace lutra

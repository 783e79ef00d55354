// SPDX-License-Identifier: Apache-2.0
// run_variants: the variants of a kernel's table against the table's reference, on problems that are the same
// on every machine. A kernel's part of it:
//
//   void CheckLookups(VariantChecker& checker) {
//     Problems<LookupArgs> problems(checker);
//     for (int32_t count = 1; count <= kMaxCount; ++count) {
//       const auto* input = checker.Filled<uint8_t>(count, count);
//       problems.Add({.args = {table, input, checker.Output<uint8_t>(count)}, .count = count});
//     }
//     checker.Check("lookup", kLookup, problems);
//   }

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/kernels/rows.h"

namespace lutra::platforms {

// Counts of elements up to here: what vectors of up to 64 bytes, and what is left behind them, can make of
// them.
inline constexpr int32_t kMaxCount = 70;
// For loops: their braces would need a header of the C++ library.
inline constexpr bool kFalseAndTrue[] = {false, true};
inline constexpr int32_t kElementSizes[] = {1, 2, 4, 8};

// One call of a kernel, whichever variant of it. A kernel takes of it what its signature has.
template <typename Args>
struct Problem {
  Args args;
  int32_t first = 0;
  int32_t count = 0;
  Rows input = {};
  Rows output = {};
};

template <typename Args>
void Call(void (*run)(const Args&), const Problem<Args>& p) {
  run(p.args);
}
template <typename Args>
void Call(void (*run)(const Args&, int32_t), const Problem<Args>& p) {
  run(p.args, p.count);
}
template <typename Args>
void Call(void (*run)(const Args&, int32_t, int32_t), const Problem<Args>& p) {
  run(p.args, p.first, p.count);
}
template <typename Args>
void Call(void (*run)(const Args&, const Rows&, const Rows&, int32_t, int32_t), const Problem<Args>& p) {
  run(p.args, p.input, p.output, p.first, p.count);
}

template <typename Args>
class Problems;

class VariantChecker {
 public:
  // Memory for one table's problems: gone when the next Problems begins. Where it does not suffice, the
  // program ends. Aligned to the element and not always to more, as a tensor's parts are.
  template <typename T>
  T* Data(int32_t count) {
    return reinterpret_cast<T*>(Take(count, sizeof(T)));
  }
  // The same full of bytes of all values, in the machine's byte order: the same numbers everywhere.
  template <typename T>
  T* Filled(uint32_t seed, int32_t count) {
    return reinterpret_cast<T*>(TakeFilled(seed, count, sizeof(T)));
  }
  // An output of the problem that is added next, or what it changes: any variant finds in it what is there
  // when Check begins.
  template <typename T>
  T* Output(int32_t count) {
    return reinterpret_cast<T*>(TakeOutput(count, sizeof(T)));
  }
  // The same where only the program knows the element's size, 1, 2, 4 or 8.
  uint8_t* TakeFilled(uint32_t seed, int32_t count, int32_t element_bytes);
  uint8_t* TakeOutput(int32_t count, int32_t element_bytes);

  // Runs the reference, then each further variant that this processor has, and prints a line for each.
  template <typename Fn, int N, typename Args>
  void Check(const char* table, const Variant<Fn> (&variants)[N], const Problems<Args>& problems) {
    for (int i = N - 1; i >= 0; --i) {
      if ((variants[i].needs & ~CpuFeaturesHere()) != 0) continue;
      const bool is_reference = i == N - 1;
      Begin(table, variants[i].name, is_reference);
      for (int32_t k = 0; k < problems.count(); ++k) Call(variants[i].run, problems[k]);
      End(table, variants[i].name, is_reference);
    }
  }

  // Variants that differ from their reference or wrote where they must not.
  int failures() const { return failures_; }

 private:
  template <typename Args>
  friend class Problems;

  // The bytes of an output and the guards around them, three times.
  struct Area {
    uint8_t* memory;  // What the variants write to.
    uint8_t* before;
    uint8_t* reference;
    int32_t output_at;
    int32_t output_bytes;
    int32_t element_bytes;
    int32_t problem;
  };

  [[noreturn]] static void Fail(const char* what);
  void Clear();
  uint8_t* Take(int32_t count, size_t element_bytes);
  void Begin(const char* table, const char* variant, bool is_reference);
  void End(const char* table, const char* variant, bool is_reference);
  bool ChangedOutside(const Area& area) const;
  template <typename IsWrong>
  int32_t CountProblems(const IsWrong& is_wrong) const;
  uint32_t OutputsCrc();

  static constexpr int32_t kMaxAreas = 1024;
  Area areas_[kMaxAreas];
  int32_t area_count_ = 0;
  int32_t problem_count_ = 0;
  size_t used_ = 0;
  int32_t takes_ = 0;
  int failures_ = 0;
};

// A table's problems. Only one list at a time.
template <typename Args>
class Problems {
 public:
  explicit Problems(VariantChecker& checker) : checker_(checker) {
    checker.Clear();
    problems_ = checker.Data<Problem<Args>>(kCapacity);
  }
  void Add(const Problem<Args>& problem) {
    if (count() == kCapacity) VariantChecker::Fail("too many problems");
    problems_[checker_.problem_count_++] = problem;
  }
  int32_t count() const { return checker_.problem_count_; }
  const Problem<Args>& operator[](int32_t i) const { return problems_[i]; }

 private:
  static constexpr int32_t kCapacity = 512;
  VariantChecker& checker_;
  Problem<Args>* problems_;
};

// One for each file beside this.
void CheckConvolutions(VariantChecker& checker);
void CheckProducts(VariantChecker& checker);
void CheckReductions(VariantChecker& checker);
void CheckElementwise(VariantChecker& checker);
void CheckConversions(VariantChecker& checker);
void CheckRowwise(VariantChecker& checker);
void CheckMovers(VariantChecker& checker);
void CheckDecoders(VariantChecker& checker);

}  // namespace lutra::platforms

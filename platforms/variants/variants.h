// SPDX-License-Identifier: Apache-2.0
// run_variants: the variants of a kernel's table against the table's reference, on problems that are the same
// on every machine (runtime/kernels/problem.h). checks.cc has a line for each table:
//
//   Check(checker, kLookupProblems, kLookup);
//
// Integers must be equal. Reals may differ as far as another order of summation changes them.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

#include "lutra/cpu.h"
#include "platforms/counter/marks.h"
#include "runtime/kernels/problem.h"
#include "runtime/kernels/tables.h"
#include "runtime/memory_planner.h"

namespace lutra::platforms {

template <typename Args>
struct CheckedProblem : Problem<Args> {
  bool is_for_variant = true;  // Else the reference runs instead.
};

template <typename Args>
class Problems;

class VariantChecker {
 public:
  // Returns memory for one table's problems, which is reused by the next Problems. If it does not suffice,
  // the program ends. It is aligned to the element and not always to more, as parts of tensors are.
  uint8_t* Take(int32_t count, int32_t element_bytes);
  // Memory full of bytes of all values, in the machine's byte order: the same numbers everywhere.
  uint8_t* TakeFilled(uint32_t seed, int32_t count, int32_t element_bytes);
  // Full of numbers in [-1, 1).
  float* TakeFilledReals(uint32_t seed, int32_t count);
  // Returns memory for an output, or for data that the next problem changes: each variant finds in it the
  // bytes that it has when the check begins.
  uint8_t* TakeOutput(int32_t count, int32_t element_bytes);
  float* TakeOutputReals(int32_t count);

  // Runs the reference, then each further variant, and prints a line for each; for one that this processor
  // cannot run, that it was skipped. add(memory, problems) adds the problems.
  template <typename Fn, int N, typename Add>
  void Check(const Variant<Fn> (&variants)[N], const Add& add) {
    Problems<KernelArgs<Fn>> problems(*this);
    add(*this, problems);
    CheckAs(NoteTable(variants), variants, problems);
  }
  // Checks a table that is not in kernels/tables.h, and gives it this name.
  template <typename Fn, int N, typename Args>
  void CheckAs(const char* table, const Variant<Fn> (&variants)[N], Problems<Args>& problems) {
    for (int i = N - 1; i >= 0; --i) {
      const Variant<Fn>& variant = variants[i];
      if (!CanRun(variant, CpuFeaturesHere())) {
        Skip(table, variant.name);
        continue;
      }
      const size_t used = used_;
      PrepareAll(variant, &problems);
      const bool is_reference = i == N - 1;
      Begin(table, variant.name, is_reference);
      for (int32_t k = 0; k < problems.count(); ++k) {
        const CheckedProblem<Args>& problem = problems[k];
        Call<Args>(problem.is_for_variant ? variant.run : variants[N - 1].run, problem.args, problem);
        CheckScratch(problem.args);
      }
      lutra_count_end();
      const int32_t wrong_in_place = is_reference ? 0 : CountWrongInPlace(variant, &problems);
      End(table, variant.name, is_reference, wrong_in_place);
      used_ = used;
    }
  }

  // Variants that differ from their reference or wrote where they must not.
  int failures() const { return failures_; }
  // Tables of kernels/tables.h that Check was not called with; prints a line for each.
  int CountUnchecked() const;

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
    bool is_real;
  };

  [[noreturn]] static void Fail(const char* what);
  void Clear();
  const char* NoteTable(const void* table);
  static void Skip(const char* table, const char* variant);
  // Prepares as MicroContext::ChooseFor does under policy fast.
  template <typename Fn, typename Args>
  void PrepareAll(const Variant<Fn>& variant, Problems<Args>* problems) {
    for (int32_t k = 0; k < problems->count(); ++k) {
      CheckedProblem<Args>& problem = (*problems)[k];
      const int32_t bytes = variant.prepare != nullptr ? variant.prepare(problem.args, nullptr) : 0;
      problem.is_for_variant = bytes >= 0;
      GiveScratch(variant, k, &problem.args);
      if constexpr (requires { problem.args.prepared; }) {
        problem.args.prepared = nullptr;
        // A variant that also runs without prepared memory gets it in every second problem.
        if (bytes <= 0 || (variant.unprepared == Unprepared::kRuns && k % 2 == 1)) continue;
        if constexpr (std::is_same_v<Args, BinaryArgs>) {
          // A sum's preparation tries all pairs of codes; it depends on the quantization alone.
          const Args* const last = k > 0 ? &(*problems)[k - 1].args : nullptr;
          if (last != nullptr && last->quantization == problem.args.quantization) {
            problem.args.prepared = last->prepared;
          }
          if (problem.args.prepared != nullptr) continue;
        }
        void* const memory = TakeAligned(bytes);
        variant.prepare(problem.args, memory);
        problem.args.prepared = memory;
      }
    }
  }
  // Gives scratch as the plan does: the least that a variant takes, the most, or something in between, with a
  // guard behind it. Some problems have none.
  template <typename Fn, typename Args>
  void GiveScratch([[maybe_unused]] const Variant<Fn>& variant, [[maybe_unused]] int32_t problem,
                   [[maybe_unused]] Args* args) {
#if LUTRA_HAVE_SCRATCH_LAYERS
    if constexpr (requires { args->downwards; }) args->downwards = problem % 2 == 1;
    if constexpr (requires { args->scratch; }) {
      args->scratch = nullptr;
      args->scratch_bytes = 0;
      if (variant.scratch == nullptr || problem % 8 == 7) return;
      int32_t rows = 1;
      // A call makes one row, as in row groups, or all, as elsewhere.
      if constexpr (requires { args->shape->out_height; })
        rows = problem % 5 == 4 ? 1 : args->shape->out_height;
      const ScratchBytes bytes = variant.scratch(*args, rows);
      args->scratch_bytes = bytes.least + (bytes.most - bytes.least) / 2 * (problem % 3);
      if (problem % 8 == 5) {
        args->scratch_bytes = bytes.least + problem * 7919 % ((bytes.most - bytes.least) / 16 + 1) * 16;
      }
      uint8_t* const memory = TakeAligned(args->scratch_bytes + kGuardBytes);
      memset(memory, kGuard, static_cast<size_t>(args->scratch_bytes + kGuardBytes));
      args->scratch = memory;
    }
#endif
  }
  template <typename Args>
  static void CheckScratch([[maybe_unused]] const Args& args) {
#if LUTRA_HAVE_SCRATCH_LAYERS
    if constexpr (requires { args.scratch; }) {
      if (args.scratch == nullptr) return;
      const uint8_t* const guard = static_cast<const uint8_t*>(args.scratch) + args.scratch_bytes;
      for (int32_t i = 0; i < kGuardBytes; ++i) {
        if (guard[i] != kGuard) Fail("a variant wrote behind its scratch");
      }
    }
#endif
  }
  // Runs layers whose output overlaps their input as far as the plan allows. Returns how many outputs differ
  // from those of the same problem without an overlap.
  template <typename Fn, typename Args>
  int32_t CountWrongInPlace([[maybe_unused]] const Variant<Fn>& variant,
                            [[maybe_unused]] Problems<Args>* problems) {
    int32_t wrong = 0;
#if LUTRA_HAVE_SCRATCH_LAYERS
    if constexpr (requires(Args args) { args.downwards; }) {
      for (int32_t k = 0; k < problems->count(); ++k) {
        CheckedProblem<Args>& problem = (*problems)[k];
        // One image, all of it. Where a call makes some channels, the plan leaves no row in place.
        if (problem.first != 0 || problem.count != problem.args.shape->out_height) continue;
        if (!MakesAllChannels(problem.args)) continue;
        const bool is_right =
            IsRightInPlace(variant, problem, false) && IsRightInPlace(variant, problem, true);
        wrong += is_right ? 0 : 1;
      }
    }
#endif
    return wrong;
  }
#if LUTRA_HAVE_SCRATCH_LAYERS
  template <typename Fn, typename Args>
  bool IsRightInPlace(const Variant<Fn>& variant, const CheckedProblem<Args>& problem, bool downwards) {
    const ConvShape& shape = *problem.args.shape;
    const int32_t in_bytes = shape.in_height * problem.input.row_bytes;
    const int32_t out_bytes = shape.out_height * problem.output.row_bytes;
    RowMap map;
    map.access = RowMap::Access::kRows;
    map.in_rows = shape.in_height;
    map.out_rows = shape.out_height;
    map.in_row_bytes = problem.input.row_bytes;
    map.out_row_bytes = problem.output.row_bytes;
    map.window = shape.filter_height;
    map.stride = shape.stride_h;
    map.dilation = shape.dilation_h;
    map.pad_before = shape.pad_top;
    const Overlap distance = SafeDistance(map);
    // The plan's offsets are multiples of 16.
    const int32_t forward = (distance.forward + 15) & ~15;
    const int32_t reverse = (distance.reverse + in_bytes - out_bytes + 15) & ~15;
    const size_t used = used_;
    uint8_t* const input =
        TakeAligned(in_bytes + 2 * (out_bytes + in_bytes + 32)) + (out_bytes + in_bytes + 31) / 16 * 16;
    memcpy(input, problem.input.base, static_cast<size_t>(in_bytes));
    Rows in = problem.input;
    Rows out = problem.output;
    in.base = input;
    out.base = downwards ? input + reverse : input - forward;
    Args args = problem.args;
    args.downwards = downwards;
    const int32_t at_once = variant.rows_at_once != nullptr ? variant.rows_at_once(args) : 1;
    for (int32_t made = 0; made < problem.count;) {
      const int32_t rows = problem.count - made < at_once ? problem.count - made : at_once;
      variant.run(args, in, out, downwards ? problem.count - made - rows : made, rows);
      made += rows;
    }
    used_ = used;
    return memcmp(out.base, problem.output.base, static_cast<size_t>(out_bytes)) == 0;
  }
#endif
  void Begin(const char* table, const char* variant, bool is_reference);
  void End(const char* table, const char* variant, bool is_reference, int32_t wrong_in_place);
  uint8_t* TakeAligned(int32_t bytes);
  uint8_t* AddArea(int32_t count, int32_t element_bytes, bool is_real);
  bool ChangedOutside(const Area& area) const;
  static bool SameReals(const Area& area);
  template <typename IsWrong>
  int32_t CountProblems(const IsWrong& is_wrong) const;
  uint32_t OutputsCrc();

  static constexpr int32_t kGuardBytes = 16;
  static constexpr uint8_t kGuard = 0xA5;
  static constexpr int32_t kMaxAreas = 1024;
  Area areas_[kMaxAreas];
  int32_t area_count_ = 0;
  int32_t problem_count_ = 0;
  size_t used_ = 0;
  int32_t takes_ = 0;
  static constexpr int kMaxTables = 128;
  bool checked_[kMaxTables] = {};  // In the order of kernels/tables.h.
  int failures_ = 0;
};

// A table's problems. Only one list at a time.
template <typename Args>
class Problems {
 public:
  explicit Problems(VariantChecker& checker) : checker_(checker) {
    checker.Clear();
    problems_ = Data<CheckedProblem<Args>>(checker, kCapacity);
  }
  void Add(const Problem<Args>& problem) {
    if (count() == kCapacity) VariantChecker::Fail("too many problems");
    problems_[checker_.problem_count_++] = {problem};
  }
  int32_t count() const { return checker_.problem_count_; }
  CheckedProblem<Args>& operator[](int32_t i) { return problems_[i]; }

 private:
  static constexpr int32_t kCapacity = 512;
  VariantChecker& checker_;
  CheckedProblem<Args>* problems_;
};

// Checks every table of kernels/tables.h.
void CheckAll(VariantChecker& checker);

}  // namespace lutra::platforms

// SPDX-License-Identifier: Apache-2.0
// Counts cases and calls a variant, for all blocks of a proof.
//
//   Tally tally("lookup", "avx2");
//   tally.Begin(17, RunVariant(variant, reference, problem));
//   tally.Compare(found, required);
//   tally.Report();

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/cpu.h"
#include "platforms/common/report.h"
#include "runtime/kernels/problem.h"

namespace lutra::platforms {

class Tally {
 public:
  Tally(const char* table, const char* variant) : table_(table), variant_(variant) {}

  // The next cases belong to this block. `is_variant`: the variant computed them, not the reference.
  void Begin(int32_t block, bool is_variant) {
    block_ = block;
    is_variant_ = is_variant;
    if (block != last_block_) ++blocks_;
    last_block_ = block;
  }
  // Compares an output. Its lowest byte is recorded as a value that occurred.
  void Compare(int64_t found, int64_t required) {
    ++cases_;
    if (!is_variant_) ++left_to_reference_;
    const auto low = static_cast<uint8_t>(required);
    seen_[low / 32] |= uint32_t{1} << low % 32;
    if (found == required) return;
    if (++wrong_ > kMaxShown) return;
    ReportLine("counterexample")
        .Text(table_)
        .Text(variant_)
        .Text("block")
        .Number(block_)
        .Text("found")
        .Number(static_cast<intptr_t>(found))
        .Text("required")
        .Number(static_cast<intptr_t>(required));
  }
  // Prints the sums; `of` is how many blocks the whole proof has. Returns how many cases were wrong.
  int64_t Report(int32_t of) {
    ReportLine line("proof");
    line.Text(table_).Text(variant_).Text("blocks").Number(blocks_).Text("of").Number(of);
    Count(line, "cases", cases_);
    Count(line, "reference", left_to_reference_);
    line.Text("values");
    for (const uint32_t word : seen_) line.Hex(word);
    Count(line, "wrong", wrong_);
    return wrong_;
  }

 private:
  static constexpr int64_t kMaxShown = 5;

  // A line's numbers have the machine's width; counts may have more.
  static void Count(ReportLine& line, const char* name, int64_t count) {
    line.Text(name);
    char digits[20];
    int at = sizeof digits;
    digits[--at] = 0;
    do {
      digits[--at] = static_cast<char>('0' + count % 10);
      count /= 10;
    } while (count != 0);
    line.Text(digits + at);
  }

  const char* table_;
  const char* variant_;
  int32_t block_ = -1;
  int32_t last_block_ = -1;
  int32_t blocks_ = 0;
  bool is_variant_ = true;
  int64_t cases_ = 0;
  int64_t left_to_reference_ = 0;
  int64_t wrong_ = 0;
  uint32_t seen_[8] = {};
};

// Memory for what variants prepare and for their scratch.
class VariantMemory {
 public:
  // Returns null if there is not enough.
  void* Take(int32_t bytes) {
    const size_t begin = (used_ + 15) & ~size_t{15};
    if (bytes < 0 || begin + static_cast<size_t>(bytes) > sizeof memory_) return nullptr;
    used_ = begin + static_cast<size_t>(bytes);
    return memory_ + begin;
  }
  void Clear() { used_ = 0; }

 private:
  alignas(16) uint8_t memory_[(sizeof(void*) == 8 ? 2048 : 128) * 1024];
  size_t used_ = 0;
};

// Runs the variant on a problem, as an interpreter with enough memory does. Returns false if the reference
// ran, as the variant does not take these arguments.
template <typename Fn>
bool RunVariant(const Variant<Fn>& variant, const Variant<Fn>& reference, Problem<KernelArgs<Fn>> problem,
                VariantMemory& memory) {
  memory.Clear();
  const Variant<Fn>* chosen = &variant;
  int32_t bytes = 0;
  if (variant.prepare != nullptr) bytes = variant.prepare(problem.args, nullptr);
  if (bytes == kNotForTheseArgs) chosen = &reference;
  if constexpr (requires { problem.args.prepared; }) {
    if (bytes > 0) {
      void* const prepared = memory.Take(bytes);
      if (prepared != nullptr) {
        variant.prepare(problem.args, prepared);
        problem.args.prepared = prepared;
      } else if (variant.unprepared == Unprepared::kIsPassedOver) {
        chosen = &reference;
      }
    }
  }
#if LUTRA_HAVE_SCRATCH_LAYERS
  if constexpr (requires { problem.args.scratch; }) {
    if (chosen->scratch != nullptr) {
      int32_t rows = 1;
      if constexpr (requires { problem.args.shape->out_height; }) rows = problem.args.shape->out_height;
      problem.args.scratch_bytes = chosen->scratch(problem.args, rows).most;
      problem.args.scratch = memory.Take(problem.args.scratch_bytes);
      if (problem.args.scratch == nullptr) {
        problem.args.scratch_bytes = chosen->scratch(problem.args, rows).least;
        problem.args.scratch = memory.Take(problem.args.scratch_bytes);
      }
      if (problem.args.scratch == nullptr) chosen = &reference;
    }
  }
#endif
  Call<KernelArgs<Fn>>(chosen->run, problem.args, problem);
  return chosen == &variant;
}

}  // namespace lutra::platforms

// SPDX-License-Identifier: Apache-2.0
// Registers all kernels' benchmarks: <table>/<variant>/<case> for each variant; those that the processor
// cannot run say so. A variant that prepares is timed with and without its memory.
//
//   void Run(benchmark::State& state, const VariantUse<LookupFn>& use, const Case& c) {
//     ProblemMemory memory;
//     Measure(state, use, LookupProblemOf(c, memory));
//     state.SetItemsProcessed(state.iterations() * c.count);
//   }
//   const bool registered = RegisterKernel(kLookup, kCases, Run);

#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "lutra/cpu.h"
#include "runtime/kernels/tables.h"
#include "runtime/testing/prepared.h"
#include "runtime/testing/problem_memory.h"

namespace lutra {

// Tables for which a benchmark is registered.
inline std::set<std::string>& BenchmarkedTables() {
  static std::set<std::string> tables;
  return tables;
}

// Problems with a size only.
struct CountCase {
  std::string name;
  int32_t count;
};
inline std::vector<CountCase> Counts(const std::vector<int32_t>& counts) {
  std::vector<CountCase> cases;
  for (const int32_t count : counts) cases.push_back({std::to_string(count), count});
  return cases;
}
// Returns counts as in the outputs of small and of large layers, and counts too small for vectors.
inline std::vector<CountCase> ElementCounts() { return Counts({1, 3, 17, 64, 130, 1000, 16384}); }

// Rows of `depth` values.
struct RowsCase {
  std::string name;
  int32_t rows;
  int32_t depth;
};
inline std::vector<RowsCase> RowsCases() {
  return {{"1x1", 1, 1},   {"1x3", 1, 3},     {"1x12", 1, 12},     {"1x17", 1, 17},
          {"1x64", 1, 64}, {"1x130", 1, 130}, {"1x1001", 1, 1001}, {"64x64", 64, 64}};
}

inline void CountMacs(benchmark::State& state, double macs) {
  state.counters["MAC/s"] =
      benchmark::Counter(macs, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

// Counts the bytes that a call reads and writes, each once.
inline void CountBytes(benchmark::State& state, double bytes) {
  state.counters["GB/s"] = benchmark::Counter(bytes / 1e9, benchmark::Counter::kIsIterationInvariantRate);
}

// Times call(args) with the arguments that the variant prepared. Preparing is not timed.
template <typename Fn, typename Call>
void MeasureCalls(benchmark::State& state, const VariantUse<Fn>& use, const KernelArgs<Fn>& args,
                  const Call& call) {
  const PreparedArgs<Fn> prepared(use, args);
  if (!prepared.is_for_variant()) {
    state.SkipWithError("these arguments are not this variant's");
    return;
  }
  for (auto _ : state) {
    call(prepared.args());
    benchmark::ClobberMemory();
  }
}

// Times calls of the variant.
template <typename Args, typename... Rest>
void Measure(benchmark::State& state, const VariantUse<void (*)(const Args&, Rest...)>& use,
             const std::type_identity_t<Args>& args, std::type_identity_t<Rest>... rest) {
  MeasureCalls(state, use, args, [&](const Args& prepared) { use.variant.run(prepared, rest...); });
}
template <typename Args, typename... Rest>
void Measure(benchmark::State& state, const VariantUse<void (*)(const Args&, Rest...)>& use,
             const Problem<Args>& problem) {
  MeasureCalls(state, use, problem.args,
               [&](const Args& prepared) { Call(use.variant.run, prepared, problem); });
}

// Each case has a name; run(state, use, case) measures it.
template <typename Fn, int N, typename Cases, typename Run>
bool RegisterKernel(const Variant<Fn> (&table)[N], const Cases& cases, const Run& run) {
  const char* name = TableName(table);
  if (name == nullptr) return false;
  BenchmarkedTables().insert(name);
  for (const VariantUse<Fn>& use : UsesOf(table)) {
    const bool can_run = CanRun(use.variant, CpuFeaturesHere());
    for (const auto& c : cases) {
      const std::string full_name = std::string(name) + "/" + use.name() + "/" + c.name;
      benchmark::RegisterBenchmark(full_name.c_str(), [=](benchmark::State& state) {
        if (can_run) return run(state, use, c);
        state.SkipWithError(("this processor lacks " + std::string(use.variant.name)).c_str());
      });
    }
  }
  return true;
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// kernel_bench: every kernel's benchmark in one program, with google-benchmark's options. Fails if a table
// has no benchmark. Prints the processor's peaks first: machine_peaks.h.
//
//   kernel_bench --benchmark_filter=^conv_2d_int8/

#include <cstdio>

#include "runtime/testing/kernel_bench.h"
#include "runtime/testing/machine_peaks.h"

int main(int argc, char** argv) {
  int missing = 0;
  lutra::VisitTables([&](const char* name, const auto&) {
    if (lutra::BenchmarkedTables().count(name) != 0) return;
    std::fprintf(stderr, "kernel_bench: table %s has no benchmark\n", name);
    ++missing;
  });
  if (missing > 0) return 1;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const lutra::MachinePeak& peak : lutra::MeasurePeaks())
    benchmark::AddCustomContext(peak.name, peak.figure);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

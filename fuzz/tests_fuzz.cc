// SPDX-License-Identifier: Apache-2.0
// Readers: bench/ctest_junit.cc
// Fuzz target: the output of `ctest --output-junit`, as `device_results --tests` reads it.

#include "bench/ctest_junit.h"
#include "host/failures.h"
#include "host/result_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lutra::host::ResultFile file;
  try {
    file.tests = lutra::bench::ParseTests({reinterpret_cast<const char*>(data), size}, "fuzz.xml");
  } catch (const lutra::host::BadInput&) {
    return 0;
  }
  // Every test is counted once, and result files can hold the counts.
  const lutra::host::TestsResult& tests = *file.tests;
  const bool adds_up = tests.passed >= 0 && tests.failed >= 0 && tests.run == tests.passed + tests.failed &&
                       tests.skipped == static_cast<int64_t>(tests.why_skipped.size()) &&
                       tests.run + tests.skipped > 0;
  if (!adds_up) __builtin_trap();
  lutra::host::ParseResultJson(lutra::host::WriteResultJson(file), "written.json");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a result file, as make_report and `conformance merge` read it.

#include "conformance/runner/results.h"
#include "host/model_file.h"
#include "reports/read_results.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    lutra::reports::ParseResultFile(text, "fuzz.json");
  } catch (const lutra::host::BadInput&) {
    // As it should be.
  }
  try {
    const lutra::host::ConformanceResult results = lutra::conformance::ParseResults(text, "fuzz.json");
    // What was read can be written in every form.
    lutra::conformance::SummaryLine(results);
    lutra::conformance::ResultTable(results);
    lutra::conformance::ResultJson(results);
    lutra::conformance::ResultJunit(results);
  } catch (const lutra::host::BadInput&) {
    // As it should be.
  }
  return 0;
}

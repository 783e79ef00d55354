// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a result file, as make_report and `conformance merge` read it.

#include "bench/model_file.h"
#include "conformance/runner/results.h"
#include "reports/read_results.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    lutra::reports::ParseResultFile(text, "fuzz.json");
  } catch (const lutra::BadInput&) {
    // As it should be.
  }
  try {
    const lutra::RunResults results = lutra::ParseResults(text, "fuzz.json");
    // What was read can be written in every form.
    lutra::SummaryLine(results);
    lutra::ResultTable(results);
    lutra::ResultJson(results);
    lutra::ResultJunit(results);
  } catch (const lutra::BadInput&) {
    // As it should be.
  }
  return 0;
}

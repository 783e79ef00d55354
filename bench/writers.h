// SPDX-License-Identifier: Apache-2.0
// Writers: a result record as text in one of several forms.

#pragma once

#include <string>

#include "host/result.h"

namespace lutra::bench {

// For people, at most 80 columns: one model in detail, several as a comparison.
std::string WriteTable(const host::BenchmarkReport& report);
// The record as it is, schema_version 1.
std::string WriteJson(const host::BenchmarkReport& report);
// One rectangular table, a line per operator.
std::string WriteCsv(const host::BenchmarkReport& report);
// Chrome's trace format: one run, operator by operator (chrome://tracing, ui.perfetto.dev).
std::string WriteTrace(const host::BenchmarkReport& report);
// google-benchmark's JSON, for the tools that compare such files.
std::string WriteGoogleBenchmark(const host::BenchmarkReport& report);

}  // namespace lutra::bench

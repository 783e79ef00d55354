// SPDX-License-Identifier: Apache-2.0
// Writers: the results of generic_benchmark as text in one of several forms. A new form is a file
// write_<form>.cc with its function, and here the function's declaration and a row of kWriters: --format,
// --export and --help follow.

#pragma once

#include <string>

#include "host/result.h"
#include "host/result_json.h"

namespace lutra::bench {

// Each takes a file that has models.

// Writes for people, at most 80 columns: one model in detail, several as a comparison.
std::string WriteTable(const host::ResultFile& file);
// Writes one rectangular table, a line per operator.
std::string WriteCsv(const host::ResultFile& file);
// Chrome's trace format: one run, operator by operator (chrome://tracing, ui.perfetto.dev).
std::string WriteTrace(const host::ResultFile& file);
// google-benchmark's JSON, for the tools that compare such files.
std::string WriteGoogleBenchmark(const host::ResultFile& file);
// The JSON of bencher.dev, and of github-action-benchmark (customSmallerIsBetter).
std::string WriteBencher(const host::ResultFile& file);
std::string WriteAction(const host::ResultFile& file);
// Model Explorer's node data, of the first model: a file has one quantity.
std::string WriteExplorerTimes(const host::ResultFile& file);
std::string WriteExplorerArena(const host::ResultFile& file);
// The memory plan of the only model as SVG; of a model that was refused, why.
std::string WritePlan(const host::ResultFile& file);
// The record as it is.
inline std::string WriteJson(const host::ResultFile& file) { return host::WriteResultJson(file); }

struct Writer {
  // The name that --format takes; empty: it takes none.
  const char* format;
  // --export writes files with this ending in this form; empty: none. The longest ending that fits decides.
  const char* ending;
  std::string (*write)(const host::ResultFile& file);
  bool one_model = false;  // It can hold one model alone.
};

// clang-format off: a row is a line.
inline constexpr Writer kWriters[] = {
    {"table", "", WriteTable},
    {"json", ".json", WriteJson},
    {"csv", ".csv", WriteCsv},
    {"", ".trace.json", WriteTrace},
    {"", ".gbench.json", WriteGoogleBenchmark},
    {"", ".bmf.json", WriteBencher},
    {"", ".action.json", WriteAction},
    {"", ".explorer.json", WriteExplorerTimes, true},
    {"", ".arena.explorer.json", WriteExplorerArena, true},
    {"", ".svg", WritePlan, true},
};
// clang-format on

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// A run as text: a trace that browsers show (chrome://tracing, ui.perfetto.dev), and a summary.

#pragma once

#include <string>

#include "delegates/vta/simulator/simulator.h"

namespace lutra::vta::sim {

// A trace of several runs, one behind the other; each has a bar over its instructions.
class TraceWriter {
 public:
  TraceWriter();
  // The run had no error. An empty name has no bar.
  void Add(const Config& config, const Result& result, const std::string& name);
  std::string Finish() { return text_ + "\n]}\n"; }

 private:
  std::string text_;
  uint64_t begin_ = 0;
};

// JSON in the trace event format: a row for each module, a cycle as a microsecond. The run had no error.
std::string ChromeTrace(const Config& config, const Result& result);

// Some lines: cycles, what each module did with them, bytes and work. The run had no error.
std::string Summary(const Config& config, const Result& result);

}  // namespace lutra::vta::sim

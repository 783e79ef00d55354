// SPDX-License-Identifier: Apache-2.0
// Runs one case on an adapter. What its answer is worth, verdict.h says.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conformance/generator/case.h"
#include "conformance/oracle/evaluate.h"
#include "conformance/runner/adapter_process.h"

namespace lutra::conformance {

struct CaseRun {
  AdapterAnswer answer;
  std::vector<oracle::Bytes> outputs;  // Only where the answer is "ok" and nothing is wrong with their files.
  std::string problem;                 // What is wrong; one line.
};

// Bytes of each output; nothing where they are not known.
using OutputSizes = std::optional<std::vector<size_t>>;
OutputSizes SizesOf(const std::optional<std::vector<oracle::Bytes>>& outputs);

// Writes the case to a new folder in `parent`, lets the adapter run it there, and takes its outputs: regular
// files of these sizes, and nothing that a link leads to.
CaseRun RunCase(const Case& test, const OutputSizes& sizes, AdapterProcess* adapter,
                const std::filesystem::path& parent);

}  // namespace lutra::conformance

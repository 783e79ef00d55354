// SPDX-License-Identifier: Apache-2.0
// Runs one case on an adapter. verdict.h judges the answer.

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
  std::vector<oracle::Bytes> outputs;  // Filled if the answer is "ok" and the files of all outputs are right.
  std::string problem;                 // An error in the files, in one line.
};

// Bytes of each output; nothing where they are not known.
using OutputSizes = std::optional<std::vector<size_t>>;
OutputSizes SizesOf(const std::optional<std::vector<oracle::Bytes>>& outputs);

// Writes the case to a new folder in `parent`, lets the adapter run it there, and reads its outputs, which
// must be regular files of these sizes; links are not followed.
CaseRun RunCase(const Case& test, const OutputSizes& sizes, AdapterProcess* adapter,
                const std::filesystem::path& parent);

}  // namespace lutra::conformance

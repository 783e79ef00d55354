// SPDX-License-Identifier: Apache-2.0
// Runs one case on an adapter. What its answer is worth, verdict.h says.

#pragma once

#include <filesystem>
#include <vector>

#include "conformance/generator/case.h"
#include "conformance/oracle/evaluate.h"
#include "conformance/runner/adapter_process.h"

namespace lutra::conformance {

struct CaseRun {
  AdapterAnswer answer;
  std::vector<oracle::Bytes> outputs;  // Only where the answer is "ok".
};

// Writes the case to `folder`, which is emptied, and lets the adapter run it there.
CaseRun RunCase(const Case& test, AdapterProcess* adapter, const std::filesystem::path& folder);

}  // namespace lutra::conformance

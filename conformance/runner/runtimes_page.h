// SPDX-License-Identifier: Apache-2.0
// Tables of measured runtimes, side by side: what `run` and `identify` found on the same corpus.
//
//   <folder>/<name>.run.json        conformance run --results
//   <folder>/<name>.identify.json   conformance identify --json

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/conformance_result.h"

namespace lutra::conformance {

// The rules that one operator of a runtime was found to follow.
struct OperatorRules {
  std::string op;
  int cases = 0, unsupported = 0, crashed = 0;
  int set_apart = 0;           // Cases outside the specification that no rule explains.
  std::string rules, unknown;  // The rules that explain all cases; or the nearest, and the cases against it.
};

struct ProfileShare {
  std::string profile;
  int explained = 0, operators = 0;
};

struct MeasuredRuntime {
  std::string name;
  std::string date;  // 2027-01-31.
  host::ConformanceResult run;
  std::vector<OperatorRules> operators;
  std::vector<ProfileShare> profiles;
};

// The runtimes of a folder, by name. Throws BadInput for files that are no pair of one runtime.
std::vector<MeasuredRuntime> ReadMeasuredRuntimes(const std::filesystem::path& folder);
std::string RuntimesTables(const std::vector<MeasuredRuntime>& runtimes);
// Returns `page` with its tables replaced, from the line that says where they begin. Throws BadInput if it
// has no such line.
std::string WithTables(const std::string& page, const std::string& tables, const std::string& path);

}  // namespace lutra::conformance

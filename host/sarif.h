// SPDX-License-Identifier: Apache-2.0
// Findings about files as SARIF 2.1.0, which code hosts show beside the lines of a pull request.
//
//   fmt::print("{}", SarifText({"conformance", {{"S-ADD-scale", "one scale"}},
//                               {{"S-ADD-scale", "error", "found two scales", "m.tflite", "node 3
//                               (ADD)"}}}));

#pragma once

#include <map>
#include <string>
#include <vector>

namespace lutra::host {

struct SarifFinding {
  std::string rule;
  std::string level;  // "error", "warning", "note"
  std::string message;
  std::string path;   // A file; empty: none.
  std::string place;  // Within it: "node 10 (FULLY_CONNECTED)".
};

struct SarifLog {
  std::string program;
  std::map<std::string, std::string> rules;  // What each of the findings' rules requires.
  std::vector<SarifFinding> findings;
};

std::string SarifText(const SarifLog& log);

}  // namespace lutra::host

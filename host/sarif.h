// SPDX-License-Identifier: Apache-2.0
// Writes findings about files as SARIF 2.1.0, which code hosts show beside the lines of a pull request.
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
  std::string path;   // Empty: there is no file.
  std::string place;  // The place within the file: "node 10 (FULLY_CONNECTED)".
};

struct SarifLog {
  std::string program;
  std::map<std::string, std::string> rules;  // What each rule of the findings requires.
  std::vector<SarifFinding> findings;
};

std::string SarifText(const SarifLog& log);

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Writes JUnit's XML, suite by suite.
//
//   JunitSuite suite;
//   suite.Add("models", "kws", nullptr, "");
//   return JunitText({{"x86_64 models", suite}});

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lutra::reports {

class JunitSuite {
 public:
  // `element`: failure, error or skipped; null for a pass.
  void Add(const std::string& kind, const std::string& name, const char* element, const std::string& message);
  std::string Text(const std::string& name) const;

 private:
  int tests_ = 0, failures_ = 0, errors_ = 0, skipped_ = 0;
  std::string cases_;
};

// Returns the XML of the suites with their names.
std::string JunitText(const std::vector<std::pair<std::string, JunitSuite>>& suites);

}  // namespace lutra::reports

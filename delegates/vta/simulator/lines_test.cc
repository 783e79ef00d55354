// SPDX-License-Identifier: Apache-2.0
// Every line of README.md's list has a test: a suite has its number.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace lutra::vta::sim {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The names of tests by line: "Line03" has EveryShift and others.
struct Tests {
  std::map<int, std::vector<std::string>> by_line;
  std::vector<std::string> without_assertion;
};

// Tests end at the first line that is a brace alone.
Tests FindTests() {
  Tests tests;
  const std::regex head("(?:^|\n)TEST\\(Line([0-9]{2}), ([A-Za-z0-9]+)\\) \\{\n"),
      assertion("\\b(?:EXPECT|ASSERT)_[A-Z]+\\(|\\bHas(?:Fatal)?Failure\\(");
  for (const char* folder : {"/delegates/vta/driver", "/delegates/vta/simulator", "/delegates/vta/program"}) {
    for (const auto& entry : fs::directory_iterator(std::string(LUTRA_SOURCE_DIR) + folder)) {
      if (!entry.path().string().ends_with("_test.cc")) continue;
      const std::string text = TextOf(entry.path());
      for (std::sregex_iterator match(text.begin(), text.end(), head), end; match != end; ++match) {
        const auto begin = static_cast<size_t>(match->position() + match->length());
        const std::string body = text.substr(begin, text.find("\n}\n", begin) - begin);
        tests.by_line[std::stoi((*match)[1])].push_back((*match)[2]);
        if (!std::regex_search(body, assertion)) tests.without_assertion.push_back((*match)[2]);
      }
    }
  }
  return tests;
}

// "| 3 | ALU: ... |": the numbers of the rows.
std::vector<int> LinesOfTheReadme() {
  std::vector<int> lines;
  std::istringstream text(TextOf(LUTRA_SOURCE_DIR "/delegates/vta/README.md"));
  const std::regex row("\\| ([0-9]+) \\| .* \\|");
  std::string line;
  for (std::smatch match; std::getline(text, line);) {
    if (std::regex_match(line, match, row)) lines.push_back(std::stoi(match[1]));
  }
  return lines;
}

// Every line of the list has a test, no test has a number that the list lacks, and each asserts something.
TEST(Lines, AllHaveTests) {
  const std::vector<int> lines = LinesOfTheReadme();
  std::vector<int> all(14);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(lines, all);
  const Tests tests = FindTests();
  std::vector<int> tested;
  for (const auto& [line, names] : tests.by_line) tested.push_back(line);
  EXPECT_EQ(tested, all);
  EXPECT_EQ(tests.without_assertion, std::vector<std::string>());
  EXPECT_GE(tests.by_line.at(1).size(), 10u) << "the search finds them";
}

}  // namespace
}  // namespace lutra::vta::sim

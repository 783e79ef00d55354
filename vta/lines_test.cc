// SPDX-License-Identifier: Apache-2.0
// Which lines of README.md's list have a test: their numbers are those of the suites.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

namespace lutra::vta::sim {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<int> LinesWithATest() {
  std::set<int> lines;
  const std::regex suite("\\bTEST\\(Line([0-9]+),");
  for (const char* folder : {"/vta", "/runtime/delegates/vta"}) {
    for (const auto& entry : fs::directory_iterator(std::string(LUTRA_SOURCE_DIR) + folder)) {
      if (!entry.path().string().ends_with("_test.cc")) continue;
      const std::string text = TextOf(entry.path());
      for (std::sregex_iterator match(text.begin(), text.end(), suite), end; match != end; ++match) {
        lines.insert(std::stoi((*match)[1]));
      }
    }
  }
  return lines;
}

// "| 3 | ALU: ... | yes |": the numbers of the rows, by whether they say that there is a test.
std::set<int> LinesOfTheReadme(bool tested) {
  std::set<int> lines;
  std::istringstream text(TextOf(LUTRA_SOURCE_DIR "/vta/README.md"));
  const std::regex row("\\| ([0-9]+) \\| .* \\| (yes|no:.*) \\|");
  std::string line;
  for (std::smatch match; std::getline(text, line);) {
    if (std::regex_match(line, match, row) && (match[2] == "yes") == tested)
      lines.insert(std::stoi(match[1]));
  }
  return lines;
}

TEST(Lines, HaveTestsWhereTheReadmeSaysSo) {
  EXPECT_EQ(LinesWithATest(), LinesOfTheReadme(true));
  EXPECT_EQ(LinesOfTheReadme(true).size() + LinesOfTheReadme(false).size(), 14u);
}

}  // namespace
}  // namespace lutra::vta::sim

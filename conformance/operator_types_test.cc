// SPDX-License-Identifier: Apache-2.0
// Tests that the page of types says what Lutra runs, and why it lacks types that the other runtime has.

#include "conformance/operator_types.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/generator/model_maker.h"
#include "conformance/generator/type_models.h"
#include "host/testing/program.h"
#include "host/testing/scratch_folder.h"

namespace lutra::conformance {
namespace {

using nlohmann::json;
using Cells = std::vector<std::string>;

// Returns the cells of "| a | b |" without the blanks around them.
Cells CellsOf(const std::string& line) {
  Cells cells;
  std::istringstream parts(line.substr(1));
  for (std::string cell; std::getline(parts, cell, '|');) {
    const size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? ""
                                               : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

// Returns the rows of the page's tables; those of the first table have an operator and a cell for each type.
std::vector<Cells> RowsOfThePage() {
  std::ifstream page(LUTRA_SOURCE_DIR "/conformance/TYPES.md");
  std::vector<Cells> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| ") && !line.starts_with("| operator")) rows.push_back(CellsOf(line));
  }
  return rows;
}

const json& Answer() {
  static const json answer = json::parse(host::RunProgram("types --json").out);
  return answer;
}

TEST(Types, ThePageSaysWhatTheRuntimeRuns) {
  const std::vector<Cells> rows = RowsOfThePage();
  const json& operators = Answer()["operators"];
  ASSERT_GT(rows.size(), operators.size());
  for (size_t i = 0; i < operators.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 1 + ModelTypes().size());
    EXPECT_EQ(rows[i][0], operators[i]["op"]);
    Cells of_page;
    for (size_t k = 0; k < ModelTypes().size(); ++k) {
      const std::string& cell = rows[i][k + 1];
      if (cell == "both" || cell == "Lutra") of_page.emplace_back(TypeName(ModelTypes()[k]));
    }
    EXPECT_EQ(json(of_page), operators[i]["types"][0])
        << rows[i][0] << "; write it anew: ./dev runtimes measure";
  }
}

TEST(Types, ThePageSaysWhichOperandsAreConstantHere) {
  std::map<std::string, Cells> of_page;
  const json& operators = Answer()["operators"];
  for (const Cells& row : RowsOfThePage()) {
    if (row.size() == 4 && (row[2] == "both" || row[2] == "Lutra")) of_page[row[0]].push_back(row[1]);
  }
  for (const json& op : operators) {
    EXPECT_EQ(json(of_page[op["op"]]), op["constant"][0]) << op["op"];
  }
}

// Each type that only the other runtime has needs a reason.
TEST(Types, EachThingThatIsLackingHasAReason) {
  int reasons = 0;
  for (const Cells& row : RowsOfThePage()) {
    if (row.size() > 4 || (row.size() == 4 && row[2] != "Lutra")) continue;
    EXPECT_GT(row.back().size(), 20u) << row[0] << " " << row[1];
    EXPECT_NE(row.back(), "no reason is known") << row[0] << " " << row[1];
    ++reasons;
  }
  EXPECT_GT(reasons, 10);
}

// A cell that was mended must not keep a reason.
TEST(Types, NoReasonIsLeftOver) {
  EXPECT_EQ(ReasonToLack("ADD", "int8"), "");
  EXPECT_EQ(ReasonToLack("CONV_2D", "float32"), "");
  EXPECT_EQ(ReasonToLack("SLICE", "int8"), "");
  for (const json& op : Answer()["operators"]) {
    for (const json& type : op["types"][0]) {
      if (op["op"].get<std::string>().starts_with("LOGICAL_")) continue;
      EXPECT_EQ(ReasonToLack(op["op"].get<std::string>(), type.get<std::string>()), "") << op["op"] << type;
    }
  }
}

TEST(Types, ComparesWithAnyRuntime) {
  const host::ScratchFolder folder;
  const std::string page = folder / "page.md";
  const host::Outcome same = host::RunProgram("types --name same -o " + page);
  ASSERT_EQ(same.code, 0) << same.err;
  std::ifstream file(page);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("## What same alone runs\n\nNothing.\n"), std::string::npos);
  EXPECT_EQ(text.find("| Lutra |"), std::string::npos);

  // A runtime that answers "ok" without outputs has run nothing.
  const host::Outcome none =
      host::RunProgram("types --json --runner \"'" LUTRA_MOCK_ADAPTER "' --fault missing-output\"");
  ASSERT_EQ(none.code, 0) << none.err;
  for (const json& op : json::parse(none.out)["operators"]) EXPECT_TRUE(op["types"][1].empty()) << op["op"];

  const host::Outcome mute = host::RunProgram("types --runner true");
  EXPECT_EQ(mute.code, 3);
  EXPECT_NE(mute.err.find("required: the answer \"hello 1"), std::string::npos) << mute.err;
}

// An interrupted run must not count models that it has not run as lacking.
TEST(Types, WritesNothingWhenItIsInterrupted) {
  const host::ScratchFolder folder;
  const std::string page = folder / "page.md";
  const host::Outcome outcome =
      host::RunShell("timeout --preserve-status -s INT 2 " LUTRA_PROGRAM " types --timeout 60000 -o " + page +
                     " --runner \"'" LUTRA_MOCK_ADAPTER "' --fault hang\"");
  EXPECT_NE(outcome.code, 0);
  EXPECT_FALSE(std::ifstream(page).good());
}

}  // namespace
}  // namespace lutra::conformance

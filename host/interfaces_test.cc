// SPDX-License-Identifier: Apache-2.0
// docs/interfaces.md promises options to scripts: each must be in the program's --help, and each of the help
// on the page. A section of the page is headed by the command in backticks, and names options in the first
// column of its tables.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "host/testing/program.h"

namespace lutra::host {
namespace {

using Names = std::set<std::string>;

// Returns every --option that the text names.
Names OptionsIn(const std::string& text) {
  static const std::regex kOption("(^|[^-A-Za-z0-9])(--[a-z][a-z0-9-]*)");
  Names names;
  for (std::sregex_iterator it(text.begin(), text.end(), kOption), end; it != end; ++it) {
    names.insert((*it)[2]);
  }
  return names;
}

std::string Page() { return ReadAll(LUTRA_SOURCE_DIR "/docs/interfaces.md"); }

// Returns the options that the page promises for each command: those in the first cells of its tables.
std::map<std::string, Names> PromisedOptions() {
  std::map<std::string, Names> sections;
  std::istringstream lines(Page());
  std::string line, command;
  while (std::getline(lines, line)) {
    static const std::regex kHeading("#+ `([^`]*)`.*");
    std::smatch match;
    if (std::regex_match(line, match, kHeading)) {
      command = match[1];
      sections[command];
    } else if (line.starts_with("#")) {
      command.clear();
    } else if (line.starts_with("|") && !command.empty()) {
      // A bar within a cell is written as \|.
      static const std::regex kFirstCell(R"(\|((\\\||[^|])*)\|.*)");
      if (std::regex_match(line, match, kFirstCell)) sections[command].merge(OptionsIn(match[1]));
    }
  }
  return sections;
}

// Returns the options that a program's help lists, which are at the beginnings of lines.
Names OptionsOfHelp(const std::string& command) {
  const Outcome help = RunShell("PATH='" LUTRA_PATH "':$PATH; " + command + " --help");
  EXPECT_EQ(help.code, 0) << command << ": " << help.err;
  EXPECT_EQ(help.out.find("{false}"), std::string::npos) << command << " shows how CLI11 notes a flag";
  Names names;
  std::istringstream lines(help.out);
  std::string line;
  while (std::getline(lines, line)) {
    static const std::regex kOption(R"(  (-[A-Za-z],)?(--[a-z][a-z0-9-]*).*)");
    std::smatch match;
    if (std::regex_match(line, match, kOption)) names.insert(match[2]);
  }
  names.erase("--help");
  names.erase("--version");
  return names;
}

TEST(Interfaces, NameEveryOptionOfEveryCommand) {
  const auto sections = PromisedOptions();
  ASSERT_GT(sections.size(), 30u);
  for (const auto& [command, promised] : sections) EXPECT_EQ(promised, OptionsOfHelp(command)) << command;
}

// Returns the verbs that a program's help lists.
Names VerbsOf(const std::string& program) {
  const Outcome help = RunShell("PATH='" LUTRA_PATH "':$PATH; " + program + " --help");
  Names verbs;
  bool listed = false;
  std::istringstream lines(help.out);
  std::string line;
  while (std::getline(lines, line)) {
    static const std::regex kVerb(R"(  ([a-z][a-z0-9-]*)( .*)?)");
    std::smatch match;
    if (line == "Subcommands:") {
      listed = true;
    } else if (!line.empty() && !line.starts_with(" ")) {
      listed = false;
    } else if (listed && std::regex_match(line, match, kVerb)) {
      verbs.insert(match[1]);
    }
  }
  return verbs;
}

TEST(Interfaces, ShowNoMarkOfAFlag) { EXPECT_EQ(Page().find("{false}"), std::string::npos); }

TEST(Interfaces, HaveASectionForEveryVerb) {
  const auto sections = PromisedOptions();
  for (const std::string program : {"compress", "conformance", "lutra-results", "vta"}) {
    const Names verbs = VerbsOf(program);
    EXPECT_GT(verbs.size(), 3u) << program;
    for (const std::string& verb : verbs)
      EXPECT_TRUE(sections.contains(program + " " + verb)) << program << " " << verb;
  }
  for (const std::string program : {"generic_benchmark", "make_report", "device_results"}) {
    EXPECT_TRUE(sections.contains(program)) << program;
  }
}

TEST(Interfaces, ShowJsonThatIsJson) {
  const std::string page = Page();
  size_t examples = 0;
  for (size_t at = page.find("```json\n"); at != std::string::npos; at = page.find("```json\n", at + 1)) {
    const size_t begin = at + 8;
    const std::string text = page.substr(begin, page.find("\n```", begin) - begin);
    EXPECT_TRUE(nlohmann::json::accept(text)) << text;
    ++examples;
  }
  EXPECT_GT(examples, 5u);
}

// Finds every key of `example` that `actual` lacks, as a path. Lists are compared by their first elements;
// null or an empty value, in either, matches anything.
void FindMissing(const nlohmann::json& example, const nlohmann::json& actual, const std::string& path,
                 Names* missing) {
  if (example.is_array() && actual.is_array() && !example.empty() && !actual.empty()) {
    FindMissing(example[0], actual[0], path + "[]", missing);
  }
  if (!example.is_object() || !actual.is_object()) return;
  for (const auto& [key, value] : example.items()) {
    if (!actual.contains(key)) {
      missing->insert(path + "." + key);
    } else {
      FindMissing(value, actual[key], path + "." + key, missing);
    }
  }
}

// Returns the JSON example below the command's heading.
nlohmann::json ExampleOf(const std::string& command) {
  const std::string page = Page();
  const size_t section = page.find("# `" + command + "`");
  const size_t begin = page.find("```json\n", section) + 8;
  return nlohmann::json::parse(page.substr(begin, page.find("\n```", begin) - begin), nullptr, false);
}

TEST(Interfaces, PromiseTheKeysThatProgramsWrite) {
  const std::string models = LUTRA_SOURCE_DIR "/models/";
  const ScratchFolder folder;
  const std::string results = folder / "old.json";
  RunShell("PATH='" LUTRA_PATH "':$PATH; generic_benchmark " + models +
           "sine.tflite --runs 1 --format json >" + results);
  const struct {
    const char* command;
    std::string arguments;
  } kRuns[] = {
      {"generic_benchmark", models + "sine.tflite --runs 1 --format json --data " + models +
                                "sine.validation.inputs.npy --labels " + models +
                                "sine.validation.labels.npy"},
      {"compress evaluate", models + "sine.tflite --data " + models + "sine.validation.inputs.npy --json"},
      {"conformance model", models + "sine.tflite --json"},
      {"conformance fuzz", "--cases 5 --ops ADD --coverage --results " + (folder / "results.json")},
      {"vta run", models + "sine.tflite --json"},
      {"make_report", "--format json --compare " + results + " " + results},
  };
  for (const auto& run : kRuns) {
    const Outcome outcome =
        RunShell("PATH='" LUTRA_PATH "':$PATH; " + std::string(run.command) + " " + run.arguments);
    const bool is_printed = outcome.out.starts_with("{");
    const auto actual =
        nlohmann::json::parse(is_printed ? outcome.out : ReadAll(folder / "results.json"), nullptr, false);
    ASSERT_TRUE(actual.is_object()) << run.command << ": " << outcome.code << " " << outcome.err;
    const auto example = ExampleOf(run.command);
    ASSERT_TRUE(example.is_object()) << run.command;
    Names missing;
    FindMissing(example, actual, "", &missing);
    EXPECT_EQ(missing, Names()) << run.command;
  }
}

}  // namespace
}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Tests that lines of golden/ stay: additions are taken, other changes are refused and named.

#include "conformance/runner/freeze.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "conformance/generator/found.h"
#include "conformance/runner/manifest.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/testing/program.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

// Returns every file of a folder, with its bytes.
Files FilesIn(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder)] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns whether `after` has all lines of `before`, in their order.
bool IsKept(const std::string& before, const std::string& after) {
  const std::vector<std::string> lines = Lines(after);
  auto at = lines.begin();
  for (const std::string& line : Lines(before)) {
    at = std::find(at, lines.end(), line);
    if (at == lines.end()) return false;
    ++at;
  }
  return true;
}

class FreezeTest : public testing::Test {
 protected:
  // The corpus has two operators; the second is inserted before the first.
  FreezeTest() : kept_(GeneratedCases("int8.abs.*")), all_(GeneratedCases("int8.relu6.*")) {
    all_.insert(all_.end(), kept_.begin(), kept_.end());
    FreezeAnew(kept_, folder_);
    before_ = FilesIn(folder_);
  }

  host::ScratchFolder scratch_;
  fs::path folder_ = scratch_ / "golden";
  std::vector<Case> kept_, all_;
  Files before_;
};

TEST_F(FreezeTest, AnewWritesEverything) {
  EXPECT_EQ(Lines(before_["manifest.jsonl"]).size(), kept_.size());
  EXPECT_EQ(Lines(before_["must_pass/tflm.txt"]).size() + Lines(before_["optional/tflm.txt"]).size(),
            kept_.size());
  EXPECT_EQ(before_.count("primitives.csv"), 1u);
  EXPECT_FALSE(fs::exists(folder_ / ".freezing"));
  // Freezing again over the existing files changes nothing.
  FreezeAnew(kept_, folder_);
  EXPECT_EQ(FilesIn(folder_), before_);
}

TEST_F(FreezeTest, AddingKeepsEveryLineAndSmokeCase) {
  const FreezeResult result = AddToFrozen(all_, folder_);
  EXPECT_TRUE(result.refused.empty());
  EXPECT_EQ(result.cases, all_.size());
  EXPECT_EQ(result.added, all_.size() - kept_.size());
  EXPECT_GT(result.smoke_added, 0u);
  Files after = FilesIn(folder_);
  for (const auto& [path, bytes] : before_) {
    if (path.starts_with("smoke/") || path == "primitives.csv") {
      EXPECT_EQ(after[path], bytes) << path;
    } else {
      EXPECT_TRUE(IsKept(bytes, after[path])) << path;
    }
  }
  const std::vector<std::string> lines = Lines(after["manifest.jsonl"]);
  ASSERT_EQ(lines.size(), all_.size());
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(IdOfLine(lines[i]), all_[i].id);
  EXPECT_EQ(Lines(after["must_pass/tflm.txt"]).size() + Lines(after["optional/tflm.txt"]).size(),
            all_.size());
  EXPECT_FALSE(fs::exists(folder_ / ".freezing"));
}

TEST_F(FreezeTest, AddingNothingChangesNothing) {
  const FreezeResult result = AddToFrozen(kept_, folder_);
  EXPECT_TRUE(result.refused.empty());
  EXPECT_EQ(result.added, 0u);
  EXPECT_EQ(FilesIn(folder_), before_);
}

TEST_F(FreezeTest, CasesOfRealSizesAreInTheSmokeSetIfTheySaySo) {
  for (Case& test : all_) test.smoke = Smoke::kNever;
  all_[0].smoke = Smoke::kAlways;
  const FreezeResult result = AddToFrozen(all_, folder_);
  EXPECT_EQ(result.smoke_added, 1u);
  EXPECT_TRUE(fs::exists(folder_ / "smoke" / "cases" / all_[0].id));
  EXPECT_EQ(FreezeAnew(all_, folder_).smoke_added, 1u);
}

TEST_F(FreezeTest, AChangedCaseIsRefusedAndNamed) {
  Case& changed = all_.back();
  changed.inputs[0][0] ^= 1;
  const FreezeResult result = AddToFrozen(all_, folder_);
  EXPECT_EQ(result.refused, std::vector<std::string>{changed.id + ": would change"});
  EXPECT_EQ(FilesIn(folder_), before_);
}

TEST_F(FreezeTest, AVanishedCaseIsRefusedAndNamed) {
  const std::string id = all_.back().id;
  all_.pop_back();
  const FreezeResult result = AddToFrozen(all_, folder_);
  // Each case is in the manifest and in a list of each frozen profile.
  const auto lists = std::count_if(oracle::Profiles().begin(), oracle::Profiles().end(),
                                   [](const oracle::Profile& profile) { return profile.is_frozen; });
  EXPECT_EQ(result.refused.size(), 1 + static_cast<size_t>(lists));
  EXPECT_EQ(result.refused[0], id + ": would vanish");
  EXPECT_EQ(FilesIn(folder_), before_);
}

TEST_F(FreezeTest, AMovedCaseIsRefusedAndNamed) {
  std::swap(all_[all_.size() - 2], all_.back());
  const FreezeResult result = AddToFrozen(all_, folder_);
  ASSERT_FALSE(result.refused.empty());
  EXPECT_TRUE(result.refused[0].ends_with(": would move")) << result.refused[0];
  EXPECT_EQ(FilesIn(folder_), before_);
}

TEST_F(FreezeTest, AnewLosesLinesOnlyIfTheyAreToBeReplaced) {
  const std::vector<Case> others = GeneratedCases("int8.relu6.*");
  const FreezeResult refused = FreezeAnew(others, folder_);
  EXPECT_EQ(refused.refused.size(), kept_.size());
  EXPECT_EQ(refused.refused.at(0), kept_[0].id + ": would vanish");
  EXPECT_EQ(FilesIn(folder_), before_);
  EXPECT_EQ(FreezeAnew(all_, folder_).added, all_.size() - kept_.size());
  EXPECT_TRUE(FreezeAnew(others, folder_, Existing::kReplace).refused.empty());
  EXPECT_EQ(Lines(FilesIn(folder_)["manifest.jsonl"]).size(), others.size());
}

TEST_F(FreezeTest, ChangedPrimitivesAreRefused) {
  std::ofstream(folder_ / "primitives.csv") << "function,a,b,c,result\n";
  const FreezeResult result = AddToFrozen(all_, folder_);
  EXPECT_EQ(result.refused, std::vector<std::string>{"primitives.csv: would change"});
}

TEST_F(FreezeTest, NothingIsInPlaceBeforeAllIsWritten) {
  // A file stands where a folder must be: smoke cases cannot be written.
  fs::remove_all(folder_ / "must_pass");
  std::ofstream(folder_ / "must_pass") << "in the way\n";
  before_ = FilesIn(folder_);
  EXPECT_THROW(AddToFrozen(all_, folder_), host::BadInput);
  EXPECT_EQ(FilesIn(folder_), before_);
  EXPECT_THROW(FreezeAnew(all_, folder_), host::BadInput);
  EXPECT_EQ(FilesIn(folder_), before_);
}

TEST_F(FreezeTest, WithoutAManifestThereIsNothingToAddTo) {
  EXPECT_THROW(AddToFrozen(all_, scratch_ / "none"), host::BadInput);
}

// Returns the names of the files that differ. googletest would compare their lists of eight thousand lines,
// for which memory does not suffice.
std::vector<std::string> Different(const Files& a, const Files& b) {
  std::vector<std::string> names;
  for (const auto& [path, bytes] : a) {
    const auto found = b.find(path);
    if (found == b.end() || found->second != bytes) names.push_back(path);
  }
  for (const auto& [path, bytes] : b) {
    if (a.count(path) == 0) names.push_back(path);
  }
  return names;
}

// The program adds an operator that a corpus of five lacks: the result is what was frozen with all five.
// Corpus.IsFrozen checks the whole corpus.
class FreezeProgram : public testing::Test {
 protected:
  FreezeProgram() {
    EXPECT_EQ(host::RunProgram("freeze " + folder_.string() + kFilter).code, 0);
    before_ = FilesIn(folder_);
    const auto without = [](const std::string& text) {
      std::string rest;
      for (const std::string& line : Lines(text)) {
        if (line.find("int8.gelu.") == std::string::npos) rest += line + "\n";
      }
      return rest;
    };
    for (const auto& [path, bytes] : before_) {
      if (path.starts_with("smoke/cases/int8.gelu.")) fs::remove_all((folder_ / path).parent_path());
      if (path == "manifest.jsonl" || path.starts_with("must_pass/") || path.starts_with("optional/")) {
        std::ofstream(folder_ / path) << without(bytes);
      }
    }
  }
  host::Outcome Add() { return host::RunProgram("freeze --add " + folder_.string() + kFilter); }

  static constexpr const char* kFilter = " --filter 'int8.g*'";

  host::ScratchFolder scratch_;
  fs::path folder_ = scratch_ / "golden";
  Files before_;
};

TEST_F(FreezeProgram, AddsAFamily) {
  ASSERT_NE(Different(FilesIn(folder_), before_), std::vector<std::string>());
  const host::Outcome outcome = Add();
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(Different(FilesIn(folder_), before_), std::vector<std::string>());
}

// A corpus of one operator suffices: what the program refuses does not depend on other operators.
TEST(FreezeOfOneOperator, IsRefusedWithExitCode1) {
  const host::ScratchFolder scratch;
  const fs::path folder = scratch / "golden";
  const std::string filter = " --filter 'int8.abs.*'";
  ASSERT_EQ(host::RunProgram("freeze " + folder.string() + filter).code, 0);
  std::string text = host::ReadAll(folder / "manifest.jsonl");
  const size_t hash = text.find("\"model\":\"", text.find("int8.abs.same.0000")) + 9;
  text[hash] = text[hash] == '0' ? '1' : '0';
  std::ofstream(folder / "manifest.jsonl") << text;
  const Files before = FilesIn(folder);
  const host::Outcome outcome = host::RunProgram("freeze --add " + folder.string() + filter);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("int8.abs.same.0000: would change\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(Different(FilesIn(folder), before), std::vector<std::string>());
}

// The program replaces no corpus unasked. A filter without cases keeps a program that asks for nothing from
// making all of them.
TEST(FreezeUnasked, ReplacesNothing) {
  const host::ScratchFolder scratch;
  const std::string folder = scratch / "golden";
  const host::Outcome nowhere = host::RunProgram("freeze --filter nosuch");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_NE(nowhere.err.find("DIR: found none, required: a folder"), std::string::npos) << nowhere.err;
  const host::Outcome none = host::RunProgram("freeze --filter nosuch " + folder);
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("--filter: found no case for \"nosuch\""), std::string::npos) << none.err;
  EXPECT_FALSE(fs::exists(folder));
  ASSERT_EQ(host::RunProgram("freeze --filter 'int8.abs.*' " + folder).code, 0);
  const Files before = FilesIn(folder);
  const std::string other = "freeze --filter 'int8.relu6.same.*' " + folder;
  const host::Outcome refused = host::RunProgram(other);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.out.find("would not stay; --add keeps all lines, --replace none\n"), std::string::npos)
      << refused.out;
  EXPECT_EQ(Different(FilesIn(folder), before), std::vector<std::string>());
  EXPECT_EQ(host::RunProgram(other + " --add --replace").code, 2);
  EXPECT_EQ(host::RunProgram(other + " --replace").code, 0);
  EXPECT_NE(Different(FilesIn(folder), before), std::vector<std::string>());
}

// ---- Cases that `fuzz` found

class FoundTest : public testing::Test {
 protected:
  FoundTest() {
    fs::create_directories(scratch_ / "sources/conformance/generator");
    host::WriteFileBytes(list_, list().data(), list().size());
    EXPECT_EQ(host::RunProgram("freeze " + filter_ + golden_).code, 0);
    // Keeps the first failure of a runtime whose codes are all off by one.
    const host::Outcome outcome = host::RunProgram(
        "fuzz --ops RELU6 --cases 9 --stop-at-first --jobs 1 --shrink-seconds 2 --reproducers " +
        (scratch_ / "found") + " --runner \"'" + LUTRA_MOCK_ADAPTER + "' --fault off-by-one\"");
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    reproducer_ = fs::directory_iterator(scratch_ / "found")->path();
  }
  // Returns the program's own list, to which lines are appended.
  static std::string list() {
    std::string text = "// The list.\n";
    for (const FoundCase& found : FoundCases()) text += LineOf(found);
    return text;
  }
  host::Outcome Add(const std::string& more = "") {
    return host::RunProgram("freeze --add " + filter_ + golden_ + " --sources " + (scratch_ / "sources") +
                            more + " --from " + reproducer_);
  }

  host::ScratchFolder scratch_;
  const std::string golden_ = scratch_ / "golden",
                    list_ = scratch_ / "sources/conformance/generator/found.inc";
  const std::string filter_ = "--filter 'int8.relu6.*' ";
  std::string reproducer_;
};

TEST_F(FoundTest, BecomesACaseOfTheCorpus) {
  const Files before = FilesIn(golden_);
  const host::Outcome outcome = Add();
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find(" 1 of them new"), std::string::npos) << outcome.out;
  Files after = FilesIn(golden_);
  for (const char* const path : {"manifest.jsonl", "must_pass/tflm.txt"}) {
    EXPECT_TRUE(IsKept(before.at(path), after[path])) << path;
  }
  // The line names the reproducer's case.
  const auto cases = GeneratedCases("int8.relu6.found.*");
  std::string line;
  for (const std::string& one : Lines(after["manifest.jsonl"])) {
    if (one.find(fmt::format("int8.relu6.found.{:04}", cases.size())) != std::string::npos) line = one;
  }
  const host::AlignedBytes model = host::ReadFileBytes(reproducer_ + "/model.tflite");
  Case test = {.model = {model.span().begin(), model.span().end()}};
  const std::string wanted = ManifestLine(test);
  const size_t hash = wanted.find("\"model\"");
  ASSERT_NE(hash, std::string::npos) << wanted;
  EXPECT_NE(line.find(wanted.substr(hash, 80)), std::string::npos) << line;
  // The list in the sources gets the line from which the generator makes the case.
  const std::string added = host::ReadAll(list_).substr(list().size());
  EXPECT_EQ(added.find("{\"RELU6\", {"), 0u) << added;
  EXPECT_EQ(added.find('\n'), added.size() - 1) << added;
}

TEST_F(FoundTest, ItIsRefusedWhereItCannotBecomeOne) {
  const std::string readme = host::ReadAll(reproducer_ + "/README.txt");
  const auto refused = [&](const std::string& text, const std::string& why) {
    host::WriteFileBytes(reproducer_ + "/README.txt", text.data(), text.size());
    const host::Outcome outcome = Add();
    EXPECT_EQ(outcome.code, 3) << why;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  };
  const Files before = FilesIn(golden_);
  const size_t choices = readme.find("RELU6", readme.find("The choices"));
  refused(readme.substr(0, readme.find("The choices")), "found no choices");
  refused(std::string(readme).replace(choices, 5, "RELU7"), "found \"RELU7\", required: an operator");
  refused(std::string(readme).replace(choices, 5, "RELU "), "another model than its choices give");
  refused(readme + "1 x\n", "choices that are no numbers");
  refused(std::string(readme).replace(readme.find("conformance fuzz "), 17, "conformance fuzz --invalid "),
          "a model that must be refused");
  EXPECT_EQ(FilesIn(golden_), before);
  EXPECT_EQ(host::ReadAll(list_), list());
  host::WriteFileBytes(reproducer_ + "/README.txt", readme.data(), readme.size());
  EXPECT_EQ(Add(" --filter").code, 2);
  EXPECT_EQ(host::RunProgram("freeze --from " + reproducer_).code, 2);
  EXPECT_EQ(Add().code, 0);
  // The list has the case, and the program was not built with it: it is refused.
  const host::Outcome again = Add();
  EXPECT_EQ(again.code, 3);
  EXPECT_NE(again.err.find("found a case that "), std::string::npos) << again.err;
}

}  // namespace
}  // namespace lutra::conformance

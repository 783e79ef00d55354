// SPDX-License-Identifier: Apache-2.0
// Counts operators, kernels, cases and models, and compares with the documents.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "conformance/generator/primitives.h"
#include "conformance/oracle/evaluate.h"
#include "conformance/oracle/formulas.h"
#include "conformance/runner/manifest.h"
#include "lutra/ops/facts.h"
#include "lutra/ops/ops.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = LUTRA_SOURCE_DIR;

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Counts kernels of operators; decoders serve tensors.
size_t CountKernels() {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "runtime" / "kernels")) {
    const std::string name = entry.path().filename();
    count += entry.is_directory() && !name.ends_with("_decode") && !name.ends_with("_unpack") ? 1 : 0;
  }
  return count;
}

size_t CountFiles(const fs::path& folder, const std::string& extension) {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
    count += extension.empty() || entry.path().extension() == extension ? 1 : 0;
  }
  return count;
}

// Parses "8,193", "72" or "six".
size_t NumberIn(std::string text) {
  static const std::map<std::string, size_t> words = {{"two", 2}, {"three", 3}, {"four", 4},  {"five", 5},
                                                      {"six", 6}, {"seven", 7}, {"eight", 8}, {"nine", 9}};
  const auto word = words.find(text);
  if (word != words.end()) return word->second;
  std::erase(text, ',');
  return std::stoul(text);
}

// Rounds to the first digit: documents say "some 8,000" for 8,193.
size_t Rounded(size_t count) {
  size_t unit = 1;
  while (count / unit >= 10) unit *= 10;
  return (count + unit / 2) / unit * unit;
}

// Expects `count` in each place where `sentence`, which has a group for the number, matches.
void Expect(const char* document, const char* sentence, size_t count) {
  const std::string text = Read(kRoot / document);
  const std::regex pattern(sentence);
  int found = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match, ++found) {
    EXPECT_EQ(NumberIn((*match)[1]), count) << document << ": \"" << match->str() << "\"";
  }
  EXPECT_GT(found, 0) << document << " has no \"" << sentence << "\"";
}

TEST(Documents, RulesAreThoseOfTheTables) {
  EXPECT_EQ(Read(kRoot / "conformance" / "RULES.md"), oracle::RulesPage())
      << "write it anew: conformance rules > conformance/RULES.md";
}

TEST(Documents, CountOperators) {
  const size_t operators = AllOperatorFacts().size();
  const size_t custom = AllOps().size() - operators - 1;  // TFLM_DECODE does not count.
  Expect("README.md", "([0-9]+) operators and", operators);
  Expect("README.md", "([0-9]+) custom ones, no heap", custom);
  Expect("ARCHITECTURE.md", "serve ([0-9]+) operators", operators);
  Expect("ARCHITECTURE.md", "([0-9]+) custom ones", custom);
}

TEST(Documents, CountKernels) { Expect("ARCHITECTURE.md", "([0-9]+) of them\\s+serve", CountKernels()); }

TEST(Documents, CountCases) {
  const size_t cases = Manifest(kRoot / "golden" / "manifest.jsonl").size();
  Expect("README.md", "([0-9,]+)\\s+small cases", cases);
  Expect("conformance/README.md", "the corpus, ([0-9,]+) cases", cases);
  Expect("golden/README.md", "some ([0-9,]+) cases in full", Rounded(CountFiles("golden/smoke/cases", "")));
}

// The page has results of every runtime for every case, and a row for every operator of the corpus.
TEST(Documents, RuntimesWereMeasuredOnTheWholeCorpus) {
  const Manifest manifest(kRoot / "golden" / "manifest.jsonl");
  Expect("conformance/RUNTIMES.md", "whole corpus, ([0-9,]+) cases", manifest.size());
  Expect("conformance/RUNTIMES.md", "\\n\\| [^|]+ \\| [0-9]{4}-[0-9]{2}-[0-9]{2} \\| [^|]+ \\| ([0-9]+) \\|",
         manifest.size());
  std::set<std::string> expected, found;
  for (const auto& [name, count] : manifest.CountByOperator()) {
    if (oracle::FindOperator(name) != nullptr) expected.insert(name);
  }
  const std::string page = Read(kRoot / "conformance" / "RUNTIMES.md");
  const size_t begin = page.find("\n## Rules\n"), end = page.find("\n## Unknown\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string rules = page.substr(begin, end - begin);
  const std::regex row("\n\\| ([A-Z0-9_]+(\\.[a-z0-9]+)?|Signal[A-Za-z]+) \\|");
  for (std::sregex_iterator match(rules.begin(), rules.end(), row), none; match != none; ++match)
    found.insert((*match)[1]);
  EXPECT_EQ(found, expected) << "write it anew: ./dev runtimes measure";
}

TEST(Documents, CountPrimitives) {
  const size_t rows = GeneratePrimitives().size();
  Expect("golden/README.md", "([0-9,]+) rows of the arithmetic", rows);
  Expect("conformance/generator/README.md", "([0-9,]+) rows of the arithmetic", rows);
}

TEST(Documents, CountModels) {
  Expect("README.md", "(\\w+) small trained models", CountFiles("models", ".tflite"));
}

}  // namespace
}  // namespace lutra::conformance

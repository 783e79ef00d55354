// SPDX-License-Identifier: Apache-2.0
// conformance list, export and freeze: the corpus itself.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/generator/primitives.h"
#include "conformance/generator/separate.h"
#include "conformance/runner/separation.h"
#include "host/model_file.h"
#include "host/progress.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

void WriteText(const fs::path& path, const std::string& text) {
  host::WriteFileBytes(path, text.data(), text.size());
}

void PrintCounts(const std::vector<Case>& cases) {
  std::map<std::string, int> counts;
  for (const Case& test : cases) ++counts[test.must_refuse.empty() ? test.op : "to be refused"];
  for (const auto& [op, count] : counts) fmt::print("{:<26}{:>6}\n", op, count);
  fmt::print("{} cases\n", cases.size());
}

void List(const CaseOptions& options, bool ids, bool separation) {
  const std::vector<Case> cases = ReadCases(options);
  if (separation) {
    fmt::print("{}", SeparationTable(Separate(cases)));
  } else if (ids) {
    for (const Case& test : cases) fmt::print("{}\n", test.id);
  } else {
    PrintCounts(cases);
  }
}

void Export(const CaseOptions& options, const fs::path& folder) {
  const std::vector<Case> cases = ReadCases(options);
  host::Progress progress("exporting");
  std::string manifest;
  for (size_t i = 0; i < cases.size(); ++i) {
    progress.Update(static_cast<int64_t>(i), static_cast<int64_t>(cases.size()));
    ExportCase(folder / "cases" / cases[i].id, cases[i]);
    manifest += ManifestLine(cases[i]) + "\n";
  }
  WriteText(folder / "manifest.jsonl", manifest);
  WriteText(folder / "primitives.csv", PrimitivesCsv(GeneratePrimitives()));
  fmt::print("{}: {} cases\n", folder.string(), cases.size());
}

// One of every so many of each family, and all that separate rules are eligible.
std::vector<const Case*> ChooseSmoke(const std::vector<Case>& cases) {
  constexpr size_t kWanted = 300;
  std::map<std::string, std::vector<const Case*>> by_op;
  for (const Case& test : cases) {
    if (test.model.size() + (test.inputs.empty() ? 0 : test.inputs[0].size()) < 8000) {
      by_op[test.must_refuse.empty() ? test.op : "to be refused"].push_back(&test);
    }
  }
  std::vector<const Case*> chosen;
  for (const auto& [op, list] : by_op) {
    const size_t count = std::min(list.size(), std::max<size_t>(2, kWanted / by_op.size()));
    for (size_t i = 0; i < count; ++i) chosen.push_back(list[i * list.size() / count]);
  }
  return chosen;
}

void Freeze(const fs::path& folder) {
  const std::vector<Case> cases = GeneratedCases("*");
  host::Progress progress("freezing");
  std::string manifest;
  std::map<std::string, std::string> must_pass;
  for (size_t i = 0; i < cases.size(); ++i) {
    progress.Update(static_cast<int64_t>(i), static_cast<int64_t>(cases.size()));
    const std::string line = ManifestLine(cases[i]);
    manifest += line + "\n";
    const auto json = nlohmann::json::parse(line);
    for (const oracle::Profile& profile : oracle::Profiles()) {
      const auto& expected = json["expected"];
      const auto& mine = expected.contains(profile.name) ? expected[profile.name] : expected["tflm"];
      if (!mine.is_null() || !cases[i].must_refuse.empty()) must_pass[profile.name] += cases[i].id + "\n";
    }
  }
  WriteText(folder / "manifest.jsonl", manifest);
  WriteText(folder / "primitives.csv", PrimitivesCsv(GeneratePrimitives()));
  fs::create_directories(folder / "must_pass");
  for (const auto& [profile, ids] : must_pass) WriteText(folder / "must_pass" / (profile + ".txt"), ids);
  fs::remove_all(folder / "smoke");
  for (const Case* test : ChooseSmoke(cases)) {
    WriteCase(folder / "smoke" / "cases" / test->id, *test);
  }
  fmt::print("{}: {} cases\n", folder.string(), cases.size());
}

}  // namespace

void AddListCommand(CLI::App& app) {
  struct Arguments {
    CaseOptions cases;
    bool ids = false, separation = false;
  };
  const auto line = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("list", "How many cases there are, and what they tell apart");
  DeclareCaseOptions(*verb, &line->cases);
  verb->add_flag("--ids", line->ids, "Print the ids");
  verb->add_flag("--separation", line->separation,
                 "For every two rules of an operator, print how many cases tell them apart");
  verb->callback([line] { List(line->cases, line->ids, line->separation); });
}

void AddExportCommand(CLI::App& app) {
  struct Arguments {
    CaseOptions cases;
    std::string folder;
  };
  const auto line = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("export", "Write the cases as plain files, with what each must give");
  DeclareCaseOptions(*verb, &line->cases);
  verb->add_option("DIR", line->folder, "Folder to write")->required();
  verb->footer(
      "DIR/manifest.jsonl              SHA-256 of every file's content, by profile\n"
      "DIR/primitives.csv              20,000 rows of the arithmetic itself\n"
      "DIR/cases/ID/model.tflite       one operator, constants inside\n"
      "DIR/cases/ID/in0.bin, in0.npy   its inputs, raw little-endian bytes and NumPy's format\n"
      "DIR/cases/ID/invokes            inferences, all with these inputs\n"
      "DIR/cases/ID/PROFILE.out0.bin, PROFILE.out0.npy   its outputs; only tflm's, and those that differ\n"
      "DIR/cases/ID/refuse             why no runtime may run it");
  verb->callback([line] { Export(line->cases, line->folder); });
}

void AddFreezeCommand(CLI::App& app) {
  const auto folder = std::make_shared<std::string>(LUTRA_GOLDEN_FOLDER);
  CLI::App* verb = app.add_subcommand("freeze", "Write golden/ anew: for who changes the corpus");
  verb->add_option("DIR", *folder, "Folder to write")->capture_default_str();
  verb->callback([folder] { Freeze(*folder); });
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// conformance freeze.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/commands.h"
#include "conformance/fuzz/reproducer.h"
#include "conformance/runner/corpus.h"
#include "conformance/runner/freeze.h"
#include "host/failures.h"
#include "host/install_paths.h"
#include "host/model_file.h"
#include "host/output_file.h"

namespace lutra::conformance {

namespace {

struct FreezeArguments {
  std::string folder;  // Empty: golden/, with --add alone.
  std::string filter = "*", sources = ".";
  std::vector<std::string> from;
  bool add = false, replace = false;
};

// The list of found cases in the sources, to which lines are added.
class FoundList {
 public:
  explicit FoundList(const std::string& sources)
      : path_(std::filesystem::path(sources) / "conformance" / "generator" / "found.inc"),
        text_(host::ReadInputText(path_)),
        file_(path_, path_) {}

  void Add(const FoundCase& found) { text_ += LineOf(found); }
  bool Has(const FoundCase& found) const { return text_.find("\n" + LineOf(found)) != std::string::npos; }
  void Write() { file_.Write(text_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_, text_;
  host::OutputFile file_;
};

// Returns the cases of the program, and those of the reproducers.
std::vector<FoundCase> WithReproducers(const std::vector<std::string>& folders, FoundList* list) {
  std::vector<FoundCase> all = FoundCases();
  for (const FoundCase& known : all) {
    if (list->Has(known)) continue;
    throw host::BadInput(
        fmt::format("{}: found no line of a case that the program has, required: the "
                    "sources that it was built from; build it anew",
                    list->path()));
  }
  for (const std::string& folder : folders) {
    const FoundCase found = ReadReproducer(folder);
    if (list->Has(found)) {
      throw host::BadInput(
          fmt::format("{}: found a case that {} has, required: another one", folder, list->path()));
    }
    list->Add(found);
    all.push_back(found);
  }
  return all;
}

// Returns the folder to write. Without --add golden/ is not written unless it is named.
std::string FolderOf(const FreezeArguments& line) {
  if (!line.folder.empty()) return line.folder;
  if (line.add) return host::GoldenFolder();
  throw host::BadUsage("DIR: found none, required: a folder to write; or --add, which adds to golden/");
}

void Freeze(const FreezeArguments& line, int* exit_code) {
  const std::string folder = FolderOf(line);
  std::optional<FoundList> list;
  std::vector<FoundCase> found = FoundCases();
  if (!line.from.empty()) {
    list.emplace(line.sources);
    found = WithReproducers(line.from, &*list);
  }
  const std::vector<Case> cases = GeneratedCases(line.filter, found);
  if (cases.empty()) {
    throw host::BadInput(fmt::format(
        "--filter: found no case for \"{}\", required: one or more; `conformance list` names them",
        line.filter));
  }
  const FreezeResult result =
      line.add ? AddToFrozen(cases, folder)
               : FreezeAnew(cases, folder, line.replace ? Existing::kReplace : Existing::kKeepLines);
  for (const std::string& refusal : result.refused) fmt::print("{}\n", refusal);
  if (!result.refused.empty()) {
    fmt::print("{}: nothing written: {} lines would not stay{}\n", folder, result.refused.size(),
               line.add ? "" : "; --add keeps all lines, --replace none");
    *exit_code = 1;
    return;
  }
  if (list) {
    list->Write();
    fmt::print("{}: {} new; the next build has {}\n", list->path(), line.from.size(),
               line.from.size() == 1 ? "it" : "them");
  }
  fmt::print("{}: {} cases, {} of them new, {} new in the smoke set\n", folder, result.cases, result.added,
             result.smoke_added);
}

}  // namespace

void AddFreezeCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<FreezeArguments>();
  CLI::App* verb =
      app.add_subcommand("freeze", "Write a frozen corpus, or add to golden/: for who changes the corpus");
  verb->add_option("DIR", line->folder, "Folder to write; with --add golden/, if there is none");
  CLI::Option* const add = verb->add_flag(
      "--add", line->add,
      "Add the cases that are not frozen; refuse if a line that stands would change or vanish");
  verb->add_flag("--replace", line->replace,
                 "Replace what is frozen in DIR; without it, a line that stands neither changes nor vanishes")
      ->excludes(add);
  verb->add_option("--from", line->from,
                   "Reproducers of `conformance fuzz`, which become cases: int8.add.found.0000")
      ->needs(add);
  verb->add_option("--sources", line->sources, "The sources, whose list of found cases --from adds to")
      ->capture_default_str();
  verb->add_option("--filter", line->filter,
                   "The corpus is the cases whose id matches: for trials in a folder of one's own")
      ->capture_default_str();
  verb->footer("Exit codes: 0 written, 1 refused: nothing was written, 2 bad usage, 3 bad input.");
  verb->callback([line, exit_code] { Freeze(*line, exit_code); });
}

}  // namespace lutra::conformance

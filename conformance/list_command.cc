// SPDX-License-Identifier: Apache-2.0
// conformance list and export: print the corpus, or write it to files.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <set>

#include "conformance/arguments.h"
#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/generator/primitives.h"
#include "conformance/runner/manifest.h"
#include "conformance/runner/separation.h"
#include "host/failures.h"
#include "host/guardian.h"
#include "host/interrupt.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "host/progress.h"
#include "host/wrap.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

constexpr char kCases[] = "cases", kPrimitives[] = "primitives.csv", kManifest[] = "manifest.jsonl";

void WriteText(const fs::path& path, const std::string& text) {
  host::WriteFileBytes(path, text.data(), text.size());
}

// Calls syncfs, which writes all that is below the folder to the disk, or fsync, which writes the folder's
// names, so that a power cut loses nothing that a manifest lists.
void Sync(int (*sync)(int descriptor), const char* name, const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || sync(descriptor) != 0) {
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    throw fs::filesystem_error(name, folder, std::error_code(error, std::generic_category()));
  }
  close(descriptor);
}

void PrintCounts(const std::vector<Case>& cases) {
  std::map<std::string, int> counts;
  for (const Case& test : cases) ++counts[test.must_refuse.empty() ? test.op : "to be refused"];
  for (const auto& [op, count] : counts) fmt::print("{:<26}{:>6}\n", host::Printable(op, 25), count);
  fmt::print("{} cases\n", cases.size());
}

void List(const CaseOptions& options, bool ids, bool separation) {
  const SelectedCases selected = SelectCases(options);
  const std::vector<Case>& cases = selected.cases;
  if (separation) {
    fmt::print("{}", host::Wrapped(SeparationTable(Separate(cases)), 4));
  } else if (ids) {
    for (const Case& test : cases) fmt::print("{}\n", host::Printable(test.id));
  } else {
    PrintCounts(cases);
  }
  TellNotFrozen(selected);
}

void ExportArguments(const Case& test, const fs::path& folder) {
  const KernelArguments arguments = ArgumentsOf(test);
  if (arguments.calls == 0) return;
  WriteText(folder / "arguments.json", arguments.json);
  WriteText(folder / "arguments.h", arguments.header);
}

// Throws BadInput if the folder has a case that is not among these: an export of other cases.
void RefuseOtherCases(const fs::path& folder, const std::vector<Case>& cases) {
  if (!fs::exists(folder / kCases)) return;
  std::set<std::string> ids;
  for (const Case& test : cases) ids.insert(test.id);
  for (const auto& entry : fs::directory_iterator(folder / kCases)) {
    const std::string id = entry.path().filename();
    if (ids.count(id) > 0) continue;
    throw host::BadInput(fmt::format(
        "{}: found case {}, which is not to be exported, required: a new folder, or one with the same cases",
        folder.string(), id));
  }
}

// An export is written to a folder inside the one that is asked for, and moved when all is there. However the
// program ends, no part of it is left.
class StagedExport {
 public:
  explicit StagedExport(const fs::path& folder)
      : folder_(folder),
        is_new_(fs::create_directories(folder)),
        staged_(fs::absolute(folder) / ".exporting"),
        guarded_(host::Guarded::kFolder, staged_) {
    fs::remove_all(staged_);
    fs::create_directories(staged_ / kCases);
  }
  ~StagedExport() {
    std::error_code ignored;
    fs::remove_all(staged_, ignored);
    if (is_new_) fs::remove(folder_, ignored);  // If it is empty.
  }
  StagedExport(const StagedExport&) = delete;
  StagedExport& operator=(const StagedExport&) = delete;

  const fs::path& path() const { return staged_; }
  // The manifest is moved last: it says which cases must be there.
  void Commit() {
    Sync(syncfs, "syncfs", staged_);
    if (fs::exists(folder_ / kCases)) fs::rename(folder_ / kCases, staged_ / "old_cases");
    for (const char* const name : {kCases, kPrimitives, kManifest})
      fs::rename(staged_ / name, folder_ / name);
    Sync(fsync, "fsync", folder_);
  }

 private:
  fs::path folder_;
  bool is_new_;
  fs::path staged_;
  host::Guarded guarded_;
};

void Export(const CaseOptions& options, const fs::path& folder, bool arguments) {
  const std::vector<Case> cases = SelectCases(options).cases;
  RefuseOtherCases(folder, cases);
  const host::InterruptScope interruptible;
  StagedExport staged(folder);
  host::Progress progress("exporting");
  std::string manifest;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (host::InterruptSignal() != 0) return;
    progress.Update(static_cast<int64_t>(i), static_cast<int64_t>(cases.size()));
    const fs::path files = staged.path() / kCases / cases[i].id;
    ExportCase(files, cases[i]);
    if (arguments) ExportArguments(cases[i], files);
    manifest += ManifestLine(cases[i]) + "\n";
  }
  WriteText(staged.path() / kPrimitives, PrimitivesCsv(GeneratePrimitives()));
  WriteText(staged.path() / kManifest, manifest);
  staged.Commit();
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
    bool arguments = false;
  };
  const auto line = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("export", "Write the cases as plain files, with what each must give");
  DeclareCaseOptions(*verb, &line->cases);
  verb->add_option("DIR", line->folder, "Folder to write")->required();
  verb->add_flag("--arguments", line->arguments,
                 "Also write what kernels get after prepare: arguments.json, arguments.h (sdk/README.md)");
  verb->footer(
      "DIR/manifest.jsonl              SHA-256 of every file's content, by profile\n"
      "DIR/primitives.csv              20,000 rows of the arithmetic itself\n"
      "DIR/cases/ID/model.tflite       one operator, constants inside\n"
      "DIR/cases/ID/in0.bin, in0.npy   its inputs, raw little-endian bytes and NumPy's format\n"
      "DIR/cases/ID/invokes            inferences, all with these inputs\n"
      "DIR/cases/ID/PROFILE.out0.bin, PROFILE.out0.npy   its outputs; only tflm's, and those that differ\n"
      "DIR/cases/ID/refuse             why no runtime may run it\n"
      "DIR/cases/ID/arguments.json, arguments.h   with --arguments, of kernels that the SDK has");
  verb->callback([line] { Export(line->cases, line->folder, line->arguments); });
}

}  // namespace lutra::conformance

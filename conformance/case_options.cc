// SPDX-License-Identifier: Apache-2.0
// Declares the options of cases and adapters, and finds what they name.

#include "conformance/case_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conformance/runner/work.h"
#include "delegates/delegates.h"
#include "host/failures.h"
#include "host/jobs.h"
#include "host/model_file.h"
#include "host/sha256.h"
#include "host/shard.h"
#include "sdk/kernel_library.h"

namespace lutra::conformance {

namespace fs = std::filesystem;

void DeclareCaseOptions(CLI::App& verb, CaseOptions* options) {
  const std::string group = "Cases";
  verb.add_option("--filter", options->filter, "Cases whose id matches: int8.conv_2d.*")
      ->capture_default_str()
      ->group(group);
  CLI::Option* corpus =
      verb.add_option("--corpus", options->corpus, "A folder of cases, as `export` writes it")->group(group);
  verb.add_flag("--smoke", options->smoke, "The small set that is stored in full")
      ->group(group)
      ->excludes(corpus);
  verb.add_option("--shard", options->shard, "i/n: the i-th of n parts of equal work")->group(group);
  verb.add_option("--golden", options->golden, "The folder of the frozen truth")->group(group);
}

namespace {

fs::path ManifestPath(const std::string& golden) { return fs::path(golden) / "manifest.jsonl"; }

Manifest ReadManifest(const CaseOptions& options) {
  Manifest manifest(ManifestPath(options.golden));
  if (!manifest.empty()) return manifest;
  throw host::BadInput(fmt::format(
      "{}: found no frozen case, required: the file of what was frozen; name its folder with --golden",
      ManifestPath(options.golden).string()));
}

std::string HashOfFile(const fs::path& path) {
  const host::AlignedBytes bytes = host::ReadFileBytes(path);
  return host::Sha256(bytes.data(), bytes.size());
}

// Returns the SHA-256 of the manifest or, if there is none, of ids and models.
std::string GoldenHash(const CaseOptions& options, const std::vector<Case>& cases) {
  if (options.corpus.empty()) {
    return HashOfFile(ManifestPath(options.golden));
  }
  std::string text;
  for (const Case& test : cases) {
    text += test.id + " " + host::Sha256(test.model.data(), test.model.size()) + "\n";
  }
  return host::Sha256(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

void RequireAllFrozen(const CaseOptions& options, const SelectedCases& selected) {
  const std::vector<std::string> missing = selected.manifest.Missing(selected.cases, options.filter);
  if (missing.empty()) return;
  throw host::BadInput(
      fmt::format("{}: was frozen in {}, and this build makes no such case{}", missing[0],
                  ManifestPath(options.golden).string(),
                  missing.size() == 1 ? "" : fmt::format(", nor {} others", missing.size() - 1)));
}

std::vector<Case> CasesOfShard(std::vector<Case> cases, host::Shard shard, const fs::path& golden) {
  if (shard.count == 1) return cases;
  std::vector<Case> taken;
  for (const size_t i : host::WorkOfShard(Work(golden / kTimesFile).CostsOf(cases), shard)) {
    taken.push_back(std::move(cases[i]));
  }
  return taken;
}

}  // namespace

SelectedCases SelectCases(const CaseOptions& options) {
  SelectedCases selected;
  if (options.corpus.empty()) selected.manifest = ReadManifest(options);
  const std::string folder = options.smoke ? options.golden + "/smoke" : options.corpus;
  selected.cases = folder.empty() ? GeneratedCases(options.filter) : CasesIn(folder, options.filter);
  if (folder.empty()) RequireAllFrozen(options, selected);
  const host::Shard shard = options.shard.empty() ? host::Shard{} : host::ParseShard(options.shard);
  selected.selection = {.filter = options.filter,
                        .shard = ToString(shard),
                        .golden = GoldenHash(options, selected.cases),
                        .all_cases = static_cast<int64_t>(selected.cases.size())};
  selected.cases = CasesOfShard(std::move(selected.cases), shard, options.golden);
  selected.selection.cases = static_cast<int64_t>(selected.cases.size());
  std::vector<std::string> ids;
  for (const Case& test : selected.cases) ids.push_back(test.id);
  selected.selection.ids = host::HashOfIds(std::move(ids));
  if (selected.cases.empty()) {
    throw host::BadInput(
        fmt::format("--filter: found no case for \"{}\" (shard {}); `conformance list` names them",
                    options.filter, ToString(shard)));
  }
  return selected;
}

Manifest ManifestOf(const host::Selection& selection, const std::string& golden) {
  const fs::path path = ManifestPath(golden);
  if (!fs::exists(path) || HashOfFile(path) != selection.golden) return {};
  return Manifest(path);
}

void TellNotFrozen(const SelectedCases& selected) {
  const std::string text = NotFrozenLine(selected.cases, selected.manifest);
  if (!text.empty()) fmt::print(stderr, "{}\n", text);
}

void DeclareAdapterOptions(CLI::App& verb, AdapterOptions* options) {
  const std::string group = "Runtime";
  CLI::Option* runner =
      verb.add_option("--runner", options->runner,
                      "Command of an adapter (conformance/adapters/README.md); without: Lutra itself")
          ->group(group);
  verb.add_option("--kernels", options->kernels,
                  "Lutra's kernels: best, ref or an instruction set; ./my.so: a library (sdk/README.md)")
      ->capture_default_str()
      ->group(group)
      ->excludes(runner);
  verb.add_option("--delegate", options->delegate, "Lutra's delegates: " + delegates::DelegateHelp())
      ->group(group)
      ->excludes(runner);
  verb.add_option("--delegate-options", options->delegate_options, "Options of the delegate: k=v,...")
      ->group(group)
      ->excludes(runner);
  verb.add_option("--timeout", options->timeout_ms, "Milliseconds for one case")
      ->capture_default_str()
      ->check(CLI::Range(1, 86400000))
      ->group(group);
  verb.add_option("--jobs", options->jobs, "Cases at a time; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024))
      ->group(group);
}

bool AdapterOptions::HasAllOperators() const {
  return runner.empty() && delegate.empty() && !sdk::IsLibrary(kernels);
}

std::string AdapterCommand(const AdapterOptions& options) {
  if (!options.runner.empty()) return options.runner;
  // Names that are neither a delegate nor a library are refused here, before adapters start.
  const delegates::ChosenDelegates checked(options.delegate, options.delegate_options);
  InterpreterOptions unused;
  sdk::UseKernels(options.kernels, &unused);
  const auto quoted = [](const std::string& text) {
    if (text.find('\'') != std::string::npos)
      throw host::BadUsage("found a quote in an option of the kernels or the delegate");
    return "'" + text + "'";
  };
  std::string arguments = " --kernels " + quoted(options.kernels);
  if (!options.delegate_options.empty())
    arguments += " --delegate-options " + quoted(options.delegate_options);
  if (!options.delegate.empty()) arguments += " --only-delegated --delegate '" + options.delegate + "'";
  return OwnAdapter(arguments);
}

int JobsOf(const AdapterOptions& options) { return host::JobCount(options.jobs); }

}  // namespace lutra::conformance

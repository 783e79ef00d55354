// SPDX-License-Identifier: Apache-2.0
// conformance mutate: finds out which faults of the kernels the cases find.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/runner/mutation_run.h"
#include "host/glob.h"
#include "host/model_file.h"
#include "host/model_inputs.h"
#include "host/output_file.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

struct MutateArguments {
  std::vector<std::string> lists;
  std::string sources = ".", work = "build/mutations", filter = "*", cases = "*", json, kernels = "ref",
              golden = host::GoldenFolder();
  int jobs = 1;
};

// Returns the bundled models as cases, with inputs from two seeds.
std::vector<Case> ModelCases(const fs::path& folder) {
  constexpr uint64_t kSeeds[] = {1, 2};
  std::vector<Case> cases;
  std::vector<fs::path> files;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".tflite") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const host::ModelFile model = host::ReadModelFile(file);
    for (const uint64_t seed : kSeeds) {
      Case test = {.id = fmt::format("model.{}.{}", file.stem().string(), seed), .op = "composite"};
      test.model.assign(model.bytes.span().begin(), model.bytes.span().end());
      for (const auto& input : host::SeededInputs(model.model, seed)) test.inputs.push_back(input);
      cases.push_back(std::move(test));
    }
  }
  return cases;
}

std::vector<Mutation> Selected(const MutateArguments& line) {
  std::vector<Mutation> all, selected;
  if (line.lists.empty()) all = MutationsIn(fs::path(line.sources) / "conformance" / "mutations");
  for (const std::string& list : line.lists) {
    for (Mutation& mutation : ReadMutations(list)) all.push_back(std::move(mutation));
  }
  for (Mutation& mutation : all) {
    if (host::Matches(line.filter, mutation.id)) selected.push_back(std::move(mutation));
  }
  if (selected.empty()) {
    throw host::BadInput(fmt::format(
        "--filter: found no mutation for \"{}\", required: the id of one, or a pattern", line.filter));
  }
  return selected;
}

void Mutate(const MutateArguments& line, int* exit_code) {
  const host::OutputFile json(line.json);
  const std::vector<Mutation> mutations = Selected(line);
  const MutationCases cases = {.smoke = CasesIn(fs::path(line.golden) / "smoke", line.cases),
                               .corpus = GeneratedCases(line.cases),
                               .models = ModelCases(fs::path(line.sources) / "models")};
  const MutationOptions options = {.sources = fs::absolute(line.sources),
                                   .work = fs::absolute(line.work),
                                   .kernels = line.kernels,
                                   .jobs = line.jobs};
  const std::vector<MutationResult> results = TryMutations(mutations, cases, options);
  if (json.wanted()) json.Write(MutationJson(results));
  fmt::print("{}", MutationTable(results));
  for (const MutationResult& result : results) {
    if (!result.builds) *exit_code = 1;
  }
}

}  // namespace

void AddMutateCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<MutateArguments>();
  CLI::App* verb = app.add_subcommand(
      "mutate", "Which faults of our kernels the cases find: for who changes kernels or the corpus");
  verb->add_option("LIST", line->lists,
                   "Lists of faults; without: conformance/mutations/*.txt of the sources");
  verb->add_option("--sources", line->sources, "The sources, which are copied, never edited")
      ->capture_default_str();
  verb->add_option("--work", line->work,
                   "Folder for copies, builds and results; a second run goes on from there")
      ->capture_default_str();
  verb->add_option("--filter", line->filter, "Faults whose id matches: conv_2d.*")->capture_default_str();
  verb->add_option("--cases", line->cases, "Only these cases: int8.conv_2d.*")->capture_default_str();
  verb->add_option("--kernels", line->kernels, "Variants of the kernels that run, where a list names none")
      ->capture_default_str();
  verb->add_option("--golden", line->golden, "The folder that has the smoke set");
  verb->add_option("--jobs", line->jobs, "Faults at a time, each in a copy of its own")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  verb->add_option("--json", line->json, "Write the results as JSON");
  verb->footer(
      "valid: a case or a bundled model sees it. Exit codes: 0 done, 1 a fault does not build, 2 bad usage, "
      "3 bad input.");
  verb->callback([line, exit_code] { Mutate(*line, exit_code); });
}

}  // namespace lutra::conformance

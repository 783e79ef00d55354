// SPDX-License-Identifier: Apache-2.0
// conformance run, certify and merge: the verbs that run the corpus.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/fuzz/merge.h"
#include "conformance/prove/proof_file.h"
#include "conformance/runner/bounds.h"
#include "conformance/runner/certificate.h"
#include "conformance/runner/model_results.h"
#include "conformance/runner/results.h"
#include "conformance/runner/run.h"
#include "conformance/runner/work.h"
#include "host/failures.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "host/result_json.h"
#include "host/shard.h"

namespace lutra::conformance {
namespace {

constexpr char kBounded[] = "bounded";
constexpr char kTable[] = "table", kSarif[] = "sarif";
constexpr char kRecordTimes[] = "--record-times";
constexpr char kReproducers[] = "conformance-failures";
constexpr int kMostFailuresShown = 20;

struct RunArguments {
  CaseOptions cases;
  AdapterOptions adapter;
  std::string profile = "tflm";
  std::optional<int> bound;  // None: 1.
  std::string bounds;
  std::string results, junit, times, waivers, reproducers = kReproducers;
  std::vector<std::string> required;
  std::string format = kTable;
};

std::vector<std::string> ProfileNames() {
  std::vector<std::string> names;
  for (const oracle::Profile& profile : oracle::Profiles()) names.emplace_back(profile.name);
  names.emplace_back(kBounded);
  return names;
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

// Prints the number of elements by the size of their difference, for profile bounded.
void PrintHistogram(const host::ConformanceResult& results) {
  int64_t elements = 0, different = 0;
  double largest = 0;
  std::map<std::string, std::pair<int64_t, double>> by_op;
  for (const host::CaseResult& result : results.cases) {
    if (!result.mismatch) continue;
    elements += result.mismatch->elements;
    different += result.mismatch->different;
    largest = std::max(largest, result.mismatch->largest);
    auto& [count, most] = by_op[result.op];
    count += result.mismatch->different;
    most = std::max(most, result.mismatch->largest);
  }
  fmt::print("\n{}: {} elements differ of {} in the cases that differ at all, by at most {}\n",
             results.bounds ? "bounds of operators" : fmt::format("bound {}", results.bound), different,
             elements, largest);
  for (const auto& [op, entry] : by_op) {
    fmt::print("  {:<26}{:>9} elements, by at most {}\n", host::Printable(op, 25), entry.first, entry.second);
  }
}

// `unsupported`: the result of UnsupportedLine.
void Print(const host::ConformanceResult& results, const std::string& unsupported) {
  fmt::print("{}", ResultTable(results));
  int shown = 0;
  for (const host::CaseResult& result : results.cases) {
    if (!host::IsBad(result.verdict)) continue;
    if (shown++ == kMostFailuresShown) {
      fmt::print("  ... --results FILE holds all of them\n");
      break;
    }
    fmt::print("{}{}: {}: {}\n", shown == 1 ? "\n" : "", host::Printable(result.id),
               host::ToString(result.verdict), host::Printable(result.why));
    if (!result.outside.empty())
      fmt::print("  outside the specification: {}\n", host::Printable(result.outside));
  }
  const auto outside = std::count_if(results.cases.begin(), results.cases.end(),
                                     [](const host::CaseResult& result) { return !result.outside.empty(); });
  if (outside > 0) {
    fmt::print("{} of the failed are outside the specification, which golden/optional/ sets apart\n",
               outside);
  }
  if (results.bound > 0 || results.bounds) PrintHistogram(results);
  const std::string not_frozen = NotFrozenLine(CountNotFrozen(results).value_or(0));
  for (const std::string& line : {not_frozen, OtherProfileLine(results),
                                  NeverRanLine(host::OperatorsThatNeverRan(results)), unsupported}) {
    if (!line.empty()) fmt::print("{}\n", line);
  }
  fmt::print("{}\n", SummaryLine(results));
}

// Prints SARIF; prints to stderr what its readers do not see.
void PrintSarif(const host::ConformanceResult& results, const std::string& unsupported,
                const std::string& reproducers) {
  fmt::print("{}", ResultSarif(results, reproducers));
  if (!unsupported.empty()) fmt::print(stderr, "{}\n", unsupported);
  fmt::print(stderr, "{}\n", SummaryLine(results));
}

void Finish(const host::ConformanceResult& results, const host::OutputFile& junit,
            const std::function<void()>& print, int* exit_code) {
  if (junit.wanted()) junit.Write(ResultJunit(results));
  print();
  const std::string missing = WhatIsMissingOfShard(results);
  if (!missing.empty()) fmt::print(stderr, "conformance: {}\n", missing);
  if (!AllWell(results) || !missing.empty()) *exit_code = 1;
}

// Throws BadInput if reproducers, which are written while cases run, cannot be written there.
void ProbeFolder(const std::string& path) {
  std::error_code not_empty;
  const bool is_new = std::filesystem::create_directories(path);
  if (is_new) std::filesystem::remove(path, not_empty);
}

std::string DelegateText(const AdapterOptions& adapter) {
  std::string text;
  if (!adapter.delegate.empty()) text += " --delegate " + adapter.delegate;
  if (!adapter.delegate_options.empty()) text += " --delegate-options " + adapter.delegate_options;
  return text;
}

RunOptions OptionsOf(const RunArguments& line) {
  const bool bounded = line.profile == kBounded;
  if (!bounded && (line.bound || !line.bounds.empty())) {
    throw CLI::ValidationError(line.bound ? "--bound" : "--bounds",
                               "found profile " + line.profile + ", required: bounded");
  }
  RunOptions options = {.adapter = AdapterCommand(line.adapter),
                        .timeout = std::chrono::milliseconds(line.adapter.timeout_ms),
                        .jobs = JobsOf(line.adapter),
                        .profile = oracle::FindProfile(bounded ? "tflm" : line.profile),
                        .profile_name = line.profile,
                        .bound = bounded && line.bounds.empty() ? line.bound.value_or(1) : 0,
                        .bounds_path = line.bounds,
                        .only_frozen = line.cases.smoke,
                        .reproducers = line.reproducers};
  if (!line.bounds.empty()) options.bounds = ReadBounds(line.bounds);
  return options;
}

host::ConformanceResult RunSelected(const RunArguments& line, const RunOptions& options,
                                    const SelectedCases& selected) {
  host::ConformanceResult results = RunCases(selected.cases, selected.manifest, options);
  results.selection = selected.selection;
  results.command = fmt::format(
      "conformance run --filter '{}' --profile {}{}{}{}", line.cases.filter, line.profile,
      line.bounds.empty() ? "" : " --bounds '" + line.bounds + "'", line.cases.smoke ? " --smoke" : "",
      line.adapter.runner.empty() ? " --kernels " + line.adapter.kernels + DelegateText(line.adapter)
                                  : " --runner '" + line.adapter.runner + "'");
  return results;
}

void Run(RunArguments line, int* exit_code) {
  line.cases.shard = ToString(host::ChosenShard(line.cases.shard));
  const host::OutputFile json(line.results), junit(line.junit), recorded(line.times);
  const std::vector<Waiver> waivers =
      line.waivers.empty() ? std::vector<Waiver>() : ReadWaivers(line.waivers);
  RunOptions options = OptionsOf(line);
  std::map<std::string, int64_t> times;
  if (recorded.wanted()) options.times = &times;
  const SelectedCases selected = SelectCases(line.cases);
  if (!line.reproducers.empty() && line.reproducers != kReproducers) ProbeFolder(line.reproducers);
  host::ConformanceResult results = RunSelected(line, options, selected);
  if (line.format == kTable && !line.reproducers.empty() && std::filesystem::exists(line.reproducers)) {
    fmt::print("failures, to be run again: {}/\n", line.reproducers);
  }
  ApplyWaivers(waivers, Today(), &results.cases);
  // Lutra lacks no operator.
  const bool is_ours = line.adapter.HasAllOperators() && line.required.empty();
  const std::string unsupported =
      UnsupportedLine(results, selected.cases, is_ours ? std::vector<std::string>{"all"} : line.required);
  if (!unsupported.empty()) *exit_code = 1;
  const auto print = [&] {
    line.format == kSarif ? PrintSarif(results, unsupported, line.reproducers) : Print(results, unsupported);
  };
  if (json.wanted()) json.Write(ResultJson(results));
  if (recorded.wanted()) {
    recorded.Write(TimesText(times, fmt::format("recorded by {}, {}", kRecordTimes, results.backend)));
  }
  Finish(results, junit, print, exit_code);
}

// Runs the whole corpus on a runtime, and writes a certificate.
void Certify(const RunArguments& line, int* exit_code) {
  const host::OutputFile output(line.results);
  const RunOptions options = OptionsOf(line);
  const host::ConformanceResult results = RunSelected(line, options, SelectCases(line.cases));
  output.Write(CertificateText(results));
  const host::OutputFile none("");
  Finish(
      results, none, [&] { Print(results, ""); }, exit_code);
}

// Prints whether a certificate is unchanged, and its content.
void CheckCertificate(const std::string& path, const std::string& golden, int* exit_code) {
  const std::string text = host::ReadInputText(path);
  if (!IsIntact(text)) {
    fmt::print("{}: changed since it was written, or no certificate\n", host::Printable(path));
    *exit_code = host::kExitWrong;
    return;
  }
  const host::ConformanceResult results = host::ReadConformanceResult(path);
  const std::string missing = host::WhatIsMissing(results);
  const bool is_ours = results.selection && !ManifestOf(*results.selection, golden).empty();
  fmt::print("{}: as it was written, {}\n{}\n", host::Printable(path),
             is_ours ? "of the corpus that is here" : "of another corpus than the one that is here",
             SummaryLine(results));
  if (!missing.empty()) fmt::print("{}\n", missing);
  fmt::print("It is not signed. Only running it again proves it: {}\n", host::Printable(results.command));
  if (!missing.empty() || !AllWell(results)) *exit_code = host::kExitWrong;
}

// Refuses options that `name` would ignore: all but `other`.
void RefuseOptionsBeside(const CLI::App& verb, const std::string& name, const std::string& other) {
  for (const CLI::Option* const option : verb.get_options()) {
    const std::string found = option->get_name();
    if (option->count() == 0 || option->check_name(name) || option->check_name(other)) continue;
    throw host::BadUsage(
        fmt::format("{}: found {} as well, required: no other option than {}", name, found, other));
  }
}

}  // namespace

void AddRunCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<RunArguments>();
  CLI::App* verb = app.add_subcommand("run", "Does a runtime compute exactly what the profile says?");
  DeclareCaseOptions(*verb, &line->cases);
  DeclareAdapterOptions(*verb, &line->adapter);
  const std::string judging = "Judging";
  verb->add_option("--profile", line->profile, "The exact rule of each operator")
      ->capture_default_str()
      ->check(CLI::IsMember(ProfileNames()))
      ->group(judging);
  CLI::Option* const bound =
      verb->add_option("--bound", line->bound, "Of profile bounded: what an element may differ from tflm by")
          ->default_str("1")
          ->check(CLI::Range(1, 255))
          ->group(judging);
  verb->add_option(
          "--bounds", line->bounds,
          "Of profile bounded: a JSON file of `conformance bounds`, with one for each operator; those "
          "without a line have 0")
      ->excludes(bound)
      ->group(judging);
  verb->add_option(
          "--require", line->required,
          "Operators, or patterns of them, that the runtime must have: ADD,*POOL*, or all, as for Lutra "
          "itself")
      ->delimiter(',')
      ->group(judging);
  verb->add_option("--waivers", line->waivers, "JSON: [{\"id\": pattern, \"reason\", \"expires\": date}]")
      ->group(judging);
  const std::string output = "Output";
  verb->add_option("--format", line->format, "What to print; sarif: what failed, for code hosts")
      ->capture_default_str()
      ->check(CLI::IsMember({kTable, kSarif}))
      ->group(output);
  verb->add_option("--results", line->results, "Write the results as JSON")->group(output);
  verb->add_option("--junit", line->junit, "Write them as JUnit's XML")->group(output);
  verb->add_option(kRecordTimes, line->times,
                   "Write how long cases took, as golden/times.txt has it; with --jobs 1")
      ->group(output);
  verb->add_option(
          "--reproducers", line->reproducers,
          "Folder for the files of each failure: model, inputs, expected and actual outputs; \"\": none")
      ->capture_default_str()
      ->group(output);
  std::string footer = "Profiles:\n";
  for (const oracle::Profile& profile : oracle::Profiles()) {
    footer += fmt::format("  {:<18}{}\n", profile.name, profile.description);
  }
  footer += fmt::format("  {:<18}{}\n", kBounded, "tflm within --bound or --bounds; differences are counted");
  verb->footer(footer +
               "\nWithout --shard, GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX say which part runs.\n"
               "Example:\n  conformance run --filter 'int8.conv_2d.*' --runner ./my_adapter\n\n" +
               "Exit codes: 0 nothing failed, 1 something did, no model was computed and judged, or a "
               "required operator is "
               "unsupported, 2 bad usage, 3 bad input.");
  verb->callback([line, exit_code] { Run(*line, exit_code); });
}

void AddCertifyCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<RunArguments>();
  const auto check = std::make_shared<std::string>();
  line->reproducers.clear();
  CLI::App* verb = app.add_subcommand("certify", "Write what the corpus says of a runtime, to be published");
  DeclareCaseOptions(*verb, &line->cases);
  DeclareAdapterOptions(*verb, &line->adapter);
  std::vector<std::string> profiles = ProfileNames();
  profiles.pop_back();
  verb->add_option("--profile", line->profile, "The exact rule of each operator")
      ->capture_default_str()
      ->check(CLI::IsMember(profiles));
  CLI::Option* const output =
      verb->add_option("-o,--output", line->results, "File to write")->group("Output");
  verb->add_option("--check", *check, "Run nothing: tell whether a byte of this certificate was changed")
      ->excludes(output)
      ->group("Output");
  verb->footer(
      R"(A certificate has what was covered (cases, hashes of the corpus, profile, versions, compiler), every verdict
and every difference. It is not signed: only running it again proves it.
Exit codes: 0 all cases passed, and with --check nothing was changed; 1 not so; 2 bad usage; 3 bad input.)");
  verb->callback([line, check, verb, exit_code] {
    if (!check->empty()) RefuseOptionsBeside(*verb, "--check", "--golden");
    if (!check->empty()) return CheckCertificate(*check, line->cases.golden, exit_code);
    if (line->results.empty()) throw CLI::RequiredError("--output or --check");
    Certify(*line, exit_code);
  });
}

void AddMergeCommand(CLI::App& app, int* exit_code) {
  struct MergeArguments {
    std::vector<std::string> inputs;
    std::string output, junit, golden = host::GoldenFolder();
    MergeOptions options;
  };
  const auto line = std::make_shared<MergeArguments>();
  CLI::App* verb = app.add_subcommand("merge", "Put the results of shards together");
  verb->add_option("RESULTS", line->inputs,
                   "JSON files of `run`, `fuzz`, `model` or `prove`, each with --results")
      ->required();
  verb->add_option("-o,--output", line->output, "Write the whole as JSON")->required();
  verb->add_flag("--partial", line->options.is_partial,
                 "Shards may be missing: the output is one more input of a later merge");
  verb->add_option("--since", line->options.since,
                   "No result is older than this time, such as 2026-11-27T10:40:40Z, by more than a minute");
  CLI::Option* const junit = verb->add_option("--junit", line->junit, "Write it as JUnit's XML");
  verb->add_option("--golden", line->golden,
                   "The folder of the frozen truth, which the ids are compared with");
  verb->footer(
      "Files are of one run of one commit. One that is named twice counts once; two that differ in one shard "
      "are\n"
      "refused. The output has the context of the first shard, and is else what one run would have written.");
  verb->callback([line, junit, exit_code] {
    const host::OutputFile output(line->output, line->output);
    const std::pair<const ShardKind&, MergeFiles*> verbs[] = {
        {kFuzzShards, MergeFuzzFiles}, {kModelShards, MergeModelFiles}, {kProofShards, MergeProofFiles}};
    for (const auto& [kind, merge] : verbs) {
      if (!IsShardFile(line->inputs[0], kind)) continue;
      if (junit->count() > 0)
        throw host::BadUsage(fmt::format("--junit: found results of {}, required: of run", kind.verb));
      return merge(line->inputs, output, line->options, exit_code);
    }
    const host::OutputFile xml(line->junit);
    std::vector<ShardFile> files;
    for (const std::string& path : line->inputs) files.push_back({path, host::ReadConformanceFile(path)});
    // Merge has checked that the files are of one run.
    const auto& selection = files[0].file.conformance->selection;
    const Manifest manifest = selection ? ManifestOf(*selection, line->golden) : Manifest();
    const host::ResultFile merged = Merge(std::move(files), manifest, line->options);
    output.Write(host::WriteResultJson(merged, 1));
    Finish(
        *merged.conformance, xml, [&] { Print(*merged.conformance, ""); }, exit_code);
  });
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// conformance fuzz.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/fuzz/fuzz.h"
#include "conformance/fuzz/merge.h"
#include "conformance/fuzz/results.h"
#include "conformance/runner/run.h"
#include "host/decompression_policy.h"
#include "host/environment.h"
#include "host/failures.h"
#include "host/glob.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "host/shard.h"
#include "host/sign_checks.h"

namespace lutra::conformance {
namespace {

constexpr int kDefaultSeconds = 60;

struct FuzzArguments {
  AdapterOptions adapter;
  std::string profile = "tflm", ops, shard, reproducers = "conformance-failures", results;
  uint64_t seed = 1;
  int64_t first = 0, cases = 0;
  int seconds = 0, shrink_seconds = 60;
  bool all_variants = false, stop_at_first = false, coverage = false, invalid = false, resume = false;
  std::vector<std::string> required;
};

// Returns commands of Lutra's adapter with every set of kernels, memory policy, time of decompression, and
// delegate; with delegates of other options, in the smallest arena, and with memory outside of it.
std::vector<std::string> AllVariants() {
  std::vector<std::string> commands;
  for (const std::string& kernels : host::KernelChoices()) {
    for (const char* const memory : {"small", "fast"}) {
      for (const std::string& decompression : host::DecompressionChoices()) {
        for (const char* const more : {"", " --delegate vta"}) {
          commands.push_back(OwnAdapter(fmt::format(" --kernels '{}' --memory {} --decompression {}{}",
                                                    kernels, memory, decompression, more)));
        }
      }
    }
    for (const char* const more :
         {" --delegate example", " --delegate vta --delegate-options threads=2,add=cpu",
          " --delegate vta --delegate-options add=load", " --tight-arena", " --tight-arena --memory small",
          " --tight-arena --decompression streamed", " --tight-arena --delegate vta",
          " --decompression-memory 600", " --decompression at-init --decompression-memory 100,3000",
          " --decompression streamed --memory small --decompression-memory 300"}) {
      commands.push_back(OwnAdapter(fmt::format(" --kernels '{}'{}", kernels, more)));
    }
  }
  return commands;
}

void PrintOperators(const FuzzResult& result) {
  fmt::print("{:<28}{:>10}{:>13}{:>9}\n", "operator", "judged", "unsupported", "failed");
  for (const auto& [op, count] : result.operators) {
    fmt::print("{:<28}{:>10}{:>13}{:>9}\n", host::Printable(op, 27), count.run, count.unsupported,
               count.failed);
  }
}

void PrintFailures(const FuzzResult& result, const std::string& reproducers) {
  for (const FuzzFailure& failure : result.failures) {
    fmt::print("\n{}: {}: {}\n  {} node{}, {} elements; {}\n", failure.result.id,
               host::ToString(failure.result.verdict), host::Printable(failure.result.why), failure.nodes,
               failure.nodes == 1 ? "" : "s", failure.elements, host::Printable(failure.adapter));
    if (!reproducers.empty()) fmt::print("  {}/{}/\n", reproducers, failure.result.id);
  }
}

// Returns "required, and unsupported: ADD (57 cases)"; empty if the runtime has all. Throws BadInput if a
// required name is no operator.
std::string LackingLine(const FuzzResult& result, const std::vector<std::string>& required) {
  std::string text;
  for (const std::string& pattern : required) {
    if (pattern != "all") CaseDrawer(pattern).ops();
  }
  for (const auto& [op, count] : result.operators) {
    const bool is_required = std::any_of(
        required.begin(), required.end(),
        [&op = op](const std::string& pattern) { return pattern == "all" || host::Matches(pattern, op); });
    if (!is_required || count.lacking == 0) continue;
    text += fmt::format("{}{} ({} case{})", text.empty() ? "required, and unsupported: " : ", ", op,
                        count.lacking, count.lacking == 1 ? "" : "s");
  }
  return text;
}

// Prints "seed 1, cases 0 to 999: 990 judged, ...", and for a shard ", shard 2/16".
void PrintSums(uint64_t seed, const FuzzResult& result, const std::string& shard) {
  const OperatorCount total = result.Total();
  fmt::print("\nseed {}, cases {} to {}: {} judged, {} failed, {} unsupported, {} unspecified; {:.1f} s{}\n",
             seed, result.first, result.next - 1, total.run, total.failed, total.unsupported,
             result.unspecified, result.seconds, shard.empty() ? "" : ", shard " + shard);
}

int ExitCodeOf(const FuzzResult& result, const std::string& lacking) {
  const OperatorCount total = result.Total();
  return total.failed > 0 || total.run == 0 || !lacking.empty() ? 1 : 0;
}

void Print(const FuzzArguments& line, const FuzzResult& result, const std::string& lacking,
           const host::Shard& shard) {
  PrintOperators(result);
  if (line.coverage) fmt::print("\n{}", result.coverage.Text());
  PrintFailures(result, line.reproducers);
  if (!lacking.empty()) fmt::print("\n{}\n", lacking);
  PrintSums(line.seed, result, shard.count == 1 ? "" : ToString(shard));
}

// Reduces the campaign's cases to those of the shard.
void TakeShard(const host::Shard& shard, const std::vector<std::string>& required, FuzzOptions* options) {
  if (shard.count == 1) return;
  if (!options->cases) {
    throw host::BadUsage(fmt::format(
        "--shard: found {} and no --cases, required: how many cases all shards have", ToString(shard)));
  }
  if (*options->cases < shard.count) {
    throw host::BadUsage(fmt::format("--shard: found {} of {} cases, required: at most a shard for each case",
                                     ToString(shard), *options->cases));
  }
  options->shard = shard;
  options->campaign = {.first = options->first, .cases = *options->cases, .required = required};
  const int64_t begin = host::FirstOfShard(*options->cases, shard);
  options->cases = host::FirstOfShard(*options->cases, {shard.index + 1, shard.count}) - begin;
  options->first += begin;
}

void Run(const FuzzArguments& line, int* exit_code) {
  if (line.resume && line.results.empty()) {
    throw CLI::ValidationError("--resume", "found no --results, required: the file of the run to go on from");
  }
  const host::OutputFile json(line.results, line.resume ? line.results : "");
  const CaseDrawer drawer(line.ops, line.invalid);
  FuzzOptions options = {
      .adapters = line.all_variants ? AllVariants() : std::vector<std::string>{AdapterCommand(line.adapter)},
      .timeout = std::chrono::milliseconds(line.adapter.timeout_ms),
      .jobs = JobsOf(line.adapter),
      .profile = oracle::FindProfile(line.profile),
      .ops = line.ops,
      .is_broken = line.invalid,
      .seed = line.seed,
      .first = line.first,
      .reads_all_codecs = line.adapter.HasAllOperators(),
      .stop_at_first = line.stop_at_first,
      .with_coverage = line.coverage,
      .shrink_time = std::chrono::seconds(line.shrink_seconds),
      .reproducers = line.reproducers};
  if (line.cases > 0) options.cases = line.cases;
  if (line.seconds > 0 || line.cases == 0) {
    options.limit = std::chrono::seconds(line.seconds > 0 ? line.seconds : kDefaultSeconds);
  }
  // Lutra lacks no operator.
  const bool is_ours = line.adapter.HasAllOperators() && line.required.empty();
  const std::vector<std::string> required = is_ours ? std::vector<std::string>{"all"} : line.required;
  LackingLine({}, required);
  TakeShard(host::ChosenShard(line.shard), required, &options);
  std::optional<FuzzResult> earlier;
  if (line.resume && std::filesystem::exists(line.results)) {
    earlier = ParseFuzzJson(host::ReadInputText(line.results), line.results, options);
    // A shard ends where the next one begins.
    if (options.shard.count > 1) *options.cases -= earlier->next - options.first;
    options.first = earlier->next;
  }
  FuzzResult result = Fuzz(drawer, options);
  if (earlier) AddEarlier(*earlier, &result);
  if (json.wanted()) json.Write(FuzzJson(options, result, host::DescribeEnvironment("conformance")));
  const std::string lacking = LackingLine(result, required);
  Print(line, result, lacking, options.shard);
  *exit_code = ExitCodeOf(result, lacking);
}

void DeclareCases(CLI::App& verb, FuzzArguments& line) {
  const std::string drawing = "Cases";
  verb.add_option("--ops", line.ops, "Operators, or patterns of them: ADD,*POOL*; without: all")
      ->group(drawing);
  verb.add_option("--seed", line.seed, "The same seed gives the same cases everywhere")
      ->capture_default_str()
      ->group(drawing);
  verb.add_option("--first", line.first, "The number of the first case; goes on where a run has ended")
      ->check(host::NonNegativeNumber())
      ->group(drawing);
  verb.add_option("--cases", line.cases, "How many")->check(host::PositiveNumber())->group(drawing);
  verb.add_option("--shard", line.shard,
                  "i/n: the i-th of n parts of the --cases; `merge` puts them together")
      ->group(drawing);
  verb.add_option("--seconds", line.seconds,
                  fmt::format("How long, without what shrinking takes; {} without --cases", kDefaultSeconds))
      ->check(CLI::Range(1, 1 << 24))
      ->group(drawing);
  verb.add_flag("--invalid", line.invalid,
                "Models that each break one rule: the runtime must refuse them, and neither run nor crash")
      ->group(drawing);
  verb.add_flag("--resume", line.resume,
                "Go on where the run that wrote --results has ended, and add to its counts")
      ->excludes("--first")
      ->group(drawing);
}

void DeclareJudgingAndOutput(CLI::App& verb, FuzzArguments& line) {
  std::vector<std::string> profiles;
  for (const oracle::Profile& profile : oracle::Profiles()) profiles.emplace_back(profile.name);
  const std::string judging = "Judging";
  verb.add_option("--profile", line.profile, "The exact rule of each operator")
      ->capture_default_str()
      ->check(CLI::IsMember(profiles))
      ->group(judging);
  verb.add_flag("--stop-at-first", line.stop_at_first, "End with the first failure")->group(judging);
  verb.add_option(
          "--require", line.required,
          "Operators, or patterns of them, that the runtime must have: ADD,*POOL*, or all, as for Lutra "
          "itself")
      ->delimiter(',')
      ->group(judging);
  const std::string output = "Output";
  verb.add_flag("--coverage", line.coverage,
                "Which attributes of each operator the cases had, in buckets, and which never")
      ->group(output);
  verb.add_option("--shrink-seconds", line.shrink_seconds,
                  "To make a failure smaller, at most; 0: it stays as it is")
      ->capture_default_str()
      ->check(CLI::Range(0, 86400))
      ->group(output);
  verb.add_option(
          "--reproducers", line.reproducers,
          "Folder for the files of each failure: model, inputs, expected and actual outputs; \"\": none")
      ->capture_default_str()
      ->group(output);
  verb.add_option("--results", line.results, "Write the results as JSON")->group(output);
}

}  // namespace

void MergeFuzzFiles(const std::vector<std::string>& paths, const host::OutputFile& output,
                    const MergeOptions& options, int* exit_code) {
  const MergedFuzz merged = MergeFuzz(paths, options);
  output.Write(merged.json);
  const std::string lacking = LackingLine(merged.result, merged.required);
  PrintOperators(merged.result);
  PrintFailures(merged.result, "");
  if (!lacking.empty()) fmt::print("\n{}\n", lacking);
  PrintSums(merged.seed, merged.result, merged.shards);
  *exit_code = ExitCodeOf(merged.result, lacking);
}

void AddFuzzCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<FuzzArguments>();
  CLI::App* verb = app.add_subcommand("fuzz", "Does a runtime compute random models as the profile says?");
  DeclareCases(*verb, *line);
  DeclareAdapterOptions(*verb, &line->adapter);
  verb->add_flag(
          "--all-variants", line->all_variants,
          "Lutra with all its kernels, memory policies, times of decompression and delegates, drawn for "
          "each case")
      ->excludes("--runner")
      ->excludes("--kernels")
      ->excludes("--delegate")
      ->group("Runtime");
  DeclareJudgingAndOutput(*verb, *line);
  verb->footer(
      "Without --shard, GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX say which part runs.\n"
      "Example:\n  conformance fuzz --ops CONV_2D --seconds 20 --runner ./my_adapter\n\n"
      "Exit codes: 0 nothing failed, 1 something did, no model was judged, or a required operator is "
      "unsupported, 2 bad usage, 3 bad input.");
  verb->callback([line, exit_code] { Run(*line, exit_code); });
}

}  // namespace lutra::conformance

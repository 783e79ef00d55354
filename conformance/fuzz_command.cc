// SPDX-License-Identifier: Apache-2.0
// conformance fuzz.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/fuzz/fuzz.h"
#include "conformance/runner/run.h"
#include "host/decompression_policy.h"
#include "host/environment.h"
#include "host/output_file.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

constexpr int kDefaultSeconds = 60;

struct FuzzArguments {
  AdapterOptions adapter;
  std::string profile = "tflm", ops, reproducers = "conformance-failures", results;
  uint64_t seed = 1;
  int64_t first = 0, cases = 0;
  int seconds = 0, shrink_seconds = 60;
  bool all_variants = false, stop_at_first = false;
};

// Our adapter with every set of kernels, way to keep memory, time of decompression, and delegate.
std::vector<std::string> AllVariants() {
  std::vector<std::string> commands;
  for (const std::string& kernels : host::KernelChoices()) {
    for (const char* const memory : {"small", "fast"}) {
      for (const std::string& decompression : host::DecompressionChoices()) {
        for (const char* const delegate : {"", " --delegate vta"}) {
          commands.push_back(OwnAdapter(fmt::format(" --kernels '{}' --memory {} --decompression {}{}",
                                                    kernels, memory, decompression, delegate)));
        }
      }
    }
  }
  return commands;
}

void PrintOperators(const FuzzResult& result) {
  fmt::print("{:<28}{:>10}{:>13}{:>9}\n", "operator", "judged", "unsupported", "failed");
  for (const auto& [op, count] : result.operators) {
    fmt::print("{:<28}{:>10}{:>13}{:>9}\n", op, count.run, count.unsupported, count.failed);
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

nlohmann::ordered_json Json(const FuzzArguments& line, const FuzzResult& result) {
  nlohmann::ordered_json json = {{"schema_version", 1},       {"seed", line.seed},
                                 {"first", line.first},       {"next", result.next},
                                 {"profile", line.profile},   {"backend", result.backend},
                                 {"seconds", result.seconds}, {"unspecified", result.unspecified}};
  auto& operators = json["operators"] = nlohmann::ordered_json::object();
  for (const auto& [op, count] : result.operators) {
    operators[op] = {{"judged", count.run}, {"unsupported", count.unsupported}, {"failed", count.failed}};
  }
  auto& failures = json["failures"] = nlohmann::ordered_json::array();
  for (const FuzzFailure& failure : result.failures) {
    failures.push_back({{"id", failure.result.id},
                        {"op", failure.op},
                        {"verdict", host::ToString(failure.result.verdict)},
                        {"why", failure.result.why},
                        {"nodes", failure.nodes},
                        {"elements", failure.elements},
                        {"adapter", failure.adapter},
                        {"draws", failure.draws}});
  }
  return json;
}

void Run(const FuzzArguments& line, int* exit_code) {
  const host::OutputFile json(line.results);
  const CaseDrawer drawer(line.ops);
  FuzzOptions options = {
      .adapters = line.all_variants ? AllVariants() : std::vector<std::string>{AdapterCommand(line.adapter)},
      .timeout = std::chrono::milliseconds(line.adapter.timeout_ms),
      .jobs = JobsOf(line.adapter),
      .profile = oracle::FindProfile(line.profile),
      .ops = line.ops,
      .seed = line.seed,
      .first = line.first,
      .stop_at_first = line.stop_at_first,
      .shrink_time = std::chrono::seconds(line.shrink_seconds),
      .reproducers = line.reproducers};
  if (line.cases > 0) options.cases = line.cases;
  if (line.seconds > 0 || line.cases == 0) {
    options.limit = std::chrono::seconds(line.seconds > 0 ? line.seconds : kDefaultSeconds);
  }
  const FuzzResult result = Fuzz(drawer, options);
  if (json.wanted()) json.Write(Json(line, result).dump(2) + "\n");
  PrintOperators(result);
  PrintFailures(result, line.reproducers);
  const OperatorCount total = result.Total();
  fmt::print("\nseed {}, cases {} to {}: {} judged, {} failed, {} unsupported, {} unspecified; {:.1f} s\n",
             line.seed, line.first, result.next - 1, total.run, total.failed, total.unsupported,
             result.unspecified, result.seconds);
  if (total.failed > 0 || total.run == 0) *exit_code = 1;
}

}  // namespace

void AddFuzzCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<FuzzArguments>();
  CLI::App* verb = app.add_subcommand("fuzz", "Does a runtime compute random models as the profile says?");
  const std::string drawing = "Cases";
  verb->add_option("--ops", line->ops, "Operators, or patterns of them: ADD,*POOL*; without: all")
      ->group(drawing);
  verb->add_option("--seed", line->seed, "The same seed gives the same cases everywhere")
      ->capture_default_str()
      ->group(drawing);
  verb->add_option("--first", line->first, "The number of the first case; goes on where a run has ended")
      ->check(CLI::NonNegativeNumber)
      ->group(drawing);
  verb->add_option("--cases", line->cases, "How many")->check(CLI::PositiveNumber)->group(drawing);
  verb->add_option("--seconds", line->seconds,
                   fmt::format("How long, without what shrinking takes; {} without --cases", kDefaultSeconds))
      ->check(CLI::Range(1, 1 << 24))
      ->group(drawing);
  DeclareAdapterOptions(*verb, &line->adapter);
  verb->add_flag(
          "--all-variants", line->all_variants,
          "Lutra with all its kernels, memory policies, times of decompression and delegates, drawn for "
          "each case")
      ->excludes("--runner")
      ->excludes("--kernels")
      ->excludes("--delegate")
      ->group("Runtime");
  std::vector<std::string> profiles;
  for (const oracle::Profile& profile : oracle::Profiles()) profiles.emplace_back(profile.name);
  const std::string judging = "Judging";
  verb->add_option("--profile", line->profile, "The exact rule of each operator")
      ->capture_default_str()
      ->check(CLI::IsMember(profiles))
      ->group(judging);
  verb->add_flag("--stop-at-first", line->stop_at_first, "End with the first failure")->group(judging);
  const std::string output = "Output";
  verb->add_option("--shrink-seconds", line->shrink_seconds,
                   "To make a failure smaller, at most; 0: it stays as it is")
      ->capture_default_str()
      ->check(CLI::Range(0, 86400))
      ->group(output);
  verb->add_option(
          "--reproducers", line->reproducers,
          "Folder for the files of each failure: model, inputs, expected and actual outputs; \"\": none")
      ->capture_default_str()
      ->group(output);
  verb->add_option("--results", line->results, "Write the results as JSON")->group(output);
  verb->footer(
      "Example:\n  conformance fuzz --ops CONV_2D --seconds 20 --runner ./my_adapter\n\n"
      "Exit codes: 0 nothing failed, 1 something did, or no model was computed and judged, 2 bad usage, 3 "
      "bad "
      "input.");
  verb->callback([line, exit_code] { Run(*line, exit_code); });
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// generic_benchmark MODEL [MODEL...]: model size, arena, inference time, per operator.
//
// Parses the command line, measures, writes. Exit codes: 0 success, 2 bad usage, 3 bad input.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "bench/inspect.h"
#include "bench/measure.h"
#include "bench/writers.h"
#include "host/environment.h"

namespace lutra::bench {
namespace {

constexpr char kProgram[] = "generic_benchmark";
constexpr int kExitUsage = 2;
constexpr int kExitBadInput = 3;

struct CommandLine {
  std::vector<std::string> models;
  MeasureOptions measure;
  int runs = 0;
  uint64_t arena_bytes = 0;
  std::string memory = "fast";
  std::string decompression = "per-use";
  std::string delegate;
  bool no_overlap = false;
  bool no_arena_search = false;
  bool inspect = false;
  bool plan = false;
  std::string format = "table";
  std::vector<std::string> exports;
};

using Writer = std::string (*)(const host::BenchmarkReport&);
const std::map<std::string, Writer> kFormats = {
    {"table", WriteTable}, {"json", WriteJson}, {"csv", WriteCsv}};

// The writer for an --export file, by its ending; null if there is none.
Writer WriterFor(const std::string& path) {
  const std::pair<const char*, Writer> endings[] = {{".trace.json", WriteTrace},
                                                    {".gbench.json", WriteGoogleBenchmark},
                                                    {".json", WriteJson},
                                                    {".csv", WriteCsv}};
  for (const auto& [ending, writer] : endings) {
    if (path.ends_with(ending)) return writer;
  }
  return nullptr;
}

void Declare(CLI::App& app, CommandLine& line) {
  app.footer(
      "Example:\n  generic_benchmark models/kws.tflite\n\n"
      "Exit codes: 0 success, 2 bad usage, 3 bad input (file, model or data).\n"
      "An input's bytes are made from the seed unless --input gives them.");
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.add_option("MODEL", line.models, "One .tflite file, or several to compare")->required();
  const std::string measuring = "Measuring";
  app.add_option("--runs", line.runs, "Inferences to time (default: at least 10 and 1 s)")
      ->check(CLI::Range(1, 1000000000))
      ->group(measuring);
  app.add_option("--warmup", line.measure.warmup, "Inferences before that")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000000))
      ->group(measuring);
  app.add_option("--max-seconds", line.measure.max_seconds, "Stop timing after this long")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(measuring);
  const std::string data = "Data";
  app.add_option("--seed", line.measure.seed, "Seed of the input bytes")->capture_default_str()->group(data);
  app.add_option("--input", line.measure.input_files, "Raw or .npy file, once for each graph input")
      ->allow_extra_args(false)
      ->group(data);
  app.add_option("--output-prefix", line.measure.output_prefix,
                 "Write the last run's outputs to P.0.bin, P.1.bin...")
      ->group(data);
  app.add_option("--data", line.measure.data_file, "Labelled inputs, .npy, first axis = sample")->group(data);
  app.add_option("--labels", line.measure.labels_file, "Their labels, .npy")->group(data);
  app.add_option("--metric", line.measure.metric, "Default: by labels and shapes")
      ->check(CLI::IsMember({"accuracy", "auc", "rmse"}))
      ->group(data);
  const std::string runtime = "Runtime";
  app.add_option("--arena-bytes", line.arena_bytes, "Arena to run in (default: the smallest)")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 32))
      ->group(runtime);
  app.add_flag("--no-arena-search", line.no_arena_search, "Do not search the smallest arena that works")
      ->group(runtime);
  app.add_option("--memory", line.memory, "small: recompute multipliers at each run; fast: store them")
      ->capture_default_str()
      ->check(CLI::IsMember({"small", "fast"}))
      ->group(runtime);
  app.add_flag("--no-overlap", line.no_overlap, "Keep every tensor apart, for debugging")->group(runtime);
  app.add_option("--kernels", line.measure.kernels, "best, ref, or a variant that --version lists")
      ->capture_default_str()
      ->check(CLI::IsMember(host::KernelChoices()))
      ->group(runtime);
  app.add_option("--decompression", line.decompression, "When compressed weights are decoded")
      ->capture_default_str()
      ->check(CLI::IsMember({"per-use", "at-init", "streamed"}))
      ->group(runtime);
  app.add_option("--delegate", line.delegate, "An accelerator (none in this build)")->group(runtime);
  const std::string output = "Output";
  app.add_flag("--inspect", line.inspect, "Show what is in the model; do not run it")->group(output);
  app.add_flag("--plan", line.plan, "Draw the memory plan; do not run the model")->group(output);
  app.add_option("--format", line.format, "What to print")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->group(output);
  app.add_option("--export", line.exports, "Also write F.json, F.csv, F.trace.json or F.gbench.json")
      ->allow_extra_args(false)
      ->group(output);
}

// What CLI11 cannot check; empty if all is well.
std::string CheckUsage(const CommandLine& line) {
  const bool one = line.models.size() == 1;
  if (!one && !line.measure.input_files.empty()) return "--input works with one model only";
  if (!one && !line.measure.data_file.empty()) return "--data works with one model only";
  if (!one && !line.measure.output_prefix.empty()) return "--output-prefix works with one model only";
  if (line.measure.data_file.empty() != line.measure.labels_file.empty())
    return "--data and --labels go together";
  if (!line.measure.metric.empty() && line.measure.data_file.empty())
    return "--metric needs --data and --labels";
  if (!line.delegate.empty()) return fmt::format("--delegate {}: this build has no delegates", line.delegate);
  if (line.decompression == "streamed") {
    return "--decompression streamed: this build has no streaming kernels; use per-use or at-init";
  }
  for (const std::string& path : line.exports) {
    if (WriterFor(path) == nullptr) {
      return fmt::format("--export {}: the name must end in .json, .csv, .trace.json or .gbench.json", path);
    }
  }
  return "";
}

int Run(const CommandLine& line) {
  host::BenchmarkReport report;
  report.environment = host::DescribeEnvironment(kProgram);
  bool refused = false;
  for (const std::string& path : line.models) {
    host::ModelResult result;
    try {
      const host::ModelFile file = host::ReadModelFile(path);
      if (line.inspect || line.plan) {
        if (line.inspect) fmt::print("{}", InspectModel(file, line.measure.interpreter));
        if (line.plan) fmt::print("{}", DrawMemoryPlan(file, line.measure.interpreter));
        continue;
      }
      result = Measure(file, line.measure);
    } catch (const host::BadInput& refusal) {
      fmt::print(stderr, "{}\n", refusal.what());
      result = {.path = path, .error = refusal.what()};
      refused = true;
    }
    report.results.push_back(result);
  }
  if (!line.inspect && !line.plan) {
    fmt::print("{}", kFormats.at(line.format)(report));
    for (const std::string& path : line.exports) {
      const std::string text = WriterFor(path)(report);
      host::WriteFileBytes(path, text.data(), text.size());
    }
  }
  return refused ? kExitBadInput : 0;
}

int Main(int argc, char** argv) {
  CLI::App app("Measures .tflite models: size, arena, inference time, per operator.", kProgram);
  CommandLine line;
  Declare(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : kExitUsage;
  }
  if (const std::string problem = CheckUsage(line); !problem.empty()) {
    fmt::print(stderr, "{}: {}; try --help\n", kProgram, problem);
    return kExitUsage;
  }
  if (line.runs > 0) line.measure.runs = line.runs;
  if (app.count("--arena-bytes") > 0) line.measure.arena_bytes = line.arena_bytes;
  line.measure.arena_search = !line.no_arena_search;
  line.measure.interpreter.policy = line.memory == "fast" ? MemoryPolicy::kFast : MemoryPolicy::kSmall;
  line.measure.interpreter.overlap = !line.no_overlap;
  line.measure.interpreter.decompression =
      line.decompression == "at-init" ? DecompressionPolicy::kAtInit : DecompressionPolicy::kPerUse;
  line.measure.interpreter.cpu_features = host::KernelFeatures(line.measure.kernels);
  try {
    return Run(line);
  } catch (const host::BadInput& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kExitBadInput;
  }
}

}  // namespace
}  // namespace lutra::bench

int main(int argc, char** argv) { return lutra::bench::Main(argc, argv); }

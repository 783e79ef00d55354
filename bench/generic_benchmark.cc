// SPDX-License-Identifier: Apache-2.0
// generic_benchmark MODEL [MODEL...]: model size, arena, inference time, per operator.
//
// Parses the command line, measures, writes. Exit codes: 0 success, 2 bad usage, 3 bad input.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <memory>

#include "bench/firmware.h"
#include "bench/inspect.h"
#include "bench/measure.h"
#include "bench/traffic.h"
#include "bench/writers.h"
#include "delegates/delegates.h"
#include "host/command_line.h"
#include "host/decompression_policy.h"
#include "host/environment.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "host/run_main.h"
#include "host/scores.h"

namespace lutra::bench {
namespace {

constexpr char kProgram[] = "generic_benchmark";

struct CommandLine {
  std::vector<std::string> models;
  MeasureOptions measure;
  int runs = 0;
  double max_seconds = kMostSeconds;
  uint64_t arena_bytes = 0;
  std::string memory = "fast";
  std::string repack = "auto";
  std::string decompression = "per-use";
  std::vector<size_t> region_bytes;
  std::list<host::AlignedBytes> memory_of_regions;
  std::vector<AlternateMemoryRegion> regions;
  std::string delegate;
  std::string delegate_options;
  std::unique_ptr<delegates::ChosenDelegates> chosen;
  std::string traffic;
  bool no_overlap = false;
  bool no_arena_search = false;
  std::string firmware;
  bool inspect = false;
  bool plan = false;
  std::string format = "table";
  std::vector<std::string> exports;

  // Nothing is measured.
  bool only_describes() const { return inspect || plan || !firmware.empty(); }
};

// The names that --format takes.
std::vector<std::string> Formats() {
  std::vector<std::string> formats;
  for (const Writer& writer : kWriters) {
    if (*writer.format != '\0') formats.emplace_back(writer.format);
  }
  return formats;
}

// The endings of the files that --export writes, with `before` before each: "F.json, F.csv or F.trace.json".
std::string Endings(const std::string& before) {
  std::vector<std::string> endings;
  for (const Writer& writer : kWriters) {
    if (*writer.ending != '\0') endings.push_back(before + writer.ending);
  }
  const std::string last = endings.back();
  endings.pop_back();
  return fmt::format("{} or {}", fmt::join(endings, ", "), last);
}

const Writer& WriterOf(const std::string& format) {
  return *std::find_if(std::begin(kWriters), std::end(kWriters),
                       [&](const Writer& writer) { return writer.format == format; });
}

// The writer for an --export file; null if its name has none of the endings.
const Writer* WriterFor(const std::string& path) {
  const Writer* found = nullptr;
  for (const Writer& writer : kWriters) {
    const std::string_view ending = writer.ending;
    if (ending.empty() || !path.ends_with(ending)) continue;
    if (found == nullptr || ending.size() > std::string_view(found->ending).size()) found = &writer;
  }
  return found;
}

// A check of --kernels that ends the program as --version does, which needs no model either.
std::string PrintIfList(const std::string& kernels) {
  if (kernels == "list") throw CLI::CallForVersion(host::KernelTablesText(), 0);
  return "";
}

void DeclareRuntime(CLI::App& app, CommandLine& line) {
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
  app.add_option("--repack", line.repack,
                 "auto: kernels pack weights as the memory policy says; never: they do without")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "never"}))
      ->group(runtime);
  app.add_flag("--no-overlap", line.no_overlap, "Keep every tensor apart, for debugging")->group(runtime);
  app.add_option("--kernels", line.measure.kernels,
                 "best, ref, or a variant that --version lists; list: print those of each kernel and end")
      ->capture_default_str()
      ->check(PrintIfList)
      ->check(CLI::IsMember(host::KernelChoices()))
      ->group(runtime);
  app.add_option("--decompression", line.decompression, "When compressed weights are decoded")
      ->capture_default_str()
      ->check(CLI::IsMember(host::DecompressionChoices()))
      ->group(runtime);
  app.add_option("--decompression-memory", line.region_bytes,
                 "Regions outside the arena, of so many bytes each, where tensors are decoded that fit")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32))
      ->group(runtime);
  app.add_option(
         "--delegate", line.delegate,
         "What takes nodes off the CPU; several in order of preference: D,E. " + delegates::DelegateHelp())
      ->group(runtime);
  app.add_option("--delegate-options", line.delegate_options, "Options of the delegate: k=v,...")
      ->group(runtime);
}

void Declare(CLI::App& app, CommandLine& line) {
  app.footer(
      "Example:\n  generic_benchmark models/kws.tflite\n\n"
      "Exit codes: 0 success, 2 bad usage, 3 bad input (file, model or data).\n"
      "An input's bytes are made from the seed unless --input gives them; those that are indices\n"
      "of a GATHER lie inside its table.");
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.add_option("MODEL", line.models, "One .tflite file, or several to compare")->required();
  const std::string measuring = "Measuring";
  app.add_option("--runs", line.runs,
                 "Inferences to time (default: at least 10 and 1 s); --max-seconds may end them before")
      ->check(CLI::Range(1, 1000000000))
      ->group(measuring);
  app.add_option("--warmup", line.measure.warmup, "Inferences before that")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000000))
      ->group(measuring);
  app.add_option(
         "--max-seconds", line.max_seconds,
         fmt::format("Stop timing after this long; a number of runs ends it too (default: {}, and with "
                     "--runs no limit)",
                     kMostSeconds))
      ->check(CLI::PositiveNumber)
      ->group(measuring);
  app.add_flag("--against-ref", line.measure.against_ref,
               "Time each operator with the reference kernels, too, in turns")
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
  DeclareRuntime(app, line);
  const std::string output = "Output";
  app.add_flag("--inspect", line.inspect, "Show what is in the model; do not run it")->group(output);
  app.add_flag("--plan", line.plan, "Draw the memory plan; do not run the model")->group(output);
  app.add_option("--firmware", line.firmware,
                 "Tell what a firmware for this platform needs (32: any of 32 bits); do not run the model")
      ->check(CLI::IsMember(host::BoardNames()))
      ->group(output);
  app.add_option("--traffic", line.traffic,
                 "Count what would move between the memories of this chip, with and without compression")
      ->check(CLI::IsMember({"gap9"}))
      ->group(output);
  app.add_option("--format", line.format, "What to print")
      ->capture_default_str()
      ->check(CLI::IsMember(Formats()))
      ->group(output);
  app.add_option("--export", line.exports, "Also write " + Endings("F"))
      ->allow_extra_args(false)
      ->group(output);
}

// Checks the command line where CLI11 cannot; empty if all is well.
std::string CheckUsage(const CommandLine& line) {
  const bool one = line.models.size() == 1;
  if (!one && !line.measure.input_files.empty()) return "--input works with one model only";
  if (!one && !line.measure.data_file.empty()) return "--data works with one model only";
  if (!one && !line.measure.output_prefix.empty()) return "--output-prefix works with one model only";
  if (line.measure.data_file.empty() != line.measure.labels_file.empty())
    return "--data and --labels go together";
  if (!line.measure.metric.empty() && line.measure.data_file.empty())
    return "--metric needs --data and --labels";
  if (line.measure.against_ref && line.only_describes())
    return "--against-ref measures; --inspect, --plan and --firmware measure nothing";
  if (!line.traffic.empty() && line.only_describes())
    return "--traffic stands beside what was measured; --inspect, --plan and --firmware measure nothing";
  if (!line.exports.empty() && line.only_describes())
    return "--export writes what was measured; --inspect, --plan and --firmware measure nothing";
  for (const std::string& path : line.exports) {
    if (WriterFor(path) == nullptr) {
      return fmt::format("--export {}: the name must end in {}", path, Endings(""));
    }
  }
  return "";
}

// Why a model was refused. Data that nobody gave can be given.
std::string Refusal(const CommandLine& line, const host::BadInput& refusal) {
  std::string text = refusal.what();
  const bool is_seeded = line.measure.input_files.empty();
  if (is_seeded && text.find(": runtime-") != std::string::npos)
    text += ", which --seed made: name it with --input";
  return text;
}

int Run(const CommandLine& line) {
  const std::vector<host::OutputFile> exports(line.exports.begin(), line.exports.end());
  host::ResultFile file;
  file.environment = host::DescribeEnvironment(kProgram);
  std::vector<host::ModelResult>& results = file.models.emplace();
  bool refused = false;
  for (const std::string& path : line.models) {
    host::ModelResult result;
    try {
      const host::ModelFile model = host::ReadModelFile(path);
      if (line.only_describes()) {
        if (!line.firmware.empty()) fmt::print("{}", DescribeFirmware(model, host::BoardOf(line.firmware)));
        if (line.inspect) fmt::print("{}", InspectModel(model, line.measure));
        if (line.plan) fmt::print("{}", DrawMemoryPlan(model, line.measure));
        continue;
      }
      result = Measure(model, line.measure);
      if (line.traffic == "gap9") result.traffic = Gap9Traffic(model.model);
    } catch (const host::BadInput& refusal) {
      result = {.path = path, .error = Refusal(line, refusal)};
    } catch (const std::bad_alloc& failure) {
      result = {.path = path, .error = path + ": " + host::MemoryText(failure)};
    }
    if (result.refused()) {
      fmt::print(stderr, "{}\n", result.error);
      refused = true;
    }
    if (!result.refused() && result.inference.runs < line.runs) {
      fmt::print(stderr, "{}: {} of {} runs; --max-seconds {} ended them\n", host::Printable(path),
                 result.inference.runs, line.runs, line.max_seconds);
    }
    if (result.evaluation && result.evaluation->confidence_interval) {
      fmt::print(stderr, "{}",
                 host::FewSamplesWarning(line.measure.data_file + ": data", result.evaluation->count));
    }
    const std::string note = ClockNote(result, file.environment.clock_resolution_ns);
    if (!note.empty()) file.environment.noise.push_back(note);
    results.push_back(std::move(result));
  }
  if (!line.only_describes()) {
    fmt::print("{}", WriterOf(line.format).write(file));
    for (size_t i = 0; i < exports.size(); ++i) exports[i].Write(WriterFor(line.exports[i])->write(file));
  }
  return refused ? host::kExitBadInput : host::kExitOk;
}

// Sets up the measurement as the options say.
void Complete(const CLI::App& app, CommandLine* line) {
  if (line->runs > 0) line->measure.runs = line->runs;
  if (app.count("--max-seconds") > 0) line->measure.max_seconds = line->max_seconds;
  if (app.count("--arena-bytes") > 0) line->measure.arena_bytes = line->arena_bytes;
  line->measure.arena_search = !line->no_arena_search;
  line->measure.interpreter.policy = line->memory == "fast" ? MemoryPolicy::kFast : MemoryPolicy::kSmall;
  line->measure.interpreter.repack = line->repack == "auto";
  line->measure.interpreter.overlap = !line->no_overlap;
  line->measure.interpreter.decompression = host::DecompressionPolicyOf(line->decompression);
  for (const size_t bytes : line->region_bytes) {
    line->memory_of_regions.emplace_back(bytes);
    line->regions.push_back({line->memory_of_regions.back().data(), bytes});
  }
  line->measure.regions = {line->regions.data(), line->regions.size()};
  line->chosen = std::make_unique<delegates::ChosenDelegates>(line->delegate, line->delegate_options);
  line->measure.delegates = line->chosen->list();
  line->measure.interpreter.cpu_features = host::KernelFeatures(line->measure.kernels);
}

int Main(int argc, char** argv) {
  CLI::App app("Measures .tflite models: size, arena, inference time, per operator.", kProgram);
  CommandLine line;
  Declare(app, line);
  return host::ParseAndRun(app, argc, argv, [&] {
    if (const std::string problem = CheckUsage(line); !problem.empty()) throw host::BadUsage(problem);
    Complete(app, &line);
    return Run(line);
  });
}

}  // namespace
}  // namespace lutra::bench

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::bench::kProgram, lutra::bench::Main, argc, argv);
}

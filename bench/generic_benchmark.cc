// SPDX-License-Identifier: Apache-2.0
// generic_benchmark MODEL [MODEL...]: model size, arena, inference time, per operator.
//
// Parses the command line, measures, writes. Exit codes: 0 success, 1 worse than the baseline, 2 bad usage, 3
// bad input.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <memory>

#include "bench/baseline.h"
#include "bench/firmware.h"
#include "bench/inspect.h"
#include "bench/measure.h"
#include "bench/traffic.h"
#include "bench/turns.h"
#include "bench/writers.h"
#include "delegates/delegates.h"
#include "host/command_line.h"
#include "host/decompression_policy.h"
#include "host/environment.h"
#include "host/output_file.h"
#include "host/plan_picture.h"
#include "host/printable.h"
#include "host/result_json.h"
#include "host/run_main.h"
#include "host/scores.h"
#include "host/sign_checks.h"
#include "sdk/kernel_library.h"

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
  std::string baseline;
  std::string against;
  int turns = 60;
  double timeout_seconds = 600;
  double max_increase_percent = host::kUsualIncreasePercent;

  bool has_baseline() const { return !baseline.empty() || !against.empty(); }

  // Returns whether nothing is measured.
  bool only_describes() const { return inspect || plan || !firmware.empty(); }
};

// Returns the names that --format takes.
std::vector<std::string> Formats() {
  std::vector<std::string> formats;
  for (const Writer& writer : kWriters) {
    if (*writer.format != '\0') formats.emplace_back(writer.format);
  }
  return formats;
}

// Returns the endings of the files that --export writes, with `before` before each: "F.json, F.csv or
// F.trace.json".
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

// Returns the writer for an --export file; null if its name has none of the endings.
const Writer* WriterFor(const std::string& path) {
  const Writer* found = nullptr;
  for (const Writer& writer : kWriters) {
    const std::string_view ending = writer.ending;
    if (ending.empty() || !path.ends_with(ending)) continue;
    if (found == nullptr || ending.size() > std::string_view(found->ending).size()) found = &writer;
  }
  return found;
}

// Checks --kernels and, for a list, ends the program as --version does, which needs no model, either.
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
                 "best, ref, or a variant that --version lists; ./my.so: a library (sdk/); list: print those "
                 "of each kernel and end")
      ->capture_default_str()
      ->check(PrintIfList)
      ->check(CLI::Validator(sdk::CheckKernels, sdk::NamesOfKernels()))
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

void DeclareBaseline(CLI::App& app, CommandLine& line) {
  const std::string group = "Baseline";
  app.add_option("--baseline", line.baseline,
                 "JSON of an old run: exit code 1 if a figure is gone, bytes grew, outputs changed, a score "
                 "fell, or the time grew by more than --max-increase-percent and than equal runs differ by")
      ->group(group);
  app.add_option("--against", line.against,
                 "An old generic_benchmark, which runs in turns with this one: exit code 1 as above; slower "
                 "means p < 0.001 and the whole interval above --max-increase-percent")
      ->group(group);
  app.add_option("--turns", line.turns, "How often each of the two runs")
      ->capture_default_str()
      ->check(CLI::Range(static_cast<int>(host::kLeastTurns), 10000))
      ->group(group);
  app.add_option("--timeout", line.timeout_seconds,
                 "Seconds after which a process of --against counts as hanging and is ended")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1e6))
      ->group(group);
  app.add_option("--max-increase-percent", line.max_increase_percent, "By so much the time may grow")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6))
      ->group(group);
}

void Declare(CLI::App& app, CommandLine& line) {
  app.footer(
      "Example:\n  generic_benchmark models/kws.tflite\n\n"
      "Exit codes: 0 success, 1 worse than the baseline, 2 bad usage, 3 bad input (file, model or data).\n"
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
      ->check(host::PositiveNumber())
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
  DeclareBaseline(app, line);
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

// Checks the command line for errors that CLI11 cannot find; returns an empty text if there are none.
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
  const auto is_svg = [](const std::string& path) { return path.ends_with(".svg"); };
  const bool exports_plan = line.plan && std::all_of(line.exports.begin(), line.exports.end(), is_svg);
  if (!line.exports.empty() && line.only_describes() && !exports_plan)
    return "--export writes what was measured, which --inspect, --plan and --firmware do not; beside --plan, "
           "F.svg";
  if (line.has_baseline() && line.only_describes())
    return "--baseline and --against judge what was measured; --inspect, --plan and --firmware measure "
           "nothing";
  if (line.format != "table" && line.only_describes()) {
    return fmt::format("--format {} has what was measured; --inspect, --plan and --firmware print text alone",
                       line.format);
  }
  const bool has_data = !line.measure.input_files.empty() || !line.measure.data_file.empty();
  if ((has_data || !line.measure.output_prefix.empty()) && line.only_describes()) {
    return "--input, --data and --output-prefix are of a run; --inspect, --plan and --firmware do not run "
           "the "
           "model";
  }
  if (!line.baseline.empty() && !line.against.empty()) return "--baseline or --against, not both";
  if (std::string problem = sdk::CheckDecompression(line.measure.kernels, line.decompression);
      !problem.empty())
    return problem;
  for (const std::string& path : line.exports) {
    const Writer* const writer = WriterFor(path);
    if (writer == nullptr) return fmt::format("--export {}: the name must end in {}", path, Endings(""));
    if (writer->one_model && !one) return fmt::format("--export {} works with one model only", path);
  }
  return "";
}

// Returns why a model was refused, and for missing data the option that gives it.
std::string Refusal(const CommandLine& line, const host::BadInput& refusal) {
  std::string text = refusal.what();
  const bool is_seeded = line.measure.input_files.empty();
  if (is_seeded && text.find(": runtime-") != std::string::npos)
    text += ", which --seed made: name it with --input";
  return text;
}

// Returns the options that the old and the new program get in their turns.
std::vector<std::string> ArgumentsOfTurns(const CommandLine& line, const std::string& path) {
  std::vector<std::string> arguments = {"--memory=" + line.memory, "--kernels=" + line.measure.kernels,
                                        "--decompression=" + line.decompression,
                                        fmt::format("--seed={}", line.measure.seed)};
  // Default options are left out, as an old program may not know them.
  if (line.repack != "auto") arguments.push_back("--repack=" + line.repack);
  if (line.no_overlap) arguments.push_back("--no-overlap");
  // Else the old program alone would have the smallest arena.
  if (line.no_arena_search) arguments.push_back("--no-arena-search");
  if (!line.region_bytes.empty())
    arguments.push_back(fmt::format("--decompression-memory={}", fmt::join(line.region_bytes, ",")));
  if (!line.delegate.empty()) arguments.push_back("--delegate=" + line.delegate);
  if (!line.delegate_options.empty()) arguments.push_back("--delegate-options=" + line.delegate_options);
  for (const std::string& file : line.measure.input_files) arguments.push_back("--input=" + file);
  arguments.insert(arguments.end(), {"--", path});
  return arguments;
}

BaselineVerdict HoldAgainstBaseline(const CommandLine& line, const host::ResultFile& baseline,
                                    int64_t step_ns, host::ModelResult* result) {
  host::ModelResult old;
  if (line.against.empty()) {
    old = RunLike(*result, baseline, line.baseline);
  } else {
    OldRun run =
        RunInTurns(line.against, ArgumentsOfTurns(line, result->path), line.turns, line.timeout_seconds);
    old = std::move(run.result);
    result->against = std::move(run.against);
  }
  return HoldAgainst(old, *result, line.max_increase_percent, step_ns);
}

// Prints to stderr what a reader of the result should know.
void TellLimits(const CommandLine& line, const host::ModelResult& result) {
  if (result.refused()) fmt::print(stderr, "{}\n", result.error);
  if (!result.refused() && result.inference.runs < line.runs) {
    fmt::print(stderr, "{}: {} of {} runs; --max-seconds {} ended them\n", host::Printable(result.path),
               result.inference.runs, line.runs, line.max_seconds);
  }
  if (result.evaluation && result.evaluation->confidence_interval) {
    fmt::print(stderr, "{}",
               host::FewSamplesWarning(line.measure.data_file + ": data", result.evaluation->count));
  }
}

// A refused model has a result with its error.
host::ModelResult MeasureOrRefuse(const CommandLine& line, const std::string& path) {
  try {
    const host::ModelFile model = host::ReadModelFile(path);
    host::ModelResult result = Measure(model, line.measure);
    if (line.traffic == "gap9") result.traffic = Gap9Traffic(model.model);
    return result;
  } catch (const host::BadInput& refusal) {
    return {.path = path, .error = Refusal(line, refusal)};
  } catch (const std::bad_alloc& failure) {
    return {.path = path, .error = path + ": " + host::MemoryText(failure)};
  }
}

// Prints the texts of --firmware, --inspect and --plan. Returns whether a model was refused.
bool ShowModels(const CommandLine& line) {
  const std::vector<host::OutputFile> exports(line.exports.begin(), line.exports.end());
  bool refused = false;
  for (const std::string& path : line.models) {
    std::string error;
    try {
      const host::ModelFile model = host::ReadModelFile(path);
      for (const host::OutputFile& file : exports) {
        file.Write(host::PlanSvg(PlanArena(model, line.measure), host::PictureFor::kFile));
      }
      if (!line.firmware.empty()) fmt::print("{}", DescribeFirmware(model, host::BoardOf(line.firmware)));
      if (line.inspect) fmt::print("{}", InspectModel(model, line.measure));
      if (line.plan) fmt::print("{}", DrawMemoryPlan(model, line.measure));
    } catch (const host::BadInput& refusal) {
      error = Refusal(line, refusal);
    } catch (const std::bad_alloc& failure) {
      error = path + ": " + host::MemoryText(failure);
    }
    if (error.empty()) continue;
    fmt::print(stderr, "{}\n", error);
    refused = true;
  }
  return refused;
}

int Run(const CommandLine& line) {
  if (line.only_describes()) return ShowModels(line) ? host::kExitBadInput : host::kExitOk;
  const std::vector<host::OutputFile> exports(line.exports.begin(), line.exports.end());
  host::ResultFile baseline;
  if (!line.baseline.empty())
    baseline = host::ParseResultJson(host::ReadInputText(line.baseline), line.baseline);
  host::ResultFile file;
  file.environment = host::DescribeEnvironment(kProgram);
  std::vector<host::ModelResult>& results = file.models.emplace();
  bool refused = false, is_worse = false, lacks_baseline = false;
  std::string told;
  for (const std::string& path : line.models) {
    host::ModelResult result = MeasureOrRefuse(line, path);
    TellLimits(line, result);
    refused = refused || result.refused();
    if (line.has_baseline() && !result.refused()) {
      try {
        const BaselineVerdict verdict =
            HoldAgainstBaseline(line, baseline, file.environment.clock_resolution_ns, &result);
        told += verdict.text;
        is_worse |= verdict.is_worse;
      } catch (const host::BadInput& failure) {
        // The measurements of this model and of others are still printed and written.
        fmt::print(stderr, "{}\n", failure.what());
        lacks_baseline = true;
      }
    }
    const std::string note = ClockNote(result, file.environment.clock_resolution_ns);
    if (!note.empty()) file.environment.noise.push_back(note);
    results.push_back(std::move(result));
  }
  // Files first: who reads stdout may stop, which ends this program. One that cannot be written keeps nothing
  // else from being told.
  bool lacks_file = false;
  for (size_t i = 0; i < exports.size(); ++i) {
    try {
      exports[i].Write(WriterFor(line.exports[i])->write(file));
    } catch (const host::BadInput& failure) {
      fmt::print(stderr, "{}\n", failure.what());
      lacks_file = true;
    }
  }
  fmt::print("{}", WriterOf(line.format).write(file));
  fmt::print(line.format == "table" ? stdout : stderr, "{}", told);
  if (refused || lacks_baseline || lacks_file) return host::kExitBadInput;
  return is_worse ? host::kExitWrong : host::kExitOk;
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
  sdk::UseKernels(line->measure.kernels, &line->measure.interpreter);
  for (const size_t bytes : line->region_bytes) {
    line->memory_of_regions.emplace_back(bytes);
    line->regions.push_back({line->memory_of_regions.back().data(), bytes});
  }
  line->measure.regions = {line->regions.data(), line->regions.size()};
  line->chosen = std::make_unique<delegates::ChosenDelegates>(line->delegate, line->delegate_options);
  line->measure.delegates = line->chosen->list();
}

int Main(int argc, char** argv) {
  CLI::App app("Measures .tflite models: size, arena, inference time, per operator.", kProgram);
  CommandLine line;
  Declare(app, line);
  return host::ParseAndRun(app, argc, argv, [&] {
    if (const std::string problem = CheckUsage(line); !problem.empty()) throw host::BadUsage(problem);
    Complete(app, &line);
    const int exit_code = Run(line);
    sdk::TellDeclined(line.measure.kernels);
    return exit_code;
  });
}

}  // namespace
}  // namespace lutra::bench

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::bench::kProgram, lutra::bench::Main, argc, argv);
}

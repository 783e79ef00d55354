// SPDX-License-Identifier: Apache-2.0
// compare_runtimes MODEL [MODEL...] | --shapes [--against LIBRARY.so]: whole networks side by side, in one
// process.
//
// Exit codes: 0 success, 1 a runtime gave outputs of another number or size, 2 bad usage, 3 bad input.

#include <fmt/format.h>

#include <algorithm>

#include "bench/compare/compare.h"
#include "bench/compare/networks.h"
#include "host/command_line.h"
#include "host/environment.h"
#include "host/output_file.h"
#include "host/progress.h"
#include "host/run_main.h"
#include "host/sign_checks.h"

namespace lutra::bench {
namespace {

constexpr char kComparer[] = "compare_runtimes";

struct Arguments {
  std::vector<std::string> models;
  std::vector<std::string> libraries;
  bool ref = false;
  bool shapes = false;
  std::string only;
  CompareOptions compare;
  std::string format = "table";
  std::string exported;
};

void DeclareOptions(CLI::App& app, Arguments& arguments) {
  app.footer(
      "Example:\n  compare_runtimes models/*.tflite --against libtensorflowlite_c.so\n\n"
      "Exit codes: 0 success, 1 a runtime's outputs have another number or size, 2 bad usage, 3 bad input.\n"
      "All run on one thread and take turns; the first is this runtime, the ratios are times of it.");
  app.set_version_flag("--version", host::VersionText(kComparer));
  app.add_option("MODEL", arguments.models, ".tflite files");
  app.add_flag("--shapes", arguments.shapes,
               "Instead of models, forty layers of shapes that nobody tunes for; the reference kernels too");
  app.add_option("--only", arguments.only, "Of the shapes, those whose names contain this: 'dw', '131x131'");
  app.add_option("--against", arguments.libraries,
                 "A shared library with TensorFlow Lite's C API or LiteRT's (libLiteRt.so); once for each")
      ->allow_extra_args(false);
  app.add_flag("--ref", arguments.ref, "This runtime's reference kernels too");
  app.add_option("--seed", arguments.compare.seed, "Seed of the input bytes")->capture_default_str();
  app.add_option("--seconds", arguments.compare.seconds, "For each model, all runtimes together")
      ->capture_default_str()
      ->check(host::PositiveNumber())
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--format", arguments.format, "What to print")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "json"}));
  app.add_option("--export", arguments.exported, "Also write F.json");
}

// A model to compare, which open() reads or makes when its turn comes.
struct Entrant {
  std::string name;
  std::function<host::ModelFile()> open;
};

std::vector<Entrant> Entrants(const Arguments& arguments) {
  std::vector<Entrant> entrants;
  for (const std::string& path : arguments.models) {
    entrants.push_back({path, [path] { return host::ReadModelFile(path); }});
  }
  if (!arguments.shapes) return entrants;
  for (Network& network : SingleLayers(arguments.compare.seed, arguments.only)) {
    const std::string name = network.name;
    entrants.push_back({name, [network = std::move(network)] {
                          host::AlignedBytes bytes(network.bytes.size());
                          std::copy(network.bytes.begin(), network.bytes.end(), bytes.data());
                          return host::CheckModelFile(network.name, std::move(bytes));
                        }});
  }
  return entrants;
}

// Checks the command line where CLI11 cannot.
void CheckArguments(const Arguments& arguments) {
  if (arguments.shapes && !arguments.models.empty()) {
    throw host::BadUsage("--shapes brings its own models; leave MODEL out");
  }
  if (!arguments.shapes && !arguments.only.empty()) throw host::BadUsage("--only works with --shapes only");
  if (!arguments.shapes && arguments.models.empty()) throw host::BadUsage("MODEL is required, or --shapes");
  if (!arguments.shapes && !arguments.ref && arguments.libraries.empty()) {
    throw host::BadUsage("--against LIBRARY.so is required, or --ref; ./dev bench --compare adds LiteRT's");
  }
}

int RunComparison(const Arguments& arguments) {
  CheckArguments(arguments);
  const host::OutputFile output(arguments.exported);
  ComparisonFile file;
  file.environment = host::DescribeEnvironment(kComparer);
  file.runtimes.push_back(LutraRuntime("lutra", "best"));
  if (arguments.ref || arguments.shapes) file.runtimes.push_back(LutraRuntime("ref", "ref"));
  for (const std::string& library : arguments.libraries) file.runtimes.push_back(LibraryRuntime(library));
  int code = host::kExitOk;
  const std::vector<Entrant> entrants = Entrants(arguments);
  if (entrants.empty()) throw host::BadUsage("--only " + arguments.only + ": no shape's name contains it");
  for (const Entrant& entrant : entrants) {
    const host::Progress progress(entrant.name + ": comparing");
    Comparison comparison;
    try {
      comparison = Compare(entrant.open(), file.runtimes, arguments.compare);
    } catch (const host::BadInput& refusal) {
      comparison = {.path = entrant.name, .error = refusal.what()};
      fmt::print(stderr, "{}\n", refusal.what());
      code = host::kExitBadInput;
    }
    for (const Side& side : comparison.sides) {
      if (side.is_wrong && code == host::kExitOk) code = host::kExitWrong;
    }
    file.comparisons.push_back(std::move(comparison));
  }
  const auto write = arguments.format == "json" ? WriteComparisonJson
                     : arguments.shapes         ? WriteShapesTable
                                                : WriteComparisonTable;
  fmt::print("{}", write(file));
  output.Write(WriteComparisonJson(file));
  return code;
}

int CompareMain(int argc, char** argv) {
  CLI::App app("Times .tflite models in this runtime and in others, side by side.", kComparer);
  Arguments arguments;
  DeclareOptions(app, arguments);
  return host::ParseAndRun(app, argc, argv, [&] { return RunComparison(arguments); });
}

}  // namespace
}  // namespace lutra::bench

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::bench::kComparer, lutra::bench::CompareMain, argc, argv);
}

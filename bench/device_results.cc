// SPDX-License-Identifier: Apache-2.0
// device_results LOG...: what programs on a device printed, as the JSON of generic_benchmark.
//
// Exit codes: 0 success, 2 bad usage, 3 bad input.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "bench/ctest_junit.h"
#include "bench/device_log.h"
#include "bench/tflm_log.h"
#include "host/command_line.h"
#include "host/environment.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/result_json.h"
#include "host/run_main.h"

namespace lutra::bench {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "device_results";

struct CommandLine {
  std::vector<std::string> logs, tflm_logs, model_folders;
  int64_t ticks_per_second = 0;
  host::Environment environment;
  std::string conformance, kernels, tests, output;
};

// Folders stand for the .log files in them.
std::vector<fs::path> LogFiles(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".log") found.push_back(entry.path());
    }
    if (found.empty()) {
      throw host::BadInput(fmt::format("{}: found no .log, required: a folder of logs", path));
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

int Run(CommandLine& line) {
  const host::OutputFile output(line.output);
  host::ResultFile file;
  const host::Environment host = host::DescribeEnvironment(kProgram);
  file.environment = line.environment;
  file.environment.program = kProgram;
  file.environment.version = host.version;
  file.environment.commit = host.commit;
  file.environment.date = host.date;
  file.environment.rounding = host.rounding;
  const std::vector<fs::path> folders(line.model_folders.begin(), line.model_folders.end());
  file.models = ReadDeviceLogs(LogFiles(line.logs), folders);
  TflmLogOptions tflm;
  if (line.ticks_per_second > 0) tflm.ticks_per_second = line.ticks_per_second;
  if (!line.tflm_logs.empty()) {
    for (const fs::path& log : LogFiles(line.tflm_logs))
      file.models->push_back(ReadTflmLog(log, folders, tflm));
  }
  if (!line.conformance.empty()) {
    file.conformance = host::ReadConformanceResult(line.conformance);
    if (const std::string missing = WhatIsMissing(*file.conformance); !missing.empty()) {
      throw host::BadInput(fmt::format("{}: {}", line.conformance, missing));
    }
  }
  if (!line.kernels.empty()) file.kernels = ReadKernelCounts(line.kernels);
  if (!line.tests.empty()) file.tests = ParseTests(host::ReadFileText(line.tests), line.tests);
  const std::string text = host::WriteResultJson(file);
  output.WriteOrPrint(text);
  return host::kExitOk;
}

int Main(int argc, char** argv) {
  CLI::App app("Turns what programs on a device printed (lines `lutra1 ...`) into a result file.", kProgram);
  app.footer(
      "Examples:\n  device_results --platform board --models models serial.log -o board.json\n"
      "  device_results --platform board-tflm --models models --tflm kws.log -o board-tflm.json\n\n"
      "Exit codes: 0 success, 2 bad usage, 3 bad input.");
  app.set_version_flag("--version", host::VersionText(kProgram));
  CommandLine line;
  host::Environment& environment = line.environment;
  CLI::Option* const models =
      app.add_option("--models", line.model_folders, "Folder of the models that ran; repeat it for more")
          ->allow_extra_args(false);
  app.add_option("LOG", line.logs, "Files, or folders of .log files; none, if there is another result")
      ->needs(models);
  CLI::Option* const tflm = app.add_option("--tflm", line.tflm_logs,
                                           "What TensorFlow Lite Micro's generic_model_benchmark or "
                                           "TensorFlow Lite's benchmark_model printed, "
                                           "or a folder of such .log files; repeat it for more")
                                ->allow_extra_args(false)
                                ->needs(models)
                                ->excludes("LOG");
  app.add_option("--ticks-per-second", line.ticks_per_second,
                 "Of the clock of generic_model_benchmark; without it its times are left out")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000'000}))
      ->needs(tflm);
  app.add_option("--platform", environment.platform, "What the results are called")->required();
  app.add_option("--cpu", environment.cpu, "The processor, or the emulator's command");
  app.add_option("--compiler", environment.compiler, "Of the programs");
  app.add_option("--build-type", environment.build_type, "Of the programs");
  app.add_option("--clock", environment.clock, "What times are measured with, if there are any");
  app.add_option("--command", environment.command, "How to measure this again");
  app.add_option("--conformance", line.conformance, "Results of `conformance run --results`, to be put in");
  app.add_option("--kernels", line.kernels, "What a counted run of run_variants printed, to be put in");
  app.add_option("--tests", line.tests, "What `ctest --output-junit` wrote, to be put in as counts");
  app.add_option("-o,--output", line.output, "Write here instead of standard output");
  return host::ParseAndRun(app, argc, argv, [&] {
    if (line.logs.empty() && line.tflm_logs.empty() && line.tests.empty() && line.conformance.empty()) {
      throw CLI::RequiredError("LOG, --tflm, --tests or --conformance");
    }
    return Run(line);
  });
}

}  // namespace
}  // namespace lutra::bench

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::bench::kProgram, lutra::bench::Main, argc, argv);
}

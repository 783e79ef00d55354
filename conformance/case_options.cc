// SPDX-License-Identifier: Apache-2.0

#include "conformance/case_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <thread>

#include "host/model_file.h"

namespace lutra::conformance {

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
  verb.add_option("--shard", options->shard, "i/n: the i-th of n parts")->capture_default_str()->group(group);
  verb.add_option("--golden", options->golden, "The folder of the frozen truth")->group(group);
}

std::vector<Case> ReadCases(const CaseOptions& options) {
  const std::string folder = options.smoke ? options.golden + "/smoke" : options.corpus;
  std::vector<Case> cases = TakeShard(
      folder.empty() ? GeneratedCases(options.filter) : CasesIn(folder, options.filter), options.shard);
  if (cases.empty()) {
    throw host::BadInput(
        fmt::format("--filter: found no case for \"{}\" (shard {}); `conformance list` names them",
                    options.filter, options.shard));
  }
  return cases;
}

void DeclareAdapterOptions(CLI::App& verb, AdapterOptions* options) {
  const std::string group = "Runtime";
  CLI::Option* runner =
      verb.add_option("--runner", options->runner,
                      "Command of an adapter (conformance/adapters/README.md); without: Lutra itself")
          ->group(group);
  verb.add_option("--kernels", options->kernels, "Lutra's kernels: best, ref or an instruction set")
      ->capture_default_str()
      ->group(group)
      ->excludes(runner);
  verb.add_option("--delegate", options->delegate, "Lutra's delegate")->group(group)->excludes(runner);
  verb.add_option("--timeout", options->timeout_ms, "Milliseconds for one case")
      ->capture_default_str()
      ->check(CLI::Range(1, 86400000))
      ->group(group);
  verb.add_option("--jobs", options->jobs, "Cases at a time; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024))
      ->group(group);
}

std::string AdapterCommand(const AdapterOptions& options) {
  if (!options.runner.empty()) return options.runner;
  std::string arguments = " --kernels '" + options.kernels + "'";
  if (!options.delegate.empty()) arguments += " --delegate '" + options.delegate + "'";
  return OwnAdapter(arguments);
}

int JobsOf(const AdapterOptions& options) {
  return options.jobs > 0 ? options.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace lutra::conformance

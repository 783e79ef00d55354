// SPDX-License-Identifier: Apache-2.0
// lutra_adapter: this project's runtime for the conformance runner.
//
// Exit codes: 0 success, 2 bad usage.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "conformance/adapters/lutra/case_runner.h"
#include "host/environment.h"

namespace lutra::conformance {
namespace {

constexpr char kProgram[] = "lutra_adapter";
constexpr int kExitUsage = 2;

int Main(int argc, char** argv) {
  CLI::App app("Answers the cases of the conformance runner with this project's runtime.", kProgram);
  std::string kernels = "best", decompression = "per-use", memory = "fast", delegate;
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.add_option("--kernels", kernels, "best, ref, or a variant that --version lists")
      ->capture_default_str()
      ->check(CLI::IsMember(host::KernelChoices()));
  app.add_option("--decompression", decompression, "When compressed weights are decoded")
      ->capture_default_str()
      ->check(CLI::IsMember({"per-use", "at-init"}));
  app.add_option("--memory", memory, "small: recompute multipliers at each run; fast: store them")
      ->capture_default_str()
      ->check(CLI::IsMember({"small", "fast"}));
  app.add_option("--delegate", delegate, "An accelerator (none in this build)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (!delegate.empty()) {
    fmt::print(stderr, "{}: --delegate {}: this build has no delegates; try --help\n", kProgram, delegate);
    return kExitUsage;
  }
  InterpreterOptions options;
  options.cpu_features = host::KernelFeatures(kernels);
  options.policy = memory == "fast" ? MemoryPolicy::kFast : MemoryPolicy::kSmall;
  options.decompression =
      decompression == "at-init" ? DecompressionPolicy::kAtInit : DecompressionPolicy::kPerUse;
  CaseRunner runner(options);
  return ServeCases(kProgram, RuntimeVersion(),
                    [&runner](const std::filesystem::path& folder) { return runner.Run(folder); });
}

}  // namespace
}  // namespace lutra::conformance

int main(int argc, char** argv) { return lutra::conformance::Main(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
// lutra_adapter: runs Lutra for the conformance runner.
//
// Exit codes: 0 success, 2 bad usage.

#include "conformance/adapters/lutra/case_runner.h"
#include "delegates/delegates.h"
#include "host/command_line.h"
#include "host/decompression_policy.h"
#include "host/environment.h"
#include "host/failures.h"
#include "host/run_main.h"
#include "sdk/kernel_library.h"
#include "sdk/user_kernels.h"

namespace lutra::conformance {
namespace {

constexpr char kProgram[] = "lutra_adapter";

// A case that the library's kernels did not compute is no evidence about them.
CaseAnswer RunOnLibrary(CaseRunner* runner, const std::filesystem::path& folder) {
  sdk::TakeCalls();
  CaseAnswer answer = runner->Run(folder);
  const char* const why_not = sdk::WhyNotJudged(sdk::TakeCalls());
  if (answer.kind == CaseAnswer::kOk && why_not != nullptr) return {CaseAnswer::kUnsupported, why_not};
  return answer;
}

int Main(int argc, char** argv) {
  CLI::App app("Answers the cases of the conformance runner with this project's runtime.", kProgram);
  std::string kernels = "best", decompression = "per-use", memory = "fast", delegate, delegate_options;
  std::vector<size_t> region_bytes;
  bool is_tight = false, only_delegated = false;
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.add_option("--kernels", kernels, "best, ref, or a variant that --version lists; ./my.so: a library")
      ->capture_default_str()
      ->check(CLI::Validator(sdk::CheckKernels, sdk::NamesOfKernels()));
  app.add_option("--decompression", decompression, "When compressed weights are decoded")
      ->capture_default_str()
      ->check(CLI::IsMember(host::DecompressionChoices()));
  app.add_option("--decompression-memory", region_bytes,
                 "Regions outside the arena, of so many bytes each, where tensors are decoded that fit")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(size_t{1}, size_t{1} << 30));
  app.add_flag("--tight-arena", is_tight,
               "Run each model again in its smallest arena, between pages that nobody may touch");
  app.add_option("--memory", memory, "small: recompute multipliers at each run; fast: store them")
      ->capture_default_str()
      ->check(CLI::IsMember({"small", "fast"}));
  app.add_option(
      "--delegate", delegate,
      "What takes nodes off the CPU; several in order of preference: D,E. " + delegates::DelegateHelp());
  app.add_option("--delegate-options", delegate_options, "Options of the delegate: k=v,...");
  app.add_flag("--only-delegated", only_delegated,
               "A case of which no delegate takes a node is unsupported, as it would judge the CPU");
  return host::ParseAndRun(app, argc, argv, [&] {
    const delegates::ChosenDelegates chosen(delegate, delegate_options);
    InterpreterOptions options;
    options.decompression = host::DecompressionPolicyOf(decompression);
    if (const std::string problem = sdk::CheckDecompression(kernels, decompression); !problem.empty())
      throw host::BadUsage(problem);
    sdk::UseKernels(kernels, &options);
    options.policy = memory == "fast" ? MemoryPolicy::kFast : MemoryPolicy::kSmall;
    CaseRunner runner({.interpreter = options,
                       .delegates = chosen.list(),
                       .region_bytes = region_bytes,
                       .is_tight = is_tight,
                       .only_delegated = only_delegated});
    const bool is_library = sdk::IsLibrary(kernels);
    if (is_library) sdk::GuardOutputs();
    return ServeCases(kProgram, RuntimeVersion(), [&](const std::filesystem::path& folder) {
      return is_library ? RunOnLibrary(&runner, folder) : runner.Run(folder);
    });
  });
}

}  // namespace
}  // namespace lutra::conformance

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::conformance::kProgram, lutra::conformance::Main, argc, argv);
}

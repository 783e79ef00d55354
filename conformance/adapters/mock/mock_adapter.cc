// SPDX-License-Identifier: Apache-2.0
// mock_adapter: this project's runtime with a fault, to test that the conformance runner sees it.
//
// Exit codes: 0 success, 2 bad usage.

#include <CLI/CLI.hpp>

#include "conformance/adapters/lutra/case_runner.h"
#include "conformance/adapters/mock/faults.h"

namespace lutra::conformance {
namespace {

constexpr int kExitUsage = 2;

int Main(int argc, char** argv) {
  CLI::App app("Answers the cases of the conformance runner with a fault of your choice.", "mock_adapter");
  std::string list = "Faults:\n";
  std::vector<std::string> names;
  for (const mock::Fault& fault : mock::Faults()) {
    names.push_back(fault.name);
    list += std::string("  ") + fault.name + ": " + fault.description + "\n";
  }
  app.footer(list);
  std::string name;
  int every = 1;
  app.add_option("--fault", name, "One of those below; without it all is right")->check(CLI::IsMember(names));
  app.add_option("--every", every, "Only at every Nth case")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  CaseRunner runner({});
  int count = 0;
  return ServeCases("mock_adapter", name.empty() ? "no-fault" : name,
                    [&](const std::filesystem::path& folder) {
                      const CaseAnswer answer = runner.Run(folder);
                      const mock::Fault* fault = mock::FindFault(name);
                      if (answer.kind == CaseAnswer::kOk && fault != nullptr && ++count % every == 0)
                        fault->apply(folder);
                      return answer;
                    });
}

}  // namespace
}  // namespace lutra::conformance

int main(int argc, char** argv) { return lutra::conformance::Main(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
// mock_adapter: Lutra with a fault, to test that the conformance runner notices it.
//
// Exit codes: 0 success, 2 bad usage.

#include <map>

#include "conformance/adapters/lutra/case_runner.h"
#include "conformance/adapters/mock/faults.h"
#include "conformance/adapters/mock/lies.h"
#include "host/command_line.h"
#include "host/run_main.h"

namespace lutra::conformance {
namespace {

constexpr char kProgram[] = "mock_adapter";

int Main(int argc, char** argv) {
  CLI::App app("Answers the cases of the conformance runner with a fault of your choice.", kProgram);
  std::string list = "Faults:\n";
  std::vector<std::string> names;
  std::map<std::string, const mock::Fault*> faults;
  for (const auto* group : {&mock::Faults(), &mock::Lies(), &mock::Greetings()}) {
    for (const mock::Fault& fault : *group) {
      faults[fault.name] = &fault;
      names.push_back(fault.name);
      list += std::string("  ") + fault.name + ": " + fault.description + "\n";
    }
  }
  app.footer(list);
  std::string name;
  int every = 1;
  app.add_option("--fault", name, "One of those below; without it all is right")->check(CLI::IsMember(names));
  app.add_option("--every", every, "Only at every Nth case")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  return host::ParseAndRun(app, argc, argv, [&] {
    const mock::Fault* const fault = name.empty() ? nullptr : faults.at(name);
    const bool greets = name.starts_with("greet-");
    if (greets) fault->apply({});
    CaseRunner runner;
    int count = 0;
    return ServeCases(kProgram, name.empty() ? "no-fault" : name, [&](const std::filesystem::path& folder) {
      const CaseAnswer answer = runner.Run(folder);
      const bool spoils = fault != nullptr && !greets && answer.kind == CaseAnswer::kOk;
      if (spoils && ++count % every == 0) fault->apply(folder);
      return answer;
    });
  });
}

}  // namespace
}  // namespace lutra::conformance

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::conformance::kProgram, lutra::conformance::Main, argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// The program `conformance`.

#include "conformance/commands.h"
#include "conformance/lint_delegate.h"
#include "conformance/lint_runtime.h"
#include "conformance/lint_trim.h"
#include "conformance/linter/lint_command.h"
#include "host/command_line.h"
#include "host/environment.h"
#include "host/run_main.h"

namespace lutra::conformance {
namespace {

constexpr char kProgram[] = "conformance";

int Main(int argc, char** argv) {
  CLI::App app("Does a runtime compute exactly what the TFLite int8 specification says?", kProgram);
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.require_subcommand(1);
  int exit_code = 0;
  AddRunCommand(app, &exit_code);
  AddCertifyCommand(app, &exit_code);
  AddIdentifyCommand(app, &exit_code);
  AddLintCommand(app, &exit_code, {DelegateLint(), RuntimeLint(), TrimLint()});
  AddModelCommand(app, &exit_code);
  AddSpecCommand(app);
  AddTypesCommand(app);
  AddBoundsCommand(app);
  AddListCommand(app);
  AddRulesCommand(app);
  AddExportCommand(app);
  AddMergeCommand(app, &exit_code);
  AddFreezeCommand(app, &exit_code);
  AddRuntimesCommand(app);
  AddFuzzCommand(app, &exit_code);
  AddMutateCommand(app, &exit_code);
  AddProveCommand(app, &exit_code);
  return host::ParseAndRun(app, argc, argv, [&] { return exit_code; });
}

}  // namespace
}  // namespace lutra::conformance

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::conformance::kProgram, lutra::conformance::Main, argc, argv);
}

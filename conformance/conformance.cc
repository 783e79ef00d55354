// SPDX-License-Identifier: Apache-2.0
// The program `conformance`.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "conformance/commands.h"
#include "conformance/linter/lint_command.h"
#include "host/environment.h"
#include "host/model_file.h"

namespace lutra::conformance {
namespace {

constexpr char kProgram[] = "conformance";
constexpr int kExitUsage = 2;
constexpr int kExitBadInput = 3;

int Main(int argc, char** argv) {
  CLI::App app("Does a runtime compute exactly what the TFLite int8 specification says?", kProgram);
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.require_subcommand(1);
  int exit_code = 0;
  AddRunCommand(app, &exit_code);
  AddIdentifyCommand(app);
  AddLintCommand(app, &exit_code);
  AddModelCommand(app);
  AddListCommand(app);
  AddExportCommand(app);
  AddMergeCommand(app, &exit_code);
  AddFreezeCommand(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : kExitUsage;
  } catch (const host::BadInput& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kExitBadInput;
  }
  return exit_code;
}

}  // namespace
}  // namespace lutra::conformance

int main(int argc, char** argv) { return lutra::conformance::Main(argc, argv); }

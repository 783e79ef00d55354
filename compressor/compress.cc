// SPDX-License-Identifier: Apache-2.0
// The program `compress`.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "compressor/commands.h"
#include "host/environment.h"
#include "host/model_file.h"

namespace lutra::compressor {
namespace {

constexpr char kProgram[] = "compress";
constexpr int kExitUsage = 2;
constexpr int kExitBadInput = 3;

int Main(int argc, char** argv) {
  CLI::App app("Makes the weights of .tflite models smaller.", kProgram);
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.require_subcommand(0, 1);
  int exit_code = 0;
  PackWithoutVerb pack(app);
  AddBinCommand(app);
  AddCurveCommand(app);
  AddUnpackCommand(app);
  AddConvertCommand(app);
  AddAlignCommand(app);
  AddInspectCommand(app);
  AddVerifyCommand(app, &exit_code);
  try {
    app.parse(argc, argv);
    pack.Run();
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
}  // namespace lutra::compressor

int main(int argc, char** argv) { return lutra::compressor::Main(argc, argv); }

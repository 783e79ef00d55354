// SPDX-License-Identifier: Apache-2.0
// The program `compress`.

#include "compressor/commands.h"
#include "host/command_line.h"
#include "host/environment.h"
#include "host/run_main.h"

namespace lutra::compressor {
namespace {

constexpr char kProgram[] = "compress";

constexpr char kProgramFooter[] =
    "Example:\n  compress auto models/ic.tflite ic.tflite --data models/ic.validation.inputs.npy\n\n"
    "compress VERB --help tells more of a verb. Without a verb the options are those of pack:\n"
    "  compress --input=in.tflite --output=out.tflite --spec=spec.yaml\n";

int Main(int argc, char** argv) {
  CLI::App app("Makes the weights of .tflite models smaller.", kProgram);
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.require_subcommand(0, 1);
  int exit_code = 0;
  PackWithoutVerb pack(app);
  AddBinCommand(app);
  AddSettingsCommand(app);
  AddCurveCommand(app);
  AddUnpackCommand(app);
  AddConvertCommand(app);
  AddConvertUint8Command(app);
  AddAlignCommand(app);
  AddStripCommand(app);
  AddPlanCommand(app);
  AddEmbedCommand(app);
  AddTrimCommand(app);
  AddInspectCommand(app);
  AddVerifyCommand(app, &exit_code);
  AddEvaluateCommand(app, &exit_code);
  AddAutoCommand(app, &exit_code);
  // The footer is set after the verbs, which would inherit it.
  app.footer(HelpFooter(kProgramFooter, "the models differ, or a goal is not reached"));
  return host::ParseAndRun(app, argc, argv, [&] {
    pack.Run();
    return exit_code;
  });
}

}  // namespace
}  // namespace lutra::compressor

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::compressor::kProgram, lutra::compressor::Main, argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// The verbs of the program `compress`, one function each. A verb runs when the program's line is parsed;
// it throws BadInput for files and models (exit code 3) and CLI::ParseError for options that do not fit.

#pragma once

#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace lutra::compressor {

// The end of a verb's help: `text` with an example and remarks, then the exit codes. `one`: when the code is
// 1; empty: never.
inline std::string HelpFooter(const std::string& text, const std::string& one = "") {
  return text + "\nExit codes: 0 success, " + (one.empty() ? "" : "1 " + one + ", ") +
         "2 bad usage, 3 bad input.";
}

// Adds the verb pack, and pack's options to the program itself, as in TensorFlow Lite Micro's command line
// `compress --input=IN --output=OUT`. The returned object packs if the line names no verb.
class PackWithoutVerb {
 public:
  explicit PackWithoutVerb(CLI::App& app);
  ~PackWithoutVerb();
  void Run();

 private:
  struct Arguments;
  CLI::App& app_;
  std::unique_ptr<Arguments> arguments_;
};

void AddBinCommand(CLI::App& app);
void AddSettingsCommand(CLI::App& app);
void AddCurveCommand(CLI::App& app);
void AddUnpackCommand(CLI::App& app);
void AddConvertCommand(CLI::App& app);
void AddConvertUint8Command(CLI::App& app);
void AddAlignCommand(CLI::App& app);
void AddStripCommand(CLI::App& app);
void AddPlanCommand(CLI::App& app);
void AddEmbedCommand(CLI::App& app);
void AddTrimCommand(CLI::App& app);
void AddInspectCommand(CLI::App& app);
// *exit_code becomes 1 if the models differ.
void AddVerifyCommand(CLI::App& app, int* exit_code);
// *exit_code becomes 1 if the accuracy that the line asks for is not reached.
void AddEvaluateCommand(CLI::App& app, int* exit_code);
// *exit_code becomes 1 if the goal that the line asks for is not reached.
void AddAutoCommand(CLI::App& app, int* exit_code);

}  // namespace lutra::compressor

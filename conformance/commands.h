// SPDX-License-Identifier: Apache-2.0
// The verbs of the program `conformance`, one function each. A verb runs when the program's line is parsed;
// it throws BadInput for files and adapters (exit code 3) and sets *exit_code to 1 if a check fails.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lutra::host {
class OutputFile;
}

namespace lutra::conformance {

struct MergeOptions;

void AddRunCommand(CLI::App& app, int* exit_code);
void AddCertifyCommand(CLI::App& app, int* exit_code);
void AddIdentifyCommand(CLI::App& app, int* exit_code);
void AddListCommand(CLI::App& app);
// Prints the page of rules.
void AddRulesCommand(CLI::App& app);
void AddExportCommand(CLI::App& app);
void AddMergeCommand(CLI::App& app, int* exit_code);
void AddModelCommand(CLI::App& app, int* exit_code);
void AddSpecCommand(CLI::App& app);
void AddTypesCommand(CLI::App& app);
void AddBoundsCommand(CLI::App& app);
void AddRuntimesCommand(CLI::App& app);
// Writes golden/ anew, or adds to it.
void AddFreezeCommand(CLI::App& app, int* exit_code);
void AddFuzzCommand(CLI::App& app, int* exit_code);
void AddProveCommand(CLI::App& app, int* exit_code);
// Merges files of `fuzz`, `model` and `prove` for the verb `merge`.
using MergeFiles = void(const std::vector<std::string>& paths, const host::OutputFile& output,
                        const MergeOptions& options, int* exit_code);
MergeFiles MergeFuzzFiles, MergeModelFiles, MergeProofFiles;
void AddMutateCommand(CLI::App& app, int* exit_code);

}  // namespace lutra::conformance

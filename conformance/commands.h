// SPDX-License-Identifier: Apache-2.0
// The verbs of the program `conformance`, one function each. A verb runs when the program's line is
// parsed; it throws BadInput for files and adapters (exit code 3) and sets *exit_code to 1 if what it
// checks is wrong.

#pragma once

namespace CLI {
class App;
}

namespace lutra::conformance {

void AddRunCommand(CLI::App& app, int* exit_code);
void AddIdentifyCommand(CLI::App& app);
void AddListCommand(CLI::App& app);
void AddExportCommand(CLI::App& app);
void AddMergeCommand(CLI::App& app, int* exit_code);
void AddModelCommand(CLI::App& app);
// Writes golden/ anew, or adds to it.
void AddFreezeCommand(CLI::App& app, int* exit_code);
void AddMutateCommand(CLI::App& app, int* exit_code);

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// The verb `lint MODEL... [--json] [--strict]`, and `lint --rules`. It runs when the program's line is
// parsed; it throws BadInput for a file that is no model (exit code 3) and CLI::ParseError for misuse.

#pragma once

namespace CLI {
class App;
}

namespace lutra::conformance {

// *exit_code becomes 1 if a model has an error (with --strict: or a warning).
void AddLintCommand(CLI::App& app, int* exit_code);

}  // namespace lutra::conformance

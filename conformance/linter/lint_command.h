// SPDX-License-Identifier: Apache-2.0
// The verb `lint MODEL... [--json] [--fail-on error|warning|never]`, and `lint --rules`. It runs when the
// program's line is parsed; it throws BadInput for a file that is no model (exit code 3) and CLI::ParseError
// for misuse.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/linter/lint_rule.h"

namespace CLI {
class App;
}

namespace lutra::conformance {

// Findings that a program adds to those of the rules, which know no runtime.
struct LintExtension {
  std::function<void(CLI::App& verb)> declare;  // Its options; may be empty.
  std::function<std::vector<linter::Finding>(const std::string& path)> findings;
};

// *exit_code becomes 1 if a model has a finding that is as severe as --fail-on says.
void AddLintCommand(CLI::App& app, int* exit_code, const std::vector<LintExtension>& extensions = {});

}  // namespace lutra::conformance

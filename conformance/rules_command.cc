// SPDX-License-Identifier: Apache-2.0
// conformance rules.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conformance/commands.h"
#include "conformance/oracle/formulas.h"

namespace lutra::conformance {

void AddRulesCommand(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("rules", "Every rule of every operator, in words and integers");
  verb->footer("Markdown on standard output: conformance/RULES.md.");
  verb->callback([] { fmt::print("{}", oracle::RulesPage()); });
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// conformance freeze.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "conformance/commands.h"
#include "conformance/runner/corpus.h"
#include "conformance/runner/freeze.h"
#include "host/install_paths.h"

namespace lutra::conformance {

void AddFreezeCommand(CLI::App& app, int* exit_code) {
  struct Arguments {
    std::string folder = host::GoldenFolder();
    std::string filter = "*";
    bool add = false;
  };
  const auto line = std::make_shared<Arguments>();
  CLI::App* verb =
      app.add_subcommand("freeze", "Write golden/ anew, or add to it: for who changes the corpus");
  verb->add_option("DIR", line->folder, "Folder to write")->capture_default_str();
  verb->add_flag("--add", line->add,
                 "Add the cases that are not frozen; refuse if a line that stands would change or vanish");
  verb->add_option("--filter", line->filter,
                   "The corpus is the cases whose id matches: for trials in a folder of one's own")
      ->capture_default_str();
  verb->footer("Exit codes: 0 written, 1 refused: nothing was written, 2 bad usage, 3 bad input.");
  verb->callback([line, exit_code] {
    const std::vector<Case> cases = GeneratedCases(line->filter);
    const FreezeResult result =
        line->add ? AddToFrozen(cases, line->folder) : FreezeAnew(cases, line->folder);
    for (const std::string& refusal : result.refused) fmt::print("{}\n", refusal);
    if (!result.refused.empty()) {
      fmt::print("{}: nothing written: {} lines would not stay\n", line->folder, result.refused.size());
      *exit_code = 1;
      return;
    }
    fmt::print("{}: {} cases, {} of them new, {} new in the smoke set\n", line->folder, result.cases,
               result.added, result.smoke_added);
  });
}

}  // namespace lutra::conformance

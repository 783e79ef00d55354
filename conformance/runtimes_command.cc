// SPDX-License-Identifier: Apache-2.0
// conformance runtimes: writes a page of the measured runtimes.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conformance/commands.h"
#include "conformance/runner/runtimes_page.h"
#include "host/model_file.h"
#include "host/output_file.h"

namespace lutra::conformance {

void AddRuntimesCommand(CLI::App& app) {
  struct Arguments {
    std::string folder, page;
  };
  const auto line = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("runtimes", "Write a page of what several runtimes were found to do");
  verb->add_option("FOLDER", line->folder, "NAME.run.json and NAME.identify.json for each runtime")
      ->required();
  verb->add_option("--page", line->page, "A page of Markdown, whose tables are written anew")->required();
  verb->footer(
      "Example:\n  conformance run --runner ./a --results measured/a.run.json\n"
      "  conformance identify --runner ./a --json >measured/a.identify.json\n"
      "  conformance runtimes measured --page conformance/RUNTIMES.md");
  verb->callback([line] {
    const host::OutputFile output(line->page, line->page);
    const std::string page = host::ReadFileText(line->page);
    output.Write(WithTables(page, RuntimesTables(ReadMeasuredRuntimes(line->folder)), line->page));
  });
}

}  // namespace lutra::conformance

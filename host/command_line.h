// SPDX-License-Identifier: Apache-2.0
// A command line that is parsed and run: CLI11's errors become the promised exit codes.

#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "host/failures.h"

namespace lutra::host {

// Refuses what CLI11 takes and nobody means, in `app` and its verbs: an empty value, which a variable without
// a value leaves behind, unless the option's help says what "" stands for; a number that is none; a minus
// sign before a number that has no sign.
inline void CheckValues(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    if (option->get_items_expected_max() == 0 || option->get_type_size_max() == 0) continue;  // A flag.
    const std::string type = option->get_type_name();
    const bool takes_empty = option->get_description().find("\"\"") != std::string::npos;
    const auto check = [type, takes_empty](const std::string& value) -> std::string {
      if (value.empty())
        return takes_empty ? "" : "found an empty value; leave the option out or give it one";
      if (type.starts_with("UINT") && value[0] == '-') return "found " + value + ", required: no sign";
      const bool is_number = value.find_first_of("0123456789") != std::string::npos;
      if (type.starts_with("FLOAT") && !is_number) return "found " + value + ", required: a number";
      return "";
    };
    option->check(CLI::Validator(check, ""));
  }
  for (CLI::App* const verb : app.get_subcommands({})) CheckValues(*verb);
}

// Parses the line, which runs the callbacks of its verbs, then calls `run`, which returns the exit code.
// Misuse, which either may throw as a CLI::ParseError, is said as CLI11 does, with exit code 2; --help and
// --version end with 0.
template <typename Run>
int ParseAndRun(CLI::App& app, int argc, char** argv, const Run& run) {
  try {
    CheckValues(app);
    app.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
}

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// A command line that is parsed and run: CLI11's errors become the promised exit codes.

#pragma once

#include <CLI/CLI.hpp>

#include "host/failures.h"

namespace lutra::host {

// Parses the line, which runs the callbacks of its verbs, then calls `run`, which returns the exit code.
// Misuse, which either may throw as a CLI::ParseError, is said as CLI11 does, with exit code 2; --help and
// --version end with 0.
template <typename Run>
int ParseAndRun(CLI::App& app, int argc, char** argv, const Run& run) {
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
}

}  // namespace lutra::host

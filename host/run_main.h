// SPDX-License-Identifier: Apache-2.0
// The frame of every program: every exception becomes one line on stderr and one of the documented exit
// codes.
//
//   int main(int argc, char** argv) {
//     return lutra::host::RunMain("compress", lutra::compressor::Main, argc, argv);
//   }

#pragma once

namespace lutra::host {

// Returns what `program` returns, or, if it throws:
//
//   BadUsage                          2  program: what(); try --help
//   BadInput                          3  what()
//   WrongResult                       1  what()
//   std::bad_alloc                    3  program: memory: what was asked for; what next
//   std::filesystem::filesystem_error 3  path: what the system says; what next
//   std::system_error                 3  program: system: what(); what next
//   nlohmann::json::exception         3  program: json: what(); what next
//   anything else                     3  program: what(), and that this is a fault of the program
//
// Also 3 if standard output cannot take what was printed. After a signal that an InterruptScope (interrupt.h)
// noted, the program ends by that signal. `name` is the program's. If memory is too short even for an
// exception (also before main, while shared libraries are loaded), the program says so and ends with 3 at
// once. A stack limit (ulimit -s) below the usual one does not limit the program (roomy_stack.h).
int RunMain(const char* name, int (*program)(int argc, char** argv), int argc, char** argv) noexcept;

}  // namespace lutra::host

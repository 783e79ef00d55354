// SPDX-License-Identifier: Apache-2.0
// From reset to main. A platform's start.cc sets up what needs its assembler
// (stack pointer, vectors, floating-point unit) and jumps to StartProgram.

#pragma once

#include <stdint.h>

// Exit code of a firmware that met a fault of the processor or overflowed its
// stack.
inline constexpr int kExitFault = 1;

// Copies .data, clears .bss, runs constructors, calls main(argc, argv) with the
// words of the semihosting command line, exits with its result.
extern "C" [[noreturn]] void StartProgram();

// Ends the program with one line: `lutra1 fault <what> at <pc>`.
[[noreturn]] void ExitOnFault(const char* what, uint32_t program_counter);

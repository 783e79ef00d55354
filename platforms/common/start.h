// SPDX-License-Identifier: Apache-2.0
// From reset to main. cortex_m.cc and risc_v.cc, or a start.cc of the platform, set up what needs knowledge
// of the processor (stack pointer, vectors, floating-point unit, memory protection) and end in StartProgram.

#pragma once

#include <stdint.h>

// The linker script's (sections.ld): where the regions CODE and DATA of memory.ld begin and end.
extern "C" uint32_t __code_start[];
extern "C" uint32_t __code_end[];
extern "C" uint32_t __memory_start[];
extern "C" uint32_t __memory_end[];
extern "C" uint32_t __decoded_start[];  // Equal to the end where a platform has no such region.
extern "C" uint32_t __decoded_end[];

// Exit code of a firmware that met a fault of the processor or overflowed its
// stack.
inline constexpr int kExitFault = 1;

// Copies .data, clears .bss, runs constructors, calls main(argc, argv) with the
// words of the semihosting command line, exits with its result.
extern "C" [[noreturn]] void StartProgram();

// Ends the program with one line: `lutra1 fault <what> at <pc>`, of which 32 bits are shown.
[[noreturn]] void ExitOnFault(const char* what, uint32_t program_counter);

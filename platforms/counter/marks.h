// SPDX-License-Identifier: Apache-2.0
// Marks where counting begins and ends, for programs that run under the plugin. Without it, these call empty
// functions.
//
//   lutra_count_begin();
//   interpreter.Invoke();
//   lutra_count_end();
//
// Regions may nest. Include it in one file of a program: the plugin knows one address of each function. A
// program for Linux must be linked to fixed addresses (-no-pie).

#pragma once

// The assembler statements have different numbers, since the compiler might merge equal functions.
extern "C" {
[[gnu::noinline, gnu::used]] inline void lutra_count_begin() { __asm__ volatile("" : : "i"(0) : "memory"); }
[[gnu::noinline, gnu::used]] inline void lutra_count_end() { __asm__ volatile("" : : "i"(1) : "memory"); }
}

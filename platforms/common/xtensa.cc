// SPDX-License-Identifier: Apache-2.0
// Reset and exceptions of an Xtensa processor without register windows (call0 ABI).

#include <stdint.h>

#include "platforms/common/stack.h"
#include "platforms/common/start.h"

// The compiler knows no naked functions for this processor.
//
// Reset finds interrupts masked and an exception open, during which another would count as a double one: PS
// 0x2f keeps the mask, closes the exception and makes this user code. VECBASE moves all vectors but that of
// reset: debug, unmaskable, kernel, user and double exceptions, all within 128 bytes. Whichever it is, the
// stack may be what is broken, and the report runs on a fresh one.
__asm__(
    "  .section .reset, \"ax\"\n"
    "  .global ResetHandler\n"
    "ResetHandler:\n"
    "  j 1f\n"
    "  .align 4\n"
    "  .literal_position\n"
    "1:\n"
    "  movi a0, VectorTable\n"
    "  wsr.vecbase a0\n"
    "  movi a0, 0x2f\n"
    "  wsr.ps a0\n"
    "  rsync\n"
    "  movi a1, __stack_top\n"
    "  movi a0, StartProgram\n"
    "  jx a0\n"

    "  .section .text.VectorTable, \"ax\"\n"
    "  .balign 4096\n"
    "VectorTable:\n"
    "  .rept 8\n"
    "  .balign 16\n"
    "  j ExceptionHandler\n"
    "  .endr\n"
    "  .balign 16\n"
    "  .literal_position\n"
    "ExceptionHandler:\n"
    "  movi a1, __stack_top\n"
    "  movi a0, 0x2f\n"
    "  wsr.ps a0\n"
    "  rsync\n"
    "  movi a0, ReportException\n"
    "  jx a0\n");

extern "C" [[noreturn, gnu::used]] void ReportException() {
  uint32_t program_counter;
  __asm__ volatile("rsr.epc1 %0" : "=r"(program_counter));
  ExitOnFault("exception", program_counter);
}

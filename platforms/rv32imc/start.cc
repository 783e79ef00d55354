// SPDX-License-Identifier: Apache-2.0
// Reset, memory protection and traps of a RISC-V processor in machine mode.

#include "platforms/common/start.h"

#include <stdint.h>

extern "C" {

// Memory protection: one locked region, CODE of memory.ld (4 MiB from
// 0x80000000), may be read and executed but not written. The stack lies directly
// above it, so that an overflow traps.
[[gnu::naked, noreturn, gnu::section(".reset")]] void ResetHandler() {
  __asm__ volatile(
      ".option push\n"
      ".option norelax\n"
      "la gp, __global_pointer$\n"
      ".option pop\n"
      "la sp, __stack_top\n"
      "la t0, TrapHandler\n"
      "csrw mtvec, t0\n"
      "li t0, (0x80000000 >> 2) | ((4 << 20) / 8 - 1)\n"
      "csrw pmpaddr0, t0\n"
      "li t0, 0x9d\n"
      "csrw pmpcfg0, t0\n"
      "j StartProgram\n");
}

[[noreturn, gnu::used]] void ReportTrap() {
  uint32_t program_counter;
  __asm__ volatile("csrr %0, mepc" : "=r"(program_counter));
  ExitOnFault("trap", program_counter);
}

// The stack may be what is broken: the report runs on a fresh one. The address
// in mtvec is a multiple of four.
[[gnu::naked, noreturn, gnu::aligned(4)]] void TrapHandler() {
  __asm__ volatile(
      "la sp, __stack_top\n"
      "j ReportTrap\n");
}

}  // extern "C"

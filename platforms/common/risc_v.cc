// SPDX-License-Identifier: Apache-2.0
// Reset, memory protection and traps of a RISC-V processor in machine mode, of 32 or 64 bits.

#include <stdint.h>

#include "platforms/common/stack.h"
#include "platforms/common/start.h"

extern "C" {

[[gnu::naked, noreturn, gnu::section(".reset")]] void ResetHandler() {
  __asm__ volatile(
      ".option push\n"
      ".option norelax\n"
      "la gp, __global_pointer$\n"
      ".option pop\n"
      "la sp, __stack_top\n"
      "la t0, TrapHandler\n"
      "csrw mtvec, t0\n"
      "j StartProcessor\n");
}

// Memory protection: one locked region, CODE of memory.ld, may be read and executed but not written. The
// stack is directly above it, so that an overflow traps. The size must be a power of two, and the start a
// multiple of it.
[[noreturn, gnu::used]] void StartProcessor() {
  constexpr uintptr_t kLockedPowerOfTwoReadExecute = 0x9d;
  const auto start = reinterpret_cast<uintptr_t>(__code_start);
  const uintptr_t bytes = reinterpret_cast<uintptr_t>(__code_end) - start;
  __asm__ volatile("csrw pmpaddr0, %0" ::"r"(start >> 2 | (bytes / 8 - 1)));
  __asm__ volatile("csrw pmpcfg0, %0" ::"r"(kLockedPowerOfTwoReadExecute));
  StartProgram();
}

[[noreturn, gnu::used]] void ReportTrap() {
  uintptr_t program_counter;
  __asm__ volatile("csrr %0, mepc" : "=r"(program_counter));
  ExitOnFault("trap", static_cast<uint32_t>(program_counter));
}

// The stack may be broken, so the report runs on a fresh one. The address in mtvec must be a multiple of
// four.
[[gnu::naked, noreturn, gnu::aligned(4)]] void TrapHandler() {
  __asm__ volatile(
      "la sp, __stack_top\n"
      "j ReportTrap\n");
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// Vectors, floating-point unit, memory protection and faults of an Armv7-M
// processor.

#include "platforms/common/start.h"

#include <stdint.h>

#include "platforms/common/stack.h"

namespace {

volatile uint32_t& Register(uintptr_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }

void EnableFloatingPoint() {
  // Coprocessor access control: full access to 10 and 11.
  Register(0xe000ed88) |= 0xfu << 20;
  __asm__ volatile("dsb\n isb" ::: "memory");
}

constexpr uint32_t kReadOnly = 6u << 24;
constexpr uint32_t kReadWrite = 3u << 24;
constexpr uint32_t kNeverExecute = 1u << 28;
constexpr uint32_t kNormalMemory = 1u << 17;
constexpr uint32_t kFourMebibytes = 21u << 1;
constexpr uint32_t kEnable = 1;

// Allows CODE and DATA of memory.ld and nothing else. The board ignores accesses
// that no memory answers; this makes them faults.
void ProtectMemory() {
  constexpr uintptr_t kControl = 0xe000ed94;
  constexpr uintptr_t kRegion = 0xe000ed98;
  constexpr uintptr_t kBase = 0xe000ed9c;
  constexpr uintptr_t kAttributes = 0xe000eda0;
  Register(kRegion) = 0;
  Register(kBase) = 0x00000000;
  Register(kAttributes) = kReadOnly | kNormalMemory | kFourMebibytes | kEnable;
  Register(kRegion) = 1;
  Register(kBase) = 0x20000000;
  Register(kAttributes) = kReadWrite | kNeverExecute | kNormalMemory | kFourMebibytes | kEnable;
  Register(kControl) = kEnable;
  __asm__ volatile("dsb\n isb" ::: "memory");
}

// What the processor pushes when it takes an exception.
struct ExceptionFrame {
  uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr;
};

}  // namespace

extern "C" {

// Newlib's would bring a kilobyte of state for its streams and threads.
int* __errno() {
  static int value;
  return &value;
}

[[noreturn]] void ResetHandler() {
  EnableFloatingPoint();
  ProtectMemory();
  StartProgram();
}

[[noreturn, gnu::used]] void ReportFault(const ExceptionFrame* frame) {
  // After a stack overflow the frame lies outside the memory.
  const void* const lowest = __stack_bottom;
  ExitOnFault("exception", frame >= lowest ? frame->pc : 0);
}

// The stack may be what is broken: the report runs on a fresh one.
[[gnu::naked, noreturn]] void FaultHandler() {
  __asm__ volatile(
      "mov r0, sp\n"
      "ldr r1, =__stack_top\n"
      "mov sp, r1\n"
      "b ReportFault\n");
}

}  // extern "C"

namespace {

struct VectorTable {
  uint32_t* initial_stack;
  void (*handlers[15])();
};

[[gnu::section(".reset"), gnu::used]] const VectorTable vector_table = {
    __stack_top,
    {ResetHandler, FaultHandler, FaultHandler, FaultHandler, FaultHandler, FaultHandler, FaultHandler,
     FaultHandler, FaultHandler, FaultHandler, FaultHandler, FaultHandler, FaultHandler, FaultHandler,
     FaultHandler}};

}  // namespace

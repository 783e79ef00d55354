// SPDX-License-Identifier: Apache-2.0
// Vectors, floating-point unit, memory protection and faults of a Cortex-M: Armv6-M, v7-M and v8-M.

#include <stdint.h>

#include "platforms/common/stack.h"
#include "platforms/common/start.h"

namespace {

volatile uint32_t& Register(uintptr_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }

[[maybe_unused]] void EnableFloatingPoint() {
  // Coprocessor access control: full access to coprocessors 10 and 11, the floating-point unit.
  Register(0xe000ed88) |= 0xfu << 20;
  __asm__ volatile("dsb\n isb" ::: "memory");
}

// The memory protection unit. v8-M has other registers at the same addresses.
constexpr uintptr_t kType = 0xe000ed90;
constexpr uintptr_t kControl = 0xe000ed94;
constexpr uintptr_t kRegion = 0xe000ed98;
constexpr uintptr_t kBase = 0xe000ed9c;
constexpr uintptr_t kLimit = 0xe000eda0;
constexpr uint32_t kEnable = 1;

enum class Use { kCode, kData };

#if __ARM_ARCH >= 8

// Normal memory without caches is the first of the attributes to which regions refer.
void DefineAttributes() { Register(0xe000edc0) = 0x44; }

void Allow(uint32_t number, const uint32_t* start, const uint32_t* end, Use use) {
  constexpr uint32_t kReadOnly = 3u << 1;
  constexpr uint32_t kReadWrite = 1u << 1;
  constexpr uint32_t kNeverExecute = 1;
  Register(kRegion) = number;
  Register(kBase) =
      reinterpret_cast<uintptr_t>(start) | (use == Use::kCode ? kReadOnly : kReadWrite | kNeverExecute);
  Register(kLimit) = ((reinterpret_cast<uintptr_t>(end) - 1) & ~uint32_t{31}) | kEnable;
}

#else

void DefineAttributes() {}

// The size must be a power of two, and the start a multiple of it.
void Allow(uint32_t number, const uint32_t* start, const uint32_t* end, Use use) {
  constexpr uint32_t kReadOnly = 6u << 24;
  constexpr uint32_t kReadWrite = 3u << 24;
  constexpr uint32_t kNeverExecute = 1u << 28;
  constexpr uint32_t kNormalMemory = 1u << 17;
  uint32_t log2_bytes = 5;
  while ((1u << log2_bytes) < reinterpret_cast<uintptr_t>(end) - reinterpret_cast<uintptr_t>(start)) {
    ++log2_bytes;
  }
  Register(kRegion) = number;
  Register(kBase) = reinterpret_cast<uintptr_t>(start);
  Register(kLimit) = (use == Use::kCode ? kReadOnly : kReadWrite | kNeverExecute) | kNormalMemory |
                     (log2_bytes - 1) << 1 | kEnable;
}

#endif

// Allows the regions CODE and DATA of memory.ld, and that of decoded tensors if there is one, and nothing
// else. The emulated boards ignore accesses outside their memory; with this unit they are faults. Not every
// Cortex-M0 has one.
void ProtectMemory() {
  if (Register(kType) == 0) return;
  DefineAttributes();
  Allow(0, __code_start, __code_end, Use::kCode);
  Allow(1, __memory_start, __memory_end, Use::kData);
  // The compiler assumes that two symbols differ, but these may be equal.
  const uint32_t* const volatile decoded_end = __decoded_end;
  if (decoded_end != __decoded_start) Allow(2, __decoded_start, __decoded_end, Use::kData);
  Register(kControl) = kEnable;
  __asm__ volatile("dsb\n isb" ::: "memory");
}

// The processor pushes this when it takes an exception.
struct ExceptionFrame {
  uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr;
};

}  // namespace

extern "C" {

// Newlib's function would link a kilobyte of state for its streams and threads.
int* __errno() {
  static int value;
  return &value;
}

[[noreturn]] void ResetHandler() {
#if defined(__ARM_FP)
  EnableFloatingPoint();
#endif
  ProtectMemory();
  StartProgram();
}

[[noreturn, gnu::used]] void ReportFault(const ExceptionFrame* frame) {
  // After a stack overflow the frame lies outside the memory.
  const void* const lowest = __stack_bottom;
  ExitOnFault("exception", frame >= lowest ? frame->pc : 0);
}

// The stack may be broken, so the report runs on a fresh one. `bl` reaches farther than `b` on a Cortex-M0.
[[gnu::naked, noreturn]] void FaultHandler() {
  __asm__ volatile(
      "mov r0, sp\n"
      "ldr r1, =__stack_top\n"
      "mov sp, r1\n"
      "bl ReportFault\n");
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

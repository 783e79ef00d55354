// SPDX-License-Identifier: Apache-2.0
// The calls of Arm M-profile and RISC-V.

#include "platforms/common/semihosting.h"

// Xtensa's calls are in simcall.cc.
#if !defined(__XTENSA__)

namespace lutra::platforms::semihosting {
namespace {

// Numbers of the Arm semihosting specification; RISC-V took them over.
constexpr uintptr_t kOpen = 0x01;
constexpr uintptr_t kClose = 0x02;
constexpr uintptr_t kWrite = 0x05;
constexpr uintptr_t kRead = 0x06;
constexpr uintptr_t kFileLength = 0x0c;
constexpr uintptr_t kGetCommandLine = 0x15;
constexpr uintptr_t kExitExtended = 0x20;

constexpr uintptr_t kModeReadBinary = 1;
constexpr uintptr_t kModeWriteText = 4;
constexpr uintptr_t kModeWriteBinary = 5;
constexpr uintptr_t kReasonApplicationExit = 0x20026;

uintptr_t Call(uintptr_t operation, const void* argument) {
#if defined(__arm__)
  register uintptr_t result __asm__("r0") = operation;
  register const void* block __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(result) : "r"(block) : "memory");
#elif defined(__riscv)
  register uintptr_t result __asm__("a0") = operation;
  register const void* block __asm__("a1") = argument;
  // The host recognises the call by these three uncompressed instructions,
  // which must lie in one page.
  __asm__ volatile(
      ".balign 16\n"
      ".option push\n"
      ".option norvc\n"
      "slli x0, x0, 0x1f\n"
      "ebreak\n"
      "srai x0, x0, 7\n"
      ".option pop\n"
      : "+r"(result)
      : "r"(block)
      : "memory");
#else
#error "Semihosting is known for Arm M-profile and RISC-V only."
#endif
  return result;
}

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

File Open(const char* path, uintptr_t mode) {
  uintptr_t length = 0;
  while (path[length] != '\0') ++length;
  const uintptr_t block[] = {Address(path), mode, length};
  return static_cast<File>(Call(kOpen, block));
}

}  // namespace

File OpenForReading(const char* path) { return Open(path, kModeReadBinary); }

File OpenForWriting(const char* path) { return Open(path, kModeWriteBinary); }

// The name means standard input and standard output; the mode selects one of them.
File OpenStandardInput() { return Open(":tt", kModeReadBinary); }

File OpenStandardOutput() { return Open(":tt", kModeWriteText); }

intptr_t SizeBytes(File file) {
  const uintptr_t block[] = {static_cast<uintptr_t>(file)};
  return static_cast<intptr_t>(Call(kFileLength, block));
}

// Both calls return how many bytes were *not* transferred.
size_t Read(File file, void* to, size_t bytes) {
  const uintptr_t block[] = {static_cast<uintptr_t>(file), Address(to), bytes};
  const uintptr_t missing = Call(kRead, block);
  return missing < bytes ? bytes - missing : 0;
}

size_t Write(File file, const void* from, size_t bytes) {
  const uintptr_t block[] = {static_cast<uintptr_t>(file), Address(from), bytes};
  const uintptr_t missing = Call(kWrite, block);
  return missing < bytes ? bytes - missing : 0;
}

void Close(File file) {
  const uintptr_t block[] = {static_cast<uintptr_t>(file)};
  Call(kClose, block);
}

bool ReadCommandLine(char* text, size_t capacity) {
  const uintptr_t block[] = {Address(text), capacity};
  return Call(kGetCommandLine, block) == 0;
}

void Exit(int code) {
  const uintptr_t block[] = {kReasonApplicationExit, static_cast<uintptr_t>(code)};
  Call(kExitExtended, block);
  for (;;) {
  }
}

// A board's program defines its own.
[[gnu::weak]] uint64_t ClockNs() { return 0; }

}  // namespace lutra::platforms::semihosting

#endif

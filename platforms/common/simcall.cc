// SPDX-License-Identifier: Apache-2.0
// Implements platforms/common/semihosting.h for Xtensa, whose simulators have calls of their own: the
// instruction `simcall` with a number in a2 and arguments from a3 on, as in QEMU.

#include <string.h>

#include "platforms/common/semihosting.h"

namespace lutra::platforms::semihosting {
namespace {

constexpr intptr_t kExit = 1;
constexpr intptr_t kRead = 3;
constexpr intptr_t kWrite = 4;
constexpr intptr_t kOpen = 5;
constexpr intptr_t kClose = 6;
constexpr intptr_t kSeek = 19;
constexpr intptr_t kGetArgumentBytes = 1001;
constexpr intptr_t kGetArguments = 1002;

// The host's open() gets these numbers unchanged: those of Linux on x86, Arm and most others.
constexpr intptr_t kReadOnly = 0;
constexpr intptr_t kWriteOnlyCreateTruncate = 01 | 0100 | 01000;
constexpr intptr_t kPermissions = 0666;

constexpr intptr_t kFromStart = 0;
constexpr intptr_t kFromHere = 1;
constexpr intptr_t kFromEnd = 2;

constexpr File kStandardInput = 0;
constexpr File kStandardOutput = 1;

intptr_t Call(intptr_t number, intptr_t first, intptr_t second = 0, intptr_t third = 0) {
  register intptr_t a2 __asm__("a2") = number;
  register intptr_t a3 __asm__("a3") = first;
  register intptr_t a4 __asm__("a4") = second;
  register intptr_t a5 __asm__("a5") = third;
  __asm__ volatile("simcall" : "+r"(a2), "+r"(a3) : "r"(a4), "r"(a5) : "memory");
  return a2;
}

intptr_t Address(const void* pointer) { return reinterpret_cast<intptr_t>(pointer); }

// A call may transfer less than requested. Standard input returns the bytes that are there, as the contract
// says.
size_t Transfer(intptr_t number, File file, uintptr_t address, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const intptr_t now =
        Call(number, file, static_cast<intptr_t>(address + done), static_cast<intptr_t>(bytes - done));
    if (now <= 0) break;
    done += static_cast<size_t>(now);
    if (file == kStandardInput) break;
  }
  return done;
}

}  // namespace

File OpenForReading(const char* path) { return Call(kOpen, Address(path), kReadOnly); }

File OpenForWriting(const char* path) {
  return Call(kOpen, Address(path), kWriteOnlyCreateTruncate, kPermissions);
}

File OpenStandardInput() { return kStandardInput; }

File OpenStandardOutput() { return kStandardOutput; }

intptr_t SizeBytes(File file) {
  const intptr_t here = Call(kSeek, file, 0, kFromHere);
  const intptr_t bytes = Call(kSeek, file, 0, kFromEnd);
  return Call(kSeek, file, here, kFromStart) == here ? bytes : -1;
}

size_t Read(File file, void* to, size_t bytes) {
  return Transfer(kRead, file, reinterpret_cast<uintptr_t>(to), bytes);
}

size_t Write(File file, const void* from, size_t bytes) {
  return Transfer(kWrite, file, reinterpret_cast<uintptr_t>(from), bytes);
}

void Close(File file) {
  if (file > kStandardOutput) Call(kClose, file);
}

// The host gives argv: a table of pointers that ends with a null pointer, then the words.
bool ReadCommandLine(char* text, size_t capacity) {
  const intptr_t bytes = Call(kGetArgumentBytes, 0);
  if (bytes <= 0 || static_cast<size_t>(bytes) > capacity) return false;
  Call(kGetArguments, Address(text));
  const char* first;
  memcpy(&first, text, sizeof first);
  if (first == nullptr) return false;
  const size_t length = static_cast<size_t>(text + bytes - first);
  memmove(text, first, length);
  for (size_t i = 0; i + 1 < length; ++i) {
    if (text[i] == '\0') text[i] = ' ';
  }
  return length > 0;
}

// A board's program replaces this by the board's counter.
[[gnu::weak]] uint64_t ClockNs() { return 0; }

void Exit(int code) {
  Call(kExit, code);
  for (;;) {
  }
}

}  // namespace lutra::platforms::semihosting

// SPDX-License-Identifier: Apache-2.0
// Semihosting: files, text and the exit code of the machine that emulates or debugs this one. semihosting.cc
// has the calls of Arm M-profile and RISC-V, simcall.cc those of Xtensa; hosted.cc is for programs that have
// an operating system.

#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lutra::platforms::semihosting {

// A file of the host. Negative: not open.
using File = intptr_t;

// `path` is relative to the folder in which the emulator was started. Negative
// if there is no such file.
File OpenForReading(const char* path);

// Creates the file, or empties it. Negative if it cannot.
File OpenForWriting(const char* path);

// The host's. Reading its standard input waits, and returns 0 bytes at the end.
File OpenStandardInput();
File OpenStandardOutput();

// Negative if the host cannot tell.
intptr_t SizeBytes(File file);

// Returns the number of bytes that were transferred: fewer than asked for at
// the end of a file or on an error.
size_t Read(File file, void* to, size_t bytes);
size_t Write(File file, const void* from, size_t bytes);

void Close(File file);

// Reads a whole file to `to`. Returns its size, or a negative number: kNoFile, or kNoRoom if it is larger
// than `capacity` or cannot be read.
inline constexpr intptr_t kNoFile = -1;
inline constexpr intptr_t kNoRoom = -2;
inline intptr_t ReadFile(const char* path, void* to, size_t capacity) {
  const File file = OpenForReading(path);
  if (file < 0) return kNoFile;
  const intptr_t bytes = SizeBytes(file);
  const bool fits = bytes >= 0 && static_cast<size_t>(bytes) <= capacity;
  const bool whole = fits && Read(file, to, static_cast<size_t>(bytes)) == static_cast<size_t>(bytes);
  Close(file);
  return whole ? bytes : kNoRoom;
}

// Fills `text` with the zero-terminated command line, words separated by one
// space. False if there is none or it does not fit.
bool ReadCommandLine(char* text, size_t capacity);

[[noreturn]] void Exit(int code);

// Nanoseconds of a real clock; 0 where there is none, as on every emulated machine.
uint64_t ClockNs();

}  // namespace lutra::platforms::semihosting

// SPDX-License-Identifier: Apache-2.0
// Semihosting: files, text and the exit code of the machine that emulates or
// debugs this one. Arm M-profile and RISC-V share the calls and their numbers.

#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lutra::semihosting {

// A file of the host. Negative: not open.
using File = intptr_t;

// `path` is relative to the folder in which the emulator was started. Negative
// if there is no such file.
File OpenForReading(const char* path);

// Made anew, or emptied. Negative if that cannot be.
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
intptr_t ReadFile(const char* path, void* to, size_t capacity);

// Fills `text` with the zero-terminated command line, words separated by one
// space. False if there is none or it does not fit.
bool ReadCommandLine(char* text, size_t capacity);

[[noreturn]] void Exit(int code);

}  // namespace lutra::semihosting

// SPDX-License-Identifier: Apache-2.0
// Implements platforms/common/semihosting.h for operating systems and WASI: files are their descriptors.

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "platforms/common/semihosting.h"

#ifdef __wasi__
// WASI has no current folder: the environment variable PWD names it.
[[gnu::constructor]] static void EnterCurrentFolder() {
  const char* const folder = getenv("PWD");
  if (folder == nullptr || chdir(folder) != 0) _exit(2);
}
#endif

namespace lutra::platforms::semihosting {

File OpenForReading(const char* path) { return open(path, O_RDONLY); }

File OpenForWriting(const char* path) { return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666); }

File OpenStandardInput() { return STDIN_FILENO; }

File OpenStandardOutput() { return STDOUT_FILENO; }

intptr_t SizeBytes(File file) {
  const int descriptor = static_cast<int>(file);
  const off_t here = lseek(descriptor, 0, SEEK_CUR);
  const off_t bytes = lseek(descriptor, 0, SEEK_END);
  return lseek(descriptor, here, SEEK_SET) == here ? static_cast<intptr_t>(bytes) : -1;
}

size_t Read(File file, void* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t now = read(static_cast<int>(file), static_cast<char*>(to) + done, bytes - done);
    if (now <= 0) break;
    done += static_cast<size_t>(now);
    // Returns the bytes that are there, as the program at the other end may wait for an answer.
    if (file == STDIN_FILENO) break;
  }
  return done;
}

size_t Write(File file, const void* from, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t now = write(static_cast<int>(file), static_cast<const char*>(from) + done, bytes - done);
    if (now <= 0) break;
    done += static_cast<size_t>(now);
  }
  return done;
}

void Close(File file) {
  if (file > STDERR_FILENO) close(static_cast<int>(file));
}

// main gets its words as arguments.
bool ReadCommandLine(char*, size_t) { return false; }

uint64_t ClockNs() {
#ifdef LUTRA_PLATFORM_HAS_CLOCK
  timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
#else
  return 0;
#endif
}

void Exit(int code) { _exit(code); }

}  // namespace lutra::platforms::semihosting

// SPDX-License-Identifier: Apache-2.0
// platforms/common/semihosting.h for a Linux program, which counts under qemu-<processor>.

#include <stdio.h>

#include "platforms/common/semihosting.h"

namespace lutra::semihosting {
namespace {

constexpr File kStandardOutput = 1000;
FILE* the_file = nullptr;  // One at a time is all that count_model opens.

}  // namespace

File OpenForReading(const char* path) {
  the_file = fopen(path, "rb");
  return the_file == nullptr ? -1 : 0;
}

File OpenStandardOutput() { return kStandardOutput; }

intptr_t SizeBytes(File) {
  const bool found_end = fseek(the_file, 0, SEEK_END) == 0;
  const long bytes = ftell(the_file);
  return found_end && fseek(the_file, 0, SEEK_SET) == 0 ? static_cast<intptr_t>(bytes) : -1;
}

size_t Read(File, void* to, size_t bytes) { return fread(to, 1, bytes, the_file); }

size_t Write(File, const void* from, size_t bytes) { return fwrite(from, 1, bytes, stdout); }

void Close(File file) {
  if (file != kStandardOutput) fclose(the_file);
}

}  // namespace lutra::semihosting

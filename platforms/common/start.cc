// SPDX-License-Identifier: Apache-2.0
// The part of start-up that is the same on all processors.

#include "platforms/common/start.h"

#include <stddef.h>
#include <stdint.h>

#include "platforms/common/report.h"
#include "platforms/common/semihosting.h"
#include "platforms/common/stack.h"

extern "C" {
extern uint32_t __data_start[];
extern uint32_t __data_end[];
extern const uint32_t __data_load[];
extern uint32_t __bss_start[];
extern uint32_t __bss_end[];
extern void (*const __init_array_start[])();
extern void (*const __init_array_end[])();
}

// C++ does not allow a program to call main by its name.
int ProgramMain(int argc, char** argv) __asm__("main");

namespace {

constexpr int kMaxArguments = 8;
char command_line[512];
char* arguments[kMaxArguments + 1];

int SplitCommandLine() {
  int count = 0;
  char* at = command_line;
  while (count < kMaxArguments) {
    while (*at == ' ') *at++ = '\0';
    if (*at == '\0') break;
    arguments[count++] = at;
    while (*at != '\0' && *at != ' ') ++at;
  }
  return count;
}

}  // namespace

extern "C" void StartProgram() {
  lutra::platforms::PaintStack(__builtin_frame_address(0));
  const uint32_t* from = __data_load;
  for (uint32_t* to = __data_start; to < __data_end;) *to++ = *from++;
  for (uint32_t* to = __bss_start; to < __bss_end;) *to++ = 0;
  for (auto run = __init_array_start; run < __init_array_end; ++run) (*run)();

  int count = 0;
  if (lutra::platforms::semihosting::ReadCommandLine(command_line, sizeof command_line)) {
    count = SplitCommandLine();
  }
  const int code = ProgramMain(count, arguments);
  if (lutra::platforms::StackBytesUsed() == lutra::platforms::StackBytes()) {
    ExitOnFault("stack overflow", 0);
  }
  lutra::platforms::semihosting::Exit(code);
}

void ExitOnFault(const char* what, uint32_t program_counter) {
  lutra::platforms::ReportLine("fault").Text(what).Text("at").Hex(program_counter);
  lutra::platforms::semihosting::Exit(kExitFault);
}

// SPDX-License-Identifier: Apache-2.0
// Runs a user's kernels in C (lutra_kernels.h) in the interpreter, in place of references. Freestanding.
//
//   lutra_kernel_table table = {};
//   if (lutra_kernels(LUTRA_KERNELS_VERSION, &table) != 0) return 1;
//   UseKernels(table, &options);
//   MicroInterpreter interpreter(model, AllOps(), arena, options);
//   ...
//   if (TakeCalls().declined > 0) ...  // References ran instead.

#pragma once

#include <stdint.h>

#include "lutra/options.h"
#include "sdk/lutra_kernels.h"

namespace lutra::sdk {

// Every kernel of the table replaces a reference; other references stay. Each call makes a whole output, and
// no buffers overlap. The table holds for the whole program.
void UseKernels(const lutra_kernel_table& table, InterpreterOptions* options);

// Gives kernels other memory for their outputs, to detect writes beyond them.
struct OutputGuard {
  int8_t* (*begin)(int32_t bytes);  // Memory for an output.
  // Called when the kernel has returned: checks the bytes around that memory, and copies it to `output`,
  // which may be null.
  void (*end)(const int8_t* memory, int32_t bytes, int8_t* output);
};
// Sets the guard for all later calls; null: kernels write to the tensors.
void SetOutputGuard(const OutputGuard* guard);

struct KernelCalls {
  int64_t made = 0;
  int64_t declined = 0;  // By the kernel's answer, or because a call would have made a part of an output.
};
// Returns the calls since the last TakeCalls.
KernelCalls TakeCalls();
// Returns why a case with these calls does not test the kernels; null if it does.
const char* WhyNotJudged(const KernelCalls& calls);

#if defined(__cpp_exceptions)
// A kernel that throws calls this: an exception cannot leave the runtime.
[[noreturn]] void EndAfterThrow();
#endif

}  // namespace lutra::sdk

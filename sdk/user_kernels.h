// SPDX-License-Identifier: Apache-2.0
// Runs a user's kernels in C (lutra_kernels.h) in the interpreter, in the place of references. Freestanding.
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

// Every kernel of the table replaces a reference, and what it has none for is the reference. Calls make whole
// outputs, and nothing overlaps. The table is the whole program's.
void UseKernels(const lutra_kernel_table& table, InterpreterOptions* options);

// Gives kernels other memory for their outputs, so that what they write beyond them shows.
struct OutputGuard {
  int8_t* (*begin)(int32_t bytes);  // Memory for an output.
  // The kernel has returned: checks what is around that memory, and copies it to `output`, which may be null.
  void (*end)(const int8_t* memory, int32_t bytes, int8_t* output);
};
// From now on; null: kernels write to the tensors.
void SetOutputGuard(const OutputGuard* guard);

struct KernelCalls {
  int64_t made = 0;
  int64_t declined = 0;  // By the kernel's answer, or because they would have made a part of an output.
};
// Those since the last time that this was called.
KernelCalls TakeCalls();
// Why a case whose calls these are says nothing of the kernels; null if it does.
const char* WhyNotJudged(const KernelCalls& calls);

#if defined(__cpp_exceptions)
// A kernel that throws calls this: an exception cannot leave the runtime.
[[noreturn]] void EndAfterThrow();
#endif

}  // namespace lutra::sdk

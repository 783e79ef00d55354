// SPDX-License-Identifier: Apache-2.0
// The user's kernels that a build links, LUTRA_KERNELS (sdk/README.md); without them, references and variants
// run as usual.
//
//   InterpreterOptions options;
//   if (!UseLinkedKernels(&options)) return Error("LUTRA_KERNELS is made for another version");

#pragma once

#include "lutra/options.h"
#if defined(LUTRA_LINKED_KERNELS)
#include "sdk/user_kernels.h"
#endif

namespace lutra::platforms {

#if defined(LUTRA_LINKED_KERNELS)
// Makes the options use the linked kernels. Returns false if these are of another version.
inline bool UseLinkedKernels(InterpreterOptions* options) {
  lutra_kernel_table table = {};
  if (lutra_kernels(LUTRA_KERNELS_VERSION, &table) != 0) return false;
  sdk::UseKernels(table, options);
  return true;
}
// Returns why the inferences since the last call do not test the user's kernels; null if they do.
inline const char* WhyNotJudged() { return sdk::WhyNotJudged(sdk::TakeCalls()); }
#else
inline bool UseLinkedKernels(InterpreterOptions*) { return true; }
inline const char* WhyNotJudged() { return nullptr; }
#endif

}  // namespace lutra::platforms

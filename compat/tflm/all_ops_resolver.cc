// SPDX-License-Identifier: Apache-2.0
// A separate file, so that programs that name their operators do not link all of them.

#include "tensorflow/lite/micro/all_ops_resolver.h"

namespace tflite {

AllOpsResolver::AllOpsResolver() {
#define LUTRA_TFLM_ADD(method, name, number_or_text) Add##method();
  LUTRA_TFLM_BUILTIN_OPERATORS(LUTRA_TFLM_ADD)
  LUTRA_TFLM_CUSTOM_OPERATORS(LUTRA_TFLM_ADD)
#undef LUTRA_TFLM_ADD
}

}  // namespace tflite

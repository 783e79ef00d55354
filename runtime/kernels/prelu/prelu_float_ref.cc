// SPDX-License-Identifier: Apache-2.0
// float32, element by element.

#include "lutra/kernels/prelu/prelu.h"

namespace lutra {

void PreluFloatRef(const PreluFloatArgs& args, int32_t first, int32_t count) {
  for (int32_t i = first; i < first + count; ++i) {
    const float x = args.input[i * args.input_step];
    args.output[i] = x >= 0.0f ? x : x * args.alpha[i * args.alpha_step];
  }
}

}  // namespace lutra

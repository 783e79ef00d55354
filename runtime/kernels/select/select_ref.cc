// SPDX-License-Identifier: Apache-2.0
// Copies one element or the other.

#include <string.h>

#include "lutra/kernels/select/select.h"

namespace lutra {

void SelectRef(const SelectArgs& args, int32_t count) {
  const int32_t bytes = args.element_bytes;
  for (int32_t i = 0; i < count; ++i) {
    const uint8_t* chosen = args.condition[i * args.condition_step] != 0 ? args.a + i * args.a_step * bytes
                                                                         : args.b + i * args.b_step * bytes;
    memcpy(args.output + i * bytes, chosen, static_cast<size_t>(bytes));
  }
}

}  // namespace lutra

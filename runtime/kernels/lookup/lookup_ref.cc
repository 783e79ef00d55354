// SPDX-License-Identifier: Apache-2.0
// One load for each code.

#include "lutra/kernels/lookup/lookup.h"

namespace lutra {

void LookupRef(const LookupArgs& args, int32_t first, int32_t count) {
  for (int32_t i = first; i < first + count; ++i) args.output[i] = args.table[args.input[i]];
}

}  // namespace lutra

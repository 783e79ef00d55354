// SPDX-License-Identifier: Apache-2.0
// A walk along the dimension for each output.

#include "lutra/kernels/arg_max/arg_max.h"

namespace lutra {

template <typename Element>
void ArgMaxRef(const ArgMaxArgs& args) {
  const auto* input = static_cast<const Element*>(args.input);
  intptr_t at = 0;
  for (int32_t o = 0; o < args.outer; ++o) {
    for (int32_t i = 0; i < args.inner; ++i, ++at) {
      const Element* in = input + static_cast<intptr_t>(o) * args.count * args.inner + i;
      Element best = *in;
      int32_t best_index = 0;
      for (int32_t k = 1; k < args.count; ++k) {
        in += args.inner;
        if (args.smallest ? *in < best : *in > best) {
          best = *in;
          best_index = k;
        }
      }
      if (args.int64_output) {
        static_cast<int64_t*>(args.output)[at] = best_index;
      } else {
        static_cast<int32_t*>(args.output)[at] = best_index;
      }
    }
  }
}
template void ArgMaxRef<int8_t>(const ArgMaxArgs&);
template void ArgMaxRef<float>(const ArgMaxArgs&);

}  // namespace lutra

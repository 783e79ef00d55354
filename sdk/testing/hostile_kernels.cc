// SPDX-License-Identifier: Apache-2.0
// Libraries that break the rules for kernels; each is built with another LUTRA_HOSTILE.

#include <cstdlib>
#include <stdexcept>

#include "sdk/lutra_kernels.h"

namespace {

constexpr int kOtherVersion = 1, kNullFunctions = 2, kThrowsAtOnce = 3, kThrowsInKernel = 4, kEndsAtOnce = 6,
              kEndsInKernel = 7, kWritesBehind = 8, kWritesBefore = 9;

int Throw(const lutra_conv_args*, const int8_t*, int8_t*) { throw std::runtime_error("on purpose"); }
int End(const lutra_conv_args*, const int8_t*, int8_t*) { std::exit(0); }
// Writes outside the output, without restoring the bytes.
int WriteBehind(const lutra_conv_args* args, const int8_t*, int8_t* output) {
  output[args->images * args->out_height * args->out_width * args->out_channels] = 1;
  return 1;
}
int WriteBefore(const lutra_conv_args*, const int8_t*, int8_t* output) {
  output[-1] = 1;
  return 1;
}
int Decline(const lutra_conv_args*, const int8_t*, int8_t*) { return 1; }

}  // namespace

int lutra_kernels(int32_t version, lutra_kernel_table* table) {
  if (LUTRA_HOSTILE == kOtherVersion) return version == 2 ? 0 : 1;
  if (LUTRA_HOSTILE == kThrowsAtOnce) throw 1;
  if (LUTRA_HOSTILE == kEndsAtOnce) std::exit(0);
  if (LUTRA_HOSTILE == kNullFunctions) return 0;
  table->conv_2d_s8 = LUTRA_HOSTILE == kThrowsInKernel ? Throw
                      : LUTRA_HOSTILE == kEndsInKernel ? End
                      : LUTRA_HOSTILE == kWritesBehind ? WriteBehind
                      : LUTRA_HOSTILE == kWritesBefore ? WriteBefore
                                                       : Decline;
  return 0;
}

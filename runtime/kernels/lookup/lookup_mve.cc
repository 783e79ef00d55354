// SPDX-License-Identifier: Apache-2.0
// Looks up sixteen codes at a time by a gathering load.

#include <arm_mve.h>

#include "lutra/kernels/lookup/lookup.h"

namespace lutra {

void LookupMve(const LookupArgs& args, int32_t first, int32_t count) {
  const uint8_t* input = args.input + first;
  uint8_t* output = args.output + first;
  for (; count > 0; count -= 16, input += 16, output += 16) {
    const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(count));
    const uint8x16_t codes = vldrbq_z_u8(input, lanes);
    vstrbq_p_u8(output, vldrbq_gather_offset_z_u8(args.table, codes, lanes), lanes);
  }
}

}  // namespace lutra

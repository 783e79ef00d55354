// SPDX-License-Identifier: Apache-2.0
// nntool's rules, as BinSettings::rules takes them.
//
//   const BinnedTensor binned = BinTensor(weights, {.min_qsnr_db = 22.5, .rules = &kNntoolRules});
//   // binned.bits, binned.qsnr_db: a whole number; binned.size.total_bytes: rounded down

#pragma once

#include "compressor/gap9/nntool/binning.h"
#include "compressor/gap9/nntool/table.h"

namespace lutra::compressor {

inline constexpr BinRules kNntoolRules = {.name = "nntool", .bin = BinAsNntool, .count = CountAsNntool};

}  // namespace lutra::compressor

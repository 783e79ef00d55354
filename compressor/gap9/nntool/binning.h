// SPDX-License-Identifier: Apache-2.0
// Binning by the rules of GreenWaves' nntool (`compress` of its 2021 releases), so that its results can be
// reproduced and compared with. BinTensor follows them where BinSettings::rules is kNntoolRules (rules.h).
//
// Values are clustered as reals, around real centres, in one table of 2^2 to 2^8 of them. QSNR is judged
// before the centres become codes again: 10 log10(sum y^2 / sum (x - y)^2), rounded to a whole number of dB,
// y the centres, x the values after the threshold. A table counts as full; indices are counted in whole
// bytes, rounded down. Where 8 bits miss the QSNR, the sparse form with one value more is tried.

#pragma once

#include "compressor/binning.h"

namespace lutra::compressor {

// If the tensor has fewer elements than the table that the QSNR needs would have values, or misses the QSNR,
// size.total_bytes is size.original_bytes, and nothing changes. The same holds for values that are all zero,
// which nntool refuses. Throws std::invalid_argument as BinTensor does, and for several tables, which nntool
// lacks.
BinnedTensor BinAsNntool(const TensorInfo& tensor, const BinSettings& settings);

}  // namespace lutra::compressor

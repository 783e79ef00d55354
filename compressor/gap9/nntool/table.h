// SPDX-License-Identifier: Apache-2.0
// The figures that nntool's own table has for a report, beside those of what the file stores.
//
//   const NntoolCount count = CountAsNntool(file.model, 0, 3, 2, binned);
//   Print(binned.size.total_bytes, count.compressed_bytes);
//
// Three things differ. A constant that an ADD puts onto the zeros of the layer before becomes that layer's
// bias, and a value of it counts four bytes. In the last line of the table, a value of any bias counts one
// byte. What does not become smaller has no row.

#pragma once

#include "compressor/binning.h"

namespace lutra::compressor {

// Counts a tensor that operator `step` reads and that became `binned`.
NntoolCount CountAsNntool(const Model& model, int subgraph, int tensor, int step, const BinnedTensor& binned);

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// The figures of nntool's own table, for a report that has them beside the bytes of the file.
//
//   const NntoolCount count = CountAsNntool(file.model, 0, 3, 2, binned);
//   Print(binned.size.total_bytes, count.compressed_bytes);
//
// Three rules differ from ours. A constant that an ADD adds to the output of a layer whose bias is zero
// becomes that layer's bias, and its values count four bytes each. In the last line of the table, the values
// of all biases count one byte each. A tensor that does not become smaller has no row.

#pragma once

#include "compressor/binning.h"

namespace lutra::compressor {

// Counts a tensor that operator `step` reads and that became `binned`.
NntoolCount CountAsNntool(const Model& model, int subgraph, int tensor, int step, const BinnedTensor& binned);

}  // namespace lutra::compressor

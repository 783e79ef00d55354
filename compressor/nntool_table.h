// SPDX-License-Identifier: Apache-2.0
// The figures that nntool's own table has for a report, beside those of what the file stores.
//
//   CountAsNntool(file.model, &report);
//   for (const BinRow& row : report.rows)
//     if (row.nntool) Print(row.binned.size.total_bytes, row.nntool->compressed_bytes);
//
// Three things differ. A constant that an ADD puts onto the zeros of the layer before becomes that layer's
// bias, and a value of it counts four bytes. In the last line of the table, a value of any bias counts one
// byte. What does not become smaller has no row.

#pragma once

#include "compressor/bin_model.h"

namespace lutra::compressor {

// Counts rows with BinRules::kNntool that were applied; the others stay without.
void CountAsNntool(const Model& model, BinReport* report);

}  // namespace lutra::compressor

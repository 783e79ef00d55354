// SPDX-License-Identifier: Apache-2.0
// The quality and the bytes of one tensor for each number of bits.
//
//   for (const CurvePoint& point : QsnrCurve(model.tensor(0, 3), {})) Print(point.bits, point.qsnr_db);

#pragma once

#include <cmath>
#include <vector>

#include "compressor/binning.h"

namespace lutra::compressor {

struct CurvePoint {
  int bits = 0;  // 2^bits values.
  double qsnr_db = 0;
  LutSize size;
  bool exact = true;
};

template <typename Archive>
void Fields(Archive& archive, const CurvePoint& point) {
  archive("bits", point.bits);
  archive("lossless", std::isinf(point.qsnr_db));
  archive("qsnr_db", point.qsnr_db);
  archive("bytes", point.size.total_bytes);
  archive("sparse", point.size.sparse);
  archive("exact", point.exact);
}

// A point for each width from 1 to 8, from one pass of k-means for each table. Throws
// std::invalid_argument for tensors that binning.h does not take.
std::vector<CurvePoint> QsnrCurve(const TensorInfo& tensor, const BinSettings& settings);

}  // namespace lutra::compressor

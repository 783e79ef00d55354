// SPDX-License-Identifier: Apache-2.0
// Bins a tensor at each number of bits.

#include "compressor/curve.h"

#include <algorithm>

namespace lutra::compressor {

std::vector<CurvePoint> QsnrCurve(const TensorInfo& tensor, const BinSettings& settings) {
  TensorBinner binner(tensor, settings);
  std::vector<CurvePoint> points;
  // The widest is binned first: its k-means serves all.
  for (int bits = kMaxBinBits; bits > 0; --bits) {
    const BinnedTensor binned = binner.Bin(bits);
    points.push_back({bits, binned.qsnr_db, binned.size, binned.exact});
  }
  std::reverse(points.begin(), points.end());
  return points;
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// The ratio of signal to quantisation noise: 10 log10(sum x^2 / sum (x - y)^2) in dB.
//
//   Qsnr qsnr;
//   for (size_t i = 0; i < before.size(); ++i) qsnr.Add(before[i], after[i]);
//   qsnr.db();

#pragma once

#include <cmath>
#include <limits>

namespace lutra::compressor {

class Qsnr {
 public:
  void Add(double x, double y) {
    signal_ += x * x;
    noise_ += (x - y) * (x - y);
  }
  void Add(const Qsnr& other) {
    signal_ += other.signal_;
    noise_ += other.noise_;
  }
  // Infinite where nothing is changed.
  double db() const {
    return noise_ == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal_ / noise_);
  }

 private:
  double signal_ = 0, noise_ = 0;
};

}  // namespace lutra::compressor

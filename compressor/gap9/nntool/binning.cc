// SPDX-License-Identifier: Apache-2.0
// Chooses a width as nntool does, and computes its quality and its sizes.

#include "compressor/gap9/nntool/binning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "compressor/channels.h"
#include "compressor/kmeans.h"
#include "compressor/qsnr.h"

namespace lutra::compressor {
namespace {

constexpr int kFewestNntoolBits = 2;

template <typename Element>
void AppendElement(double value, std::vector<uint8_t>* bytes) {
  Element element;
  if constexpr (std::is_floating_point_v<Element>) {
    element = static_cast<Element>(value);
  } else {
    using Limits = std::numeric_limits<Element>;
    element = static_cast<Element>(std::clamp<double>(std::round(value), Limits::min(), Limits::max()));
  }
  const auto* const at = reinterpret_cast<const uint8_t*>(&element);
  bytes->insert(bytes->end(), at, at + sizeof element);
}

// Writes real values as the tensor's elements.
std::vector<uint8_t> BytesOf(const std::vector<double>& reals, const TensorInfo& tensor) {
  const Channels channels = ScaleChannels(tensor);
  const std::vector<Quantization> quantization = QuantizationOf(tensor);
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < reals.size(); ++i) {
    const Quantization& q = quantization[static_cast<size_t>(channels.Of(i))];
    const double value = reals[i] / q.scale + static_cast<double>(q.zero_point);
    WithElement(tensor.type, [&]<typename Element>() { AppendElement<Element>(value, &bytes); });
  }
  return bytes;
}

// Returns the QSNR by the centres' energy, cut to a whole number.
double WholeQsnrDb(const std::vector<double>& before, const std::vector<double>& after) {
  Qsnr qsnr;
  for (size_t i = 0; i < before.size(); ++i) qsnr.Add(after[i], before[i]);
  return std::nearbyint(qsnr.db());
}

class Binning {
 public:
  Binning(const TensorInfo& tensor, const BinSettings& settings)
      : tensor_(tensor), settings_(settings), reals_(RealValues(tensor)), values_(reals_) {
    for (double& value : values_) {
      if (std::fabs(value) < settings.threshold) value = 0;
    }
    points_ = CountDistinct(values_.data(), values_.size());
  }

  int64_t elements() const { return static_cast<int64_t>(values_.size()); }
  bool all_zero() const { return points_.size() == 1 && points_.values[0] == 0; }

  BinnedTensor AsItWas() const {
    BinnedTensor binned;
    binned.bytes.assign(tensor_.data.begin(), tensor_.data.end());
    binned.bits = 8 * element_bytes();
    binned.qsnr_db = std::numeric_limits<double>::infinity();
    binned.size.original_bytes = binned.size.total_bytes = elements() * element_bytes();
    return binned;
  }

  BinnedTensor Bin(int bits, bool is_sparse) const {
    const uint32_t bins = (1U << bits) + (is_sparse ? 1 : 0);
    const Clusters<double> found = KMeans<double>(points_, bins).Cluster(bins);
    std::map<double, size_t> place;  // Maps each value to its cluster.
    int64_t most_frequent = 0;
    for (size_t c = 0; c < found.centres.size(); ++c) {
      int64_t count = 0;
      for (uint32_t p = found.first[c]; p < found.first[c + 1]; ++p) {
        place[points_.values[p]] = c;
        count += points_.weights[p];
      }
      most_frequent = std::max(most_frequent, count);
    }
    std::vector<double> after;
    for (const double value : values_) after.push_back(found.centres[place.at(value)]);
    BinnedTensor binned;
    binned.bits = bits;
    binned.qsnr_db = WholeQsnrDb(values_, after);
    binned.all_became_zero = all_zero() && reals_ != values_;
    binned.bytes = BytesOf(after, tensor_);
    binned.values = {found.centres};
    const SparseUse sparse = is_sparse ? SparseUse::kForce : settings_.sparse;
    binned.size = SizeOfLut(elements(), most_frequent, bits, bins, element_bytes(), sparse, Rounding::kDown);
    return binned;
  }

 private:
  int element_bytes() const { return ElementBytes(tensor_.type); }

  const TensorInfo& tensor_;
  const BinSettings& settings_;
  const std::vector<double> reals_;
  std::vector<double> values_;
  DistinctValues<double> points_;
};

}  // namespace

BinnedTensor BinAsNntool(const TensorInfo& tensor, const BinSettings& settings) {
  if (settings.per == TableScope::kChannel || settings.pin_zero || !settings.values.empty()) {
    throw std::invalid_argument("a table for each channel, a pinned zero or values, which nntool has not");
  }
  const Binning binning(tensor, settings);
  const bool forced = settings.sparse == SparseUse::kForce;
  if (binning.all_zero()) return binning.AsItWas();
  if (settings.bits) {
    const int bits = std::max(*settings.bits, kFewestNntoolBits);
    if ((int64_t{1} << bits) + (forced ? 1 : 0) <= binning.elements()) return binning.Bin(bits, forced);
    const auto fitting = std::bit_width(static_cast<uint64_t>(binning.elements())) - 1;
    return binning.Bin(std::max<int>(fitting, kFewestNntoolBits), false);
  }
  for (int bits = kFewestNntoolBits; bits <= kMaxBinBits; ++bits) {
    if ((int64_t{1} << bits) + (forced ? 1 : 0) > binning.elements()) return binning.AsItWas();
    BinnedTensor binned = binning.Bin(bits, forced);
    if (binned.qsnr_db >= *settings.min_qsnr_db) return binned;
  }
  if (!forced && binning.elements() > (int64_t{1} << kMaxBinBits)) return binning.Bin(kMaxBinBits, true);
  return binning.Bin(kMaxBinBits, forced);
}

}  // namespace lutra::compressor

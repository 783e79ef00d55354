// SPDX-License-Identifier: Apache-2.0
// Bins one tensor: counts its values, clusters them, replaces each by its centre.

#include "compressor/binning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "compressor/kmeans.h"

namespace lutra::compressor {
namespace {

constexpr int64_t kBitsPerByte = 8;

int64_t BytesForBits(int64_t bits) { return (bits + kBitsPerByte - 1) / kBitsPerByte; }

// How a tensor's elements are scaled, and which table each belongs to.
struct Channels {
  int64_t inner = 1;
  int64_t count = 1;

  int64_t Of(int64_t element) const { return element / inner % count; }
};

Channels ScaleChannels(const TensorInfo& tensor) {
  Channels channels;
  if (tensor.scales.count <= 1) return channels;
  if (tensor.quantized_dimension < 0 || tensor.quantized_dimension >= tensor.shape.rank ||
      tensor.scales.count != tensor.shape[tensor.quantized_dimension]) {
    throw std::invalid_argument(std::to_string(tensor.scales.count) +
                                " scales, not one for each index of the quantised dimension");
  }
  channels.inner = tensor.shape.Count(tensor.quantized_dimension + 1, tensor.shape.rank);
  channels.count = tensor.scales.count;
  return channels;
}

struct Quantization {
  double scale = 1;
  int64_t zero_point = 0;
};

std::vector<Quantization> QuantizationOf(const TensorInfo& tensor) {
  std::vector<Quantization> list(std::max(tensor.scales.count, 1));
  if (!tensor.is_quantized()) return list;
  for (int32_t c = 0; c < tensor.scales.count; ++c) {
    const int32_t at = tensor.zero_points.count == tensor.scales.count ? c : 0;
    list[c] = {tensor.scales[c], tensor.zero_points.count > 0 ? tensor.zero_points[at] : 0};
  }
  return list;
}

}  // namespace

LutSize SizeOfLut(int64_t elements, int64_t special, int bits, int64_t table_entries, int element_bytes,
                  SparseUse sparse) {
  LutSize size;
  size.original_bytes = elements * element_bytes;
  size.table_bytes = table_entries * element_bytes;
  size.plain_bytes = BytesForBits(elements * bits);
  size.sparse_bytes = BytesForBits((elements - special) * (bits + 1) + special);
  size.sparse =
      sparse == SparseUse::kForce || (sparse == SparseUse::kAuto && size.sparse_bytes < size.plain_bytes);
  size.total_bytes = (size.sparse ? size.sparse_bytes : size.plain_bytes) + size.table_bytes;
  return size;
}

class TensorBinner::Work {
 public:
  virtual ~Work() = default;
  virtual BinnedTensor Bin(int bits) = 0;
};

template <typename Element>
class TensorBinner::TypedWork : public Work {
 public:
  // What k-means works on.
  using Number = std::conditional_t<std::is_floating_point_v<Element>, Element, int32_t>;

  TypedWork(const TensorInfo& tensor, const BinSettings& settings)
      : settings_(settings),
        channels_(ScaleChannels(tensor)),
        quantization_(QuantizationOf(tensor)),
        original_(tensor.shape.Count()) {
    const PackedList<Element> elements{tensor.data.data(), tensor.shape.Count()};
    for (size_t i = 0; i < original_.size(); ++i) original_[i] = elements[static_cast<int32_t>(i)];
    per_channel_ = settings.per == TableScope::kChannel && channels_.count > 1;
    std::vector<std::vector<Number>> parts(per_channel_ ? channels_.count : 1);
    for (size_t i = 0; i < original_.size(); ++i) parts[TableOf(i)].push_back(Thresholded(i));
    for (const std::vector<Number>& part : parts) points_.push_back(CountDistinct(part.data(), part.size()));
  }

  BinnedTensor Bin(int bits) override {
    const uint32_t special = settings_.sparse == SparseUse::kForce ? 1 : 0;
    const uint32_t clusters = (1u << bits) + special;
    Prepare(clusters);
    BinnedTensor binned;
    binned.tables = static_cast<int>(points_.size());
    // New values, by table in the order of its distinct values.
    std::vector<std::vector<Number>> replacements(points_.size());
    std::map<uint32_t, int64_t> counts;  // By the values' bits: 0.0 and -0.0 are two.
    size_t entries = 1;
    for (size_t t = 0; t < points_.size(); ++t) {
      std::set<uint32_t> used;
      const Clusters<Number> found = kmeans_[t].Cluster(clusters);
      binned.exact = binned.exact && kmeans_[t].exact();
      for (size_t c = 0; c < found.centres.size(); ++c) {
        for (uint32_t i = found.first[c]; i < found.first[c + 1]; ++i) {
          replacements[t].push_back(found.centres[c]);
          const auto value_bits = std::bit_cast<uint32_t>(found.centres[c]);
          counts[value_bits] += points_[t].weights[i];
          used.insert(value_bits);
        }
      }
      entries = std::max(entries, used.size());
    }
    binned.bits = std::max<int>(std::bit_width(entries - std::min<size_t>(special, entries - 1) - 1), 1);
    const std::vector<Number> values = Replace(replacements);
    binned.qsnr_db = QsnrDb(values);
    binned.all_became_zero = AllBecameZero();
    binned.bytes = Bytes(values);
    int64_t most_frequent = 0;
    for (const auto& [value, count] : counts) most_frequent = std::max(most_frequent, count);
    // The sparse form has one table.
    binned.size = SizeOfLut(static_cast<int64_t>(original_.size()), most_frequent, binned.bits,
                            static_cast<int64_t>(entries * points_.size()), sizeof(Element),
                            per_channel_ ? SparseUse::kNo : settings_.sparse);
    return binned;
  }

 private:
  size_t TableOf(size_t i) const { return per_channel_ ? channels_.Of(static_cast<int64_t>(i)) : 0; }

  double Real(size_t i, Number value) const {
    const Quantization& quantization = quantization_[channels_.Of(static_cast<int64_t>(i))];
    return (static_cast<double>(value) - static_cast<double>(quantization.zero_point)) * quantization.scale;
  }

  Number Zero(size_t i) const {
    const int64_t zero = quantization_[channels_.Of(static_cast<int64_t>(i))].zero_point;
    if constexpr (std::is_integral_v<Element>) {
      using Limits = std::numeric_limits<Element>;
      return static_cast<Number>(std::clamp<int64_t>(zero, Limits::min(), Limits::max()));
    }
    return static_cast<Number>(zero);
  }

  Number Thresholded(size_t i) const {
    return std::fabs(Real(i, original_[i])) < settings_.threshold ? Zero(i) : original_[i];
  }

  bool AllBecameZero() const {
    bool any_was_more = false;
    for (size_t i = 0; i < original_.size(); ++i) {
      if (Thresholded(i) != Zero(i)) return false;
      any_was_more = any_was_more || original_[i] != Zero(i);
    }
    return any_was_more;
  }

  // K-means for as many clusters; few at first, as the work grows with them.
  void Prepare(uint32_t clusters) {
    if (clusters <= prepared_) return;
    constexpr uint32_t kFew = 17, kMost = (1u << kMaxBinBits) + 1;
    prepared_ = clusters <= kFew ? kFew : kMost;
    kmeans_.clear();
    for (size_t t = 0; t < points_.size(); ++t) {
      // All elements of a table have the same zero.
      const size_t element = t * static_cast<size_t>(channels_.inner);
      std::optional<Number> pinned;
      if (settings_.pin_zero) pinned = Zero(element);
      kmeans_.emplace_back(points_[t], prepared_, pinned);
    }
  }

  std::vector<Number> Replace(const std::vector<std::vector<Number>>& replacements) const {
    std::vector<Number> values(original_.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const std::vector<Number>& known = points_[TableOf(i)].values;
      const Number value = Thresholded(i);
      auto found = std::lower_bound(known.begin(), known.end(), value);
      // -0.0 stands in front of 0.0, and neither is less.
      if (std::signbit(static_cast<double>(*found)) != std::signbit(static_cast<double>(value))) ++found;
      values[i] = replacements[TableOf(i)][static_cast<size_t>(found - known.begin())];
    }
    return values;
  }

  double QsnrDb(const std::vector<Number>& values) const {
    double signal = 0, noise = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const double before = Real(i, original_[i]), after = Real(i, values[i]);
      signal += before * before;
      noise += (before - after) * (before - after);
    }
    if (noise == 0) return std::numeric_limits<double>::infinity();
    return 10 * std::log10(signal / noise);
  }

  static std::vector<uint8_t> Bytes(const std::vector<Number>& values) {
    std::vector<uint8_t> bytes;
    bytes.reserve(values.size() * sizeof(Element));
    for (const Number value : values) {
      const auto bits = std::bit_cast<uint32_t>(value);
      for (size_t byte = 0; byte < sizeof(Element); ++byte) {
        bytes.push_back(static_cast<uint8_t>(bits >> (kBitsPerByte * byte)));
      }
    }
    return bytes;
  }

  BinSettings settings_;
  Channels channels_;
  std::vector<Quantization> quantization_;
  std::vector<Number> original_;
  bool per_channel_ = false;
  std::vector<DistinctValues<Number>> points_;  // By table.
  uint32_t prepared_ = 0;
  std::vector<KMeans<Number>> kmeans_;
};

TensorBinner::TensorBinner(const TensorInfo& tensor, const BinSettings& settings) {
  if (!tensor.is_constant() || tensor.shape.Count() == 0) throw std::invalid_argument("no values");
  if (tensor.is_compressed) throw std::invalid_argument("compressed already");
  switch (tensor.type) {
    case TensorType::kInt8:
      work_ = std::make_unique<TypedWork<int8_t>>(tensor, settings);
      break;
    case TensorType::kInt16:
      work_ = std::make_unique<TypedWork<int16_t>>(tensor, settings);
      break;
    case TensorType::kInt32:
      work_ = std::make_unique<TypedWork<int32_t>>(tensor, settings);
      break;
    case TensorType::kFloat32:
      work_ = std::make_unique<TypedWork<float>>(tensor, settings);
      break;
    default:
      throw std::invalid_argument(std::string("type ") + ToString(tensor.type));
  }
}

TensorBinner::~TensorBinner() = default;

BinnedTensor TensorBinner::Bin(int bits) { return work_->Bin(bits); }

BinnedTensor BinTensor(const TensorInfo& tensor, const BinSettings& settings) {
  TensorBinner binner(tensor, settings);
  if (settings.bits) return binner.Bin(*settings.bits);
  for (int bits = 1; bits < kMaxBinBits; ++bits) {
    BinnedTensor binned = binner.Bin(bits);
    if (binned.qsnr_db >= *settings.min_qsnr_db) return binned;
  }
  return binner.Bin(kMaxBinBits);
}

}  // namespace lutra::compressor

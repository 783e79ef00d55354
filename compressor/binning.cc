// SPDX-License-Identifier: Apache-2.0
// Bins one tensor: counts its values, clusters them, and replaces each by its centre.

#include "compressor/binning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "compressor/channels.h"
#include "compressor/kmeans.h"
#include "compressor/qsnr.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

constexpr int64_t kBitsPerByte = 8;

int64_t BytesForBits(int64_t bits, Rounding rounding) {
  return (bits + (rounding == Rounding::kUp ? kBitsPerByte - 1 : 0)) / kBitsPerByte;
}

// Returns how the elements are scaled, and which table each belongs to.
Channels CheckedScaleChannels(const TensorInfo& tensor) {
  if (tensor.scales.count > 1 &&
      (tensor.quantized_dimension < 0 || tensor.quantized_dimension >= tensor.shape.rank ||
       tensor.scales.count != tensor.shape[tensor.quantized_dimension])) {
    throw std::invalid_argument(std::to_string(tensor.scales.count) +
                                " scales, not one for each index of the quantised dimension");
  }
  return ScaleChannels(tensor);
}

// Weights each distinct value by the sum of its elements' weights: in whole numbers of at least 1 whose sum
// k-means can hold.
template <typename Number>
void Weigh(const std::vector<Number>& values, const std::vector<double>& importance,
           DistinctValues<Number>* points) {
  if (importance.empty()) return;
  std::vector<double> weights(points->size());
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = std::lower_bound(points->values.begin(), points->values.end(), values[i]);
    weights[static_cast<size_t>(at - points->values.begin())] += importance[i];
    sum += importance[i];
  }
  constexpr double kSum = 1U << 30;
  if (!(sum > 0) || !std::isfinite(sum)) return;
  for (size_t i = 0; i < weights.size(); ++i) {
    points->weights[i] = 1 + static_cast<uint32_t>(weights[i] / sum * kSum);
  }
}

template <typename Element>
void AddTo(const std::vector<int64_t>& add, std::vector<uint8_t>* bytes) {
  for (size_t i = 0; i < add.size(); ++i) {
    Element element;
    std::memcpy(&element, bytes->data() + i * sizeof element, sizeof element);
    constexpr int64_t kLeast = std::numeric_limits<Element>::min(),
                      kMost = std::numeric_limits<Element>::max();
    // The sum does not overflow: one operand has few bits, the other is clamped.
    const int64_t clamped = std::clamp(add[i], kLeast - kMost, kMost - kLeast);
    element = static_cast<Element>(std::clamp(element + clamped, kLeast, kMost));
    std::memcpy(bytes->data() + i * sizeof element, &element, sizeof element);
  }
}

double QsnrDb(const TensorInfo& tensor, const std::vector<uint8_t>& bytes) {
  TensorInfo changed = tensor;
  changed.data = {bytes.data(), bytes.size()};
  const std::vector<double> before = RealValues(tensor), after = RealValues(changed);
  Qsnr qsnr;
  for (size_t i = 0; i < before.size(); ++i) qsnr.Add(before[i], after[i]);
  return qsnr.db();
}

std::vector<uint8_t> Sums(const TensorInfo& tensor, const std::vector<int64_t>& add) {
  std::vector<uint8_t> bytes(tensor.data.begin(), tensor.data.end());
  if (static_cast<int64_t>(add.size()) != tensor.shape.Count()) {
    throw std::invalid_argument(std::to_string(add.size()) + " numbers to add to " +
                                std::to_string(tensor.shape.Count()) + " elements");
  }
  WithElement(tensor.type, [&]<typename Element>() {
    if constexpr (std::is_floating_point_v<Element>) {
      throw std::invalid_argument(std::string("numbers to add to elements of type ") + ToString(tensor.type));
    } else {
      AddTo<Element>(add, &bytes);
    }
  });
  return bytes;
}

}  // namespace

std::vector<Quantization> QuantizationOf(const TensorInfo& tensor) {
  std::vector<Quantization> list(std::max(tensor.scales.count, 1));
  if (!tensor.is_quantized()) return list;
  for (int32_t c = 0; c < tensor.scales.count; ++c) {
    const int32_t at = tensor.zero_points.count == tensor.scales.count ? c : 0;
    list[c] = {tensor.scales[c], tensor.zero_points.count > 0 ? tensor.zero_points[at] : 0};
  }
  return list;
}

std::vector<double> RealValues(const TensorInfo& tensor) {
  const Channels channels = ScaleChannels(tensor);
  const std::vector<Quantization> quantization = QuantizationOf(tensor);
  TensorInfo codes = tensor;
  codes.scales = {};
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.shape.Count(); ++i) {
    const Quantization& q = quantization[static_cast<size_t>(channels.Of(static_cast<size_t>(i)))];
    values.push_back((host::RealValue(codes, tensor.data.data(), i) - static_cast<double>(q.zero_point)) *
                     q.scale);
  }
  return values;
}

LutSize SizeOfLut(int64_t elements, int64_t special, int bits, int64_t table_entries, int element_bytes,
                  SparseUse sparse, Rounding rounding) {
  LutSize size;
  size.original_bytes = elements * element_bytes;
  size.table_bytes = table_entries * element_bytes;
  size.plain_bytes = BytesForBits(elements * bits, rounding);
  size.sparse_bytes = BytesForBits((elements - special) * (bits + 1) + special, rounding);
  size.sparse =
      sparse == SparseUse::kForce || (sparse == SparseUse::kAuto && size.sparse_bytes < size.plain_bytes);
  size.total_bytes = (size.sparse ? size.sparse_bytes : size.plain_bytes) + size.table_bytes;
  return size;
}

class TensorBinner::Work {
 public:
  virtual ~Work() = default;
  virtual BinnedTensor Bin(int bits) = 0;
  virtual BinnedTensor BinToValues() = 0;
};

template <typename Element>
class TensorBinner::TypedWork : public Work {
 public:
  // K-means computes in this type.
  using Number = std::conditional_t<std::is_floating_point_v<Element>, Element, int32_t>;

  TypedWork(const TensorInfo& tensor, const BinSettings& settings, const std::vector<double>& importance)
      : tensor_(tensor),
        settings_(settings),
        channels_(CheckedScaleChannels(tensor)),
        quantization_(QuantizationOf(tensor)),
        original_(tensor.shape.Count()) {
    const PackedList<Element> elements{tensor.data.data(), tensor.shape.Count()};
    for (size_t i = 0; i < original_.size(); ++i) original_[i] = elements[static_cast<int32_t>(i)];
    per_channel_ = settings.per == TableScope::kChannel && channels_.count > 1 && tensor.shape.rank > 1;
    std::vector<std::vector<Number>> parts(per_channel_ ? channels_.count : 1);
    std::vector<std::vector<double>> weights(parts.size());
    const bool by_scale = std::is_same_v<Element, int32_t> && channels_.count > 1;
    for (size_t i = 0; i < original_.size(); ++i) {
      parts[TableOf(i)].push_back(Thresholded(i));
      const double scale = quantization_[channels_.Of(i)].scale;
      if (!importance.empty() || by_scale) {
        weights[TableOf(i)].push_back(importance.empty() ? scale * scale : importance[i]);
      }
    }
    for (size_t t = 0; t < parts.size(); ++t) {
      points_.push_back(CountDistinct(parts[t].data(), parts[t].size()));
      counts_.push_back(points_.back().weights);
      Weigh(parts[t], weights[t], &points_.back());
    }
  }

  BinnedTensor Bin(int bits) override {
    const uint32_t clusters = (1u << bits) + special();
    Prepare(clusters);
    bool exact = true;
    Replacements replacements(points_.size());
    for (size_t t = 0; t < points_.size(); ++t) {
      const Clusters<Number> found = kmeans_[t].Cluster(clusters);
      exact = exact && kmeans_[t].exact();
      for (size_t c = 0; c < found.centres.size(); ++c) {
        replacements[t].insert(replacements[t].end(), found.first[c + 1] - found.first[c], found.centres[c]);
      }
    }
    BinnedTensor binned = Finish(replacements);
    binned.exact = exact;
    return binned;
  }

  BinnedTensor BinToValues() override {
    if (settings_.values.size() != points_.size()) {
      throw std::invalid_argument(std::to_string(settings_.values.size()) + " lists of values for " +
                                  std::to_string(points_.size()) + " tables");
    }
    Replacements replacements(points_.size());
    for (size_t t = 0; t < points_.size(); ++t) {
      std::vector<Number> centres;
      for (const double value : settings_.values[t]) centres.push_back(ToElement(value));
      if (centres.empty()) throw std::invalid_argument("an empty list of values");
      std::sort(centres.begin(), centres.end());
      for (const Number point : points_[t].values) replacements[t].push_back(Nearest(centres, point));
    }
    return Finish(replacements);
  }

 private:
  // The new values, for each table in the order of its distinct values.
  using Replacements = std::vector<std::vector<Number>>;

  uint32_t special() const { return settings_.sparse == SparseUse::kForce ? 1 : 0; }

  static Number ToElement(double value) {
    using Limits = std::numeric_limits<Element>;
    const bool fits = std::is_floating_point_v<Element>
                          ? std::fabs(value) <= static_cast<double>(Limits::max())
                          : value == std::floor(value) && value >= static_cast<double>(Limits::lowest()) &&
                                value <= static_cast<double>(Limits::max());
    if (!fits) throw std::invalid_argument("a value that the tensor's type cannot hold");
    return static_cast<Number>(value);
  }

  static Number Nearest(const std::vector<Number>& centres, Number value) {
    const auto above = std::lower_bound(centres.begin(), centres.end(), value);
    if (above == centres.begin()) return centres.front();
    if (above == centres.end()) return centres.back();
    const double up = static_cast<double>(*above) - static_cast<double>(value);
    const double down = static_cast<double>(value) - static_cast<double>(*(above - 1));
    return up < down ? *above : *(above - 1);
  }

  BinnedTensor Finish(const Replacements& replacements) const {
    BinnedTensor binned;
    binned.tables = static_cast<int>(points_.size());
    std::map<uint32_t, int64_t> counts;  // The key is the value's bits, as 0.0 and -0.0 are two values.
    size_t entries = 1;
    for (size_t t = 0; t < points_.size(); ++t) {
      std::set<uint32_t> used;
      for (size_t i = 0; i < replacements[t].size(); ++i) {
        const auto value_bits = std::bit_cast<uint32_t>(replacements[t][i]);
        counts[value_bits] += counts_[t][i];
        used.insert(value_bits);
      }
      entries = std::max(entries, used.size());
      std::vector<double>& values = binned.values.emplace_back();
      for (const uint32_t bits : used) values.push_back(static_cast<double>(std::bit_cast<Number>(bits)));
      std::sort(values.begin(), values.end());
    }
    binned.bits = std::max<int>(std::bit_width(entries - std::min<size_t>(special(), entries - 1) - 1), 1);
    const std::vector<Number> values = Replace(replacements);
    binned.all_became_zero = AllBecameZero();
    binned.bytes = Bytes(values);
    binned.qsnr_db = QsnrDb(tensor_, binned.bytes);
    int64_t most_frequent = 0;
    for (const auto& [value, count] : counts) most_frequent = std::max(most_frequent, count);
    // The sparse form has one table.
    binned.size = SizeOfLut(static_cast<int64_t>(original_.size()), most_frequent, binned.bits,
                            static_cast<int64_t>(entries * points_.size()), sizeof(Element),
                            per_channel_ ? SparseUse::kNo : settings_.sparse);
    return binned;
  }

  size_t TableOf(size_t i) const { return per_channel_ ? channels_.Of(i) : 0; }

  double Real(size_t i, Number value) const {
    const Quantization& quantization = quantization_[channels_.Of(i)];
    return (static_cast<double>(value) - static_cast<double>(quantization.zero_point)) * quantization.scale;
  }

  Number Zero(size_t i) const {
    const int64_t zero = quantization_[channels_.Of(i)].zero_point;
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

  // Runs k-means for so many clusters; first for few, as the work grows with their number.
  void Prepare(uint32_t clusters) {
    if (clusters <= prepared_) return;
    constexpr uint32_t kFew = 17, kMost = (1u << kMaxBinBits) + 1;
    prepared_ = clusters <= kFew ? kFew : kMost;
    kmeans_.clear();
    for (size_t t = 0; t < points_.size(); ++t) {
      // All elements of a table have the same zero point.
      const size_t element = t * channels_.inner;
      std::optional<Number> pinned;
      if (settings_.pin_zero) pinned = Zero(element);
      kmeans_.emplace_back(points_[t], prepared_, pinned);
    }
  }

  std::vector<Number> Replace(const Replacements& replacements) const {
    std::vector<Number> values(original_.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const std::vector<Number>& known = points_[TableOf(i)].values;
      const Number value = Thresholded(i);
      auto found = std::lower_bound(known.begin(), known.end(), value);
      // -0.0 is sorted before 0.0, though neither is less.
      if (std::signbit(static_cast<double>(*found)) != std::signbit(static_cast<double>(value))) ++found;
      values[i] = replacements[TableOf(i)][static_cast<size_t>(found - known.begin())];
    }
    return values;
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

  TensorInfo tensor_;
  BinSettings settings_;
  Channels channels_;
  std::vector<Quantization> quantization_;
  std::vector<Number> original_;
  bool per_channel_ = false;
  std::vector<DistinctValues<Number>> points_;  // By table.
  std::vector<std::vector<uint32_t>> counts_;   // How often each occurs.
  uint32_t prepared_ = 0;
  std::vector<KMeans<Number>> kmeans_;
};

TensorBinner::TensorBinner(const TensorInfo& tensor, const BinSettings& settings,
                           const std::vector<double>& importance) {
  if (!tensor.is_constant() || tensor.shape.Count() == 0) throw std::invalid_argument("no values");
  if (tensor.is_compressed) throw std::invalid_argument("compressed already");
  WithElement(tensor.type, [&]<typename Element>() {
    work_ = std::make_unique<TypedWork<Element>>(tensor, settings, importance);
  });
}

TensorBinner::~TensorBinner() = default;

BinnedTensor TensorBinner::Bin(int bits) { return work_->Bin(bits); }
BinnedTensor TensorBinner::BinToValues() { return work_->BinToValues(); }

BinnedTensor BinTensor(const TensorInfo& tensor, const BinSettings& settings) {
  if (!settings.add.empty()) {
    std::vector<uint8_t> sums = Sums(tensor, settings.add);
    if (settings.is_only_moved()) {
      const int64_t bytes = tensor.bytes;
      return {.bytes = sums,
              .bits = 8 * ElementBytes(tensor.type),
              .qsnr_db = QsnrDb(tensor, sums),
              .size = {.original_bytes = bytes, .total_bytes = bytes}};
    }
    TensorInfo moved = tensor;
    moved.data = {sums.data(), sums.size()};
    BinSettings rest = settings;
    rest.add.clear();
    BinnedTensor binned = BinTensor(moved, rest);
    binned.qsnr_db = QsnrDb(tensor, binned.bytes);
    return binned;
  }
  if (settings.rules != nullptr) return settings.rules->bin(tensor, settings);
  TensorBinner binner(tensor, settings);
  if (!settings.values.empty()) return binner.BinToValues();
  if (settings.bits) return binner.Bin(*settings.bits);
  for (int bits = 1; bits < kMaxBinBits; ++bits) {
    BinnedTensor binned = binner.Bin(bits);
    if (binned.qsnr_db >= *settings.min_qsnr_db) return binned;
  }
  return binner.Bin(kMaxBinBits);
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Binning: replaces the values of a weight tensor by a few, so that a lookup table can hold them.
//
//   const TensorInfo filter = model.tensor(0, 3);
//   const BinnedTensor binned = BinTensor(filter, {.bits = 4});
//   // binned.bytes: at most 16 distinct values; binned.qsnr_db, binned.size.total_bytes
//
// The values have the least squared error (kmeans.h), in the tensor's own type. Every element counts the
// same; elements of INT32, biases, count by the square of their scale, as scales of channels lie far apart;
// or each counts by `importance`. Types are INT8, UINT8, INT16, INT32 and FLOAT32; any other type, and NaN or
// infinity, throws std::invalid_argument with the reason.
//
// QSNR = 10 log10(sum x^2 / sum (x - y)^2) in dB: x are the tensor's values before `add`, threshold and
// binning, in real units ((element - zero point) * scale), y those after. Infinite without any
// change.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lutra/tensor_info.h"

namespace lutra {
class Model;
}

namespace lutra::compressor {

enum class TableScope : uint8_t { kTensor, kChannel };
enum class SparseUse : uint8_t { kAuto, kForce, kNo };
enum class Rounding : uint8_t { kUp, kDown };

inline constexpr int kMaxBinBits = 8;

struct BinnedTensor;
struct BinSettings;

// The row of nntool's own table: gap9/nntool/table.h.
struct NntoolCount {
  int64_t original_bytes = 0;
  int64_t compressed_bytes = 0;
  bool is_added_into_bias = false;
  int64_t original_bytes_in_total = 0;  // The row's share of the table's last line.
};

// Another tool's rules, for comparison: gap9/nntool/rules.h.
struct BinRules {
  const char* name;
  BinnedTensor (*bin)(const TensorInfo& tensor, const BinSettings& settings);
  // `step`: the first operator that reads the tensor.
  NntoolCount (*count)(const Model& model, int subgraph, int tensor, int step, const BinnedTensor& binned);
};

struct BinSettings {
  std::optional<int> bits;            // 1 to 8: 2^bits values.
  std::optional<double> min_qsnr_db;  // Or: the fewest bits that reach this.
  // Or these values, as they are stored: one list for each table. Each element becomes the nearest value, the
  // lower of two equally near.
  std::vector<std::vector<double>> values = {};
  // Numbers that are first added to the elements of an integer tensor, one to each, up to the type's limits:
  // to move a bias, or to give a weight another value than the nearest. `min_qsnr_db` is of the result. If
  // none of the above is set, nothing else is done.
  std::vector<int64_t> add = {};
  TableScope per = TableScope::kTensor;  // A list of one dimension has one table in any case.
  double threshold = 0;                  // Smaller magnitudes become 0 first; in real units.
  SparseUse sparse = SparseUse::kAuto;
  bool pin_zero = false;  // 0 is one of the values.
  bool enabled = true;
  const BinRules* rules = nullptr;  // Null: those of this file.

  bool is_only_moved() const { return !add.empty() && !bits && !min_qsnr_db && values.empty(); }

  friend bool operator==(const BinSettings&, const BinSettings&) = default;
};

// The bytes of a tensor as indices and tables, without the framing of any file format.
struct LutSize {
  int64_t original_bytes = 0;
  int64_t table_bytes = 0;
  int64_t plain_bytes = 0;   // Indices of `bits` bits.
  int64_t sparse_bytes = 0;  // A flag bit for each element, an index only beside the special value.
  bool sparse = false;       // Which of them is used.
  int64_t total_bytes = 0;   // Indices in the used form, and the tables.
};

// `special` is how many of the `elements` have the most frequent value. Indices take whole bytes.
LutSize SizeOfLut(int64_t elements, int64_t special, int bits, int64_t table_entries, int element_bytes,
                  SparseUse sparse, Rounding rounding = Rounding::kUp);

struct BinnedTensor {
  std::vector<uint8_t> bytes;  // The tensor's new constant.
  int bits = 0;                // Of an index; fewer than asked for if there are fewer values.
  int tables = 1;
  double qsnr_db = 0;
  bool all_became_zero = false;             // By the threshold; false if all were zero before.
  std::vector<std::vector<double>> values;  // As they are stored, of each table, ascending.
  bool exact = true;  // False: there were so many distinct values that clusters were only improved locally.
  LutSize size;
};

// Calls use.operator()<T>(), T as a tensor of this type holds its elements. Throws std::invalid_argument for
// a type that is not binned.
template <typename Use>
auto WithElement(TensorType type, const Use& use) {
  switch (type) {
    case TensorType::kInt8:
      return use.template operator()<int8_t>();
    case TensorType::kUInt8:
      return use.template operator()<uint8_t>();
    case TensorType::kInt16:
      return use.template operator()<int16_t>();
    case TensorType::kInt32:
      return use.template operator()<int32_t>();
    case TensorType::kFloat32:
      return use.template operator()<float>();
    default:
      throw std::invalid_argument(std::string("type ") + ToString(type));
  }
}

struct Quantization {
  double scale = 1;
  int64_t zero_point = 0;
};

// Returns the quantisation of each channel of ScaleChannels.
std::vector<Quantization> QuantizationOf(const TensorInfo& tensor);

// The elements of a constant: (code - zero point) * scale, each by its channel's.
std::vector<double> RealValues(const TensorInfo& tensor);

// One tensor, prepared for several widths.
class TensorBinner {
 public:
  // `bits` and `min_qsnr_db` of the settings are ignored. kChannel means one table for each of the tensor's
  // scales; a tensor with one scale has one table. `importance`: the weight of each element's squared error,
  // in units of the element; empty: the weights that the beginning of this file names.
  TensorBinner(const TensorInfo& tensor, const BinSettings& settings,
               const std::vector<double>& importance = {});
  ~TensorBinner();

  // `bits` from 1 to 8. With SparseUse::kForce there is one value more.
  BinnedTensor Bin(int bits);
  // Bins to the values of the settings. Throws std::invalid_argument if they are not one list for each table,
  // of values that the element's type holds.
  BinnedTensor BinToValues();

 private:
  class Work;
  template <typename Element>
  class TypedWork;
  std::unique_ptr<Work> work_;
};

// Adds settings.add, then bins to settings.values, with settings.bits, or with the fewest bits that reach
// settings.min_qsnr_db (with 8 if none do), by settings.rules.
BinnedTensor BinTensor(const TensorInfo& tensor, const BinSettings& settings);

}  // namespace lutra::compressor

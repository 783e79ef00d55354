// SPDX-License-Identifier: Apache-2.0
// Compares binned tensors with optimal clusters.

#include "compressor/binning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <stdexcept>

namespace lutra::compressor {
namespace {

// A constant tensor that owns its bytes.
template <typename T>
struct ConstantOf {
  TensorInfo info;
  std::vector<T> elements;
  std::vector<float> scales;
  std::vector<int64_t> zero_points;

  ConstantOf(TensorType type, std::vector<int32_t> dims, std::vector<T> values)
      : elements(std::move(values)) {
    info.type = type;
    info.shape.rank = static_cast<int32_t>(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) info.shape.dims[i] = dims[i];
    Point();
  }
  void Quantize(std::vector<float> new_scales, std::vector<int64_t> new_zero_points, int axis) {
    scales = std::move(new_scales);
    zero_points = std::move(new_zero_points);
    info.quantized_dimension = axis;
    Point();
  }
  void Point() {
    info.bytes = static_cast<int32_t>(elements.size() * sizeof(T));
    info.data = {reinterpret_cast<const uint8_t*>(elements.data()), elements.size() * sizeof(T)};
    info.scales = {reinterpret_cast<const uint8_t*>(scales.data()), static_cast<int32_t>(scales.size())};
    info.zero_points = {reinterpret_cast<const uint8_t*>(zero_points.data()),
                        static_cast<int32_t>(zero_points.size())};
  }
  ConstantOf(const ConstantOf&) = delete;

  std::vector<T> Read(const std::vector<uint8_t>& bytes) const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

template <typename T>
std::vector<T> Normal(size_t count, double deviation, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<T> values(count);
  for (T& value : values) {
    const double real = normal(random);
    value = std::is_integral_v<T> ? static_cast<T>(std::clamp(std::round(real), -127.0, 127.0))
                                  : static_cast<T>(real);
  }
  return values;
}

ConstantOf<int8_t> Int8(std::vector<int32_t> dims, double deviation = 40) {
  size_t count = 1;
  for (const int32_t dim : dims) count *= static_cast<size_t>(dim);
  return ConstantOf<int8_t>(TensorType::kInt8, dims, Normal<int8_t>(count, deviation, 3));
}

TEST(TensorBinner, ImportanceMovesTheValues) {
  const ConstantOf<int8_t> tensor(TensorType::kInt8, {1, 3}, {0, 4, 100});
  EXPECT_EQ(tensor.Read(TensorBinner(tensor.info, {}).Bin(1).bytes), (std::vector<int8_t>{2, 2, 100}));
  const BinnedTensor weighed = TensorBinner(tensor.info, {}, {1e6, 1e6, 1}).Bin(1);
  EXPECT_EQ(tensor.Read(weighed.bytes), (std::vector<int8_t>{0, 4, 4}));
  EXPECT_EQ(weighed.values, (std::vector<std::vector<double>>{{0, 4}}));
  EXPECT_EQ(BinTensor(tensor.info, {.values = {{0, 4}}}).bytes, weighed.bytes);
  EXPECT_EQ(weighed.size.sparse_bytes, 1) << "counted by elements, not by weights";
}

TEST(SizeOfLut, WorkedExamples) {
  const LutSize conv = SizeOfLut(216, 10, 5, 32, 1, SparseUse::kAuto);
  EXPECT_EQ(conv.plain_bytes, 135);
  EXPECT_EQ(conv.table_bytes, 32);
  EXPECT_EQ(conv.total_bytes, 167);
  EXPECT_EQ(SizeOfLut(14592, 1000, 5, 32, 1, SparseUse::kAuto).total_bytes, 9152);
  constexpr int64_t kSpecial = 36576;  // 59.5 % of the elements.
  const LutSize sparse = SizeOfLut(61440, kSpecial, 2, 5, 1, SparseUse::kForce);
  EXPECT_EQ(sparse.sparse_bytes, 13896);
  EXPECT_EQ(sparse.total_bytes, 13901);
  // Bytes are rounded up.
  EXPECT_EQ(SizeOfLut(500, 0, 5, 32, 1, SparseUse::kNo).total_bytes, 345);
  EXPECT_EQ(SizeOfLut(80, 0, 3, 10, 1, SparseUse::kNo).total_bytes, 40);
  EXPECT_EQ(SizeOfLut(3, 0, 3, 8, 4, SparseUse::kNo).total_bytes, 2 + 32);
}

// The sparse form is smaller if more than one element in `bits` is special.
TEST(SizeOfLut, SparseWhereItIsSmaller) {
  EXPECT_FALSE(SizeOfLut(800, 200, 4, 16, 1, SparseUse::kAuto).sparse);
  EXPECT_TRUE(SizeOfLut(800, 208, 4, 16, 1, SparseUse::kAuto).sparse);
  EXPECT_FALSE(SizeOfLut(800, 208, 4, 16, 1, SparseUse::kNo).sparse);
  EXPECT_TRUE(SizeOfLut(800, 1, 4, 16, 1, SparseUse::kForce).sparse);
}

TEST(BinTensor, WorkedExamplesOfTensors) {
  EXPECT_EQ(BinTensor(Int8({8, 3, 3, 3}).info, {.bits = 5, .sparse = SparseUse::kNo}).size.total_bytes, 167);
  EXPECT_EQ(BinTensor(Int8({12, 1216}).info, {.bits = 5}).size.total_bytes, 9152);

  ConstantOf<int8_t> sparse = Int8({10, 6144}, 60);
  for (size_t i = 0; i < sparse.elements.size(); ++i) {
    if (i < 36576) {
      sparse.elements[i] = 0;
    } else if (std::abs(sparse.elements[i]) < 50) {
      sparse.elements[i] = 90;
    }
  }
  const BinnedTensor forced = BinTensor(sparse.info, {.bits = 2, .sparse = SparseUse::kForce});
  EXPECT_EQ(forced.size.total_bytes, 13901);
  EXPECT_EQ(forced.bits, 2);
  const std::vector<int8_t> values = sparse.Read(forced.bytes);
  EXPECT_EQ(std::set<int8_t>(values.begin(), values.end()).size(), 5u);
}

TEST(BinTensor, DistinctValuesAndQsnr) {
  const std::vector<float> scales = {0.5f, 0.001f, 3, 0.02f};
  for (const TableScope per : {TableScope::kTensor, TableScope::kChannel}) {
    for (const int axis : {0, 2}) {
      ConstantOf<int8_t> tensor = Int8({4, 50, 4});
      tensor.Quantize(scales, {0, 0, 0, 0}, axis);
      for (int bits = 1; bits <= 8; ++bits) {
        const BinnedTensor binned = BinTensor(tensor.info, {.bits = bits, .per = per});
        const std::vector<int8_t> values = tensor.Read(binned.bytes);
        ASSERT_EQ(values.size(), tensor.elements.size());
        std::vector<std::set<int8_t>> distinct(4);
        double signal = 0, noise = 0;
        for (size_t i = 0; i < values.size(); ++i) {
          const size_t channel = axis == 0 ? i / 200 : i % 4;
          distinct[per == TableScope::kChannel ? channel : 0].insert(values[i]);
          const double real = scales[channel] * static_cast<double>(tensor.elements[i]);
          const double difference = real - scales[channel] * static_cast<double>(values[i]);
          signal += real * real;
          noise += difference * difference;
        }
        size_t most = 0;
        for (const std::set<int8_t>& set : distinct) most = std::max(most, set.size());
        EXPECT_LE(most, size_t{1} << bits);
        EXPECT_LE(most, size_t{1} << binned.bits);
        const int tables = per == TableScope::kChannel ? 4 : 1;
        EXPECT_EQ(binned.tables, tables);
        EXPECT_EQ(binned.size.table_bytes, static_cast<int64_t>(tables * most));
        if (noise == 0) {
          EXPECT_TRUE(std::isinf(binned.qsnr_db));
        } else {
          EXPECT_NEAR(binned.qsnr_db, 10 * std::log10(signal / noise), 1e-9);
        }
      }
    }
  }
}

TEST(BinTensor, EightBitsKeepInt8) {
  const ConstantOf<int8_t> tensor = Int8({40, 100});
  const BinnedTensor binned = BinTensor(tensor.info, {.bits = 8});
  EXPECT_EQ(tensor.Read(binned.bytes), tensor.elements);
  EXPECT_TRUE(std::isinf(binned.qsnr_db));
}

// The option takes the fewest bits that reach a real number of dB.
TEST(BinTensor, LeastQsnr) {
  const ConstantOf<int8_t> tensor = Int8({40, 100});
  TensorBinner binner(tensor.info, {});
  for (int bits = 2; bits <= 6; ++bits) {
    const double qsnr_db = binner.Bin(bits).qsnr_db;
    EXPECT_GT(qsnr_db, binner.Bin(bits - 1).qsnr_db);
    EXPECT_EQ(BinTensor(tensor.info, {.min_qsnr_db = qsnr_db}).bits, bits);
    EXPECT_EQ(BinTensor(tensor.info, {.min_qsnr_db = qsnr_db + 1e-6}).bits, bits + 1);
  }
  const ConstantOf<float> reals(TensorType::kFloat32, {4000}, Normal<float>(4000, 1, 5));
  const BinnedTensor missed = BinTensor(reals.info, {.min_qsnr_db = 90});
  EXPECT_EQ(missed.bits, 8);
  EXPECT_LT(missed.qsnr_db, 90);
}

// Values that were zero before are not reported as having become zero.
TEST(BinTensor, TellsWhetherAllBecameZero) {
  const auto all = [](std::vector<int8_t> values, double threshold) {
    const ConstantOf<int8_t> tensor(TensorType::kInt8, {2, 2}, std::move(values));
    return BinTensor(tensor.info, {.bits = 4, .threshold = threshold}).all_became_zero;
  };
  EXPECT_TRUE(all({1, -2, 3, 0}, 5));
  EXPECT_FALSE(all({1, -2, 7, 0}, 5));
  EXPECT_FALSE(all({0, 0, 0, 0}, 5));
  EXPECT_FALSE(all({1, 2, 3, 4}, 0));
}

// The QSNR is measured against the original values, so it includes the threshold's damage.
TEST(BinTensor, ThresholdInRealUnits) {
  ConstantOf<int8_t> tensor = Int8({2, 500});
  tensor.Quantize({0.5f, 0.25f}, {0, 0}, 0);
  const BinnedTensor binned = BinTensor(tensor.info, {.bits = 8, .threshold = 5});
  const std::vector<int8_t> values = tensor.Read(binned.bytes);
  double signal = 0, noise = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double real = (i < 500 ? 0.5 : 0.25) * static_cast<double>(tensor.elements[i]);
    EXPECT_EQ(values[i], std::fabs(real) < 5 ? 0 : tensor.elements[i]);
    signal += real * real;
    noise += std::fabs(real) < 5 ? real * real : 0;
  }
  EXPECT_GT(noise, 0);
  EXPECT_NEAR(binned.qsnr_db, 10 * std::log10(signal / noise), 1e-9);
}

TEST(BinTensor, PinsTheZeroPoint) {
  ConstantOf<int8_t> tensor(TensorType::kInt8, {1, 8}, {9, 10, 11, 12, 60, 61, 62, 7});
  tensor.Quantize({0.1f}, {7}, 0);
  const std::vector<int8_t> values = tensor.Read(BinTensor(tensor.info, {.bits = 1, .pin_zero = true}).bytes);
  EXPECT_EQ(values, (std::vector<int8_t>{7, 7, 7, 7, 61, 61, 61, 7}));
}

TEST(BinTensor, OtherTypes) {
  const ConstantOf<float> reals(TensorType::kFloat32, {3, 2}, {1, 1.5f, -2, -2, 8, 9});
  const std::vector<float> binned = reals.Read(BinTensor(reals.info, {.bits = 1}).bytes);
  EXPECT_EQ(binned, (std::vector<float>{-0.375f, -0.375f, -0.375f, -0.375f, 8.5f, 8.5f}));
  const ConstantOf<int16_t> shorts(TensorType::kInt16, {4}, {-30000, -29998, 5, 7});
  EXPECT_EQ(shorts.Read(BinTensor(shorts.info, {.bits = 1}).bytes),
            (std::vector<int16_t>{-29999, -29999, 6, 6}));
  const ConstantOf<int32_t> words(TensorType::kInt32, {2}, {INT32_MIN, INT32_MAX});
  EXPECT_EQ(words.Read(BinTensor(words.info, {.bits = 1}).bytes), words.elements);
}

TEST(BinTensor, AddsFirst) {
  const ConstantOf<int32_t> words(TensorType::kInt32, {4}, {INT32_MIN, 10, 20, INT32_MAX});
  const BinnedTensor moved = BinTensor(words.info, {.add = {-1, 5, -5, int64_t{1} << 32}});
  EXPECT_EQ(words.Read(moved.bytes), (std::vector<int32_t>{INT32_MIN, 15, 15, INT32_MAX}));
  EXPECT_EQ(moved.size.total_bytes, 16);
  const ConstantOf<int8_t> codes(TensorType::kInt8, {4}, {1, 2, 100, 101});
  const BinnedTensor binned = BinTensor(codes.info, {.bits = 1, .add = {10, 11, -1, 0}});
  EXPECT_EQ(codes.Read(binned.bytes), (std::vector<int8_t>{12, 12, 100, 100}));
  // The QSNR is measured from the tensor before anything was added.
  EXPECT_DOUBLE_EQ(binned.qsnr_db, 10 * std::log10((1 + 4 + 10000 + 10201) / (121.0 + 100 + 0 + 1)));
  EXPECT_THROW(BinTensor(codes.info, {.bits = 1, .add = {1}}), std::invalid_argument);
  const ConstantOf<float> reals(TensorType::kFloat32, {1}, {1});
  EXPECT_THROW(BinTensor(reals.info, {.add = {1}}), std::invalid_argument);
}

TEST(BinTensor, Refuses) {
  const ConstantOf<float> reals(TensorType::kFloat32, {2}, {1, NAN});
  EXPECT_THROW(BinTensor(reals.info, {.bits = 1}), std::invalid_argument);
  const ConstantOf<int64_t> longs(TensorType::kInt64, {2}, {1, 2});
  EXPECT_THROW(BinTensor(longs.info, {.bits = 1}), std::invalid_argument);
  EXPECT_THROW(BinTensor(TensorInfo{.type = TensorType::kInt8}, {.bits = 1}), std::invalid_argument);
  ConstantOf<int8_t> odd = Int8({3, 3});
  odd.Quantize({1, 1}, {0, 0}, 0);
  EXPECT_THROW(BinTensor(odd.info, {.bits = 1}), std::invalid_argument);
}

}  // namespace
}  // namespace lutra::compressor

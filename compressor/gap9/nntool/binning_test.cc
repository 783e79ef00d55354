// SPDX-License-Identifier: Apache-2.0
// Tests nntool's rules on small tensors, and its published table on the model of that table.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "compressor/bin_model.h"
#include "compressor/gap9/nntool/rules.h"
#include "runtime/testing/model_builder.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

BinSettings AsNntool(BinSettings settings) {
  settings.rules = &kNntoolRules;
  return settings;
}

// A model of one tensor with these values.
class OneTensor {
 public:
  OneTensor(const std::vector<uint8_t>& codes, float scale, int64_t zero_point) {
    ModelBuilder builder;
    const auto count = static_cast<int32_t>(codes.size());
    const int in = builder.AddTensor({.shape = {1, count}, .type = TensorType::kUInt8, .scale = 1});
    const int weights = builder.AddTensor({.shape = {1, count},
                                           .type = TensorType::kUInt8,
                                           .scale = scale,
                                           .zero_point = zero_point,
                                           .data = codes});
    const int out = builder.AddTensor({.shape = {1, 1}, .type = TensorType::kUInt8, .scale = 1});
    builder.AddOperator(BuiltinOperator::kFullyConnected, {in, weights}, {out});
    file_ = LoadModel(builder.Finish({in}, {out}), "one");
  }
  TensorInfo info() const { return file_.model.tensor(0, 1); }

 private:
  host::ModelFile file_;
};

TEST(NntoolBinning, RoundsDecibelsOfTheCentresAndBytesDown) {
  // The real values have four clusters: -5 -4.5, -2 -1.5, 1.5 2, and 4.5 5 7 around 5.5.
  const OneTensor tensor({90, 91, 96, 97, 103, 104, 109, 110, 114}, 0.5F, 100);
  const BinnedTensor binned = BinTensor(tensor.info(), AsNntool({.bits = 2}));
  EXPECT_EQ(binned.values[0], (std::vector<double>{-4.75, -1.75, 1.75, 5.5}));
  const double signal = 2 * (4.75 * 4.75 + 1.75 * 1.75 + 1.75 * 1.75) + 3 * 5.5 * 5.5;
  const double noise = 6 * 0.0625 + 1 + 0.25 + 2.25;
  EXPECT_EQ(binned.qsnr_db, std::nearbyint(10 * std::log10(signal / noise)));
  EXPECT_EQ(binned.bytes, (std::vector<uint8_t>{91, 91, 97, 97, 104, 104, 111, 111, 111}));
  // The indices take 18 bits, and the table 4 bytes.
  EXPECT_EQ(binned.size.total_bytes, 2 + 4);
  EXPECT_EQ(SizeOfLut(9, 3, 2, 4, 1, SparseUse::kAuto).total_bytes, 3 + 4);
}

TEST(NntoolBinning, LeavesWhatItCannotMakeSmaller) {
  const OneTensor few({1, 50, 100, 150, 200}, 1, 0), zeros({7, 7, 7, 7, 7, 7, 7, 7}, 1, 7);
  for (const TensorInfo& info : {few.info(), zeros.info()}) {
    const BinnedTensor binned = BinTensor(info, AsNntool({.min_qsnr_db = 40}));
    EXPECT_EQ(binned.size.total_bytes, binned.size.original_bytes);
    EXPECT_EQ(binned.qsnr_db, kInfinite);
    EXPECT_EQ(binned.bytes, std::vector<uint8_t>(info.data.begin(), info.data.end()));
  }
  EXPECT_THROW(BinTensor(few.info(), AsNntool({.bits = 2, .per = TableScope::kChannel})),
               std::invalid_argument);
  // If four bits allow more values than there are elements, nntool takes as many as fit.
  EXPECT_EQ(BinTensor(few.info(), AsNntool({.bits = 4})).bits, 2);
}

TEST(NntoolBinning, JudgesAfterTheThreshold) {
  std::vector<uint8_t> codes;
  for (int i = 0; i < 64; ++i) codes.push_back(static_cast<uint8_t>(i < 40 ? 98 + i % 5 : 40 + (i % 4) * 40));
  const OneTensor tensor(codes, 1, 100);
  const BinnedTensor binned =
      BinTensor(tensor.info(), AsNntool({.bits = 2, .threshold = 3, .sparse = SparseUse::kForce}));
  // There are 40 zeros, and four values in 24 elements: the threshold alone loses anything.
  EXPECT_EQ(binned.qsnr_db, kInfinite);
  EXPECT_TRUE(binned.size.sparse);
  EXPECT_EQ(binned.size.total_bytes, (40 + 24 * 3) / 8 + 5);
}

// A constant that is added to zeros counts as a bias of four bytes for a value. If it is added to another
// bias, or not to a layer's output, it counts as stored.
TEST(NntoolTable, MakesAConstantTheBiasThatItIsAddedTo) {
  constexpr int32_t kChannels = 40;
  std::vector<uint8_t> codes;
  for (int i = 0; i < kChannels; ++i) codes.push_back(static_cast<uint8_t>(i * 37 % 251));
  enum Before { kZeros, kOnes, kNoLayer };
  for (const Before before : {kZeros, kOnes, kNoLayer}) {
    ModelBuilder builder;
    const int32_t inputs = before == kNoLayer ? kChannels : 1;
    const int in = builder.AddTensor({.shape = {1, inputs}, .scale = 1});
    const int constant = builder.AddTensor({.shape = {kChannels}, .scale = 1, .data = codes});
    const int sums = builder.AddTensor({.shape = {1, kChannels}, .scale = 1});
    const int out = builder.AddTensor({.shape = {1, kChannels}, .scale = 1});
    if (before == kNoLayer) {
      builder.AddOperator(BuiltinOperator::kRelu, {in}, {sums});
    } else {
      const int filter = builder.AddTensor({.shape = {kChannels, 1}, .scale = 1, .data = codes});
      const int bias =
          builder.AddTensor({.shape = {kChannels},
                             .type = TensorType::kInt32,
                             .scale = 1,
                             .data = std::vector<uint8_t>(4 * kChannels, before == kOnes ? 1 : 0)});
      builder.AddOperator(BuiltinOperator::kFullyConnected, {in, filter, bias}, {sums});
    }
    builder.AddOperator(BuiltinOperator::kAdd, {sums, constant}, {out});
    const host::ModelFile file = LoadModel(builder.Finish({in}, {out}), "added");
    ModelEditor editor(file);
    const BinReport report = BinModel(file, {{{0, constant}, {"", AsNntool({.bits = 3})}}}, &editor);
    ASSERT_EQ(report.rows.size(), 1u);
    const BinRow& row = report.rows[0];
    EXPECT_EQ(row.binned.size.original_bytes, kChannels);
    EXPECT_EQ(row.binned.size.total_bytes, kChannels * 3 / 8 + 8);
    ASSERT_TRUE(row.nntool);
    EXPECT_EQ(row.nntool->is_added_into_bias, before == kZeros);
    EXPECT_EQ(row.nntool->original_bytes, before == kZeros ? 4 * kChannels : kChannels);
    EXPECT_EQ(row.nntool->compressed_bytes, kChannels * 3 / 8 + (before == kZeros ? 4 * 8 : 8));
    EXPECT_EQ(row.nntool->original_bytes_in_total, kChannels);
  }
}

// A row of the table in GreenWaves' "GAP9 Tensor Compression" 1.0. `step`: nntool's number of the operator;
// `op`: its number here.
struct Row {
  int step;
  int op;
  bool is_bias;
  int64_t original_bytes;
  int64_t compressed_bytes;
  int bits;
};
constexpr Row kRows[] = {
    {1, 1, false, 216, 167, 5},        {4, 3, false, 96, 64, 4},         {5, 3, true, 48, 36, 3},
    {7, 5, false, 108, 70, 4},         {8, 5, true, 48, 36, 3},          {10, 7, false, 96, 64, 4},
    {13, 9, false, 160, 132, 5},       {14, 9, true, 80, 39, 3},         {16, 11, false, 500, 344, 5},
    {17, 11, true, 80, 39, 3},         {19, 13, false, 320, 232, 5},     {20, 13, true, 64, 38, 3},
    {22, 15, false, 576, 392, 5},      {161, 111, false, 3800, 2407, 5}, {162, 111, true, 608, 140, 4},
    {164, 113, false, 14592, 9152, 5}, {165, 113, true, 384, 112, 4},    {168, 116, false, 61440, 38432, 5},
    {171, 119, false, 1280, 832, 5},
};
// nntool adds the constant of ADD into the bias before it, whose values are zeros, and counts four bytes for
// a value.
constexpr int kBiasOp = 117, kZerosOp = 116;
constexpr Row kFusedBias = {169, kBiasOp, true, 2560, 528, 5};

class PublishedTable : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path path = fs::path(LUTRA_TEST_DATA) / "models" / "visual_wake_quant.tflite";
    if (!fs::exists(path)) GTEST_SKIP() << "no " << path;
    file_ = host::ReadModelFile(path);
    candidates_ = BinCandidates(file_.model);
  }

  BinReport Bin(const BinSettings& settings, const std::function<bool(const BinCandidate&)>& wanted) {
    BinPlan plan;
    for (const BinCandidate& candidate : candidates_) {
      if (candidate.reason.empty() && candidate.left_out_by_default.empty() && wanted(candidate)) {
        plan[candidate.id] = {candidate.name, settings};
      }
    }
    ModelEditor editor(file_);
    return BinModel(file_, plan, &editor);
  }

  host::ModelFile file_;
  std::vector<BinCandidate> candidates_;
};

TEST_F(PublishedTable, HasTheseRows) {
  const BinReport report = Bin(AsNntool({.min_qsnr_db = 22.5}), [](const BinCandidate&) { return true; });
  for (const Row& expected : kRows) {
    SCOPED_TRACE(expected.step);
    const auto found = std::find_if(report.rows.begin(), report.rows.end(), [&](const BinRow& row) {
      return row.candidate.step == expected.op && (row.shape.size() == 1) == expected.is_bias;
    });
    ASSERT_NE(found, report.rows.end());
    EXPECT_TRUE(found->applied);
    EXPECT_EQ(found->binned.size.original_bytes, expected.original_bytes);
    EXPECT_EQ(found->binned.size.total_bytes, expected.compressed_bytes);
    EXPECT_EQ(found->binned.bits, expected.bits);
    EXPECT_FALSE(found->binned.size.sparse);
    // The QSNR must be 23, since 22.5 dB is rounded up.
    EXPECT_GE(found->binned.qsnr_db, 23);
    EXPECT_EQ(found->binned.qsnr_db, std::floor(found->binned.qsnr_db));
  }
}

TEST_F(PublishedTable, AddsUpToItsTotals) {
  const BinReport report = Bin(AsNntool({.min_qsnr_db = 22.5}), [](const BinCandidate&) { return true; });
  int64_t original = 0, original_in_total = 0, compressed = 0;
  for (const BinRow& row : report.rows) {
    if (row.candidate.step == kZerosOp && row.shape.size() == 1) {
      EXPECT_FALSE(row.nntool) << "zeros are not compressed";
      continue;
    }
    ASSERT_EQ(row.nntool.has_value(), row.applied);
    if (!row.applied) continue;
    const bool is_fused = row.candidate.step == kBiasOp;
    EXPECT_EQ(row.nntool->is_added_into_bias, is_fused);
    if (is_fused) {
      EXPECT_EQ(row.binned.bits, kFusedBias.bits);
      EXPECT_EQ(row.nntool->original_bytes, kFusedBias.original_bytes);
      EXPECT_EQ(row.nntool->compressed_bytes, kFusedBias.compressed_bytes);
    }
    original += row.nntool->original_bytes;
    original_in_total += row.nntool->original_bytes_in_total;
    compressed += row.nntool->compressed_bytes;
  }
  EXPECT_EQ(compressed, 153069);
  EXPECT_EQ(original - compressed, 97355) << "what the search says it saved";
  EXPECT_EQ(original_in_total, 238472);
}

TEST_F(PublishedTable, HasTheSparseLayerTunedByHand) {
  const BinReport report =
      Bin(AsNntool({.bits = 2, .threshold = 0.05, .sparse = SparseUse::kForce}),
          [](const BinCandidate& candidate) { return candidate.step == 116 && !candidate.only_if_smaller; });
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_TRUE(report.rows[0].binned.size.sparse);
  EXPECT_EQ(report.rows[0].binned.size.original_bytes, 61440);
  EXPECT_EQ(report.rows[0].binned.size.total_bytes, 13901);
}

}  // namespace
}  // namespace lutra::compressor

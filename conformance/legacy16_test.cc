// SPDX-License-Identifier: Apache-2.0
// Compares the oracle's rule V16, that of the first delegate for VTA, with the driver's, and counts its
// differences from profile tflm in the corpus.

#include "delegates/vta/driver/legacy16.h"

#include <gtest/gtest.h>

#include <map>

#include "conformance/generator/model_maker.h"
#include "conformance/runner/corpus.h"
#include "conformance/runner/expected_outputs.h"
#include "conformance/runner/explain.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;

const oracle::Profile& Legacy() { return *oracle::FindProfile("vta-legacy16"); }

struct AddScales {
  float a, b, out;
  int8_t za, zb, z;
};

// Returns an ADD of every pair of codes.
Case EveryPair(const AddScales& scales) {
  ModelMaker maker;
  const int a = maker.Input({.shape = {256, 1}, .scale = scales.a, .zero_point = scales.za});
  const int b = maker.Input({.shape = {1, 256}, .scale = scales.b, .zero_point = scales.zb});
  const int y = maker.Output({.shape = {256, 256}, .scale = scales.out, .zero_point = scales.z});
  maker.Op<edit::AddOptionsT>("ADD", {a, b}, {y}, [](auto&) {});
  Bytes codes;
  for (int i = 0; i < 256; ++i) codes.push_back(static_cast<uint8_t>(i));
  return {.id = "int8.add.pairs", .op = "ADD", .model = maker.Finish(), .inputs = {codes, codes}};
}

TEST(Legacy16, TheOracleAddsAsTheDriver) {
  const AddScales all[] = {
      {1, 1, 1, 0, 0, 0},           {0.5f, 0.25f, 0.5f, 3, -7, 11}, {0.1f, 0.8f, 0.9f, -128, 127, 5},
      {1, 1e-7f, 1, 0, 0, 0},       {3, 2, 0.01f, 0, 0, 0},         {1, 1, 1e-30f, 0, 0, 0},
      {0.03f, 0.031f, 400, 1, 2, 3}};
  for (const AddScales& scales : all) {
    const auto legacy = vta::Legacy16Add::Of(scales.a, scales.za, scales.b, scales.zb, scales.out, scales.z);
    const auto outputs = ExpectedOutputs(EveryPair(scales), Legacy());
    ASSERT_TRUE(outputs.has_value());
    for (int i = 0; i < 65536; ++i) {
      const auto a = static_cast<int8_t>(i / 256), b = static_cast<int8_t>(i % 256);
      ASSERT_EQ(static_cast<int8_t>((*outputs)[0][static_cast<size_t>(i)]), legacy.Sum(a, b))
          << int{a} << " + " << int{b} << " of " << scales.a << " " << scales.b << " " << scales.out;
    }
  }
}

// Counts how often each difference from profile tflm occurs, if both profiles have a rule.
std::map<int, int64_t> DifferencesOf(const std::string& pattern) {
  std::map<int, int64_t> counts;
  for (const Case& test : GeneratedCases(pattern)) {
    // The delegate takes neither of these.
    if (test.id.find(".other_types.") != test.id.npos || test.id.find(".int4.") != test.id.npos) continue;
    const auto expected = ExpectedOutputs(test, *oracle::FindProfile("tflm")),
               legacy = ExpectedOutputs(test, Legacy());
    if (!expected || !legacy) continue;
    EXPECT_EQ(expected->size(), 1u) << test.id;
    for (size_t i = 0; i < (*expected)[0].size(); ++i) {
      ++counts[static_cast<int8_t>((*legacy)[0][i]) - static_cast<int8_t>((*expected)[0][i])];
    }
  }
  return counts;
}

// Bars of a histogram: results that were cut off are one below, results that wrapped may be anywhere.
struct Bars {
  int64_t far_below = 0, below = 0, one_below = 0, equal = 0, above = 0, far_above = 0;

  friend bool operator==(const Bars&, const Bars&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Bars& bars) {
    return out << bars.far_below << " " << bars.below << " " << bars.one_below << " " << bars.equal << " "
               << bars.above << " " << bars.far_above;
  }
};

Bars BarsOf(const std::map<int, int64_t>& differences) {
  Bars bars;
  for (const auto& [difference, count] : differences) {
    int64_t& bar = difference < -128  ? bars.far_below
                   : difference < -1  ? bars.below
                   : difference == -1 ? bars.one_below
                   : difference == 0  ? bars.equal
                   : difference < 128 ? bars.above
                                      : bars.far_above;
    bar += count;
  }
  return bars;
}

// Tests the table of delegates/vta/README.md.
TEST(Legacy16, IsBelowTheSpecificationAndWraps) {
  EXPECT_EQ(BarsOf(DifferencesOf("int8.add.*")), (Bars{0, 0, 203981, 545877, 0, 0}));
  EXPECT_EQ(BarsOf(DifferencesOf("int8.conv_2d.*")), (Bars{9129, 9210, 163503, 1293735, 11423, 10281}));
}

// A runtime that gives V16's outputs is found to follow V16, and the profile with that rule.
TEST(Legacy16, IsIdentified) {
  for (const char* name : {"ADD", "CONV_2D"}) {
    const oracle::Operator& op = *oracle::FindOperator(name);
    const std::string pattern =
        std::string(name) == "ADD" ? "int8.add.same.*" : "int8.conv_2d.same.stride1.*";
    std::vector<CaseFit> fits;
    for (const Case& test : GeneratedCases(pattern)) {
      const auto outputs = ExpectedOutputs(test, Legacy());
      if (outputs && test.plain_model.empty()) fits.push_back(WeighCase(test, op, *outputs));
    }
    ASSERT_GT(fits.size(), 10u);
    for (const CaseFit& fit : fits) EXPECT_TRUE(fit.profiles.back()) << fit.id;
    const OperatorFit fit = Explain(op, fits, [](const CaseFit&) { return std::string(); });
    EXPECT_EQ(DescribeRules(fit), "V16");
  }
  EXPECT_EQ(oracle::Profiles().back().name, std::string("vta-legacy16"));
}

}  // namespace
}  // namespace lutra::conformance

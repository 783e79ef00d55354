// SPDX-License-Identifier: Apache-2.0
// Runs cases on VTA through its delegate: with both numbers of threads, and four configurations; ADD with
// every way to scale and to broadcast its operands; the first delegate's rule.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "conformance/generator/model_maker.h"
#include "conformance/runner/run.h"
#include "delegates/taken_nodes.h"
#include "host/model_file.h"
#include "runtime/testing/sanitized.h"

namespace lutra::conformance {
namespace {

using oracle::Shape;

const std::filesystem::path kGolden = std::filesystem::path(LUTRA_SOURCE_DIR) / "golden";

// Returns all cases of operators, or those in golden/.
std::vector<Case> CasesOf(const std::vector<std::string>& prefixes, bool only_stored) {
  std::vector<Case> cases;
  for (const std::string& prefix : prefixes) {
    for (Case& one : GeneratedCases(prefix + "*")) {
      if (!only_stored || std::filesystem::exists(kGolden / "smoke" / "cases" / one.id))
        cases.push_back(std::move(one));
    }
  }
  return cases;
}

void ExpectPass(const std::vector<Case>& cases, const std::string& options, const char* profile) {
  const RunOptions run = {.adapter = std::string("'") + LUTRA_ADAPTER +
                                     "' --only-delegated --delegate vta --delegate-options " + options,
                          .timeout = std::chrono::seconds(60),
                          .profile = oracle::FindProfile(profile),
                          .profile_name = profile};
  size_t declined = 0;
  for (const host::CaseResult& result : RunCases(cases, Manifest(), run).cases) {
    EXPECT_FALSE(host::IsBad(result.verdict))
        << options << ": " << result.id << ": " << host::ToString(result.verdict) << ": " << result.why;
    declined += result.verdict == host::Verdict::kUnsupported ? 1 : 0;
  }
  // A driver that declines all nodes would pass otherwise.
  EXPECT_LE(declined, cases.size() / 10) << options;
}

// Returns the number of nodes of a case's model that VTA takes.
size_t TakenOf(const Case& test, const std::string& options) {
  host::AlignedBytes bytes(test.model.size());
  std::copy(test.model.begin(), test.model.end(), bytes.data());
  const host::ModelFile file = host::CheckModelFile(test.id, std::move(bytes));
  const delegates::ChosenDelegates chosen("vta", options);
  return delegates::TakenNodes(file.model, chosen.tables()).size();
}

class OnVta : public testing::TestWithParam<const char*> {};

constexpr char kWhy[] = "under sanitizers the stored cases run; the whole corpus takes minutes there";

TEST_P(OnVta, StoredCasesAreExact) {
  const std::vector<Case> cases =
      CasesOf({"int8.conv_2d.", "int8.depthwise_conv_2d.", "int8.fully_connected.", "int8.add."},
              /*only_stored=*/true);
  ASSERT_GT(cases.size(), 55u);
  ExpectPass(cases, GetParam(), "tflm");
}

TEST_P(OnVta, StoredCasesFollowTheFirstDelegate) {
  const std::vector<Case> cases = CasesOf({"int8.conv_2d.", "int8.add."}, /*only_stored=*/true);
  ASSERT_GT(cases.size(), 20u);
  ExpectPass(cases, std::string("mode=legacy16,") + GetParam(), "vta-legacy16");
}

INSTANTIATE_TEST_SUITE_P(, OnVta,
                         testing::Values("threads=1", "threads=2", "threads=1,config=1x8_i8w8a32_9_8_11_10",
                                         "threads=2,config=1x8_i8w8a32_9_8_11_10",
                                         "threads=1,config=1x32_i8w8a32_15_15_18_17",
                                         "threads=2,config=4x16_i8w8a32_15_15_18_17"));

TEST(ConvolutionsOnVta, AllCasesFollowTheFirstDelegate) {
  if (kSanitized) GTEST_SKIP() << kWhy;
  const std::vector<Case> cases = CasesOf({"int8.conv_2d."}, /*only_stored=*/false);
  ASSERT_GT(cases.size(), 800u);
  ExpectPass(cases, "mode=legacy16", "vta-legacy16");
}

// Returns the cases of ADD of int8 that the runtime runs.
std::vector<Case> AllSums() {
  std::vector<Case> cases = CasesOf({"int8.add."}, /*only_stored=*/false);
  std::erase_if(cases, [](const Case& test) {
    return !test.must_refuse.empty() || test.op != "ADD" || test.id.find(".other_types.") != test.id.npos;
  });
  return cases;
}

class SumsOnVta : public testing::TestWithParam<const char*> {};

TEST_P(SumsOnVta, AllCasesAreExact) {
  if (kSanitized) GTEST_SKIP() << kWhy;
  const std::vector<Case> cases = AllSums();
  ASSERT_GT(cases.size(), 100u);
  ExpectPass(cases, std::string("add=") + GetParam(), "tflm");
}

TEST_P(SumsOnVta, AllCasesFollowTheFirstDelegate) {
  if (kSanitized) GTEST_SKIP() << kWhy;
  ExpectPass(AllSums(), std::string("mode=legacy16,add=") + GetParam(), "vta-legacy16");
}

// Pairs of shapes, where one broadcasts to the other, or both to a third shape.
struct ShapePair {
  Shape a, b;
};
const ShapePair kShapePairs[] = {
    {{}, {2, 3}},
    {{5, 1}, {5, 40}},
    {{1, 40}, {5, 1}},
    {{7}, {3, 2, 7}},
    {{4, 1, 1}, {4, 3, 17}},
    {{2, 3, 4, 1}, {2, 3, 4, 33}},
    {{2, 1, 4, 33}, {1, 3, 1, 1}},
    {{6, 1, 1, 1}, {1, 2, 3, 40}},
    {{2, 1, 2, 3, 4}, {2, 3, 1, 3, 4}},
    {{2, 1, 2, 3, 2, 5}, {1, 3, 1, 3, 2, 5}},
    {{2, 1, 2, 1, 2, 3, 1, 19}, {1, 2, 1, 3, 1, 3, 2, 1}},
};

// Returns (a + a) + b: VTA computes the first sum, which is then broadcast.
Case TwoSums(const ShapePair& shapes, size_t number) {
  Random random("vta.sums." + std::to_string(number));
  ModelMaker maker;
  Shape both(std::max(shapes.a.size(), shapes.b.size()), 1);
  for (const Shape* shape : {&shapes.a, &shapes.b}) {
    for (size_t i = 0; i < shape->size(); ++i) {
      int32_t& size = both[both.size() - shape->size() + i];
      size = std::max(size, (*shape)[i]);
    }
  }
  const int a = maker.Input({.shape = shapes.a, .scale = 0.1f, .zero_point = 3});
  const int b = maker.Input({.shape = shapes.b, .scale = 0.07f, .zero_point = -9});
  const int doubled = maker.Activation({.shape = shapes.a, .scale = 0.19f, .zero_point = 20});
  const int y = maker.Output({.shape = both, .scale = 0.23f, .zero_point = -5});
  maker.Op<edit::AddOptionsT>("ADD", {a, a}, {doubled}, [](auto&) {});
  maker.Op<edit::AddOptionsT>("ADD", {doubled, b}, {y}, [](auto&) {});
  Case test = {.id = "vta.sums." + std::to_string(number), .op = "composite", .model = maker.Finish()};
  for (const Shape* shape : {&shapes.a, &shapes.b})
    test.inputs.push_back(MakeCodes(random, oracle::ElementCount(*shape), Values::kRandom));
  return test;
}

// VTA takes every broadcast, also if it computes one of the operands.
TEST_P(SumsOnVta, EveryBroadcastIsTakenAndExact) {
  std::vector<Case> cases;
  for (const ShapePair& shapes : kShapePairs) {
    cases.push_back(TwoSums(shapes, cases.size()));
    cases.push_back(TwoSums({shapes.b, shapes.a}, cases.size()));
  }
  for (const char* const config :
       {"1x16_i8w8a32_15_15_18_17", "1x8_i8w8a32_9_8_11_10", "4x16_i8w8a32_15_15_18_17"}) {
    const std::string options = std::string("add=") + GetParam() + ",config=" + config;
    for (const Case& test : cases) EXPECT_EQ(TakenOf(test, options), 2u) << test.id << " " << options;
    ExpectPass(cases, options, "tflm");
  }
}

TEST_P(SumsOnVta, AllCasesAreTaken) {
  if (kSanitized) GTEST_SKIP() << kWhy;
  // These have such large output scales that sums are shifted by more bits than the exact sequences allow.
  const std::set<std::string> far = {"int8.add.twice.0002", "int8.add.real.ends.0000"};
  for (const Case& test : AllSums()) {
    EXPECT_EQ(TakenOf(test, std::string("add=") + GetParam()), far.count(test.id) == 0 ? 1u : 0u) << test.id;
    EXPECT_EQ(TakenOf(test, std::string("mode=legacy16,add=") + GetParam()), 1u) << test.id;
  }
}

INSTANTIATE_TEST_SUITE_P(, SumsOnVta, testing::Values("cpu", "load", "vta"));

}  // namespace
}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Tests rules that explain a runtime: one rule, one for each place, none; and which rule a profile has for a
// node.

#include "conformance/runner/explain.h"

#include <gtest/gtest.h>

#include "conformance/generator/model_maker.h"
#include "conformance/generator/separate.h"
#include "conformance/oracle/formulas.h"
#include "conformance/runner/corpus.h"
#include "conformance/runner/expected_outputs.h"
#include "conformance/runner/layer_rules.h"
#include "conformance/runner/separation.h"
#include "conformance/runner/whole_model.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;

const oracle::Operator& Op(const char* name) { return *oracle::FindOperator(name); }

size_t TraitIndex(std::string_view name) {
  const auto traits = oracle::AllTraits();
  return static_cast<size_t>(oracle::FindTrait(name) - traits.data());
}

size_t RuleIndex(const oracle::Operator& op, const char* name) {
  return static_cast<size_t>(oracle::FindRule(op, name) - op.rules.begin());
}

// Returns a case with these traits that only these rules explain.
CaseFit Fit(const oracle::Operator& op, const std::string& id, const std::vector<const char*>& rules,
            const std::vector<std::string_view>& traits = {}) {
  CaseFit fit = {.id = id};
  fit.rules.assign(op.rules.size(), {.different = 3, .largest = 2});
  for (const char* rule : rules) fit.rules[RuleIndex(op, rule)] = {};
  fit.traits.assign(oracle::AllTraits().size(), false);
  for (const std::string_view trait : traits) fit.traits[TraitIndex(trait)] = true;
  return fit;
}

std::string Sound(const CaseFit&) { return ""; }

constexpr char kZeroPoint[] = "the second operand's zero point is 0";

TEST(Explain, OneRuleForAll) {
  const oracle::Operator& op = Op("BATCH_MATMUL");
  const OperatorFit fit = Explain(op, {Fit(op, "a", {"DR", "SR"}), Fit(op, "b", {"SR"})}, Sound);
  EXPECT_EQ(DescribeRules(fit), "SR");
}

TEST(Explain, RulesThatCasesDoNotTellApart) {
  const oracle::Operator& op = Op("BATCH_MATMUL");
  EXPECT_EQ(DescribeRules(Explain(op, {Fit(op, "a", {"DR", "SR"})}, Sound)), "DR or SR");
}

TEST(Explain, RulesThatNoInputTellsApartAreOne) {
  const oracle::Operator& op = Op("LOGISTIC");
  EXPECT_EQ(DescribeRules(Explain(op, {Fit(op, "a", {"FIXED", "SR"})}, Sound)), "FIXED = SR");
}

TEST(Explain, AMixtureByTheNode) {
  const oracle::Operator& op = Op("BATCH_MATMUL");
  const OperatorFit fit = Explain(op,
                                  {Fit(op, "a", {"FP32"}, {kZeroPoint}), Fit(op, "b", {"DR"}),
                                   Fit(op, "c", {"FP32", "DR"}, {kZeroPoint})},
                                  Sound);
  EXPECT_EQ(DescribeRules(fit), "FP32 where the second operand's zero point is 0 (2), else DR (1)");
  EXPECT_EQ(fit.rules[0].cases, (std::vector<std::string>{"a", "c"}));
  EXPECT_TRUE(fit.unknown.empty());
}

TEST(Explain, AMixtureThatNoTraitTellsIsUnknown) {
  const oracle::Operator& op = Op("BATCH_MATMUL");
  const OperatorFit fit = Explain(
      op, {Fit(op, "a", {"FP32"}), Fit(op, "b", {"DR"}), Fit(op, "c", {"DR"}), Fit(op, "d", {})}, Sound);
  EXPECT_EQ(DescribeRules(fit),
            "unknown; nearest DR: 2 of 4 cases equal, 6 elements differ, by at most 2; a d");
  ASSERT_EQ(fit.unknown.size(), 2u);
}

TEST(Explain, WhatIsOutsideTheSpecificationIsSetApart) {
  const oracle::Operator& op = Op("BATCH_MATMUL");
  const auto lint = [](const CaseFit& fit) { return fit.id == "b" ? "S-weights-range: -128 in 1 of 4" : ""; };
  const OperatorFit fit = Explain(op, {Fit(op, "a", {"DR"}), Fit(op, "b", {}), Fit(op, "c", {"DR"})}, lint);
  EXPECT_EQ(DescribeRules(fit), "DR");
  EXPECT_EQ(fit.cases, 2);
  ASSERT_EQ(fit.set_apart.size(), 1u);
  EXPECT_EQ(fit.set_apart[0].lint, "S-weights-range: -128 in 1 of 4");
  // A case that rules explain counts, whatever lint finds.
  const OperatorFit whole = Explain(op, {Fit(op, "b", {"DR"})}, lint);
  EXPECT_TRUE(whole.set_apart.empty());
}

// ---- Profiles whose rules depend on the node.

// Returns the rule of the model's only operator in a profile.
std::string RuleIn(const char* profile, const Bytes& model) {
  const auto objects = oracle::ReadModel(model);
  std::string name;
  oracle::Evaluation run(
      *objects, [&](const oracle::Operator& op, const oracle::Node& node) -> const oracle::ArithmeticRule& {
        const oracle::ArithmeticRule& rule = oracle::RuleOf(*oracle::FindProfile(profile), op, node);
        name = rule.name;
        return rule;
      });
  std::vector<Bytes> inputs;
  for (const int32_t input : objects->subgraphs[0]->inputs) {
    const auto& tensor = *objects->subgraphs[0]->tensors[static_cast<size_t>(input)];
    inputs.emplace_back(static_cast<size_t>(oracle::ElementCount(tensor.shape)));
  }
  run.Invoke(inputs);
  return name;
}

Bytes MatMul(int64_t zero_point) {
  ModelMaker maker;
  const int a = maker.Input({.shape = {2, 3}, .scale = 0.5f});
  const int b = maker.Input({.shape = {3, 4}, .scale = 0.25f, .zero_point = zero_point});
  const int y = maker.Output({.shape = {2, 4}, .scale = 1.0f});
  maker.Op<edit::BatchMatMulOptionsT>("BATCH_MATMUL", {a, b}, {y}, [](auto&) {});
  return maker.Finish();
}

TEST(ProfileRules, DependOnTheNode) {
  EXPECT_EQ(RuleIn("xnnpack", MatMul(0)), "FP32");
  EXPECT_EQ(RuleIn("xnnpack", MatMul(7)), "DR");
  EXPECT_EQ(RuleIn("tflm", MatMul(0)), "DR");
  EXPECT_EQ(oracle::DescribeRule(*oracle::FindProfile("xnnpack"), Op("BATCH_MATMUL")),
            "FP32 where the second operand's zero point is 0, else DR");
}

TEST(ProfileRules, NameRulesAndTraitsThatThereAre) {
  for (const oracle::Profile& profile : oracle::Profiles()) {
    for (const auto& [name, rules] : profile.rules) {
      const oracle::Operator* op = oracle::FindOperator(name);
      ASSERT_NE(op, nullptr) << profile.name << " " << name;
      EXPECT_NO_THROW(oracle::RulesOf(profile, *op)) << profile.name << " " << name;
      if (!rules.where.empty()) {
        EXPECT_NE(oracle::FindTrait(rules.where), nullptr) << rules.where;
      }
    }
  }
}

// Only profile tflm-as-is expects that runtime's defects.
TEST(ProfileRules, ExpectDefectsOfTheRuntimeThatHasThem) {
  const std::vector<Case> cases = GeneratedCases("int8.relu6.scale.*");
  ASSERT_FALSE(cases.empty());
  int different = 0;
  for (const Case& test : cases) {
    const auto right = ExpectedOutputs(test, *oracle::FindProfile("tflm"));
    const auto as_is = ExpectedOutputs(test, *oracle::FindProfile("tflm-as-is"));
    ASSERT_TRUE(right && as_is) << test.id;
    different += *right != *as_is ? 1 : 0;
  }
  EXPECT_GT(different, 5);
}

// If there are several scales, TensorFlow Lite Micro's use of the first for all channels is a rule of its
// own.
TEST(ProfileRules, TellTheFirstScaleOfManyFromAllOfThem) {
  const oracle::Operator& op = Op("DEQUANTIZE");
  const oracle::ArithmeticRule& first = *oracle::FindRule(op, "FIRST");
  std::vector<CaseFit> fits;
  int different = 0;
  for (const Case& test : GeneratedCases("int8.dequantize*.dim*")) {
    const auto right = ExpectedOutputs(test, *oracle::FindProfile("tflm"));
    const auto as_is = ExpectedOutputs(test, *oracle::FindProfile("tflm-as-is"));
    ASSERT_TRUE(right && as_is) << test.id;
    EXPECT_EQ(as_is->at(0), OutputsUnder(test, op, first)) << test.id;
    different += *right != *as_is ? 1 : 0;
    fits.push_back(WeighCase(test, op, *as_is));
  }
  EXPECT_GT(different, 5);
  EXPECT_EQ(DescribeRules(Explain(op, fits, Sound)), "FIRST");
}

// ---- Layers.

// The model has two operators; the second has a rule of its own.
TEST(LayerRules, NamesTheRuleOfEachLayer) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {64}, .scale = 0.11f, .zero_point = 3});
  const int y = maker.Output({.shape = {64}, .scale = 0.07f, .zero_point = -9});
  const int z = maker.Output({.shape = {64}, .scale = 0.05f, .zero_point = 4});
  maker.Op<edit::LeakyReluOptionsT>("LEAKY_RELU", {x}, {y}, [](auto& options) { options.alpha = 0.3f; });
  maker.Op("QUANTIZE", {y}, {z});
  const auto model = oracle::ReadModel(maker.Finish());
  oracle::Evaluation runtime(
      *model, [](const oracle::Operator& op, const oracle::Node&) -> const oracle::ArithmeticRule& {
        return *oracle::FindRule(op, op.name() == "QUANTIZE" ? "X-CVT" : "X-LRELU");
      });
  LayerRules rules(*model);
  EXPECT_EQ(Describe(rules.RulesOf(0)), "") << "nothing was weighed";
  for (int seed = 1; seed <= 8; ++seed) {
    runtime.Invoke(SeededSamples(*model, seed).back());
    rules.Weigh(runtime.values());
  }
  EXPECT_EQ(Describe(rules.RulesOf(0)), "X-LRELU");
  EXPECT_EQ(Describe(rules.RulesOf(1)), "X-CVT");
  // No rule gives this value.
  std::vector<Bytes> values = runtime.values();
  values[static_cast<size_t>(z)][5] ^= 0x40;
  rules.Weigh(values);
  EXPECT_EQ(Describe(rules.RulesOf(0)), "X-LRELU");
  EXPECT_EQ(Describe(rules.RulesOf(1)), "unknown");
}

TEST(ModelTrial, KeepsStateForThreeInferencesWhereThereIsSome) {
  const std::vector<Case> svdf = GeneratedCases("int8.svdf.*");
  ASSERT_FALSE(svdf.empty());
  EXPECT_EQ(InvokesOf(*oracle::ReadModel(svdf[0].model)), 3);
  EXPECT_EQ(InvokesOf(*oracle::ReadModel(MatMul(0))), 1);
}

// ---- The page of rules.

TEST(Rules, AreAllSaid) {
  for (const oracle::Operator* op : oracle::AllOperators()) {
    EXPECT_FALSE(oracle::ComputedBy(*op).empty()) << op->name();
    for (const oracle::ArithmeticRule& rule : op->rules) {
      EXPECT_FALSE(oracle::FormulaOf(*op, rule).empty()) << op->name() << " " << rule.name;
    }
  }
}

}  // namespace
}  // namespace lutra::conformance

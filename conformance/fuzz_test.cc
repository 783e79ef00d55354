// SPDX-License-Identifier: Apache-2.0
// Tests that random cases are the same everywhere, of every operator, and valid; and that `conformance fuzz`
// finds faults and shrinks their cases.

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "conformance/fuzz/break_case.h"
#include "conformance/fuzz/coverage.h"
#include "conformance/fuzz/draw_case.h"
#include "conformance/fuzz/shrink.h"
#include "conformance/generator/model_maker.h"
#include "conformance/oracle/operators.h"
#include "conformance/runner/expected_outputs.h"
#include "host/failures.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/prepared_model.h"
#include "host/testing/program.h"
#include "lutra/row_groups.h"
#include "runtime/testing/sanitized.h"

namespace lutra::conformance {
namespace {

using nlohmann::json;

TEST(Random, DrawsAgainWhatWasWrittenDown) {
  Draws draws;
  Random first("seed", &draws);
  const int32_t number = first.Int(-3, 90);
  const bool one = first.OneIn(3);
  const float scale = first.Scale(-4, 4);
  Random second(draws);
  EXPECT_EQ(second.Int(-3, 90), number);
  EXPECT_EQ(second.OneIn(3), one);
  EXPECT_EQ(second.Scale(-4, 4), scale);
  // After the last recorded draw, choices are the simplest ones.
  EXPECT_EQ(second.Int(-3, 90), -3);
  EXPECT_FALSE(second.OneIn(3));
  // Recording draws does not change them.
  EXPECT_EQ(Random("seed").Int(-3, 90), number);
}

TEST(Random, TakesNoChoiceThatIsNotThere) {
  const Draws draws = {1000, 1000};
  Draws made;
  Random random(draws, &made);
  EXPECT_EQ(random.Int(5, 9), 9);
  EXPECT_TRUE(random.OneIn(4));
  EXPECT_EQ(made, (Draws{4, 3}));
}

TEST(CaseDrawer, DrawsEveryOperatorOfTheOracle) {
  const std::vector<std::string> drawn = CaseDrawer("").ops();
  for (const oracle::Operator* op : oracle::AllOperators()) {
    EXPECT_TRUE(std::find(drawn.begin(), drawn.end(), op->name()) != drawn.end()) << op->name();
  }
}

TEST(CaseDrawer, RefusesOperatorsThatAreNotThere) {
  try {
    CaseDrawer("ADD,MULL");
    FAIL();
  } catch (const host::BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("--ops: found \"MULL\""), std::string::npos) << error.what();
  }
  EXPECT_EQ(CaseDrawer("*_POOL_2D").ops(), (std::vector<std::string>{"AVERAGE_POOL_2D", "MAX_POOL_2D"}));
}

TEST(CaseDrawer, DrawsTheSameCaseFromItsChoices) {
  const CaseDrawer drawer("");
  for (int64_t i = 0; i < 300; ++i) {
    Draws draws, made;
    const std::optional<DrawnCase> drawn = drawer.Draw(7, i, &draws);
    if (!drawn) continue;
    const std::optional<DrawnCase> again = drawer.Redraw(drawn->family, draws, &made);
    ASSERT_TRUE(again) << i;
    EXPECT_EQ(again->test.model, drawn->test.model) << i;
    EXPECT_EQ(again->test.inputs, drawn->test.inputs) << i;
    EXPECT_EQ(made, draws) << i;
    EXPECT_EQ(drawer.Draw(7, i)->test.model, drawn->test.model) << i;
  }
}

// There are three sums of -2^34, the second of which is scaled to -2^32: TensorFlow Lite Micro keeps the
// lower 32 bits.
TEST(CaseDrawer, SumsOfInt16BeyondTheirWidthWrap) {
  const Draws choices = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0,
                         0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 30};
  Draws made;
  const auto drawn = CaseDrawer("DEPTHWISE_CONV_2D.int16").Redraw("DEPTHWISE_CONV_2D.int16", choices, &made);
  ASSERT_TRUE(drawn);
  const auto outputs = ExpectedOutputs(drawn->test, *oracle::FindProfile("tflm"));
  ASSERT_TRUE(outputs);
  EXPECT_EQ((*outputs)[0], ToBytes(std::vector<int16_t>{-32768, 0, -32768}));
}

// Cases for which the oracle has no rule would be wasted.
TEST(CaseDrawer, DrawsWhatTheSpecificationCovers) {
  const CaseDrawer drawer("");
  const oracle::Profile& profile = *oracle::FindProfile("tflm");
  const auto judge = [&](const Case& test) -> const oracle::Profile& {
    const oracle::Operator* const op = oracle::FindOperator(test.op);
    return op == nullptr ? profile : JudgeOf(profile, *op);
  };
  std::map<std::string, int> specified, all;
  for (int64_t i = 0; i < 2500; ++i) {
    const std::optional<DrawnCase> drawn = drawer.Draw(3, i);
    if (!drawn) continue;
    ++all[drawn->family];
    specified[drawn->family] += ExpectedOutputs(drawn->test, judge(drawn->test)).has_value() ? 1 : 0;
  }
  EXPECT_EQ(all.size(), drawer.ops().size());
  for (const auto& [op, count] : all) EXPECT_GE(3 * specified[op], 2 * count) << op;
}

// The places that the plan has (runtime/PLAN.md), and how many of them the runtime uses.
struct SeenPlan {
  std::vector<int32_t> offsets;  // Of all tensors; -1: no place.
  int groups = 0, placed = 0, elsewhere = 0;
};

std::vector<int32_t> OffsetsOf(Span<const uint8_t> plan) {
  std::vector<int32_t> words(plan.size() / sizeof(int32_t));
  std::memcpy(words.data(), plan.data(), words.size() * sizeof(int32_t));
  const auto first = words.begin() + (words[0] == 2 ? 6 : 5) + 2 * words[3];
  return {first, first + words[2]};
}

// Groups that the runtime does not run by rows would test nothing.
TEST(CaseDrawer, DrawsRowPlansThatRun) {
  const CaseDrawer drawer("composite");
  int plans = 0, groups = 0, tables = 0, placed = 0;
  for (int64_t i = 0; i < 1500; ++i) {
    const std::optional<DrawnCase> drawn = drawer.Draw(4, i);
    ASSERT_TRUE(drawn);
    host::AlignedBytes bytes(drawn->test.model.size());
    std::copy(drawn->test.model.begin(), drawn->test.model.end(), bytes.data());
    const host::ModelFile file = host::CheckModelFile("m", std::move(bytes));
    const Span<const uint8_t> plan = file.model.Metadata(kRowPlanName);
    if (plan.empty()) continue;
    ++plans;
    tables += plan[0] == 2 ? 1 : 0;
    SeenPlan seen = {.offsets = OffsetsOf(plan)};
    MicroInterpreter::Visitor visitor;
    visitor.user = &seen;
    visitor.row_group = [](void* user, int, int) { ++static_cast<SeenPlan*>(user)->groups; };
    visitor.buffer = [](void* user, const PlannedBuffer& buffer) {
      auto& to = *static_cast<SeenPlan*>(user);
      if (buffer.tensor < 0 || to.offsets.empty()) return;
      const int32_t offset = to.offsets[static_cast<size_t>(buffer.tensor)];
      if (offset >= 0) ++(buffer.offset == offset ? to.placed : to.elsewhere);
    };
    EXPECT_NO_THROW(host::PreparedModel(file, {}, host::SmallestArena(file, {}), visitor));
    groups += seen.groups;
    placed += seen.placed > 0 && seen.elsewhere == 0 ? 1 : 0;
  }
  EXPECT_GT(plans, 150);
  EXPECT_GT(groups, 60);
  EXPECT_GT(tables, 15);
  EXPECT_GT(placed, 60);
}

// ---- Models that are broken

TEST(Break, BreaksEveryRuleAndNoModelIsAsItWas) {
  const CaseDrawer drawer("", true);
  std::map<std::string, int> broken;
  // Few operators can be broken by "broadcast": about one model in 1,000.
  for (int64_t i = 0; i < 6000; ++i) {
    const std::optional<DrawnCase> drawn = drawer.Draw(9, i);
    if (!drawn) continue;
    EXPECT_NE(drawn->test.model, drawn->test.plain_model) << drawn->test.must_refuse;
    EXPECT_FALSE(ExpectedOutputs(drawn->test, *oracle::FindProfile("tflm"))) << drawn->test.must_refuse;
    ++broken[std::string(BrokenRule(drawn->test))];
  }
  for (const std::string& rule : BreakRules()) EXPECT_GT(broken[rule], 0) << rule;
  EXPECT_EQ(broken.size(), BreakRules().size());
}

// The broken model is the one that the family draws, with one change.
TEST(Break, ChangesOneThing) {
  const CaseDrawer drawer("ADD", true);
  for (int64_t i = 0; i < 200; ++i) {
    const std::optional<DrawnCase> drawn = drawer.Draw(4, i);
    ASSERT_TRUE(drawn);
    Case whole = drawn->test;
    whole.model = std::exchange(whole.plain_model, {});
    whole.must_refuse.clear();
    EXPECT_TRUE(ExpectedOutputs(whole, *oracle::FindProfile("tflm"))) << drawn->test.must_refuse;
  }
}

// ---- Coverage

TEST(Coverage, SortsAttributesIntoBuckets) {
  Coverage coverage;
  const CaseDrawer drawer("MAX_POOL_2D");
  int64_t cases = 0;
  std::map<int8_t, int64_t> paddings;
  for (int64_t i = 0; i < 50; ++i) {
    const std::optional<DrawnCase> drawn = drawer.Draw(2, i);
    if (!drawn) continue;
    ++cases;
    coverage.Count(drawn->test);
    const auto model = oracle::ReadModel(drawn->test.model);
    ++paddings[model->subgraphs[0]->operators[0]->builtin_options.AsPool2DOptions()->padding];
  }
  const json found = coverage.Json();
  EXPECT_EQ(found["MAX_POOL_2D"]["padding"]["SAME"], paddings[0]);
  EXPECT_EQ(found["MAX_POOL_2D"]["padding"]["VALID"], paddings[1]);
  EXPECT_EQ(found["MAX_POOL_2D"]["place"]["alone"], cases);
  EXPECT_EQ(found["MAX_POOL_2D"]["place"]["in a graph"], 0);
  EXPECT_NE(coverage.Text().find("; never in a graph"), std::string::npos) << coverage.Text();
  int64_t all = 0;
  for (const auto& [bucket, count] : found["MAX_POOL_2D"]["rows of the window"].items()) {
    all += count.get<int64_t>();
  }
  EXPECT_EQ(all, cases);
}

TEST(Coverage, AddsByNames) {
  Coverage coverage = Coverage::FromJson(json::parse(R"({"ADD": {"bias": {"no": 3, "yes": 0}}})"));
  coverage.Add(Coverage::FromJson(json::parse(R"({"ADD": {"bias": {"no": 1, "or": 2, "yes": 0}}})")));
  EXPECT_EQ(json::parse(coverage.Json().dump()),
            json::parse(R"({"ADD": {"bias": {"no": 4, "or": 2, "yes": 0}}})"));
  EXPECT_EQ(coverage.buckets(), 3);
  EXPECT_EQ(coverage.never(), 1);
}

TEST(Shrink, FindsTheSmallestCase) {
  const CaseDrawer drawer("CONV_2D");
  Draws draws;
  int64_t index = 0;
  const auto has_wide_output = [](const Case& test) {
    const auto model = oracle::ReadModel(test.model);
    return model->subgraphs[0]->tensors.back()->shape.back() >= 5;
  };
  std::optional<DrawnCase> first = drawer.Draw(1, index, &draws);
  while (!first || !has_wide_output(first->test)) {
    draws.clear();
    first = drawer.Draw(1, ++index, &draws);
  }
  const Shrunk shrunk = Shrink(drawer, *first, draws, has_wide_output,
                               std::chrono::steady_clock::now() + std::chrono::seconds(60));
  const auto model = oracle::ReadModel(shrunk.drawn.test.model);
  // The shapes are one pixel, one channel and five outputs: input 1, filter 5, bias at most 5, output 5.
  EXPECT_EQ(model->subgraphs[0]->tensors.back()->shape, (oracle::Shape{1, 1, 1, 5}));
  EXPECT_LE(SizeOf(shrunk.drawn.test).elements, 16);
}

// ---- The command

host::Outcome Fuzz(const std::string& arguments) {
  return host::RunProgram("fuzz --jobs 2 --reproducers '' " + arguments);
}

std::string Mock(const std::string& fault) {
  return std::string("--runner \"'") + LUTRA_MOCK_ADAPTER + "' --fault " + fault + "\"";
}

// Returns an adapter that gives every case this answer.
std::string Answering(const std::string& answer, const host::ScratchFolder& folder) {
  const std::string script =
      "while read verb rest; do\n  case $verb in\n    hello) echo hello 1 any 1 ;;\n    case) echo " +
      answer + " ;;\n    *) exit ;;\n  esac\ndone\n";
  const std::string path = folder / "adapter.sh";
  host::WriteFileBytes(path, script.data(), script.size());
  return "--runner 'sh " + path + "'";
}

TEST(FuzzCommand, FindsNothingInThisRuntime) {
  const host::Outcome outcome = Fuzz("--cases 1500 --seed 11");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("seed 11, cases 0 to 1499: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(" judged, 0 failed, "), std::string::npos) << outcome.out;
}

TEST(FuzzCommand, FindsFaultsAndMakesThemSmall) {
  const host::ScratchFolder folder;
  const std::string seconds = kSanitized ? "120" : "10";
  for (const std::string fault :
       {"off-by-one-at-ties", "off-by-one", "wrong-zero-point", "swapped-padding"}) {
    const std::string results = folder / "results.json";
    const host::Outcome outcome = Fuzz("--cases 20000 --seed 6 --stop-at-first --shrink-seconds " + seconds +
                                       " --results " + results + " " + Mock(fault));
    EXPECT_EQ(outcome.code, 1) << fault << outcome.out << outcome.err;
    const json failures = json::parse(host::ReadAll(results))["failures"];
    ASSERT_EQ(failures.size(), 1u) << fault;
    EXPECT_EQ(failures[0]["verdict"], "fail") << fault;
    EXPECT_EQ(failures[0]["nodes"], 1) << fault << ": " << failures[0];
    EXPECT_LE(failures[0]["elements"], 64) << fault << ": " << failures[0];
  }
}

// Two neighbouring cases fail, and threads may find either of them first.
TEST(FuzzCommand, StopsAtTheFailureOfTheLowestNumber) {
  const host::ScratchFolder folder;
  const std::string results = folder / "results.json";
  for (int run = 0; run < 6; ++run) {
    const host::Outcome outcome =
        Fuzz("--cases 20000 --seed 6 --stop-at-first --shrink-seconds 0 --results " + results + " " +
             Mock("off-by-one-at-ties"));
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    const json failures = json::parse(host::ReadAll(results))["failures"];
    ASSERT_EQ(failures.size(), 1u);
    EXPECT_EQ(failures[0]["index"], 25);
  }
}

TEST(FuzzCommand, ACrashCostsOneCase) {
  const host::Outcome outcome =
      Fuzz("--cases 40 --seed 2 --ops ADD --shrink-seconds 0 " + Mock("crash --every 7"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("crash"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("40 judged"), std::string::npos) << outcome.out;
}

TEST(FuzzCommand, WritesWhatShowsAFailureAgain) {
  const host::ScratchFolder folder;
  const host::Outcome outcome =
      host::RunProgram("fuzz --cases 50 --seed 2 --ops ADD --stop-at-first --reproducers " +
                       (folder / "found") + " " + Mock("off-by-one"));
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const std::filesystem::path found = std::filesystem::directory_iterator(folder / "found")->path();
  for (const char* const name : {"model.tflite", "in0.bin", "expected0.bin", "actual0.bin", "README.txt"}) {
    EXPECT_TRUE(std::filesystem::exists(found / name)) << name;
  }
  // The command in README.txt runs the case again.
  const std::string text = host::ReadAll(found / "README.txt");
  const size_t begin = text.find("conformance fuzz"), end = text.find('\n', begin);
  const std::string command = text.substr(begin + 12, end - begin - 12);
  EXPECT_EQ(host::RunProgram(command + " --reproducers ''").code, 1) << command;
}

TEST(FuzzCommand, BrokenModelsAreRefused) {
  const host::Outcome ours = Fuzz("--invalid --cases 1500 --seed 3");
  EXPECT_EQ(ours.code, 0) << ours.out;
  EXPECT_NE(ours.out.find(" judged, 0 failed, 0 unsupported"), std::string::npos) << ours.out;
  const host::ScratchFolder folder;
  const host::Outcome outcome = host::RunProgram(
      "fuzz --invalid --cases 60 --seed 3 --ops ADD --shrink-seconds 1 --jobs 2 --reproducers " +
      (folder / "found") + " " + Answering("ok", folder));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("ran, and must be refused: "), std::string::npos) << outcome.out;
  const std::filesystem::path found = std::filesystem::directory_iterator(folder / "found")->path();
  EXPECT_NE(host::ReadAll(found / "README.txt").find("conformance fuzz --invalid --seed 3"),
            std::string::npos);
}

TEST(FuzzCommand, GoesOnWhereARunHasEnded) {
  const host::ScratchFolder folder;
  const std::string parts = folder / "parts.json", whole = folder / "whole.json";
  const std::string common =
      "--coverage --seed 6 --ops '*POOL*,ADD' --shrink-seconds 0 " + Mock("off-by-one") + " --results ";
  Fuzz("--cases 30 --resume " + common + parts);
  const host::Outcome second = Fuzz("--cases 50 --resume " + common + parts);
  EXPECT_NE(second.out.find("seed 6, cases 0 to 79: "), std::string::npos) << second.out;
  Fuzz("--cases 80 " + common + whole);
  json a = json::parse(host::ReadAll(parts)), b = json::parse(host::ReadAll(whole));
  EXPECT_EQ(a["operators"], b["operators"]);
  EXPECT_EQ(a["coverage"], b["coverage"]);
  EXPECT_EQ(a["next"], 80);
  EXPECT_EQ(a["failures"][0], b["failures"][0]);
  // Another seed, kind of cases or file cannot be resumed.
  EXPECT_EQ(Fuzz("--cases 1 --seed 7 --resume --results " + parts).code, 3);
  EXPECT_EQ(Fuzz("--cases 1 --seed 6 --ops '*POOL*,ADD' --invalid --resume --results " + parts).code, 3);
  EXPECT_EQ(Fuzz("--cases 1 --resume").code, 2);
  EXPECT_EQ(Fuzz("--cases 1 --resume --first 3 --results " + parts).code, 2);
}

TEST(FuzzCommand, OperatorsThatAreRequiredMustBeThere) {
  const host::ScratchFolder folder;
  const std::string lacks = "--cases 20 --ops ADD,MUL --seed 2 " + Answering("unsupported that", folder);
  EXPECT_EQ(Fuzz(lacks).out.find("required, and unsupported"), std::string::npos);
  EXPECT_EQ(Fuzz("--require DIV " + lacks).out.find("required, and unsupported"), std::string::npos);
  for (const char* const required : {"A*", "ADD"}) {
    const host::Outcome outcome = Fuzz(std::string("--require '") + required + "' " + lacks);
    EXPECT_EQ(outcome.code, 1) << required;
    EXPECT_NE(outcome.out.find("required, and unsupported: ADD ("), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find(", MUL ("), std::string::npos) << outcome.out;
  }
  EXPECT_NE(Fuzz("--require all " + lacks).out.find(", MUL ("), std::string::npos);
  EXPECT_EQ(Fuzz("--require ADDD " + lacks).code, 3);
}

TEST(FuzzCommand, NamesWhatIsWrongWithItsArguments) {
  EXPECT_EQ(Fuzz("--ops NOTHING --cases 1").code, 3);
  EXPECT_EQ(Fuzz("--cases 0").code, 2);
  EXPECT_EQ(Fuzz("--all-variants --kernels ref --cases 1").code, 2);
  EXPECT_EQ(Fuzz("--cases 10 --runner /nonexistent/adapter").code, 3);
}

TEST(FuzzCommand, AShareOfNothingIsNoSuccess) {
  const host::Outcome outcome = Fuzz("--cases 3 --ops ADD --results '' " + Mock("greet-twice --every 1"));
  EXPECT_NE(outcome.code, 0) << outcome.out;
}

}  // namespace
}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Runs make_report --compare OLD NEW --fail-on lost|worse --budget FILE as a script does.

#include "reports/gate.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "host/failures.h"
#include "host/testing/program.h"

namespace lutra::reports {
namespace {

using Json = nlohmann::json;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

// Returns a model in a file of results.
Json RunOf(const std::string& name) {
  return {{"model",
           {{"path", "models/" + name + ".tflite"},
            {"bytes", 47672},
            {"sha256", std::string(64, 'a')},
            {"operators", 12},
            {"macs", 2656768}}},
          {"status", "ok"},
          {"error", nullptr},
          {"kernels", "best"},
          {"memory", "fast"},
          {"arena",
           {{"given_bytes", 50000},
            {"used_bytes", 50000},
            {"persistent_bytes", 0},
            {"activation_bytes", 0},
            {"scratch_bytes", 0},
            {"compression_bytes", 0},
            {"smallest_working_bytes", 50000},
            {"records", Json::array()}}},
          {"inference", {{"runs", 100}, {"median_ns", 100000}, {"mad_ns", 500}, {"instructions", 1000000}}},
          {"flash", {{"text_bytes", 20000}, {"rodata_bytes", 2000}, {"data_bytes", 100}, {"bss_bytes", 9}}},
          {"inputs", Json::array()},
          {"outputs", {{{"name", "out"}, {"type", "int8"}, {"shape", {1, 12}}, {"crc32", "0a0b0c0d"}}}},
          {"evaluation", {{"metric", "accuracy"}, {"value", 0.9}, {"count", 1000}}}};
}

class Gated : public testing::Test {
 protected:
  void SetUp() override {
    old_ = {{"schema_version", 1},
            {"context", {{"program", "generic_benchmark"}, {"version", "0.2.0"}, {"platform", "x86_64"}}},
            {"results", {RunOf("kws"), RunOf("ad")}},
            {"kernels", {{{"table", "lookup"}, {"variant", "ref"}, {"instructions", 500}}}}};
    new_ = old_;
  }

  host::Outcome Compare(const std::string& options, const std::string& budgets = "",
                        const std::string& budget_name = "budgets.yaml") {
    std::ofstream(folder_ / "old.json") << old_;
    std::ofstream(folder_ / "new.json") << new_;
    std::string line = "--compare " + (folder_ / "old.json") + " " + (folder_ / "new.json") + " " + options;
    if (!budgets.empty()) {
      std::ofstream(folder_ / budget_name) << budgets;
      line += " --budget " + (folder_ / budget_name);
    }
    return host::RunProgram(line);
  }
  Json& run(size_t i = 0) { return new_["results"][i]; }

  host::ScratchFolder folder_;
  Json old_, new_;
};

TEST_F(Gated, FailsOnWhatIsWorse) {
  EXPECT_EQ(Compare("--fail-on worse").code, 0) << "nothing changed";
  run()["inference"]["median_ns"] = 1900000;
  EXPECT_EQ(Compare("--fail-on worse").code, 0) << "times need a budget";
  run()["arena"]["used_bytes"] = 100000;
  host::Outcome outcome = Compare("");
  EXPECT_EQ(outcome.code, 0) << "worse is not lost";
  EXPECT_TRUE(Contains(outcome.out, "0 lost, 2 worse, 0 better, 0 otherwise changed\n")) << outcome.out;
  EXPECT_EQ(Compare("--fail-on lost").code, 0);
  outcome = Compare("--fail-on worse");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(Contains(outcome.out, "0 lost, 2 worse, 0 better, 0 otherwise changed; 1 over budget"))
      << outcome.out;
  EXPECT_TRUE(Contains(
      outcome.out, "| x86\\_64, kws, best | arena bytes | 50,000 | **100,000** | +100.0 % | must not grow |"))
      << outcome.out;
}

TEST_F(Gated, WorseIncludesLost) {
  run()["outputs"][0]["crc32"] = "00000000";
  EXPECT_EQ(Compare("--fail-on worse").code, 1);
  EXPECT_EQ(Compare("", "budgets: [{figure: arena_bytes, max: 50000}]").code, 1);
  new_["results"].erase(0);
  EXPECT_EQ(Compare("", "budgets: [{model: kws, figure: arena_bytes, max: 50000}]").code, 1)
      << "what is gone is lost; the budget matches what was there";
}

// Each figure of bytes and instructions fails by itself if it grows by one.
TEST_F(Gated, EveryByteAndInstructionCounts) {
  const Json same = new_;
  const std::function<Json&()> figures[] = {
      [&]() -> Json& { return run()["model"]["bytes"]; },
      [&]() -> Json& { return run()["arena"]["used_bytes"]; },
      [&]() -> Json& { return run()["arena"]["smallest_working_bytes"]; },
      [&]() -> Json& { return run()["flash"]["text_bytes"]; },
      [&]() -> Json& { return run()["flash"]["rodata_bytes"]; },
      [&]() -> Json& { return run()["flash"]["data_bytes"]; },
      [&]() -> Json& { return run()["flash"]["bss_bytes"]; },
      [&]() -> Json& { return run()["inference"]["instructions"]; },
      [&]() -> Json& { return new_["kernels"][0]["instructions"]; },
  };
  for (const auto& figure : figures) {
    new_ = same;
    figure() = figure().get<int64_t>() + 1;
    EXPECT_EQ(Compare("--fail-on worse").code, 1) << new_;
    figure() = figure().get<int64_t>() - 2;
    EXPECT_EQ(Compare("--fail-on worse").code, 0) << new_;
  }
}

// A program that no longer measures a figure does not meet a bound of it.
TEST_F(Gated, AFigureThatIsGoneIsOver) {
  run()["inference"]["instructions"] = nullptr;
  run()["arena"]["smallest_working_bytes"] = nullptr;
  for (const char* const budget :
       {"figure: instructions, max: 2000000", "figure: smallest_arena_bytes, max_increase_percent: 5"}) {
    const host::Outcome outcome = Compare("", std::string("budgets: [{") + budget + "}]");
    EXPECT_EQ(outcome.code, 1) << budget;
    EXPECT_TRUE(Contains(outcome.out, "it is gone")) << outcome.out;
  }
  EXPECT_EQ(Compare("--fail-on worse").code, 1);
  EXPECT_EQ(Compare("", "budgets: [{figure: arena_bytes, max: 50000}]").code, 0) << "has no budget";
}

// Without a budget or --fail-on worse it does not fail, but it is told.
TEST_F(Gated, TellsFiguresThatAreGone) {
  run()["arena"] = nullptr;
  run()["inference"]["median_ns"] = nullptr;
  run()["evaluation"]["value"] = nullptr;
  host::Outcome outcome = Compare("");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "4 otherwise changed")) << outcome.out;
  for (const char* const line :
       {"| arena bytes | 50,000 | gone |", "| smallest arena bytes | 50,000 | gone |",
        "| time (ns) | 100,000 | gone |", "| accuracy | 0.9000 | gone |"}) {
    EXPECT_TRUE(Contains(outcome.out, line)) << line << outcome.out;
  }
  // Another metric is no evaluation by the old one.
  new_ = old_;
  run()["evaluation"]["metric"] = "rmse";
  outcome = Compare("");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(Contains(outcome.out, "| evaluation | accuracy | **rmse** |")) << outcome.out;
}

// Where there was nothing, nothing can be lost, and that is no success.
TEST_F(Gated, RefusesToCompareWithNothing) {
  old_["results"] = new_["results"] = Json::array();
  old_.erase("kernels");
  for (const char* const options : {"", "--fail-on worse"}) {
    const host::Outcome outcome = Compare(options);
    EXPECT_EQ(outcome.code, 3) << outcome.out;
    EXPECT_TRUE(Contains(outcome.err, "old.json: ")) << outcome.err;
  }
}

TEST_F(Gated, BudgetsAreHeldToTheLast) {
  const struct {
    const char* budget;
    const char* key;
    int64_t within, over;
  } kCases[] = {
      {"figure: arena_bytes, max: 60000", "arena", 60000, 60001},
      {"figure: arena_bytes, max_increase_percent: 2", "arena", 51000, 51001},
      {"figure: '*_bytes', max_increase_percent: 2", "arena", 51000, 51001},
      {"figure: instructions, max_increase_percent: 0.1", "instructions", 1001000, 1001001},
      {"figure: median_ns, max: 100000", "median_ns", 101500, 101501},  // Three deviations.
      {"figure: median_ns, max_increase_percent: 1", "median_ns", 101500, 101501},
      {"figure: median_ns, max_increase_percent: 5", "median_ns", 105000, 105001},
      {"figure: flash_bytes, max: 22100", "text_bytes", 20000, 20001},
      {"platform: 'x86*', model: 'k?s', setting: best, figure: arena_bytes, max: 1e5", "arena", 100000,
       100001},
  };
  const Json same = new_;
  for (const auto& c : kCases) {
    const std::string key = c.key;
    for (const bool is_over : {false, true}) {
      new_ = same;
      Json& figure = key == "arena"        ? run()["arena"]["used_bytes"]
                     : key == "text_bytes" ? run()["flash"]["text_bytes"]
                                           : run()["inference"][key];
      figure = is_over ? c.over : c.within;
      const host::Outcome outcome = Compare("", std::string("budgets:\n  - {") + c.budget + "}\n");
      EXPECT_EQ(outcome.code, is_over ? 1 : 0) << c.budget << ": " << figure << outcome.out << outcome.err;
    }
  }
}

TEST_F(Gated, OnlyBudgetsJudgeWhereThereAreAny) {
  run()["arena"]["used_bytes"] = 100000;
  EXPECT_EQ(Compare("--fail-on worse", "budgets: [{figure: instructions, max_increase_percent: 1}]").code, 0);
  // The strictest of several budgets counts, in any order.
  const std::string strict = "{figure: arena_bytes, max_increase_percent: 10}",
                    loose = "{figure: arena_bytes, max: 200000}";
  EXPECT_EQ(Compare("", "budgets: [" + loose + "]").code, 0);
  EXPECT_EQ(Compare("", "budgets: [" + loose + ", " + strict + "]").code, 1);
  EXPECT_EQ(Compare("", "budgets: [" + strict + ", " + loose + "]").code, 1);
}

TEST_F(Gated, MoreAccuracyIsBetter) {
  const std::string least = "budgets: [{figure: accuracy, min: 0.88}]",
                    less = "budgets: [{figure: accuracy, max_decrease_percent: 1}]";
  run()["evaluation"]["value"] = 0.95;
  EXPECT_EQ(Compare("", less).code, 0);
  run()["evaluation"]["value"] = 0.885;
  EXPECT_EQ(Compare("", least).code, 0);
  host::Outcome outcome = Compare("", less);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "| accuracy | 0.9000 | **0.8850** | -1.7 % | at most -1 % |"))
      << outcome.out;
  run()["evaluation"]["value"] = 0.875;
  EXPECT_EQ(Compare("", least).code, 1);
  outcome = Compare("");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome.out, "0 lost, 1 worse")) << outcome.out;
}

TEST_F(Gated, ANewModelHasNoIncrease) {
  new_["results"].push_back(RunOf("ic"));
  run(2)["arena"]["used_bytes"] = 70000;
  EXPECT_EQ(Compare("", "budgets: [{model: ic, figure: arena_bytes, max_increase_percent: 1}]").code, 0);
  EXPECT_EQ(Compare("", "budgets: [{model: ic, figure: arena_bytes, max: 60000}]").code, 1);
  EXPECT_EQ(Compare("--fail-on worse").code, 0);
}

TEST_F(Gated, TimesThatDoNotTellAreUndecided) {
  const std::string budget = "budgets: [{figure: median_ns, max_increase_percent: 2}]";
  run()["inference"]["median_ns"] = 104000;
  run()["inference"]["mad_ns"] = 1500;
  host::Outcome outcome = Compare("", budget);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome.out, "; 1 undecided")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "at most +2 %, and equal runs differ by 4500 ns")) << outcome.out;
  run()["inference"]["mad_ns"] = 1000;
  EXPECT_EQ(Compare("", budget).code, 1);
  // The whole run was disturbed, as its fastest inference was as fast as before.
  run()["inference"]["min_ns"] = 99000;
  outcome = Compare("", budget);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome.out, "equal runs differ by 5000 ns")) << outcome.out;
  run()["inference"]["min_ns"] = 102500;
  EXPECT_EQ(Compare("", budget).code, 1);
  run()["inference"]["runs"] = 4;
  outcome = Compare("", budget);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome.out, "the runs are too few to tell")) << outcome.out;
}

// A figure over one budget fails, even if another budget leaves it undecided.
TEST_F(Gated, OverIsGraverThanUndecided) {
  run()["inference"]["median_ns"] = 104000;
  const std::string over = "{figure: median_ns, max_increase_percent: 2}",
                    undecided = "{figure: median_ns, max: 103000}";
  EXPECT_EQ(Compare("", "budgets: [" + undecided + "]").code, 0);
  EXPECT_EQ(Compare("", "budgets: [" + undecided + ", " + over + "]").code, 1);
  EXPECT_EQ(Compare("", "budgets: [" + over + ", " + undecided + "]").code, 1);
}

TEST_F(Gated, TimesInTurnsDecide) {
  const auto turns = [&](double low, double high, double p, int count) {
    run()["against"] = {{"commit", "0a"},
                        {"turns", count},
                        {"old_median_ns", 100000},
                        {"new_median_ns", 104000},
                        {"ratio", (low + high) / 2},
                        {"low", low},
                        {"high", high},
                        {"p", p}};
    return Compare("", "budgets: [{figure: median_ns, max_increase_percent: 2}]");
  };
  // The medians in the files would give the opposite.
  EXPECT_EQ(turns(1.021, 1.05, 1e-5, 20).code, 1);
  run()["inference"]["median_ns"] = 300000;
  EXPECT_EQ(turns(0.99, 1.02, 0.5, 20).code, 0);
  for (const host::Outcome& outcome :
       {turns(1.019, 1.05, 1e-5, 20), turns(1.021, 1.05, 0.0011, 20), turns(1.5, 2, 1e-5, 7)}) {
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(Contains(outcome.out, "; 1 undecided")) << outcome.out;
  }
  EXPECT_TRUE(Contains(turns(1.03, 1.05, 1e-5, 20).out,
                       "at most +2 %; in turns +4.0 % (95 %: +3.0 to +5.0 %), p = 1e-05, 20 turns"));
}

TEST_F(Gated, ABudgetThatMatchesNothingIsAnError) {
  for (const char* budget :
       {"{model: kwz, figure: arena_bytes, max: 1}", "{platform: cortex-m4, figure: '*', max: 1e9}",
        "{figure: stack_bytes, max: 1}", "{setting: ref, figure: arena_bytes, max: 1}"}) {
    const host::Outcome outcome =
        Compare("", std::string("budgets: [{figure: '*', max: 1e9}, ") + budget + "]");
    EXPECT_EQ(outcome.code, 2) << budget << outcome.out;
    EXPECT_TRUE(Contains(outcome.err, "budgets.yaml: budget 2 matches nothing")) << outcome.err;
    EXPECT_EQ(Count(outcome.err, "\n"), 1);
  }
}

TEST_F(Gated, RefusesBudgetsThatAreNone) {
  const std::pair<const char*, const char*> kTexts[] = {
      {"[]", "the key \"budgets\" alone"},
      {"budgets: []", "the key \"budgets\" alone"},
      {"budgets: {figure: arena_bytes, max: 1}", "the key \"budgets\" alone"},
      {"budgets: [{figure: arena_bytes, max: 1}]\nlimits: 3", "the key \"budgets\" alone"},
      {"budgets: [arena_bytes]", "no mapping"},
      {"budgets: [{model: kws, max: 1}]", "without \"figure\""},
      {"budgets: [{figure: arena, max: 1}]", "figure \"arena\""},
      {"budgets: [{figure: arena_bytes}]", "without a limit"},
      {"budgets: [{figure: arena_bytes, maximum: 1}]", "key \"maximum\""},
      {"budgets: [{figure: arena_bytes, max: few}]", "max: few"},
      {"budgets: [{figure: arena_bytes, max: -1}]", "max: -1"},
      {"budgets: [{figure: arena_bytes, max: .nan}]", "max: .nan"},
      {"budgets: [{figure: arena_bytes, max: [1]}]", "max: no number"},
      {"budgets: [{figure: arena_bytes, max: 1, max: 2}]", "key \"max\" again"},
      {"budgets: [{figure: arena_bytes, min: 1}]", "other limits"},
      {"budgets: [{figure: accuracy, max: 1}]", "other limits"},
      {"budgets: [{figure: arena_bytes, model: [a], max: 1}]", "no model"},
      {"budgets: ]", "YAML"},
      {"{\"budgets\": [", "not JSON"},
      {"{\"budgets\": [{\"figure\": \"arena_bytes\", \"max\": 1, \"max\": 2}]}", "twice"},
  };
  for (const auto& [text, says] : kTexts) {
    const host::Outcome outcome = Compare("", text);
    EXPECT_EQ(outcome.code, 3) << text << outcome.err;
    EXPECT_TRUE(Contains(outcome.err, says)) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with(folder_ / "budgets.yaml")) << outcome.err;
    EXPECT_EQ(Count(outcome.err, "\n"), 1) << outcome.err;
  }
  EXPECT_EQ(Compare("", "{\n\t\"budgets\": [{\"figure\": \"arena_bytes\", \"max\": 50000}]}", "b.json").code,
            0);
  EXPECT_EQ(Compare("--budget /no/such.yaml").code, 3);
}

TEST_F(Gated, UsesItsExitCodes) {
  EXPECT_EQ(Compare("--fail-on nothing").code, 2);
  EXPECT_EQ(Compare("--fail-on lost", "budgets: [{figure: arena_bytes, max: 1}]").code, 2);
  EXPECT_EQ(host::RunProgram((folder_ / "old.json") + " --fail-on worse").code, 2);
  EXPECT_EQ(host::RunProgram((folder_ / "old.json") + " --budget " + (folder_ / "budgets.yaml")).code, 2);
  EXPECT_EQ(host::RunProgram((folder_ / "old.json") + " --format json").code, 2);
}

TEST_F(Gated, WritesACaseForEachFigure) {
  run()["arena"]["used_bytes"] = 100000;
  run(1)["outputs"][0]["crc32"] = "00000000";
  run(1)["inference"]["median_ns"] = 150000;
  run(1)["inference"]["mad_ns"] = 50000;
  const std::string budgets =
      "budgets: [{figure: arena_bytes, max: 60000}, {figure: median_ns, max_increase_percent: 2}]";
  const host::Outcome junit = Compare("--format junit", budgets);
  EXPECT_EQ(junit.code, 1);
  const host::Outcome text = Compare("--format json", budgets);
  EXPECT_EQ(text.code, 1);
  const Json json = Json::parse(text.out);
  // Each model has bytes, two arenas, five figures of flash, instructions, time and accuracy; and there are
  // some of a kernel.
  EXPECT_EQ(json["figures"].size(), 23u);
  EXPECT_EQ(Count(junit.out, "<testcase "), 24) << junit.out;
  EXPECT_EQ(Count(junit.out, "<failure "), 2);
  EXPECT_EQ(Count(junit.out, "<skipped "), 1);
  EXPECT_TRUE(Contains(junit.out,
                       "<testcase classname=\"x86_64, kws, best\" name=\"arena_bytes\"><failure "
                       "message=\"old 50000.0, new 100000.0, at most 60000\"/></testcase>"))
      << junit.out;
  EXPECT_TRUE(json["failed"].get<bool>());
  EXPECT_EQ(json["over"], 1);
  EXPECT_EQ(json["undecided"], 1);
  ASSERT_EQ(json["lost"].size(), 1u);
  EXPECT_EQ(json["lost"][0]["new"], "00000000");
  for (const Json& figure : json["figures"]) {
    const bool is_arena = figure["figure"] == "arena_bytes", is_time = figure["figure"] == "median_ns";
    const bool is_first = figure["model"] == "kws";
    EXPECT_EQ(figure["judgement"], is_arena && is_first   ? "over"
                                   : is_time && !is_first ? "undecided"
                                   : is_arena || is_time  ? "within"
                                                          : "free")
        << figure;
  }
  // A file gets the same content.
  EXPECT_EQ(Compare("-o " + (folder_ / "gate.json"), budgets).code, 1);
  EXPECT_EQ(Json::parse(host::ReadAll(folder_ / "gate.json")), json);
}

}  // namespace
}  // namespace lutra::reports

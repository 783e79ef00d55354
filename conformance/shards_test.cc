// SPDX-License-Identifier: Apache-2.0
// Tests that shards of `run`, `fuzz` and `model` have equal work, and make one run when merged in any order.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "conformance/runner/corpus.h"
#include "conformance/runner/work.h"
#include "host/shard.h"
#include "host/testing/program.h"

namespace lutra::conformance {
namespace {

using nlohmann::json;

std::string RunWell(const std::string& line) {
  const host::Outcome outcome = host::RunProgram(line);
  EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.out << outcome.err;
  return outcome.out;
}

json ReadJson(const std::string& path) { return json::parse(host::ReadAll(path)); }

// Returns a result without the parts that may differ between a run and its shards: date and duration.
std::string Same(const std::string& path) {
  json file = ReadJson(path);
  file.erase("context");
  file.erase("seconds");
  return file.dump(1);
}

// Runs one command as a whole and in shards.
class Shards {
 public:
  // `runs_well`: the command's exit code is 0.
  Shards(std::string command, bool runs_well = true) : command_(std::move(command)), runs_well_(runs_well) {
    Run(command_ + " --results " + Path("whole"));
  }

  std::string Path(const std::string& name) const { return folder_ / (name + ".json"); }
  void RunShards(int count) {
    for (int i = 1; i <= count; ++i) {
      Run(fmt::format("{} --shard {}/{} --results {}", command_, i, count, Path(std::to_string(i))));
    }
  }
  void Merge(const std::vector<std::string>& inputs, const std::string& output, bool is_partial) {
    std::string line = is_partial ? "merge --partial" : "merge";
    for (const std::string& input : inputs) line += " " + Path(input);
    Run(line + " -o " + Path(output));
  }
  // Expects that merging gives the whole: of all shards at once, of one after the other from the last, and of
  // two partial results that share a shard.
  void ExpectWholeInThreeOrders(int count) {
    std::vector<std::string> names;
    for (int i = 1; i <= count; ++i) names.push_back(std::to_string(i));
    Merge(names, "at_once", false);
    ExpectWhole("at_once", count);
    Merge({names.back()}, "chain", true);
    for (int i = count - 1; i >= 1; --i) Merge({"chain", names[static_cast<size_t>(i) - 1]}, "chain", i > 1);
    ExpectWhole("chain", count);
    const auto half = names.begin() + count / 2;
    Merge({half - 1, names.end()}, "second", true);
    Merge({names.begin(), half}, "first", true);
    Merge({"second", "first"}, "of_partials", false);
    ExpectWhole("of_partials", count);
    // The order of the files does not change a byte.
    EXPECT_TRUE(host::ReadAll(Path("of_partials")) == host::ReadAll(Path("at_once"))) << count;
  }

 private:
  // Does not print the difference, which is long.
  void ExpectWhole(const std::string& name, int count) const {
    EXPECT_TRUE(Same(Path(name)) == Same(Path("whole"))) << count << " shards: " << name;
  }
  void Run(const std::string& line) const {
    const host::Outcome outcome = host::RunProgram(line);
    EXPECT_EQ(outcome.code == 0, runs_well_) << line << "\n" << outcome.out << outcome.err;
    EXPECT_LE(outcome.code, 1) << line << "\n" << outcome.out << outcome.err;
  }

  const host::ScratchFolder folder_;
  const std::string command_;
  const bool runs_well_;
};

TEST(Shards, OfARunAreTheRun) {
  Shards shards("run --filter 'int8.add.*'");
  for (const int count : {2, 3, 7, 16}) {
    shards.RunShards(count);
    shards.ExpectWholeInThreeOrders(count);
  }
}

TEST(Shards, OfAFuzzThatFailsAreTheFuzz) {
  Shards shards(
      std::string("fuzz --cases 160 --seed 4 --ops ADD,RELU,MUL --coverage --shrink-seconds 0 --jobs 2 "
                  "--reproducers '' --runner \"'") +
          LUTRA_MOCK_ADAPTER + "' --fault off-by-one\"",
      false);
  for (const int count : {2, 7}) {
    shards.RunShards(count);
    shards.ExpectWholeInThreeOrders(count);
  }
  EXPECT_GE(ReadJson(shards.Path("whole"))["failures"].size(), 6u);
}

// Refuses a wrong clock, a lost shard and a changed one of a fuzz; host/refusals_test.cc has those of a run.
TEST(Shards, OfAFuzzAreRefusedByName) {
  Shards shards("fuzz --cases 30 --seed 4 --ops ADD");
  shards.RunShards(3);
  const auto merge = [&](const std::string& first, const std::string& options = "") {
    const host::Outcome outcome = host::RunProgram("merge " + options + " " + shards.Path(first) + " " +
                                                   shards.Path("2") + " -o " + shards.Path("out"));
    EXPECT_EQ(outcome.code, 3) << outcome.out;
    EXPECT_FALSE(std::filesystem::exists(shards.Path("out")));
    return outcome.err;
  };
  const auto edit = [&](const std::string& pointer, const json& value) {
    json file = ReadJson(shards.Path("1"));
    file[json::json_pointer(pointer)] = value;
    std::ofstream(shards.Path("edited")) << file;
    return merge("edited");
  };
  EXPECT_NE(merge("1").find("found 2 of 3 shards, required: all; missing: 3"), std::string::npos);
  EXPECT_NE(merge("1", "--since 2999-01-01T00:00:00Z").find("1.json: context: date: "), std::string::npos);
  EXPECT_NE(merge("whole").find("whole.json: found a whole run"), std::string::npos);
  const std::vector<std::tuple<std::string, json, std::string>> edits = {
      {"/context/date", "2999-01-01T00:00:00Z", "edited.json: context: date: found 2999"},
      {"/context/commit", "0123456", "2.json: found another campaign"},
      {"/seed", 5, "2.json: found another campaign"},
      {"/backend", "another", "2.json: found another campaign"},
      {"/next", 9, "edited.json: found cases 0 to 8 of shard 1/3, required: 0 to 9"},
      {"/shard", "2/3", "edited.json: found cases 0 to 9 of shard 2/3"},
      {"/shard", "4/3", "edited.json: shard: found \"4/3\""},
      {"/campaign/cases", 2, "edited.json: found 2 cases from 0 in 3 shards"},
      {"/campaign/first", INT64_MAX, "edited.json: found 30 cases from 9223372036854775807"},
      {"/operators", 3, "edited.json: found no results of `conformance fuzz`"},
  };
  for (const auto& [pointer, value, says] : edits) {
    EXPECT_NE(edit(pointer, value).find(says), std::string::npos) << pointer << " " << edit(pointer, value);
  }
  json other = ReadJson(shards.Path("2"));
  other["unspecified"] = 7;
  std::ofstream(shards.Path("edited")) << other;
  EXPECT_NE(merge("edited").find("2.json: found shard 2/3 with other results than "), std::string::npos);
  std::ofstream(shards.Path("edited")) << R"({"schema_version": 1, "shards": []})";
  EXPECT_NE(merge("edited").find("edited.json: found no shard"), std::string::npos);
}

const std::string kKws = "model '" LUTRA_SOURCE_DIR "/models/kws.tflite' --seeds 8 --profiles tflm,xnnpack";

TEST(Shards, OfAModelAreTheTrial) {
  Shards shards(kKws);
  for (const int count : {2, 3, 7}) {
    shards.RunShards(count);
    shards.ExpectWholeInThreeOrders(count);
  }
  EXPECT_GT(ReadJson(shards.Path("whole"))["drifts"][0]["layers"][2]["drifted"]["different"], 0);
  const std::string line = kKws + " --jobs ";
  EXPECT_EQ(RunWell(line + "1"), RunWell(line + "5"));
}

// Every layer of this runtime differs, in samples of every shard.
TEST(Shards, OfAModelThatDiffersAreTheTrial) {
  Shards shards(std::string("model '" LUTRA_SOURCE_DIR "/models/sine.tflite' --seeds 16 --runner \"'") +
                    LUTRA_MOCK_ADAPTER + "' --fault off-by-one\"",
                false);
  for (const int count : {2, 16}) {
    shards.RunShards(count);
    shards.ExpectWholeInThreeOrders(count);
  }
  const json ours = ReadJson(shards.Path("whole"))["runtimes"][0];
  EXPECT_EQ(ours["samples"], 16);
  EXPECT_EQ(ours["output"]["different"], 16);
  EXPECT_EQ(ours["layers"][0]["rule"], "unknown");
}

TEST(Shards, OfAModelAreRefusedByName) {
  Shards shards(kKws);
  shards.RunShards(2);
  const auto merge = [&](const std::string& first) {
    const host::Outcome outcome = host::RunProgram("merge " + shards.Path(first) + " " + shards.Path("2") +
                                                   " -o " + shards.Path("out"));
    EXPECT_EQ(outcome.code, 3) << outcome.out;
    EXPECT_FALSE(std::filesystem::exists(shards.Path("out")));
    return outcome.err;
  };
  EXPECT_NE(merge("whole").find("whole.json: found a whole run of `conformance model`"), std::string::npos);
  const std::vector<std::tuple<std::string, json, std::string>> edits = {
      {"/context/commit", "0123456", "2.json: found another campaign"},
      {"/trial/inputs_sha256", "0", "2.json: found another campaign"},
      {"/trial/model_sha256", "0", "2.json: found another campaign"},
      {"/invokes", 2, "2.json: found another campaign"},
      {"/runtimes/0/name", "another", "2.json: found another campaign"},
      {"/samples", 3, "edited.json: found 3 of 8 samples in shard 1/2"},
      {"/runtimes/0/samples", 3, "edited.json: found 4 of 8 samples in shard 1/2"},
      {"/trial/samples", 1, "edited.json: found 4 of 1 samples in shard 1/2"},
      {"/runtimes/0/layers/1/drifted/different", -1, "edited.json: found -1 of "},
      {"/runtimes/0/layers/1/drifted/elements", INT64_MAX, "edited.json: found 0 of 9223372036854775807 "},
      {"/runtimes/0/layers/1/op", "ADD", "2.json: found other layers"},
      {"/runtimes/0/layers", 3, "edited.json: found no results of `conformance model`"},
  };
  for (const auto& [pointer, value, says] : edits) {
    json file = ReadJson(shards.Path("1"));
    file[json::json_pointer(pointer)] = value;
    std::ofstream(shards.Path("edited")) << file;
    const std::string said = merge("edited");
    EXPECT_NE(said.find(says), std::string::npos) << pointer << " " << said;
  }
  EXPECT_EQ(host::RunProgram(kKws + " --shard 1/2 --export d.explorer.json").code, 2);
  const host::Outcome none = host::RunProgram(kKws + " --shard 1/9");
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("--shard: found 8 samples in 9 shards"), std::string::npos) << none.err;
}

// A shard that was interrupted is resumed to its own end.
TEST(Shards, OfAFuzzAreResumed) {
  Shards shards("fuzz --cases 40 --seed 4 --ops ADD");
  shards.RunShards(2);
  const std::string whole_shard = Same(shards.Path("2"));
  RunWell("fuzz --first 20 --cases 5 --seed 4 --ops ADD --results " + shards.Path("5"));
  json cut = ReadJson(shards.Path("2"));
  const json first_five = ReadJson(shards.Path("5"));
  for (const auto& [key, value] : first_five.items()) cut[key] = value;
  std::ofstream(shards.Path("2")) << cut;
  for (int i = 0; i < 2; ++i) {
    const std::string out =
        RunWell("fuzz --cases 40 --seed 4 --ops ADD --shard 2/2 --resume --results " + shards.Path("2"));
    EXPECT_NE(out.find("cases 20 to 39: "), std::string::npos) << out;
    EXPECT_TRUE(Same(shards.Path("2")) == whole_shard);
  }
}

TEST(Shards, ObeyTheVariablesButTheOptionWins) {
  const std::string variables = "GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=1 '" LUTRA_PROGRAM "' ";
  for (const std::string& command : {std::string("run --filter 'int8.relu.*'"),
                                     std::string("fuzz --cases 30 --ops RELU --seed 3"), kKws}) {
    const std::string by_variables = host::RunShell(variables + command).out;
    const std::string by_option = host::RunShell(variables + command + " --shard 3/3").out;
    EXPECT_TRUE(by_variables.ends_with(", shard 2/3\n")) << by_variables;
    EXPECT_TRUE(by_option.ends_with(", shard 3/3\n")) << by_option;
  }
}

TEST(Shards, WhatIsRunOutsideThemIsTheWhole) {
  setenv("GTEST_TOTAL_SHARDS", "3", 1);
  setenv("GTEST_SHARD_INDEX", "1", 1);
  const std::string out = host::RunProgram("run --filter 'int8.relu.*'").out;
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
  EXPECT_EQ(out.find(", shard "), std::string::npos) << "a test's own shard is not its programs': " << out;
}

// The recorded times cover most of the work, and shards have almost the same sum.
TEST(Work, IsEqualInSixteenShards) {
  const Work work(std::filesystem::path(LUTRA_SOURCE_DIR) / "golden" / kTimesFile);
  const std::vector<int64_t> costs = work.CostsOf(GeneratedCases("*"));
  int64_t least = INT64_MAX, most = 0;
  for (int i = 1; i <= 16; ++i) {
    int64_t sum = 0;
    for (const size_t at : host::WorkOfShard(costs, {i, 16})) sum += costs[at];
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  EXPECT_LT(most - least, most / 50);
  EXPECT_GT(*std::max_element(costs.begin(), costs.end()), 20 * costs[costs.size() / 2])
      << "times are recorded";
}

TEST(Work, WithoutTimesIsWhatMultiplies) {
  const Work work("/nonexistent");
  const std::vector<Case> cases = GeneratedCases("int8.conv_2d.*");
  const std::vector<int64_t> costs = work.CostsOf(cases);
  EXPECT_GT(*std::max_element(costs.begin(), costs.end()), *std::min_element(costs.begin(), costs.end()));
}

TEST(Work, TimesAreReadAsTheyWereWritten) {
  const host::ScratchFolder folder;
  std::map<std::string, int64_t> times;
  for (int i = 0; i < 1000; ++i) times[fmt::format("int8.add.same.{:04}", i)] = 10 + i % 3;
  times["int8.conv_2d.large.0000"] = 90000;
  std::ofstream(folder / "times.txt") << TimesText(times, "here");
  EXPECT_EQ(host::ReadAll(folder / "times.txt"),
            "# Microseconds of a case, or of each other case of a family; here\n"
            "int8.add 10\nint8.conv_2d.large.0000 90000\n");
  std::vector<Case> cases(2);
  cases[0].id = "int8.conv_2d.large.0000";
  cases[1].id = "int8.add.other.0007";
  EXPECT_EQ(Work(folder / "times.txt").CostsOf(cases), (std::vector<int64_t>{90000, 10}));
}

}  // namespace
}  // namespace lutra::conformance

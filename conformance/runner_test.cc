// SPDX-License-Identifier: Apache-2.0
// Tests the suite itself: it must find faults, and identify runtimes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/runner/certificate.h"
#include "conformance/runner/expected_outputs.h"
#include "conformance/runner/explain.h"
#include "conformance/runner/identify.h"
#include "conformance/runner/separation.h"
#include "host/model_file.h"
#include "host/testing/program.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kMock = LUTRA_MOCK_ADAPTER;
const std::string kRecorded = LUTRA_RECORDED_ADAPTER;
const fs::path kGolden = fs::path(LUTRA_TEST_DATA) / "golden";

host::Outcome RunWell(const std::string& arguments) {
  host::Outcome outcome = host::RunProgram(arguments);
  EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.out << outcome.err;
  return outcome;
}

json ReadJson(const std::string& path) { return json::parse(host::ReadAll(path)); }

std::string LastLine(const std::string& text) {
  const size_t end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

// ---- Files that are refused.

TEST(Export, NamesAFolderThatCannotBeMade) {
  const host::Outcome outcome = host::RunProgram("export --filter 'int8.relu.*' /dev/null/x");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err.find("/dev/null/x"), 0u) << outcome.err;
  EXPECT_NE(outcome.err.find(": file: Not a directory; "), std::string::npos) << outcome.err;
}

TEST(Merge, RefusesWhatIsNoJson) {
  const host::Outcome outcome = host::RunProgram("merge README.md -o /dev/null");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err.find("README.md: not a result file: "), 0u) << outcome.err;
}

// ---- Faults that are found.

struct Fault {
  const char *name, *cases, *verdict;
};

class SeededFault : public testing::TestWithParam<Fault> {};

TEST_P(SeededFault, IsSeen) {
  const host::ScratchFolder folder;
  // With one job, the fault always affects the same cases.
  const host::Outcome outcome =
      host::RunProgram(std::string("run --jobs 1 ") + GetParam().cases + " --runner \"'" + kMock +
                       "' --fault " + GetParam().name + " --every 3\" --results " + (folder / "r.json") +
                       " --reproducers " + (folder / "failures"));
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  const json run = ReadJson(folder / "r.json")["conformance"];
  EXPECT_GT(run["summary"][GetParam().verdict], 0) << outcome.out;
  EXPECT_GT(run["summary"]["pass"], 0) << "the cases between are unharmed";
  // The reproducer has all files that are needed to repeat the failure.
  const auto failed = fs::directory_iterator(folder / "failures")->path();
  EXPECT_TRUE(fs::exists(failed / "model.tflite"));
  EXPECT_NE(host::ReadAll(failed / "README.txt").find("conformance run --filter"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Mock, SeededFault,
    testing::Values(Fault{"off-by-one-at-ties", "--filter 'int8.conv_2d.separate.*'", "fail"},
                    Fault{"single-rounding", "--filter 'int8.conv_2d.separate.*'", "fail"},
                    Fault{"swapped-padding", "--filter 'int8.conv_2d.same.*'", "fail"},
                    Fault{"wrong-zero-point", "--filter 'int8.add.same.*'", "fail"},
                    Fault{"crash", "--filter 'int8.add.same.*'", "crash"},
                    Fault{"hang", "--filter 'int8.softmax.beta.*' --shard 1/4 --timeout 1500", "timeout"},
                    Fault{"garbage-line", "--filter 'int8.add.same.*'", "fail"},
                    Fault{"missing-output", "--filter 'int8.add.same.*'", "fail"},
                    Fault{"wrong-size", "--filter 'int8.add.same.*'", "fail"},
                    Fault{"extra-output", "--filter 'int8.add.same.*'", "fail"},
                    Fault{"nan", "--filter 'int8.dequantize.*'", "fail"},
                    Fault{"nan", "--filter 'int8.dequantize.*' --profile bounded", "fail"},
                    Fault{"infinity", "--filter 'int8.dequantize.*'", "fail"},
                    Fault{"infinity", "--filter 'int8.dequantize.*' --profile bounded --bound 100", "fail"},
                    Fault{"negative-zero", "--filter 'int8.dequantize.*'", "fail"}),
    [](const auto& param) {
      std::string name = param.param.name;
      if (std::string(param.param.cases).find("bounded") != std::string::npos) name += "-bounded";
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(Run, NamesTheRuleThatARuntimeFollowsInstead) {
  const host::ScratchFolder folder;
  host::RunProgram("run --filter 'int8.conv_2d.separate.*' --runner \"'" + kMock +
                   "' --fault single-rounding\" --reproducers '' --results " + (folder / "r.json"));
  int named = 0;
  const json run = ReadJson(folder / "r.json");
  for (const json& result : run["conformance"]["cases"]) {
    if (result["verdict"] != "fail") continue;
    const auto rules = result["mismatch"]["rules"].get<std::vector<std::string>>();
    EXPECT_NE(std::find(rules.begin(), rules.end(), "SR"), rules.end()) << result;
    EXPECT_EQ(result["mismatch"]["largest"], 1);
    ++named;
  }
  EXPECT_GT(named, 5);
}

// ---- The program.

TEST(Run, SmokeSetInFull) {
  const host::Outcome outcome = RunWell("run --smoke --kernels ref");
  EXPECT_NE(outcome.out.find(" 0 failed, 0 unsupported, 0 crashed, 0 waived (tflm, lutra_adapter"),
            std::string::npos);
  EXPECT_EQ(LastLine(outcome.out).find(" cases: "), LastLine(outcome.out).find(' '));
}

TEST(Merge, RefusesShardsOfAnotherCorpus) {
  const host::ScratchFolder folder;
  for (const char* const shard : {"1", "2"}) {
    RunWell(std::string("run --filter 'int8.abs.same.*' --shard ") + shard + "/2 --results " +
            (folder / (std::string(shard) + ".json")));
  }
  json edited = ReadJson(folder / "2.json");
  std::string& golden = edited["conformance"]["selection"]["golden"].get_ref<std::string&>();
  golden.back() = golden.back() == '0' ? '1' : '0';
  std::ofstream(folder / "2.json") << edited;
  const host::Outcome outcome = host::RunProgram("merge " + (folder / "1.json") + " " + (folder / "2.json") +
                                                 " -o " + (folder / "m.json"));
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_NE(outcome.err.find("2.json: found another run"), std::string::npos) << outcome.err;
}

// A shard with other cases than those selected is named, and so is a case.
TEST(Merge, RefusesCasesThatWereNotSelected) {
  const host::ScratchFolder folder;
  RunWell("run --filter 'int8.abs.same.*' --results " + (folder / "r.json"));
  RunWell("export --filter 'int8.abs.same.*' " + (folder / "corpus"));
  RunWell("run --corpus " + (folder / "corpus") + " --results " + (folder / "own.json"));
  const auto merge = [&](const std::string& file, const std::string& id, bool is_frozen) {
    json edited = ReadJson(folder / file);
    edited["conformance"]["cases"][0]["id"] = id;
    if (!is_frozen) {
      edited["conformance"]["cases"][0]["frozen"] = false;
      edited["conformance"]["not_frozen"] = 1;
    }
    std::ofstream(folder / "edited.json") << edited;
    const host::Outcome outcome =
        host::RunProgram("merge " + (folder / "edited.json") + " -o " + (folder / "m.json"));
    EXPECT_EQ(outcome.code, 3) << id << outcome.out;
    EXPECT_EQ(outcome.err.find(folder / "edited.json: "), 0u) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "m.json")) << id;
    return outcome.err;
  };
  const auto names = [](const std::string& text, const std::string& name) {
    return text.find(name) != std::string::npos;
  };
  EXPECT_TRUE(names(merge("r.json", "int8.abs.same.9999", true), "found int8.abs.same.9999, which golden/"));
  EXPECT_TRUE(
      names(merge("r.json", "int8.add.same.0000", true), "found int8.add.same.0000, required: ids of"));
  EXPECT_TRUE(
      names(merge("r.json", "int8.abs.same.9999", false), "found other ids than the shard was asked for"));
  EXPECT_TRUE(
      names(merge("own.json", "int8.abs.same.9999", true), "found other ids than the shard was asked for"));
  EXPECT_TRUE(names(merge("r.json", std::string("int8.abs.same.0000\0", 19), true),
                    "found \"int8.abs.same.0000\\x00\", required: a name"));
  EXPECT_TRUE(names(merge("r.json", "", true), "found \"\", required: a name"));
  for (const char* const file : {"r.json", "own.json"}) {
    RunWell("merge " + (folder / file) + " -o " + (folder / "m.json"));
  }
}

TEST(Run, BoundedTakesWhatIsWithinTheBound) {
  const std::string run = "run --filter 'int8.conv_2d.separate.*' --reproducers '' --runner \"'" + kMock +
                          "' --fault single-rounding\" --profile ";
  EXPECT_EQ(host::RunProgram(run + "tflm").code, 1);
  EXPECT_EQ(host::RunProgram(run + "single-rounding").code, 0);
  const host::Outcome bounded = host::RunProgram(run + "bounded --bound 1");
  EXPECT_EQ(bounded.code, 0) << bounded.out;
  EXPECT_NE(bounded.out.find("bound 1: "), std::string::npos);
}

TEST(Run, WaiversExpireAndTellOfUnexpectedPasses) {
  const host::ScratchFolder folder;
  const std::string run = "run --filter 'int8.conv_2d.separate.*' --reproducers '' --waivers " +
                          (folder / "w.json") + " --results " + (folder / "r.json");
  const std::string mock = " --runner \"'" + kMock + "' --fault single-rounding\"";
  const auto write = [&](const std::string& expires) {
    std::ofstream(folder / "w.json") << R"([{"id": "int8.conv_2d.*", "reason": "known", "expires": ")"
                                     << expires << "\"}]";
  };
  write("2000-01-01");
  EXPECT_EQ(host::RunProgram(run + mock).code, 1) << "expired";
  EXPECT_EQ(ReadJson(folder / "r.json")["conformance"]["summary"]["waived"], 0);
  write("9999-12-31");
  host::RunProgram(run + mock);
  EXPECT_GT(ReadJson(folder / "r.json")["conformance"]["summary"]["waived"], 0);
  EXPECT_EQ(host::RunProgram(run).code, 1) << "all pass, which a waiver does not expect";
  // Neither another type nor a date that never comes is taken.
  const std::string waiver = R"("id": "int8.conv_2d.*", "reason": "known", "expires": )";
  for (const std::string& text :
       {std::string("{"), std::string("{}"), std::string("null"), std::string("7"), std::string("\"x\""),
        "{\"waivers\": [{" + waiver + "\"9999-12-31\"}]}", "{" + waiver + "\"9999-12-31\"}",
        "[{" + waiver + "\"zzzz-zz-zz\"}]", "[{" + waiver + "\"2027-02-30\"}]",
        "[{" + waiver + "\"2027-13-01\"}]", "[{" + waiver + "\"2027/01/31\"}]", "[{" + waiver + "20270131}]",
        "[{" + waiver + "null}]", std::string(R"([{"id": "", "reason": "known", "expires": "9999-12-31"}])"),
        std::string(R"([{"id": "*", "reason": "", "expires": "9999-12-31"}])"),
        std::string(R"([{"id": ["*"], "reason": "known", "expires": "9999-12-31"}])"), std::string("[[]]")}) {
    std::ofstream(folder / "w.json") << text;
    const host::Outcome outcome = host::RunProgram(run);
    EXPECT_EQ(outcome.code, 3) << text;
    EXPECT_NE(outcome.err.find("w.json: "), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  std::ofstream(folder / "w.json") << "[]";
  EXPECT_EQ(host::RunProgram(run).code, 0);
}

// A waiver excuses a crash, but a run in which nothing was computed is no success. What differs was computed.
TEST(Run, OfWaivedCrashesAloneIsNoSuccess) {
  const host::ScratchFolder folder;
  std::ofstream(folder / "w.json") << R"([{"id": "*", "reason": "known", "expires": "9999-12-31"}])";
  const auto code_of = [&](const std::string& fault) {
    const host::Outcome outcome = host::RunProgram(
        "run --filter 'int8.relu6.same.*' --reproducers '' --waivers " + (folder / "w.json") + " --results " +
        (folder / "r.json") + " --runner \"'" + kMock + "' --fault " + fault + "\"");
    const json summary = ReadJson(folder / "r.json")["conformance"]["summary"];
    EXPECT_EQ(summary["waived"], summary["cases"]) << fault << outcome.out;
    return outcome.code;
  };
  EXPECT_EQ(code_of("crash"), 1);
  EXPECT_EQ(code_of("missing-output"), 1);
  EXPECT_EQ(code_of("off-by-one"), 0);
}

// ---- Cases that are not frozen.

// A folder golden/ with a changed manifest.
class LiveCases : public testing::Test {
 protected:
  LiveCases() {
    fs::create_directories(folder_ / "golden");
    fs::create_symlink(fs::path(LUTRA_SOURCE_DIR) / "golden" / "smoke", folder_ / "golden/smoke");
    lines_ = host::ReadAll(fs::path(LUTRA_SOURCE_DIR) / "golden" / "manifest.jsonl");
  }
  // Removes the lines of ids that begin so; returns their number.
  int Remove(const std::string& id) {
    int removed = 0;
    for (size_t at; (at = lines_.find("{\"id\":\"" + id)) != std::string::npos; ++removed) {
      lines_.erase(at, lines_.find('\n', at) + 1 - at);
    }
    return removed;
  }
  host::Outcome Program(const std::string& arguments) {
    std::ofstream(folder_ / "golden/manifest.jsonl") << lines_;
    return host::RunProgram(arguments + " --golden " + (folder_ / "golden"));
  }

  host::ScratchFolder folder_;
  std::string lines_;
};

TEST_F(LiveCases, AreJudgedByTheOracleAndCounted) {
  const int live = Remove("int8.abs.scale.");
  ASSERT_GT(live, 1);
  const std::string note = std::to_string(live) + " cases are not frozen";
  const host::Outcome outcome = Program("run --filter 'int8.abs.*' --results " + (folder_ / "r.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find(note), std::string::npos) << outcome.out;
  EXPECT_NE(LastLine(outcome.out).find(" cases: "), std::string::npos);
  const json run = ReadJson(folder_ / "r.json")["conformance"];
  EXPECT_EQ(run["not_frozen"], live);
  for (const json& result : run["cases"]) {
    const bool is_live = result["id"].get<std::string>().starts_with("int8.abs.scale.");
    EXPECT_EQ(result.value("frozen", true), !is_live) << result;
  }
  RunWell("merge " + (folder_ / "r.json") + " -o " + (folder_ / "merged.json"));
  EXPECT_EQ(ReadJson(folder_ / "merged.json")["conformance"], run);
  // Standard output has only the requested text: ids, a table, JSON.
  for (const std::string verb : {"list --ids", "list", "identify --json"}) {
    const host::Outcome other = Program(verb + " --filter 'int8.abs.*'");
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_EQ(other.out.find("frozen"), std::string::npos) << verb;
    EXPECT_NE(other.err.find(note), std::string::npos) << verb << "\n" << other.err;
  }
}

TEST_F(LiveCases, FailAsOthersDo) {
  Remove("int8.conv_2d.separate.");
  const host::Outcome outcome =
      Program("run --filter 'int8.conv_2d.separate.*' --reproducers '' --runner \"'" + kMock +
              "' --fault single-rounding\"");
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
}

TEST_F(LiveCases, DoNotExcuseFrozenOnesThatDiffer) {
  Remove("int8.abs.scale.");
  const std::string sound = lines_;
  const size_t line = sound.find("{\"id\":\"int8.abs.same.0000\"");
  const auto refusal = [&] {
    const host::Outcome outcome = Program("run --filter 'int8.abs.*'");
    EXPECT_EQ(outcome.code, 3) << outcome.out;
    return outcome.err;
  };
  struct Part {
    std::string before, name;
  };
  for (const Part& part :
       {Part{"\"model\":\"", "model"}, {"\"inputs\":[\"", "inputs"}, {"\"tflm\":[\"", "outputs"}}) {
    lines_ = sound;
    char& digit = lines_[lines_.find(part.before, line) + part.before.size()];
    digit = digit == '0' ? '1' : '0';
    const std::string text = refusal();
    EXPECT_NE(text.find("int8.abs.same.0000: has "), std::string::npos) << text;
    EXPECT_NE(text.find(part.name), std::string::npos) << text;
  }
  // Null stands for a profile without a rule, and matches no outputs.
  lines_ = sound;
  const size_t hashes = lines_.find("\"tflm\":[", line) + 7, end = lines_.find(']', hashes) + 1;
  lines_.replace(hashes, end - hashes, "null");
  EXPECT_NE(refusal().find("int8.abs.same.0000"), std::string::npos);
}

// A line that lacks the hashes with which cases are compared is refused.
TEST_F(LiveCases, DoNotExcuseLinesWithoutHashes) {
  const std::string sound = lines_;
  const size_t begin = sound.find("{\"id\":\"int8.abs.same.0000\"");
  const size_t end = sound.find('\n', begin);
  for (const std::string more :
       {"", ",\"model\":1,\"inputs\":2", ",\"model\":1,\"inputs\":2,\"expected\":3",
        ",\"model\":1,\"inputs\":2,\"expected\":{}", ",\"model\":}", ",\"model\":\"\xff\""}) {
    lines_ = sound;
    lines_.replace(begin, end - begin, "{\"id\":\"int8.abs.same.0000\"" + more + "}");
    const host::Outcome outcome = Program("run --filter 'int8.abs.same.*'");
    EXPECT_EQ(outcome.code, 3) << more << "\n" << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find("manifest.jsonl:"), std::string::npos) << more << "\n" << outcome.err;
  }
}

TEST_F(LiveCases, DoNotExcuseFrozenOnesThatAreMissing) {
  lines_ += "{\"id\":\"int8.abs.gone.0000\",\"op\":\"ABS\"}\n";
  for (const std::string verb : {"run", "identify", "list", "run --shard 2/3"}) {
    const host::Outcome outcome = Program(verb + " --filter 'int8.abs.*'");
    EXPECT_EQ(outcome.code, 3) << outcome.out;
    EXPECT_NE(outcome.err.find("int8.abs.gone.0000: was frozen"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(Program("run --filter 'int8.abs.same.*'").code, 0) << "that case was not asked for";
}

TEST_F(LiveCases, AreNotOfTheSmokeSet) {
  ASSERT_GT(Remove("int8.abs."), 0);
  const host::Outcome outcome = Program("run --smoke --filter 'int8.abs.*'");
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_NE(outcome.err.find("is not in the manifest"), std::string::npos) << outcome.err;
}

// Returns an adapter that replays the outputs in the folder "outputs", and lacks all other cases.
std::string Replaying(const host::ScratchFolder& folder) {
  fs::create_directories(folder / "outputs");
  return " --runner \"'" + kRecorded + "' " + (folder / "outputs") + "\"";
}

// Returns the line before the last.
std::string LineBeforeLast(const std::string& text) {
  return LastLine(text.substr(0, text.size() - LastLine(text).size() - 1));
}

// Each output is compared, and each element of it.
TEST(Run, SeesOneWrongByteOfTheLastOutput) {
  const host::ScratchFolder folder;
  const std::string runner = Replaying(folder), corpus = folder / "corpus", id = "int8.split.axis.rank2.0000";
  RunWell("export --filter " + id + " " + corpus);
  const fs::path outputs = folder / ("outputs/" + id), frozen = corpus + "/cases/" + id;
  fs::create_directories(outputs);
  int last = 0;
  for (; fs::exists(frozen / ("tflm.out" + std::to_string(last) + ".bin")); ++last) {
    const std::string name = "out" + std::to_string(last) + ".bin";
    fs::copy_file(frozen / ("tflm." + name), outputs / name);
  }
  ASSERT_GE(last, 2);
  const std::string run = "run --reproducers '' --corpus " + corpus + runner;
  RunWell(run);
  const fs::path file = outputs / ("out" + std::to_string(last - 1) + ".bin");
  std::string bytes = host::ReadAll(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  const host::Outcome outcome = host::RunProgram(run);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_NE(outcome.out.find("output " + std::to_string(last - 1) + " ["), std::string::npos) << outcome.out;
}

// TensorFlow Lite Micro has no GELU. A runtime that lacks an operator has not failed a case, even of a
// must-pass list; the report says how many operators never ran.
TEST(Run, AnOperatorThatARuntimeLacksIsNoFailure) {
  const host::ScratchFolder folder;
  const std::string runner = Replaying(folder), corpus = folder / "corpus", relu = "int8.relu.same.0000";
  RunWell("export --filter 'int8.gelu.exact.same.*' " + corpus);
  RunWell("export --filter " + relu + " " + (folder / "more"));
  fs::rename(folder / "more/cases/" + relu, corpus + "/cases/" + relu);
  fs::remove(corpus + "/manifest.jsonl");  // A corpus of one's own.
  fs::create_directories(folder / "outputs/" + relu);
  fs::copy_file(corpus + "/cases/" + relu + "/tflm.out0.bin", folder / "outputs/" + relu + "/out0.bin");
  const host::Outcome outcome =
      RunWell("run --corpus " + corpus + runner + " --results " + (folder / "r.json"));
  const json run = ReadJson(folder / "r.json")["conformance"];
  EXPECT_EQ(run["summary"]["pass"], 1) << outcome.out;
  EXPECT_EQ(run["summary"]["unsupported"], run["summary"]["cases"].get<int>() - 1) << outcome.out;
  EXPECT_EQ(run["operators_never_ran"], 1);
  EXPECT_EQ(LineBeforeLast(outcome.out), "1 operator never ran: GELU");
  EXPECT_NE(
      host::ReadAll(fs::path(LUTRA_SOURCE_DIR) / "golden/must_pass/tflm.txt").find("int8.gelu.exact.same."),
      std::string::npos);
  // With --require, a missing operator is a failure.
  const std::string run_corpus = "run --reproducers '' --corpus " + corpus + runner;
  const host::Outcome required = host::RunProgram(run_corpus + " --require 'RELU,GE*'");
  EXPECT_EQ(required.code, 1);
  EXPECT_EQ(LineBeforeLast(required.out).find("required, and unsupported: GELU ("), 0u) << required.out;
  EXPECT_EQ(host::RunProgram(run_corpus + " --require all").code, 1);
  RunWell(run_corpus + " --require RELU");
  const host::Outcome absent = host::RunProgram(run_corpus + " --require ADD");
  EXPECT_EQ(absent.code, 3);
  EXPECT_NE(absent.err.find("--require: found no case of \"ADD\""), std::string::npos) << absent.err;
}

// Models that must be refused pass though nothing is computed: a run of which only these pass is no success.
TEST(Run, ThatComputedNoModelIsNoSuccess) {
  const host::ScratchFolder folder;
  const std::string runner = Replaying(folder);
  const host::Outcome outcome = host::RunProgram("run --smoke --filter 'int8.r*' --reproducers ''" + runner +
                                                 " --results " + (folder / "r.json"));
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  const json run = ReadJson(folder / "r.json")["conformance"];
  EXPECT_GT(run["summary"]["pass"], 0) << "refused: " << outcome.out;
  EXPECT_GT(run["operators_never_ran"], 5);
  EXPECT_EQ(LineBeforeLast(outcome.out).find(run["operators_never_ran"].dump() + " operators never ran: "),
            0u)
      << outcome.out;
  // The same holds for merged shards.
  EXPECT_EQ(host::RunProgram("merge " + (folder / "r.json") + " -o " + (folder / "m.json")).code, 1);
  // A count that contradicts the file's cases is refused.
  json edited = ReadJson(folder / "r.json");
  edited["conformance"]["operators_never_ran"] = 0;
  std::ofstream(folder / "r.json") << edited;
  EXPECT_EQ(host::RunProgram("merge " + (folder / "r.json") + " -o " + (folder / "m.json")).code, 3);
  const host::Outcome rules = host::RunProgram("identify --filter 'int8.relu.same.*'" + runner);
  EXPECT_EQ(rules.code, 1) << rules.out << rules.err;
  EXPECT_EQ(LineBeforeLast(rules.out), "1 operator never ran: RELU");
  EXPECT_EQ(json::parse(host::RunProgram("identify --json --filter 'int8.relu.same.*'" + runner)
                            .out)["operators_never_ran"],
            1);
  // If all cases must be refused, passing them is success.
  EXPECT_EQ(host::RunProgram("run --filter 'int8.refused.add.*'").code, 0);
}

// The default profile has no rule for uint8: LiteRT's reference kernels judge it.
TEST(Run, JudgesUint8) {
  const host::ScratchFolder folder;
  const host::Outcome outcome = RunWell("run --filter 'int8.add_uint8.*' --results " + (folder / "r.json"));
  const json run = ReadJson(folder / "r.json")["conformance"];
  EXPECT_EQ(run["summary"]["pass"], run["summary"]["cases"]) << outcome.out;
  for (const json& result : run["cases"]) EXPECT_EQ(result["profile"], "litert-reference") << result;
  EXPECT_EQ(
      LineBeforeLast(outcome.out),
      run["summary"]["cases"].dump() + " cases are judged by litert-reference: tflm has no rule for them");
  // A failure counts, and is repeated under the run's profile.
  const host::Outcome wrong = host::RunProgram("run --filter 'int8.add_uint8.*' --runner \"'" + kMock +
                                               "' --fault wrong-size\" --reproducers " + (folder / "f"));
  EXPECT_EQ(wrong.code, 1) << wrong.out;
  const std::string readme = host::ReadAll(fs::directory_iterator(folder / "f")->path() / "README.txt");
  EXPECT_NE(readme.find("\nprofile litert-reference, "), std::string::npos) << readme;
  EXPECT_NE(readme.find(" --profile tflm "), std::string::npos) << readme;
  // Other runtimes have other rules for uint8, which are not written down.
  const host::Outcome other = host::RunProgram("run --profile xnnpack --filter 'int8.add_uint8.*'");
  EXPECT_EQ(other.code, 1) << "no model was judged: " << other.out;
  EXPECT_NE(LastLine(other.out).find(" skipped "), std::string::npos) << other.out;
}

// One runtime refuses a case that it must run and lacks the others, and one follows no rule.
TEST(Runtimes, AreAPageOfTables) {
  const host::ScratchFolder folder;
  fs::create_directories(folder / "outputs/int8.relu.same.0000");
  fs::create_directories(folder / "measured");
  std::ofstream(folder / "outputs/int8.relu.same.0000/refused") << "scales | differ";
  const auto measure = [&](const std::string& name, const std::string& arguments) {
    host::RunProgram("run --reproducers '' --results " + (folder / "measured/") + name + ".run.json " +
                     arguments);
    std::ofstream(folder / ("measured/" + name + ".identify.json"))
        << host::RunProgram("identify --json " + arguments).out;
  };
  measure("recorded",
          "--filter 'int8.relu.same.*' --runner \"'" + kRecorded + "' " + (folder / "outputs") + "\"");
  measure("mock", "--jobs 1 --filter 'int8.conv_2d.separate.*' --runner \"'" + kMock +
                      "' --fault off-by-one-at-ties --every 3\"");
  const std::string page = folder / "page.md",
                    write = "runtimes " + (folder / "measured") + " --page " + page;
  std::ofstream(page) << "# Words\n\n<!-- tables -->\nwhat was here before\n";
  RunWell(write);
  const std::string text = host::ReadAll(page);
  EXPECT_EQ(text.find("# Words\n\n<!-- tables -->\n\n| runtime | measured |"), 0u) << text;
  EXPECT_EQ(text.find("what was here before"), std::string::npos);
  for (const char* const part :
       {"| mock_adapter ", "| recorded_adapter outputs | ", "| CONV_2D | **unknown** |  |", "| RELU |  | - |",
        "| recorded | refused | RELU | 1 | `int8.relu.same.0000` | scales \\| differ |",
        "| recorded | unsupported | RELU | ", "- mock, CONV_2D: "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  RunWell(write);
  EXPECT_EQ(host::ReadAll(page), text);
  std::ofstream(page) << "# Words\n";
  EXPECT_EQ(host::RunProgram(write).code, 3);
  EXPECT_EQ(host::ReadAll(page), "# Words\n");
  fs::copy_file(folder / "measured/mock.identify.json", folder / "measured/recorded.identify.json",
                fs::copy_options::overwrite_existing);
  const host::Outcome mixed = host::RunProgram(write);
  EXPECT_EQ(mixed.code, 3);
  EXPECT_NE(mixed.err.find("recorded.identify.json: runtime: found mock_adapter"), std::string::npos)
      << mixed.err;
}

TEST(Run, UsesItsExitCodes) {
  EXPECT_EQ(host::RunProgram("--help").code, 0);
  EXPECT_EQ(host::RunProgram("").code, 2);
  EXPECT_EQ(host::RunProgram("run --profile none").code, 2);
  EXPECT_EQ(host::RunProgram("run --filter none").code, 3);
  // Options that would be ignored are refused.
  for (const std::string ignored :
       {"run --filter none --bound 5", "lint --rules models/sine.tflite", "certify --check x.json --smoke",
        "certify --check x.json --profile xnnpack", "certify --check x.json --jobs 2"}) {
    EXPECT_EQ(host::RunProgram(ignored).code, 2) << ignored;
  }
  EXPECT_EQ(host::RunProgram("certify --check /no/such --golden golden").code, 3);
  EXPECT_EQ(host::RunProgram("run --filter 'int8.add.*' --shard 3/2").code, 3);
  EXPECT_EQ(host::RunProgram("run --filter 'int8.add.*' --runner /no/such/adapter").code, 3);
  EXPECT_EQ(host::RunProgram("run --filter 'int8.add.*' --kernels none").code, 3);
  EXPECT_EQ(host::RunProgram("model README.md").code, 3);
  EXPECT_EQ(host::RunProgram("merge /no/such.json -o x.json").code, 3);
}

TEST(Export, WritesWhatRunReads) {
  const host::ScratchFolder folder;
  RunWell("export --filter 'int8.add.s*' " + (folder / "corpus"));
  const std::string manifest = host::ReadAll(folder / "corpus/manifest.jsonl");
  const auto lines = std::count(manifest.begin(), manifest.end(), '\n');
  EXPECT_GT(lines, 10);
  const host::Outcome outcome = RunWell("run --corpus " + (folder / "corpus"));
  EXPECT_EQ(LastLine(outcome.out).substr(0, LastLine(outcome.out).find(':')),
            std::to_string(lines) + " cases");
  const json first = json::parse(manifest.substr(0, manifest.find('\n')));
  const std::string files = (folder / "corpus/cases/") + first["id"].get<std::string>();
  EXPECT_TRUE(fs::exists(files + "/in0.npy"));
  EXPECT_TRUE(fs::exists(files + "/tflm.out0.bin"));
}

// A part of an export is no corpus.
TEST(Export, IsWholeOrRefused) {
  const host::ScratchFolder folder;
  const std::string corpus = folder / "corpus", cases = corpus + "/cases/", run = "run --corpus " + corpus;
  const std::string line = "export --filter 'int8.relu.same.*' " + corpus;
  const auto expect_refused = [](const std::string& arguments, const std::string& why) {
    const host::Outcome outcome = host::RunProgram(arguments);
    EXPECT_EQ(outcome.code, 3) << arguments;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  };
  RunWell(line);
  RunWell(run);
  EXPECT_FALSE(fs::exists(corpus + "/.exporting"));
  fs::remove_all(cases + "int8.relu.same.0000");
  expect_refused(run, "found no cases/int8.relu.same.0000, required: every case of manifest.jsonl");
  // Another filter does not hide it.
  expect_refused(run + " --filter '*1'", "found no cases/int8.relu.same.0000");
  RunWell(line);
  fs::copy(cases + "int8.relu.same.0000", cases + "mine");
  expect_refused(run, "found cases/mine, which manifest.jsonl lacks");
  expect_refused(line, "found case mine, which is not to be exported");
  fs::remove(corpus + "/manifest.jsonl");
  RunWell(run);
  fs::remove_all(cases + "mine");
  expect_refused("export --filter 'int8.abs.same.*' " + corpus, "found case int8.relu.same.");
}

// However export ends early, nothing of it is left that could be taken for a corpus.
TEST(Export, LeavesNothingWhenItIsEnded) {
  const host::ScratchFolder folder;
  const std::string corpus = folder / "corpus";
  // The signal comes when the first files are there.
  const host::Outcome outcome = host::RunShell(std::string("'") + LUTRA_PROGRAM + "' export " + corpus +
                                               " & for i in $(seq 1200); do [ -e " + corpus +
                                               " ] && break; sleep 0.05; done; sleep 0.2; kill $!; wait $!");
  EXPECT_EQ(outcome.code, 128 + SIGTERM) << outcome.out << outcome.err;
  EXPECT_FALSE(fs::exists(corpus));
}

// Energies are uint32, sums of filter banks uint64.
TEST(Export, DescribesEveryType) {
  const host::ScratchFolder folder;
  RunWell("export --filter 'int8.signal_energy.*' " + (folder / "corpus"));
  RunWell("export --filter 'int8.signal_filter_bank.*' " + (folder / "more"));
  std::set<std::string> found;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder / ".")) {
    if (file.path().extension() != ".npy") continue;
    const std::string bytes = host::ReadAll(file.path().string());
    const size_t at = bytes.find("'descr': '");
    ASSERT_NE(at, std::string::npos) << file.path();
    found.insert(bytes.substr(at + 10, 3));
  }
  EXPECT_EQ(found, (std::set<std::string>{"<i2", "<u4", "<u8"}));
}

// ---- The corpus.

TEST(Corpus, EveryTwoRulesAreSeparatedOrEquivalent) {
  for (const RulePair& pair : Separate(GeneratedCases("*"))) {
    EXPECT_NE(pair.cases > 0, !pair.equivalent.empty()) << pair.op << " " << pair.first << " " << pair.second;
  }
}

TEST(Corpus, IsFrozen) {
  const Manifest manifest(fs::path(LUTRA_SOURCE_DIR) / "golden" / "manifest.jsonl");
  const std::vector<Case> cases = GeneratedCases("*");
  EXPECT_EQ(cases.size(), manifest.size());
  EXPECT_GE(cases.size(), 6500u);
  for (const Case& test : cases) {
    for (const oracle::Profile& profile : oracle::Profiles()) {
      if (!profile.is_frozen) continue;
      ASSERT_EQ(manifest.Compare(test, profile, ExpectedOutputs(test, profile)), "")
          << test.id << " " << profile.name;
    }
  }
}

std::vector<std::string> Ids(const fs::path& list) {
  std::ifstream file(fs::path(LUTRA_SOURCE_DIR) / "golden" / list);
  std::vector<std::string> ids;
  for (std::string id; std::getline(file, id);) ids.push_back(id);
  return ids;
}

// Each case for which a profile has outputs is in one of its two lists.
TEST(Corpus, ListsNameCasesThatExistOnce) {
  const Manifest manifest(fs::path(LUTRA_SOURCE_DIR) / "golden" / "manifest.jsonl");
  const std::vector<std::string> ids = manifest.ids();
  for (const oracle::Profile& profile : oracle::Profiles()) {
    if (!profile.is_frozen) continue;
    const std::string file = std::string(profile.name) + ".txt";
    std::vector<std::string> must = Ids("must_pass/" + file);
    EXPECT_GT(must.size(), ids.size() * 7 / 10) << profile.name;
    const std::vector<std::string> may = Ids("optional/" + file);
    EXPECT_GT(may.size(), 500u) << profile.name;
    must.insert(must.end(), may.begin(), may.end());
    std::sort(must.begin(), must.end());
    EXPECT_EQ(std::adjacent_find(must.begin(), must.end()), must.end()) << profile.name;
    EXPECT_TRUE(std::includes(ids.begin(), ids.end(), must.begin(), must.end())) << profile.name;
  }
}

TEST(Corpus, WhatNobodyNeedPassIsOptional) {
  const std::vector<std::string> optional = Ids("optional/tflm.txt");
  const std::set<std::string> may(optional.begin(), optional.end());
  int compressed = 0, outside = 0;
  for (const Case& test : GeneratedCases("int8.*")) {
    if (!test.must_refuse.empty()) continue;
    compressed += test.plain_model.empty() ? 0 : 1;
    if (!test.plain_model.empty()) {
      EXPECT_EQ(may.count(test.id), 1u) << test.id;
    } else if (test.op == "CONV_2D" && !OutsideSpecification(test.model).empty()) {
      ++outside;
      EXPECT_EQ(may.count(test.id), 1u) << test.id;
    }
  }
  EXPECT_GT(compressed, 100);
  EXPECT_GT(outside, 10);
}

// ---- Identify.

// Failures among cases of several operators are in no figure, and the report says so.
TEST(Identify, SaysWhatItDoesNotWeigh) {
  const std::string arguments =
      "--filter 'int8.composite.dense.*' --runner \"'" + kMock + "' --fault off-by-one\"";
  const size_t composites = GeneratedCases("int8.composite.dense.*").size();
  ASSERT_GT(composites, 0u);
  const host::Outcome table = host::RunProgram("identify " + arguments);
  EXPECT_NE(table.out.find(fmt::format("\n{} composite cases are not weighed: ", composites)),
            std::string::npos)
      << table.out;
  EXPECT_EQ(table.out.find("must be refused"), std::string::npos) << table.out;
  EXPECT_EQ(json::parse(host::RunProgram("identify --json " + arguments).out)["composites"], composites);

  const host::Outcome refused = RunWell("identify --filter 'int8.refused.add.*'");
  EXPECT_NE(refused.out.find(" models that must be refused are not weighed: "), std::string::npos)
      << refused.out;
  EXPECT_EQ(refused.out.find("composite"), std::string::npos) << refused.out;
}

// As LiteRT's NOT_EQUAL does, the runtime takes int16 and does not write its output.
TEST(Identify, SetsTypesApartThatTheSpecificationDoesNotHave) {
  const std::string runner = " --runner \"'" + kMock + "' --fault short-output\"";
  const std::string ids = "int8.not_equal.real.other_types.type.int16";
  const host::Outcome apart = host::RunProgram("identify --filter '" + ids + ".*'" + runner);
  EXPECT_NE(apart.out.find("outside the specification; 3 set apart: " + ids +
                           ".0000 (no tensor is int8, and a runtime may lack the type)\n"),
            std::string::npos)
      << apart.out;
  // Cases of int8 are evidence.
  const host::Outcome unknown = host::RunProgram("identify --filter 'int8.not_equal.same.*'" + runner);
  EXPECT_EQ(unknown.code, 1) << unknown.out;
  EXPECT_EQ(unknown.out.find("set apart"), std::string::npos) << unknown.out;
}

// This profile is not frozen: the oracle alone gives its outputs.
TEST(Identify, NamesTheFirstDelegateForVta) {
  const std::string cases = "--filter 'int8.add.same.000*' --runner \"'" + kMock + "' --fault legacy16\"";
  const host::Outcome table = RunWell("identify " + cases);
  EXPECT_NE(table.out.find("  V16\n"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("\nvta-legacy16: every operator follows this profile\n"), std::string::npos)
      << table.out;
  RunWell("run --profile vta-legacy16 " + cases);
  EXPECT_EQ(host::RunProgram("run --reproducers '' " + cases).code, 1);
  // The same holds for CONV_2D, and for the driver's streams.
  const std::string mock = "--runner \"'" + kMock + "' --fault legacy16\"";
  for (const std::string& runner : {mock, std::string("--delegate vta --delegate-options mode=legacy16")}) {
    const host::Outcome conv = RunWell("identify --filter 'int8.conv_2d.same.stride1.*' " + runner);
    EXPECT_NE(conv.out.find("  V16\n"), std::string::npos) << conv.out;
    EXPECT_NE(conv.out.find("\nvta-legacy16: every operator follows this profile\n"), std::string::npos)
        << conv.out;
  }
}

// Replays the recordings of four runtimes.

struct Runtime {
  const char *name, *profile;
};

class RecordedRuntime : public testing::TestWithParam<Runtime> {};

// Writes the recordings as an exported corpus, and one runtime's outputs; returns the cases.
std::vector<Case> LayOut(const std::string& runtime, const std::string& outputs) {
  std::map<std::string, json> litert;
  std::ifstream litert_lines(kGolden / "corpus-litert" / "manifest.jsonl");
  for (std::string line; std::getline(litert_lines, line);) {
    const json entry = json::parse(line);
    litert[entry["id"].get<std::string>() + "." + entry["set"].get<std::string>()] = entry;
  }
  std::vector<Case> cases;
  std::ifstream lines(kGolden / "corpus" / "manifest.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const json entry = json::parse(line);
    for (const std::string set : {"a", "b"}) {
      const std::string field = set == "a" ? "file" : "file_b";
      Case test = {.id = entry["id"].get<std::string>() + "." + set, .invokes = entry["invokes"]};
      const auto read = [&](const fs::path& path) {
        const std::string text = host::ReadAll(path);
        return oracle::Bytes(text.begin(), text.end());
      };
      test.model = read(kGolden / "corpus" / entry["model"].get<std::string>());
      test.op = OperatorIn(test.model);
      for (const json& input : entry["inputs"]) {
        test.inputs.push_back(read(kGolden / "corpus" / input[field].get<std::string>()));
      }
      const fs::path folder = fs::path(outputs) / test.id;
      std::vector<fs::path> files;
      for (const json& output : entry["outputs"]) {
        files.push_back(kGolden / "corpus" / output[field].get<std::string>());
      }
      if (runtime != "tflm") {
        const json& result = litert.at(test.id)[runtime];
        if (result["status"] != "ran") continue;
        if (result.contains("files")) {
          files.clear();
          for (const json& file : result["files"]) {
            files.push_back(kGolden / "corpus-litert" / file.get<std::string>());
          }
        }
      }
      fs::create_directories(folder);
      for (size_t i = 0; i < files.size(); ++i) {
        fs::create_symlink(files[i], folder / ("out" + std::to_string(i) + ".bin"));
      }
      cases.push_back(std::move(test));
    }
  }
  return cases;
}

TEST_P(RecordedRuntime, IsIdentified) {
  if (!fs::exists(kGolden / "corpus" / "manifest.jsonl")) {
    GTEST_SKIP() << "no recordings at " << kGolden << " (LUTRA_TEST_DATA)";
  }
  const host::ScratchFolder folder;
  const std::vector<Case> cases = LayOut(GetParam().name, folder / "outputs");
  const Fingerprint fingerprint =
      Identify(cases, "'" + kRecorded + "' " + (folder / "outputs"), std::chrono::seconds(10), 2);
  const oracle::Profile& profile = *oracle::FindProfile(GetParam().profile);
  int operators = 0;
  for (const OperatorFit& fit : fingerprint.operators) {
    EXPECT_TRUE(fit.unknown.empty()) << fit.op << ": " << DescribeRules(fit) << "; the profile's: "
                                     << oracle::DescribeRule(profile, *oracle::FindOperator(fit.op));
    EXPECT_TRUE(fit.set_apart.empty()) << fit.op;
    ++operators;
  }
  EXPECT_GT(operators, 55);
  EXPECT_EQ(fingerprint.profiles[0].profile, GetParam().profile);
  EXPECT_TRUE(fingerprint.profiles[0].against.empty())
      << (fingerprint.profiles[0].against.empty() ? "" : fingerprint.profiles[0].against[0]);
  for (size_t i = 1; i < fingerprint.profiles.size(); ++i) {
    // The recordings do not show the defects of TensorFlow Lite Micro.
    if (fingerprint.profiles[i].profile == "tflm-as-is") continue;
    EXPECT_FALSE(fingerprint.profiles[i].against.empty()) << "two profiles that nothing tells apart";
  }
}

INSTANTIATE_TEST_SUITE_P(Runtimes, RecordedRuntime,
                         testing::Values(Runtime{"tflm", "tflm"}, Runtime{"ref", "litert-reference"},
                                         Runtime{"opt", "litert-optimized"}, Runtime{"xnn", "xnnpack"}),
                         [](const auto& param) { return std::string(param.param.name); });

// SARIF has a result for each failure and no more than the JSON; the table is not printed.
TEST(Runner, WritesSarif) {
  const host::ScratchFolder folder;
  const std::string reproducers = folder / "failed cases";
  const host::Outcome outcome = host::RunProgram("run --filter 'int8.add.*' --format sarif --runner \"'" +
                                                 kMock + "' --fault single-rounding\" --reproducers '" +
                                                 reproducers + "' --results " + (folder / "r.json"));
  EXPECT_EQ(outcome.code, 1);
  const json log = json::parse(outcome.out), run = log["runs"].at(0);
  EXPECT_EQ(log["version"], "2.1.0");
  size_t at = 0;
  const json results = json::parse(host::ReadAll(folder / "r.json"));
  for (const json& result : results["conformance"]["cases"]) {
    if (result["verdict"] != "fail") continue;
    const json& finding = run["results"].at(at++);
    EXPECT_EQ(finding["ruleId"], "ADD");
    EXPECT_EQ(finding["level"], "error");
    const json& location = finding["locations"].at(0);
    EXPECT_EQ(location["logicalLocations"].at(0)["fullyQualifiedName"], result["id"]);
    // Only the first failures have reproducers.
    const std::string id = result["id"];
    EXPECT_EQ(location.contains("physicalLocation"), std::filesystem::exists(reproducers + "/" + id)) << id;
    if (location.contains("physicalLocation")) {
      const std::string uri = location["physicalLocation"]["artifactLocation"]["uri"];
      EXPECT_TRUE(uri.ends_with("failed%20cases/" + id + "/model.tflite")) << uri;
    }
  }
  EXPECT_GT(at, 0u);
  EXPECT_EQ(run["results"].size(), at);
  EXPECT_NE(LastLine(outcome.err).find(" failed, "), std::string::npos) << "the summary: " << outcome.err;
}

TEST(Runner, CertifiesAndFindsOneChangedByte) {
  const host::ScratchFolder folder;
  const std::string file = folder / "c.json";
  const std::string run = "certify --filter 'int8.add.*' -o " + file;
  ASSERT_EQ(host::RunProgram(run).code, 0);
  const host::Outcome intact = host::RunProgram("certify --check " + file);
  EXPECT_EQ(intact.code, 0) << intact.out;
  EXPECT_NE(intact.out.find("as it was written, of the corpus that is here"), std::string::npos)
      << intact.out;
  EXPECT_NE(intact.out.find("Only running it again proves it: conformance run --filter 'int8.add.*'"),
            std::string::npos)
      << intact.out;
  const std::string text = host::ReadAll(file);
  const json certificate = json::parse(text);
  EXPECT_EQ(certificate["conformance"]["cases"].size(), certificate["conformance"]["selection"]["cases"]);
  EXPECT_EQ(certificate["certificate"]["not_passed"], 0);
  EXPECT_FALSE(certificate["context"]["compiler"].get<std::string>().empty());
  EXPECT_TRUE(IsIntact(text));
  // A change of any byte is noticed: some bytes are tried, among them the first, the last and those of the
  // hash.
  for (size_t at = 0; at < text.size(); at += at + 200 < text.size() ? 97 : 1) {
    std::string changed = text;
    changed[at] ^= 1;
    EXPECT_FALSE(IsIntact(changed)) << at;
  }
  for (const std::string& changed : {text + "\n", text.substr(0, text.size() - 1), std::string(), " " + text})
    EXPECT_FALSE(IsIntact(changed));
  std::string fewer = text;
  fewer.replace(fewer.find("\"pass\""), 6, "\"fail\"");
  std::ofstream(file) << fewer;
  EXPECT_EQ(host::RunProgram("certify --check " + file).code, 1);
  // The check of a failed run's certificate fails, though it is intact.
  const std::string mock = " --runner \"'" + kMock + "' --fault single-rounding\"";
  EXPECT_EQ(host::RunProgram(run + mock).code, 1);
  const host::Outcome failed = host::RunProgram("certify --check " + file);
  EXPECT_EQ(failed.code, 1);
  EXPECT_NE(failed.out.find("as it was written"), std::string::npos) << failed.out;
  EXPECT_GT(json::parse(host::ReadAll(file))["certificate"]["not_passed"], 0);
  EXPECT_EQ(host::RunProgram("certify").code, 2);
  EXPECT_EQ(host::RunProgram("certify --check /no/such").code, 3);
}

}  // namespace
}  // namespace lutra::conformance

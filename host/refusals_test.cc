// SPDX-License-Identifier: Apache-2.0
// Runs every program on input that seems right only at first sight: each line must end with its promised exit
// code, and say why in one line.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/testing/program.h"
#include "host/wrap.h"

namespace lutra::host {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// RUN stands for this text in a command line, and IN/ for the folder of prepared files.
constexpr char kRun[] = "conformance run --filter 'int8.relu.*' --reproducers ''";

// A command line as a user types it, its exit code and a part of its message.
struct Refusal {
  const char *name, *line;
  int code;
  const char* says;
};

constexpr Refusal kRefusals[] = {
    // Results that are only a part of a run.
    {"MergeOfSomeShards", "conformance merge IN/1.json -o IN/m.json", 3, "shards that are missing: 2"},
    {"MergeOfACutShard", "conformance merge IN/cut.json IN/2.json -o IN/m.json", 3,
     "was the run interrupted?"},
    {"MergeOfAnotherFilter", "conformance merge IN/1.json IN/other.json -o IN/m.json", 3,
     "found another run"},
    {"MergeOfOneShardTwice", "conformance merge IN/1.json IN/1.json -o IN/m.json", 3,
     "shards that are missing: 2"},
    {"MergeOfTwoResultsOfOneShard", "conformance merge IN/1.json IN/changed.json -o IN/m.json", 3,
     "changed.json: found shard 1 with other results than"},
    {"MergeOfALaterDay", "conformance merge IN/late.json -o IN/m.json", 3,
     "late.json: context: date: found 2999-"},
    {"MergeSinceALaterDay", "conformance merge --since 2999-01-01T00:00:00Z IN/1.json IN/2.json -o IN/m.json",
     3, "1.json: context: date: found 20"},
    {"MergeSinceNoTime", "conformance merge --since noon IN/1.json IN/2.json -o IN/m.json", 3,
     "--since: found \"noon\""},
    {"VariablesOfNoShard", "GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=2 RUN", 2,
     "found GTEST_TOTAL_SHARDS=2, GTEST_SHARD_INDEX=2"},
    {"ShardsOfAFuzzWithoutAnEnd", "conformance fuzz --shard 1/2 --seconds 1", 2, "found 1/2 and no --cases"},
    {"MoreShardsThanFuzzCases", "conformance fuzz --shard 1/2 --cases 1", 2, "found 1/2 of 1 cases"},
    {"TimesThatAreNoNumbers", "RUN --shard 1/2 --golden IN/times", 3,
     "times.txt:2: found \"int8.relu soon\""},
    {"MergeOfNoCases", "conformance merge IN/none.json -o IN/m.json", 3, "none.json: found no case"},
    {"MergeOfACountBelowZero", "conformance merge IN/negative.json -o IN/m.json", 3, "not_frozen: found -5"},
    {"ReportOfNoCases", "make_report IN/none.json -o IN/r.html", 3, "none.json: conformance: found no case"},
    {"DeviceResultsOfNoCases", "device_results --platform p --conformance IN/none.json", 3,
     "none.json: found no case"},
    // No measurement was made.
    {"VerifyOnNoSamples", "compress verify models/kws.tflite models/kws.tflite --data IN/empty.npy", 3,
     "empty.npy: found 0 bytes"},
    {"ModelOnNoSamples", "conformance model models/kws.tflite --data IN/empty.npy", 3,
     "empty.npy: found 0 bytes"},
    {"EvaluationOfNoSamples",
     "generic_benchmark models/kws.tflite --runs 1 --data IN/empty.npy --labels IN/empty.npy", 3,
     "empty.npy: data: found 0 samples"},
    {"LabelsThatAreNoClass",
     "generic_benchmark models/kws.tflite --runs 1 --data models/kws.validation.inputs.npy --labels "
     "IN/labels.npy",
     3, "labels: found 99 at 0, required: a whole number from 0 to 11"},
    {"SettingsOfADevice", "compress bin models/kws.tflite IN/out.tflite --settings /dev/null", 3,
     "/dev/null: this is a device or a pipe"},
    {"EmptySettings", "compress bin models/kws.tflite IN/out.tflite --settings IN/nothing.json", 3,
     "nothing.json: the file is empty"},
    {"EmptySpec", "compress pack models/kws.tflite IN/out.tflite --spec IN/nothing.json", 3,
     "nothing.json: the file is empty"},
    {"LogsOfAnEmptyFolder", "device_results --platform p --models models IN/empty", 3, "found no .log"},
    {"ReportOfAnEmptyFolder", "make_report IN/empty", 3, "found no .json"},
    {"TraceOfNeither", "vta trace README.md", 3, "that do not begin with VTASTRM1"},
    // Values that unset shell variables leave empty, and text that is no number.
    {"RunnerWithoutACommand", "RUN --runner ''", 2, "--runner: found an empty value"},
    {"PlatformWithoutAName", "device_results --platform '' --models models IN/sine.log", 2,
     "--platform: found an empty value"},
    {"SecondsThatAreNoNumber", "generic_benchmark models/sine.tflite --max-seconds nan", 2,
     "--max-seconds: "},
    {"SeedBelowZero", "generic_benchmark models/sine.tflite --runs 1 --seed -1", 2, "--seed: found -1"},
    {"SeedBeyond64Bits", "generic_benchmark models/sine.tflite --runs 1 --seed 18446744073709551616", 2,
     "--seed: found 18446744073709551616"},
    {"RunsThatDoNotFit", "generic_benchmark models/sine.tflite --runs 4294967295", 2, "--runs: "},
    // Bad usage is reported in one line, unknown names before missing ones.
    {"AnOptionThatThereIsNot", "generic_benchmark --bogus", 2,
     "generic_benchmark: --bogus: there is no such option; try --help"},
    {"AnOptionWithAValue", "device_results --bogus=5", 2, "--bogus: there is no such option"},
    {"AnOptionOfAVerb", "compress pack --bogus", 2, "--bogus: there is no such option"},
    {"AnOptionBesideAModel", "compress curve models/kws.tflite --bogus 5", 2,
     "--bogus: there is no such option"},
    {"AnOptionOfAReport", "make_report -x", 2, "-x: there is no such option"},
    {"AnOptionOfAnAdapter", "lutra_adapter --bogus", 2, "--bogus: there is no such option"},
    {"AVerbThatThereIsNot", "conformance bogus", 2, "conformance: bogus: there is no such verb"},
    {"NoVerb", "vta", 2, "vta: A subcommand is required"},
    {"NoModel", "generic_benchmark --runs 1", 2, "MODEL is required"},
    {"AWordTooMuch", "compress unpack a b c", 2, "c"},
    {"ARecordingThatThereIsNot", "recorded_adapter", 2, "recorded_adapter: "},
    // Pipes and sockets would wait for a peer.
    {"PackIntoAPipe", "timeout 20 compress pack models/sine.tflite IN/pipe", 2, "required: a regular file"},
    {"ReportIntoAPipe", "timeout 20 generic_benchmark models/sine.tflite --runs 1 --export IN/pipe.json", 2,
     "required: a regular file"},
    // Paths that do not exist.
    {"GoldenThatIsNotThere", "RUN --golden /nosuch", 3, "/nosuch/manifest.jsonl: found no frozen case"},
    {"GoldenWithABlankLine", "RUN --golden IN/golden", 3, "manifest.jsonl:2: found no case"},
    {"NoFolderForTemporaryFiles", "TMPDIR=/nosuch RUN", 3, "/nosuch"},
    {"ReproducersThatCannotBeWritten", "conformance run --filter 'int8.relu.same.*' --reproducers /proc/x", 3,
     "/proc/x"},
    {"TwoOutputsOfOneName", "compress bin models/sine.tflite IN/o.tflite --bits 4 --save IN/o.tflite", 2,
     "o.tflite"},
    {"InvokesThatAreNoNumber", "conformance run --corpus IN/corpus", 3, "invokes: found \"many"},
    // Files that are nested too deep or have too long lines for a stack.
    {"DeepResults", "make_report IN/deep.json", 3, "deep.json: json: found more than 64 levels"},
    {"DeepShards", "conformance merge IN/deep.json -o IN/m.json", 3, "more than 64 levels"},
    {"DeepWaivers", "RUN --waivers IN/deep.json", 3, "more than 64 levels"},
    {"DeepBounds", "RUN --profile bounded --bounds IN/deep.json", 3, "more than 64 levels"},
    {"DeepSettings", "compress bin models/sine.tflite IN/o.tflite --settings IN/deep.json", 3,
     "more than 64 levels"},
    {"LongHeaderOfAnArray", "compress verify models/kws.tflite models/kws.tflite --data IN/long.npy", 3,
     "long.npy: "},
    {"LongAttribute", "device_results --platform p --tests IN/long.xml", 3,
     "long.xml: tests: found tests=\"9999"},
    // The example application does not use this library.
    {"ExampleOfAFolder", "example models", 3, "no model: "},
    {"ExampleWithoutAModel", "example", 3, "no model: "},
};

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Returns an array in NumPy's format, version 2.0, whose header may be long.
std::string Npy(const std::string& dictionary, const std::string& elements) {
  std::string text("\x93NUMPY\x02\0", 8);
  for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(dictionary.size() >> (8 * byte));
  return text + dictionary + elements;
}

class Refusals : public testing::Test {
 protected:
  static void SetUpTestSuite() { folder_ = new ScratchFolder("refusals"); }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string In(const std::string& name) { return *folder_ / name; }
  static Outcome Shell(std::string line) {
    for (size_t at; (at = line.find("RUN")) != std::string::npos;) line.replace(at, 3, kRun);
    for (size_t at; (at = line.find("IN/")) != std::string::npos;) line.replace(at, 3, In(""));
    return RunShell("PATH='" LUTRA_PATH "':$PATH; " + line + " </dev/null");
  }
  static void Prepare() {
    for (const char* folder : {"empty", "golden"}) fs::create_directories(In(folder));
    ASSERT_EQ(Shell("RUN --results IN/1.json --shard 1/2").code, 0);
    ASSERT_EQ(Shell("RUN --results IN/2.json --shard 2/2").code, 0);
    ASSERT_EQ(Shell("conformance run --filter 'int8.abs.same.*' --results IN/other.json --shard 2/2").code,
              0);
    WriteResults();
    ASSERT_EQ(Shell("conformance export --filter 'int8.relu.same.0000' IN/corpus").code, 0);
    WriteText(In("corpus/cases/int8.relu.same.0000/invokes"), "many\n");
    const std::string manifest = ReadAll(fs::path(LUTRA_SOURCE_DIR) / "golden/manifest.jsonl");
    const size_t line = manifest.find('\n') + 1;
    WriteText(In("golden/manifest.jsonl"), manifest.substr(0, line) + "\n" + manifest.substr(line));
    fs::create_directories(In("times"));
    WriteText(In("times/manifest.jsonl"), manifest);
    WriteText(In("times/times.txt"), "# a note\nint8.relu soon\n");
    WriteText(In("nothing.json"), "");
    WriteText(In("empty.npy"),
              Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (0, 49, 10, 1), }", ""));
    WriteText(In("labels.npy"),
              Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1000,), }", std::string(1000, 99)));
    WriteText(In("long.npy"), Npy("{'descr': '" + std::string(60000, 'x'), ""));
    WriteText(In("long.xml"), "<testsuite tests=\"" + std::string(300000, '9') + "\"></testsuite>");
    WriteText(In("deep.json"), std::string(100000, '[') + std::string(100000, ']'));
    ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600) | mkfifo(In("pipe.json").c_str(), 0600), 0);
    WriteText(In("sine.log"), "lutra1 model sine.tflite bytes 2488\nlutra1 output 0 crc32 12b88320\n");
  }
  // Writes shards that are cut or empty, or have impossible counts.
  static void WriteResults() {
    const Json sound = Json::parse(ReadAll(In("1.json")));
    Json cut = sound, negative = sound, changed = sound, late = sound;
    Json& run = cut["conformance"];
    const auto take = [&](size_t count) {
      run["cases"].erase(run["cases"].begin() + static_cast<std::ptrdiff_t>(count), run["cases"].end());
      run["summary"]["cases"] = run["summary"]["pass"] = count;
    };
    take(run["cases"].size() - 1);
    WriteText(In("cut.json"), cut.dump());
    take(0);
    run["selection"]["cases"] = run["selection"]["all_cases"] = 0;
    run["selection"]["shard"] = "1/1";
    WriteText(In("none.json"), cut.dump());
    negative["conformance"]["not_frozen"] = -5;
    WriteText(In("negative.json"), negative.dump());
    changed["conformance"]["cases"][0]["op"] = "ABS";
    WriteText(In("changed.json"), changed.dump());
    late["context"]["date"] = "2999-01-01T00:00:00Z";
    WriteText(In("late.json"), late.dump());
  }

  static ScratchFolder* folder_;
};
ScratchFolder* Refusals::folder_ = nullptr;

TEST_F(Refusals, SayWhatIsWrong) {
  Prepare();
  for (const Refusal& refusal : kRefusals) {
    SCOPED_TRACE(refusal.name);
    const Outcome outcome = Shell(refusal.line);
    EXPECT_EQ(outcome.code, refusal.code) << outcome.out.substr(0, 1000) << outcome.err.substr(0, 1000);
    EXPECT_NE(outcome.err.find(refusal.says), std::string::npos) << outcome.err.substr(0, 1000);
    EXPECT_LT(outcome.err.size(), 1000u);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "one line: " << outcome.err;
    EXPECT_EQ(outcome.out.find(" cases: "), std::string::npos) << outcome.out;
  }
  // The lines above are refused for their faults alone: without the faults they pass.
  EXPECT_EQ(Shell("conformance merge IN/1.json IN/2.json -o IN/m.json").code, 0);
  EXPECT_EQ(Shell("device_results --platform p --models models IN/sine.log").code, 0);
}

// Returns the verbs that a help lists.
std::vector<std::string> VerbsOf(const std::string& help) {
  std::vector<std::string> verbs;
  const size_t at = help.find("\nSubcommands:\n");
  std::istringstream lines(at == std::string::npos ? "" : help.substr(at + 14));
  for (std::string line; std::getline(lines, line) && line.starts_with("  ");) {
    if (line[2] != ' ') verbs.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return verbs;
}

// The help of every program and verb must fit 80 columns.
TEST_F(Refusals, HelpsAreAsWideAsATerminal) {
  const auto expect_help = [](const std::string& line) {
    const Outcome outcome = Shell(line + " --help");
    EXPECT_EQ(outcome.code, 0) << line << outcome.err;
    EXPECT_NE(outcome.out.find("--help"), std::string::npos) << line;
    std::istringstream lines(outcome.out);
    for (std::string text; std::getline(lines, text);)
      EXPECT_LE(Width(text), kColumns) << line << ": " << text;
    return VerbsOf(outcome.out);
  };
  std::istringstream programs(LUTRA_PROGRAMS);
  size_t count = 0;
  for (std::string program; programs >> program;) {
    const std::vector<std::string> verbs = expect_help(program);
    for (const std::string& verb : verbs) expect_help(program + " " + verb);
    count += 1 + verbs.size();
  }
  EXPECT_GT(count, 30u);
}

// No input may be overwritten, except a model, settings or results that are changed in place.
TEST_F(Refusals, KeepTheirInputs) {
  const auto copy = [](const std::string& from, const std::string& to) {
    fs::copy_file(fs::path(LUTRA_SOURCE_DIR) / "models" / from, In(to), fs::copy_options::overwrite_existing);
  };
  const std::string data = " --data IN/kws.npy --evaluations 1 --max-bytes 47000";
  const std::string lines[] = {
      "compress bin IN/kws.tflite IN/o.tflite --bits 4 --save IN/kws.tflite",
      "compress pack IN/kws.tflite IN/o.tflite --report IN/kws.tflite",
      "compress pack IN/kws.tflite IN/o.tflite --write-spec IN/linked.tflite",
      "compress auto IN/kws.tflite IN/o.tflite --save IN/kws.tflite" + data,
      "compress auto IN/kws.tflite IN/o.tflite --report IN/kws.npy" + data,
      "compress auto IN/kws.tflite IN/o.tflite --log IN/kws.tflite" + data,
      "compress auto IN/kws.tflite IN/o.tflite --log IN/o.tflite" + data,
      "compress auto IN/kws.tflite IN/kws.npy" + data,
      "compress bin IN/kws.tflite IN/a.json --bits 4 --settings IN/a.json",
      "vta trace IN/kws.tflite -o IN/kws.tflite",
      "make_report IN/a.json -o IN/a.json",
      "make_report --compare IN/a.json IN/a.json -o IN/a.json",
      "device_results --platform p --models models IN/sine.log -o IN/sine.log",
      "generic_benchmark models/kws.tflite --data IN/a.json --labels IN/a.json --export IN/a.json",
      "conformance spec --golden IN/golden -o IN/golden/manifest.jsonl",
      "RUN --waivers IN/a.json --results IN/a.json",
  };
  copy("kws.tflite", "kws.tflite");
  copy("kws.validation.inputs.npy", "kws.npy");
  fs::create_symlink("kws.tflite", In("linked.tflite"));
  fs::create_directories(In("golden"));
  const std::string names[] = {"kws.tflite", "kws.npy", "a.json", "sine.log", "golden/manifest.jsonl"};
  std::map<std::string, std::string> before;
  for (const std::string& name : names) {
    if (!name.starts_with("kws")) WriteText(In(name), "[]\n");
    before[name] = ReadAll(In(name));
  }
  for (const std::string& line : lines) {
    SCOPED_TRACE(line);
    const Outcome outcome = Shell(line);
    EXPECT_EQ(outcome.code, 2) << outcome.err.substr(0, 1000);
    EXPECT_NE(outcome.err.find("output"), std::string::npos) << outcome.err.substr(0, 1000);
    EXPECT_FALSE(fs::exists(In("o.tflite")));
    for (const std::string& name : names) EXPECT_EQ(ReadAll(In(name)), before[name]) << name;
  }
  EXPECT_EQ(Shell("compress bin IN/kws.tflite IN/kws.tflite --bits 4 --save IN/s.json").code, 0);
  EXPECT_EQ(Shell("compress bin IN/kws.tflite --settings IN/s.json --bits 3 --save IN/s.json").code, 0);
  EXPECT_NE(ReadAll(In("kws.tflite")), before["kws.tflite"]);
}

// A run that cannot end well is refused before it begins, and no adapter is started.
TEST_F(Refusals, ComeBeforeTheWork) {
  WriteText(In("bad.json"), "{");
  const std::string runner = " --runner 'touch IN/started; exit 7'";
  for (const char* option :
       {"--results /nosuch/r.json", "--results /proc/r.json", "--junit /nosuch/r.xml",
        "--waivers IN/bad.json", "--waivers /nosuch.json", "--results IN/a --junit IN/a"}) {
    EXPECT_NE(Shell("RUN " + std::string(option) + runner).code, 0) << option;
    EXPECT_FALSE(fs::exists(In("started"))) << option;
  }
  EXPECT_EQ(Shell("RUN" + runner).code, 3);
  EXPECT_TRUE(fs::exists(In("started"))) << "the adapter would have been seen";
}

}  // namespace
}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Tests that the runner ends in time, names the fault, and leaves nothing behind, whatever an adapter does.

#include "conformance/adapters/mock/lies.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "host/testing/program.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

// The expected verdict of the runner, and its reason.
struct Expectation {
  std::string verdict, why;
};

constexpr char kTimeout[] = "timeout";

// Returns the expectations for each fault. A second answer may come before or after the next question.
const std::map<std::string, Expectation>& Expectations() {
  static const std::map<std::string, Expectation> expectations = {
      {"exit-0", {"crash", "exit code 0"}},
      {"exit-7", {"crash", "exit code 7"}},
      {"signal", {"crash", "signal 10"}},
      {"killed", {"crash", "signal 9"}},
      {"stopped", {"timeout", "no answer in"}},
      {"closes", {"crash", "it closed its output"}},
      {"late", {"timeout", "no answer in"}},
      {"half-answer", {"timeout", "no answer in"}},
      {"empty-line", {"fail", "not an answer of the protocol: "}},
      {"capitals", {"fail", "not an answer of the protocol: OK"}},
      {"zero-bytes", {"fail", "not an answer of the protocol: ok\\x00"}},
      {"not-text", {"fail", "not an answer of the protocol: \\xff\\xfe\\x1b[2J\\x1b]0;title\\x07"}},
      {"not-text-why", {"fail", "\\xff\\xfe\\x1b[2J\\x1b]0;title\\x07"}},
      {"long-why", {"fail", "yyyy"}},
      {"no-end", {"fail", "not an answer of the protocol: xxxx"}},
      {"flood", {"fail", "more than one answer"}},
      {"twice", {"fail", ""}},
      {"greets-again", {"fail", "not an answer of the protocol: hello 1 mock 2"}},
      {"two-answers", {"fail", "more than one answer: error no"}},
      {"empty-output", {"fail", "output 0: found 0 bytes, required: "}},
      {"short-output", {"fail", "output 0: found "}},
      {"sparse-output", {"fail", "output 0: found 5368709120 bytes, required: "}},
      {"link", {"fail", "out0.bin: found a link"}},
      {"link-zero", {"fail", "out0.bin: found a link"}},
      {"link-self", {"fail", "out0.bin: found a link"}},
      {"link-nowhere", {"fail", "out0.bin: found a link"}},
      {"fifo", {"fail", "out0.bin: found a folder, a pipe or a device"}},
      {"folder", {"fail", "out0.bin: found a folder, a pipe or a device"}},
      {"socket", {"fail", "out0.bin: found "}},
      {"output-before", {"fail", ""}},
      {"extra-link", {"fail", "found more than 1 outputs"}},
      {"extra-folder", {"fail", "found more than 1 outputs"}},
      {"no-folder", {"fail", "output 0: found no out0.bin"}},
      {"swapped-folder", {"fail", "output 0: found no out0.bin"}},
      {"locked-folder", {"fail", "out"}},
      {"deep-folders", {"fail", "output 0: found no out0.bin"}},
      {"child", {"crash", "exit code 0"}},
      {"stderr-flood", {"crash", "exit code 7: zzzz"}},
      {"stderr-not-text", {"crash", "exit code 7: \\xff\\xfe\\x1b[2J"}},
  };
  return expectations;
}

// Returns the ids of processes with this word on their command line, except the runner.
std::set<pid_t> ProcessesWith(const std::string& word) {
  std::set<pid_t> pids;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // A process that ends meanwhile has an empty command line.
    std::ifstream file(entry.path() / "cmdline");
    std::string line;
    std::getline(file, line);
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line.find(word) != std::string::npos && line.find("--runner") == std::string::npos)
      pids.insert(std::stoi(name));
  }
  return pids;
}

// A folder for temporary files and a copy of the adapter, so that a run's remains can be distinguished from
// those of others.
struct Place {
  Place() {
    fs::create_directories(folder / "tmp");
    fs::create_symlink(LUTRA_MOCK_ADAPTER, folder / "mock");
  }
  std::string Runner(const std::string& arguments) const {
    return " --runner \"" + (folder / "mock") + " " + arguments + "\"";
  }
  std::string results() const { return folder / "r.json"; }
  bool IsClean() const { return fs::is_empty(folder / "tmp") && ProcessesWith(folder / "mock").empty(); }
  // Waits, since the guardian of a killed program needs a moment to clean up.
  bool BecomesClean() const {
    for (int i = 0; i < 400 && !IsClean(); ++i) usleep(10000);
    return IsClean();
  }

  const host::ScratchFolder folder{"place"};
};

// Runs the liar; nothing of this run may remain.
host::Outcome RunLiar(const Place& place, const std::string& name, const std::string& more) {
  const auto begin = std::chrono::steady_clock::now();
  host::Outcome outcome = host::RunShell("TMPDIR=" + (place.folder / "tmp") + " '" + LUTRA_PROGRAM +
                                         "' run --filter 'int8.relu.*' --jobs 2 --reproducers ''" +
                                         place.Runner("--fault " + name + " --every 7") + more);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 60);
  EXPECT_TRUE(place.IsClean());
  return outcome;
}

class Liar : public testing::TestWithParam<std::string> {};

TEST_P(Liar, IsSeenForWhatItIs) {
  const Place place;
  const Expectation expected = Expectations().at(GetParam());
  const host::Outcome outcome =
      RunLiar(place, GetParam(),
              // On a busy machine only adapters that never answer should be late.
              std::string(" --timeout ") + (expected.verdict == kTimeout ? "1000" : "20000") + " --results " +
                  place.results());
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  const auto run = nlohmann::json::parse(host::ReadAll(place.results()))["conformance"];
  EXPECT_GT(run["summary"][expected.verdict], 0) << outcome.out;
  EXPECT_GT(run["summary"]["pass"], 0) << "the cases between are unharmed";
  EXPECT_EQ(run["summary"]["cases"], run["selection"]["cases"]);
  for (const nlohmann::json& result : run["cases"]) {
    if (result["verdict"] == "pass") continue;
    EXPECT_EQ(result["verdict"], expected.verdict);
    const std::string why = result["why"];
    EXPECT_NE(why.find(expected.why), std::string::npos) << why;
    EXPECT_LT(why.size(), 70000u);
  }
}

std::vector<std::string> NamesOf(const std::vector<mock::Fault>& faults) {
  std::vector<std::string> names;
  for (const mock::Fault& fault : faults) names.emplace_back(fault.name);
  return names;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Mock, Liar, testing::ValuesIn(NamesOf(mock::Lies())), TestName);

class Greeter : public testing::TestWithParam<std::string> {};

TEST_P(Greeter, IsRefused) {
  const Place place;
  const host::Outcome outcome = RunLiar(place, GetParam(), " --timeout 3000");
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_NE(outcome.err.find("required: the answer \"hello 1 NAME VERSION\""), std::string::npos)
      << outcome.err;
  if (GetParam() == "greet-exit-7") {
    EXPECT_NE(outcome.err.find("exit code 7"), std::string::npos) << outcome.err;
  }
  if (GetParam() == "greet-signal") {
    EXPECT_NE(outcome.err.find("signal 10"), std::string::npos) << outcome.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Mock, Greeter, testing::ValuesIn(NamesOf(mock::Greetings())), TestName);

// ---- The runner itself is ended.

// Starts `conformance <arguments>`, sends it a signal after some time, and returns how it ended. It uses no
// shell, since a shell's background processes ignore SIGINT.
host::Outcome RunAndSignal(const Place& place, const std::string& arguments, double seconds, int signal) {
  const host::ScratchFolder& folder = place.folder;
  const std::string line = std::string("exec '") + LUTRA_PROGRAM + "' " + arguments + " >" +
                           (folder / "out") + " 2>" + (folder / "err");
  const pid_t pid = fork();
  if (pid == 0) {
    for (const int number : {SIGHUP, SIGINT, SIGTERM}) ::signal(number, SIG_DFL);
    setenv("TMPDIR", (folder / "tmp").c_str(), 1);
    if (chdir(LUTRA_SOURCE_DIR) != 0) _exit(126);
    execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  usleep(static_cast<useconds_t>(seconds * 1e6));
  kill(pid, signal);
  int status = 0;
  for (int i = 0; i < 1000 && waitpid(pid, &status, WNOHANG) == 0; ++i) usleep(10000);
  if (kill(pid, 0) == 0) {
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    ADD_FAILURE() << "it went on for 10 s";
  }
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), host::ReadAll(folder / "out"),
          host::ReadAll(folder / "err")};
}

class Interrupted : public testing::TestWithParam<std::pair<int, double>> {};

TEST_P(Interrupted, LeavesNoAdapterAndNoFolder) {
  const auto [signal, seconds] = GetParam();
  const Place place;
  const std::string results = place.results();
  const host::Outcome outcome = RunAndSignal(place,
                                             "run --filter 'int8.re*' --jobs 2 --reproducers '' --results " +
                                                 results + place.Runner("--fault late --every 11"),
                                             seconds, signal);
  EXPECT_EQ(outcome.code, 128 + signal) << outcome.out << outcome.err;
  EXPECT_TRUE(place.BecomesClean());
  // There are no results, or those of the cases before the signal.
  if (!fs::exists(results)) return;
  const auto run = nlohmann::json::parse(host::ReadAll(results))["conformance"];
  EXPECT_EQ(run["summary"]["cases"], run["cases"].size());
  EXPECT_LT(run["summary"]["cases"], run["selection"]["cases"]);
  const host::Outcome merge = host::RunProgram("merge " + results + " -o /dev/null");
  EXPECT_EQ(merge.code, 3);
  EXPECT_EQ(merge.err.find(results + ": found "), 0u) << merge.err;
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted,
                         testing::Values(std::pair{SIGINT, 0.05}, std::pair{SIGINT, 1.5},
                                         std::pair{SIGTERM, 0.7}, std::pair{SIGTERM, 2.0},
                                         std::pair{SIGHUP, 1.0}, std::pair{SIGKILL, 0.2},
                                         std::pair{SIGKILL, 1.5}),
                         [](const auto& info) {
                           return "S" + std::to_string(info.param.first) + "_" +
                                  std::to_string(static_cast<int>(info.param.second * 1000));
                         });

// After a signal in the middle, the results have the cases before it.
TEST(Interruption, KeepsTheResultsUntilThen) {
  const Place place;
  const host::Outcome outcome =
      RunAndSignal(place,
                   "run --filter 'int8.relu.*' --jobs 1 --timeout 60000 --reproducers '' --results " +
                       place.results() + place.Runner("--fault stopped --every 5"),
                   3, SIGINT);
  EXPECT_EQ(outcome.code, 128 + SIGINT) << outcome.out << outcome.err;
  EXPECT_TRUE(place.BecomesClean());
  const auto run = nlohmann::json::parse(host::ReadAll(place.results()))["conformance"];
  EXPECT_EQ(run["cases"].size(), 4u);
  EXPECT_NE(outcome.err.find("found 4 cases, required: "), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Every program where the machine lets it down: a full disk, closed streams, limits, signals. It ends with a
// promised exit code or the signal, leaves no half file and nothing else behind, and never says that all is
// well when it is not.
//
// LUTRA_THOROUGH=1: twenty sizes of each limit and fifty moments of each signal instead of four.

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <set>

#include "host/testing/program.h"

namespace lutra::host {
namespace {

namespace fs = std::filesystem;

// A command line: OUT stands for the folder of its outputs, IN for the folder of what was prepared.
struct Program {
  const char *name, *line, *output;  // Output: a file that a run without faults writes; null: it only prints.
};

bool IsThorough() { return std::getenv("LUTRA_THOROUGH") != nullptr; }
int Sizes() { return IsThorough() ? 20 : 4; }
int Moments() { return IsThorough() ? 50 : 4; }

constexpr Program kPrograms[] = {
    {"benchmark", "'" LUTRA_BENCHMARK "' models/sine.tflite --runs 2 --format json --export OUT/r.json",
     "r.json"},
    {"pack", "'" LUTRA_COMPRESS "' pack models/kws_clustered.tflite OUT/m.tflite --report OUT/r.json",
     "m.tflite"},
    {"bin", "'" LUTRA_COMPRESS "' bin models/kws.tflite OUT/m.tflite --bits 4 --save OUT/s.json", "m.tflite"},
    {"unpack", "'" LUTRA_COMPRESS "' unpack IN/packed.tflite OUT/m.tflite", "m.tflite"},
    {"verify", "'" LUTRA_COMPRESS "' verify models/sine.tflite models/sine.tflite --runs 3", nullptr},
    {"run",
     "'" LUTRA_CONFORMANCE "' run --filter 'int8.relu.*' --jobs 2 --reproducers '' --results OUT/r.json",
     "r.json"},
    {"list", "'" LUTRA_CONFORMANCE "' list --ids --filter 'int8.relu.*'", nullptr},
    {"lint", "'" LUTRA_CONFORMANCE "' lint models/kws.tflite", nullptr},
    {"export", "'" LUTRA_CONFORMANCE "' export --filter 'int8.relu.scale*' OUT/corpus",
     "corpus/manifest.jsonl"},
    {"merge", "'" LUTRA_CONFORMANCE "' merge IN/r.json -o OUT/r.json", "r.json"},
    {"report", "'" LUTRA_REPORT "' IN/r.json -o OUT/r.html", "r.html"},
    {"device", "'" LUTRA_DEVICE_RESULTS "' --platform p --models models IN/sine.log -o OUT/r.json", "r.json"},
};

class Faults : public testing::TestWithParam<Program> {
 protected:
  void SetUp() override {
    for (const char* name : {"in", "out", "tmp"}) fs::create_directories(scratch_ / name);
    ASSERT_EQ(RunShell(Line("'" LUTRA_CONFORMANCE
                            "' run --filter 'int8.relu.*' --reproducers '' --results IN/r.json"))
                  .code,
              0);
    ASSERT_EQ(RunShell(Line("'" LUTRA_COMPRESS "' pack models/kws_clustered.tflite IN/packed.tflite")).code,
              0);
    std::ofstream(scratch_ / "in/sine.log")
        << "lutra1 model sine.tflite bytes 2488\nlutra1 output 0 crc32 12b88320\n";
  }

  std::string Line(std::string line) const {
    for (const auto& [word, folder] : {std::pair{"OUT/", "out/"}, std::pair{"IN/", "in/"}}) {
      for (size_t at = line.find(word); at != std::string::npos; at = line.find(word)) {
        line.replace(at, std::strlen(word), scratch_ / folder);
      }
    }
    return "TMPDIR=" + (scratch_ / "tmp") + " " + line;
  }
  std::string line() const { return Line(GetParam().line); }
  bool HasOutput() const {
    return GetParam().output != nullptr && fs::exists(scratch_ / (std::string("out/") + GetParam().output));
  }

  // One of the promised ends, and nothing left behind.
  void ExpectPromised(int code, const std::string& fault) {
    static const std::set<int> kPromised = {0, 1, 2, 3, 77, 128 + SIGINT, 128 + SIGTERM, 128 + SIGPIPE};
    EXPECT_EQ(kPromised.count(code), 1u) << fault << ": " << code;
    if (code == 0 && GetParam().output != nullptr) {
      EXPECT_TRUE(HasOutput()) << fault << ": it says that all is well";
    }
    for (int i = 0; i < 200 && !fs::is_empty(scratch_ / "tmp"); ++i) usleep(10000);
    EXPECT_TRUE(fs::is_empty(scratch_ / "tmp")) << fault;
    for (const auto& entry : fs::recursive_directory_iterator(scratch_ / "out")) {
      const std::string name = entry.path().filename();
      EXPECT_NE(name[0], '.') << fault << ": a temporary file: " << entry.path();
      if (entry.is_regular_file()) {
        EXPECT_GT(entry.file_size(), 0u) << fault << ": " << entry.path();
      }
    }
    fs::remove_all(scratch_ / "out");
    fs::create_directories(scratch_ / "out");
  }
  // Who prints nothing loses nothing.
  static int CodeWithoutOutput() { return std::string(GetParam().name) == "device" ? 0 : 3; }
  int Run(const std::string& line) {
    const Outcome outcome = RunShell(line);
    said_ = outcome.out + outcome.err;
    return outcome.code;
  }

  ScratchFolder scratch_{"faults"};
  std::string said_;
};

TEST_P(Faults, WithoutAnyAllIsWell) {
  EXPECT_EQ(Run(line()), 0) << said_;
  ExpectPromised(0, "none");
}

TEST_P(Faults, StandardOutputIsFull) {
  const int code = Run(line() + " >/dev/full");
  EXPECT_EQ(code, CodeWithoutOutput());
  fs::remove_all(scratch_ / "out/corpus");
  ExpectPromised(code, "full");
}

TEST_P(Faults, StreamsAreClosed) {
  EXPECT_EQ(Run(line() + " >&-"), CodeWithoutOutput());
  ExpectPromised(CodeWithoutOutput(), "stdout");
  int code = Run(line() + " 2>&-");
  EXPECT_EQ(code, 0) << said_;
  ExpectPromised(code, "stderr");
  EXPECT_EQ(Run(line() + " >&- 2>&- <&-"), CodeWithoutOutput());
  ExpectPromised(CodeWithoutOutput(), "all");
}

TEST_P(Faults, NobodyReads) {
  const std::string status = scratch_ / "in/status";
  Run("{ " + line() + "; echo $? >" + status + "; } | true");
  ExpectPromised(std::stoi(ReadAll(status)), "pipe");
}

TEST_P(Faults, TheFolderTakesNoFile) {
  if (GetParam().output == nullptr) GTEST_SKIP() << "it writes no file";
  std::string other = line();
  for (size_t at = other.find(scratch_ / "out/"); at != std::string::npos;
       at = other.find(scratch_ / "out/")) {
    other.replace(at, (scratch_ / "out/").size(), "/proc/");
  }
  EXPECT_EQ(Run(other), 3) << said_;
  ExpectPromised(3, "folder");
}

TEST_P(Faults, TheDiskIsFull) {
  if (GetParam().output == nullptr) GTEST_SKIP() << "it writes no file";
  const std::string inside = "unshare -rm sh -c \"mount -t tmpfs -o size=4k none " + (scratch_ / "out") +
                             " && head -c 4096 /dev/zero >" + (scratch_ / "out/full") + " && ";
  if (Run(inside + "true\"") != 0) GTEST_SKIP() << "no mount namespaces here";
  // What is in the folder at the end can only be seen from inside.
  const std::string status = scratch_ / "in/status", listing = scratch_ / "in/listing";
  std::ofstream(scratch_ / "in/line.sh")
      << line() << "\necho $? >" << status << "\nfind " << (scratch_ / "out")
      << " -type f -size -1c -o -name '.*' >" << listing << "\n";
  Run(inside + "sh " + (scratch_ / "in/line.sh") + "\"");
  EXPECT_EQ(std::stoi(ReadAll(status)), 3) << said_;
  EXPECT_EQ(ReadAll(listing), "");
  ExpectPromised(3, "full disk");
}

TEST_P(Faults, FilesMayNotGrow) {
  for (int blocks = 0; blocks < 20; blocks += 20 / Sizes()) {
    // Only the program is limited: not what its output goes to.
    const int code =
        Run("(ulimit -f " + std::to_string(blocks) + "; " + line() + ") | cat >/dev/null; exit 0");
    ExpectPromised(code == 0 && !HasOutput() ? 3 : code, "ulimit -f " + std::to_string(blocks));
  }
}

TEST_P(Faults, MemoryIsLimited) {
  // From what the loader needs to more than enough.
  for (int megabytes = 16; megabytes < 1400; megabytes += IsThorough() ? megabytes / 4 : 2 * megabytes) {
    const int code = Run("ulimit -v " + std::to_string(megabytes * 1024) + "; " + line());
    if (code == 127) continue;  // The loader found no room for the libraries.
    ExpectPromised(code, "ulimit -v " + std::to_string(megabytes) + "M");
  }
}

TEST_P(Faults, ASignalComes) {
  std::mt19937 random(7);
  for (const int signal : {SIGINT, SIGTERM}) {
    for (int i = 0; i < Moments(); ++i) {
      const pid_t pid = fork();
      if (pid == 0) {
        for (const int number : {SIGINT, SIGTERM}) ::signal(number, SIG_DFL);
        const std::string quiet = "exec env " + line() + " >/dev/null 2>&1";
        if (chdir(LUTRA_SOURCE_DIR) != 0) _exit(126);
        execl("/bin/sh", "sh", "-c", quiet.c_str(), static_cast<char*>(nullptr));
        _exit(127);
      }
      const useconds_t moment = random() % 250000;
      usleep(moment);
      kill(pid, signal);
      int status = 0;
      waitpid(pid, &status, 0);
      const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      // An export is a folder of many files, of which some are there.
      ExpectPromised(code, "signal " + std::to_string(signal) + " after " + std::to_string(moment) + " us");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Faults, testing::ValuesIn(kPrograms),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace lutra::host

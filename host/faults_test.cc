// SPDX-License-Identifier: Apache-2.0
// Runs every program on a machine that fails it: a full disk, closed streams, limits, signals. It must end
// with a promised exit code or by the signal, leave no half-written file and nothing else behind, and never
// report success when something failed.
//
// LUTRA_THOROUGH=1 tests twenty sizes of each limit and fifty moments of each signal instead of four, and
// limits of processor time, of which each takes a second. LUTRA_WRITE_FAULTS=1 writes the exit codes of this
// run as the table of host/FAULTS.md.

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "host/testing/program.h"

namespace lutra::host {
namespace {

namespace fs = std::filesystem;

// A command line: OUT stands for the folder of its outputs, IN for that of its prepared inputs.
struct Program {
  // title: the name for users. output: a file that a run without faults writes; null: it only prints.
  const char *name, *title, *line, *output;
};

// A fault under which a program runs, by its name in the table of FAULTS.md. is_steady: it always leads to
// the same exit code.
struct Fault {
  const char* title;
  bool is_steady;
};
constexpr Fault kNone = {"no fault", true}, kFullOutput = {"stdout full", true},
                kClosedOutput = {"stdout closed", true}, kClosedErrors = {"stderr closed", true},
                kAllClosed = {"all closed", true}, kNobodyReads = {"nobody reads", false},
                kBadFolder = {"folder takes no file", true}, kFullDisk = {"disk full", false},
                kFileLimit = {"`ulimit -f`", false}, kMemoryLimit = {"`ulimit -v`", false},
                kStackLimit = {"`ulimit -s 64`", true}, kTimeLimit = {"`ulimit -t`", false},
                kInterrupt = {"SIGINT", false}, kTermination = {"SIGTERM", false}, kKill = {"SIGKILL", true};
constexpr Fault kFaults[] = {kNone,        kFullOutput, kClosedOutput, kClosedErrors, kAllClosed,
                             kNobodyReads, kBadFolder,  kFullDisk,     kFileLimit,    kMemoryLimit,
                             kStackLimit,  kTimeLimit,  kInterrupt,    kTermination,  kKill};

bool IsThorough() { return std::getenv("LUTRA_THOROUGH") != nullptr; }
int Sizes() { return IsThorough() ? 20 : 4; }
int Moments() { return IsThorough() ? 50 : 4; }

constexpr Program kPrograms[] = {
    {"benchmark", "generic_benchmark",
     "'" LUTRA_BENCHMARK "' models/sine.tflite --runs 2 --format json --export OUT/r.json", "r.json"},
    {"pack", "compress pack",
     "'" LUTRA_COMPRESS "' pack models/kws_clustered.tflite OUT/m.tflite --report OUT/r.json", "m.tflite"},
    {"bin", "compress bin",
     "'" LUTRA_COMPRESS "' bin models/kws.tflite OUT/m.tflite --bits 4 --save OUT/s.json", "m.tflite"},
    {"unpack", "compress unpack", "'" LUTRA_COMPRESS "' unpack IN/packed.tflite OUT/m.tflite", "m.tflite"},
    {"verify", "compress verify",
     "'" LUTRA_COMPRESS "' verify models/sine.tflite models/sine.tflite --runs 3", nullptr},
    {"run", "conformance run",
     "'" LUTRA_CONFORMANCE "' run --filter 'int8.relu.*' --jobs 2 --reproducers '' --results OUT/r.json",
     "r.json"},
    {"list", "conformance list", "'" LUTRA_CONFORMANCE "' list --ids --filter 'int8.relu.*'", nullptr},
    {"lint", "conformance lint", "'" LUTRA_CONFORMANCE "' lint models/kws.tflite", nullptr},
    {"export", "conformance export", "'" LUTRA_CONFORMANCE "' export --filter 'int8.relu.scale*' OUT/corpus",
     "corpus/manifest.jsonl"},
    {"merge", "conformance merge", "'" LUTRA_CONFORMANCE "' merge IN/r.json -o OUT/r.json", "r.json"},
    {"report", "make_report", "'" LUTRA_REPORT "' IN/r.json -o OUT/r.html", "r.html"},
    // The database is not an output that appears as a whole: SQLite writes and repairs it, so it lies
    // elsewhere.
    {"results", "lutra-results import", "'" LUTRA_RESULTS "' import IN/r.json --db IN/r.db", nullptr},
    {"device", "device_results",
     "'" LUTRA_DEVICE_RESULTS "' --platform p --models models IN/sine.log -o OUT/r.json", "r.json"},
    {"vta", "vta trace", "'" LUTRA_VTA "' trace delegates/vta/program/examples/conv.vta -o OUT/t.json",
     "t.json"},
};

// ---- The table of FAULTS.md.

constexpr char kPage[] = LUTRA_SOURCE_DIR "/host/FAULTS.md", kTableBegins[] = "<!-- table -->\n\n";

// Maps program and fault to exit codes.
using Codes = std::map<std::pair<std::string, std::string>, std::set<int>>;

Codes& Seen() {
  static Codes codes;
  return codes;
}

std::string TitleRow() {
  std::string row = "|  |";
  for (const Fault& fault : kFaults) row += std::string(" ") + fault.title + " |";
  return row + "\n";
}

std::string CellOf(const Codes& codes, const Program& program, const Fault& fault) {
  const auto found = codes.find({program.title, fault.title});
  if (found == codes.end()) return "-";
  std::string cell;
  for (const int code : found->second) cell += (cell.empty() ? "" : " ") + std::to_string(code);
  return cell;
}

std::string Table(const Codes& codes) {
  std::string table = TitleRow() + "|---|";
  for (size_t i = 0; i < std::size(kFaults); ++i) table += "---|";
  table += "\n";
  for (const Program& program : kPrograms) {
    table += std::string("| `") + program.title + "` |";
    for (const Fault& fault : kFaults) table += " " + CellOf(codes, program, fault) + " |";
    table += "\n";
  }
  return table;
}

// Returns the exit codes of the page.
Codes Told() {
  Codes codes;
  const std::string page = ReadAll(kPage);
  for (const Program& program : kPrograms) {
    const std::string begin = std::string("| `") + program.title + "` |";
    size_t at = page.find(begin);
    if (at == std::string::npos) continue;
    at += begin.size();
    for (const Fault& fault : kFaults) {
      const size_t end = page.find('|', at);
      std::istringstream cell(page.substr(at, end - at));
      for (int code; cell >> code;) codes[{program.title, fault.title}].insert(code);
      at = end + 1;
    }
  }
  return codes;
}

class PageWriter : public testing::Environment {
  void TearDown() override {
    if (std::getenv("LUTRA_WRITE_FAULTS") == nullptr) return;
    const std::string page = ReadAll(kPage);
    const size_t at = page.find(kTableBegins);
    ASSERT_NE(at, std::string::npos);
    std::ofstream(kPage) << page.substr(0, at) << kTableBegins << Table(Seen());
  }
};
[[maybe_unused]] const testing::Environment* const kPageWriter =
    testing::AddGlobalTestEnvironment(new PageWriter);

TEST(FaultsPage, HasEveryProgramAndFault) {
  if (std::getenv("LUTRA_WRITE_FAULTS") != nullptr) GTEST_SKIP() << "it is written at the end";
  const std::string page = ReadAll(kPage);
  const Codes told = Told();
  ASSERT_NE(page.find(kTableBegins + TitleRow()), std::string::npos) << "required: " << TitleRow();
  EXPECT_EQ(page.substr(page.find("|  |")), Table(told))
      << "LUTRA_WRITE_FAULTS=1 LUTRA_THOROUGH=1 faults_test";
  std::set<std::string> programs;
  for (const Program& program : kPrograms) {
    EXPECT_EQ(told.count({program.title, kNone.title}), 1u) << "not in the table: " << program.title;
    programs.insert(std::string(program.title).substr(0, std::string(program.title).find(' ')));
  }
  std::istringstream installed(LUTRA_INSTALLED_PROGRAMS);
  for (std::string name; installed >> name;) {
    if (name.ends_with("_adapter")) continue;  // lies_test.cc tests how a runner treats failing adapters.
    EXPECT_EQ(programs.count(name), 1u) << name << ": found no row, required: one here and in FAULTS.md";
  }
}

// ---- The faults.

class Faults : public testing::TestWithParam<Program> {
 protected:
  void SetUp() override {
    for (const char* name : {"in", "out", "tmp"}) fs::create_directories(scratch_ / name);
    // Files that programs read are made once; each test has a copy of them.
    static const ScratchFolder prepared("prepared");
    static const bool is_prepared = Prepare(prepared);
    ASSERT_TRUE(is_prepared);
    fs::copy(prepared / "in", scratch_ / "in", fs::copy_options::recursive);
  }

  static bool Prepare(const ScratchFolder& folder) {
    for (const char* name : {"in", "tmp"}) fs::create_directories(folder / name);
    std::ofstream(folder / "in/sine.log")
        << "lutra1 model sine.tflite bytes 2488\nlutra1 output 0 crc32 12b88320\n";
    for (const char* const line :
         {"'" LUTRA_CONFORMANCE "' run --filter 'int8.relu.*' --reproducers '' --results IN/r.json",
          "'" LUTRA_COMPRESS "' pack models/kws_clustered.tflite IN/packed.tflite"}) {
      if (RunShell(LineIn(folder, line)).code != 0) return false;
    }
    return true;
  }

  static std::string LineIn(const ScratchFolder& scratch, std::string line) {
    for (const auto& [word, folder] : {std::pair{"OUT/", "out/"}, std::pair{"IN/", "in/"}}) {
      for (size_t at = line.find(word); at != std::string::npos; at = line.find(word)) {
        line.replace(at, std::strlen(word), scratch / folder);
      }
    }
    return "TMPDIR=" + (scratch / "tmp") + " " + line;
  }
  std::string Line(const std::string& line) const { return LineIn(scratch_, line); }
  std::string line() const { return Line(GetParam().line); }
  bool HasOutput() const {
    return GetParam().output != nullptr && fs::exists(scratch_ / (std::string("out/") + GetParam().output));
  }

  bool HasTemporaryFile() const {
    for (const auto& entry : fs::recursive_directory_iterator(scratch_ / "out")) {
      if (entry.path().filename().string()[0] == '.') return true;
    }
    return false;
  }

  // Expects one of the promised exit codes, and no remains.
  void ExpectPromised(int code, const Fault& kind, const std::string& detail = "") {
    const std::string fault = kind.title + (detail.empty() ? "" : " " + detail);
    Seen()[{GetParam().title, kind.title}].insert(code);
    if (kind.is_steady && std::getenv("LUTRA_WRITE_FAULTS") == nullptr) {
      EXPECT_EQ(CellOf(Told(), GetParam(), kind), std::to_string(code)) << fault << ": what FAULTS.md says";
    }
    static const std::set<int> kPromised = {0, 1, 2, 3, 77, 128 + SIGINT, 128 + SIGTERM, 128 + SIGPIPE};
    const bool is_killed = (&kind == &kTimeLimit || &kind == &kKill) && code == 128 + SIGKILL;
    EXPECT_TRUE(kPromised.contains(code) || is_killed) << fault << ": " << code;
    if (code == 0 && GetParam().output != nullptr) {
      EXPECT_TRUE(HasOutput()) << fault << ": it says that all is well";
    }
    for (int i = 0; i < 200 && (!fs::is_empty(scratch_ / "tmp") || HasTemporaryFile()); ++i) usleep(10000);
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
  // If a program prints nothing, a full output is no failure.
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
  ExpectPromised(0, kNone);
}

TEST_P(Faults, StandardOutputIsFull) {
  const int code = Run(line() + " >/dev/full");
  EXPECT_EQ(code, CodeWithoutOutput());
  fs::remove_all(scratch_ / "out/corpus");
  ExpectPromised(code, kFullOutput);
}

TEST_P(Faults, StreamsAreClosed) {
  int code = Run(line() + " >&-");
  EXPECT_EQ(code, CodeWithoutOutput());
  ExpectPromised(code, kClosedOutput);
  code = Run(line() + " 2>&-");
  EXPECT_EQ(code, 0) << said_;
  ExpectPromised(code, kClosedErrors);
  code = Run(line() + " >&- 2>&- <&-");
  EXPECT_EQ(code, CodeWithoutOutput());
  ExpectPromised(code, kAllClosed);
}

TEST_P(Faults, NobodyReads) {
  const std::string status = scratch_ / "in/status";
  Run("{ " + line() + "; echo $? >" + status + "; } | true");
  ExpectPromised(std::stoi(ReadAll(status)), kNobodyReads);
}

TEST_P(Faults, TheFolderTakesNoFile) {
  if (GetParam().output == nullptr) GTEST_SKIP() << "it writes no file";
  std::string other = line();
  for (size_t at = other.find(scratch_ / "out/"); at != std::string::npos;
       at = other.find(scratch_ / "out/")) {
    other.replace(at, (scratch_ / "out/").size(), "/proc/");
  }
  const int code = Run(other);
  EXPECT_EQ(code, 3) << said_;
  ExpectPromised(code, kBadFolder);
}

TEST_P(Faults, TheDiskIsFull) {
  if (GetParam().output == nullptr) GTEST_SKIP() << "it writes no file";
  const std::string inside = "unshare -rm sh -c \"mount -t tmpfs -o size=4k none " + (scratch_ / "out") +
                             " && head -c 4096 /dev/zero >" + (scratch_ / "out/full") + " && ";
  if (Run(inside + "true\"") != 0) GTEST_SKIP() << "no mount namespaces here";
  // The folder is mounted for the command alone, so its final content is listed by the command.
  const std::string status = scratch_ / "in/status", listing = scratch_ / "in/listing";
  std::ofstream(scratch_ / "in/line.sh")
      << line() << "\necho $? >" << status << "\nfind " << (scratch_ / "out")
      << " -type f -size -1c -o -name '.*' >" << listing << "\n";
  Run(inside + "sh " + (scratch_ / "in/line.sh") + "\"");
  const int code = std::stoi(ReadAll(status));
  EXPECT_EQ(code, 3) << said_;
  EXPECT_EQ(ReadAll(listing), "");
  ExpectPromised(code, kFullDisk);
}

TEST_P(Faults, FilesMayNotGrow) {
  for (int blocks = 0; blocks < 20; blocks += 20 / Sizes()) {
    // Only the program is limited: its output and its exit code go to processes without the limit.
    const std::string status = scratch_ / "in/status";
    Run("{ (ulimit -f " + std::to_string(blocks) + "; " + line() + "); echo $? >" + status +
        "; } | cat >/dev/null");
    ExpectPromised(std::stoi(ReadAll(status)), kFileLimit, std::to_string(blocks));
  }
}

TEST_P(Faults, MemoryIsLimited) {
  const auto run_in = [this](int kilobytes) {
    return Run("ulimit -v " + std::to_string(kilobytes) + "; " + line());
  };
  // With too little memory for the libraries, the loader ends with 127; glibc 2.36's loader dies (139) if
  // only its own first allocation fails.
  int too_little = 0, enough = 1 << 20;
  while (enough - too_little > 64) {
    const int kilobytes = (too_little + enough) / 2;
    const int code = run_in(kilobytes);
    (code == 127 || code == 139 ? too_little : enough) = kilobytes;
  }
  ASSERT_LT(enough, 64 << 10) << said_;
  // Sizes range from just enough for the libraries to more than enough for the program.
  const auto expect_promised_in = [&](int kilobytes) {
    const int code = run_in(kilobytes);
    ExpectPromised(code, kMemoryLimit, std::to_string(kilobytes) + "K");
  };
  for (int i = 0; i < 2 * Sizes(); ++i) expect_promised_in(enough + 64 * i);
  for (int kilobytes = 16 << 10; kilobytes < 1400 << 10;
       kilobytes += IsThorough() ? kilobytes / 4 : 2 * kilobytes) {
    if (kilobytes > enough) expect_promised_in(kilobytes);
  }
}

// Deep calls, regular expressions and threads must have as much stack as without the limit.
TEST_P(Faults, TheStackIsSmall) {
  const int code = Run("ulimit -s 64; " + line());
  EXPECT_EQ(code, 0) << said_;
  ExpectPromised(code, kStackLimit);
}

// The system kills a process that has used up its time; the time that a shell has used still counts when it
// becomes the program.
TEST_P(Faults, TheTimeIsLimited) {
  if (!IsThorough()) GTEST_SKIP() << "a second for each moment: LUTRA_THOROUGH=1";
  for (int i = 0; i < 10; ++i) {
    // The shell uses from 0.90 to 0.99 s.
    std::ofstream(scratch_ / "in/line.sh")
        << "ulimit -t 1\nwhile read -r _ _ _ _ _ _ _ _ _ _ _ _ _ user system _ </proc/$$/stat; "
        << "[ $((user + system)) -lt " << 90 + i << " ]; do :; done\nexec env " << line() << "\n";
    ExpectPromised(Run("sh " + (scratch_ / "in/line.sh")), kTimeLimit, std::to_string(i));
  }
}

// After SIGKILL only another process can clean up. The signal comes when a complete file gets its name.
TEST_P(Faults, ItIsKilledBeforeAnOutputHasItsName) {
  if (GetParam().output == nullptr) GTEST_SKIP() << "it writes no file";
  if (Run("strace -f -o /dev/null true") != 0) GTEST_SKIP() << "strace is not here, or may not trace";
  for (const bool is_replaced : {false, true}) {
    // A file that replaces another has a temporary name for a moment.
    const std::string calls = std::string(is_replaced ? "" : "linkat,link,") + "rename,renameat,renameat2";
    if (is_replaced && Run(line()) != 0) FAIL() << said_;
    const std::string output = scratch_ / (std::string("out/") + GetParam().output);
    const std::string before = ReadAll(output);
    const int code = Run("strace -f -qq -o /dev/null -e trace=" + calls + " -e inject=" + calls +
                         ":signal=KILL:when=1 env " + line());
    EXPECT_EQ(code, 128 + SIGKILL) << said_;
    EXPECT_EQ(ReadAll(output), before) << "neither half there nor lost";
    ExpectPromised(code, kKill, is_replaced ? "before a file is replaced" : "");
  }
}

// Before success is reported, an output must be on the disk, first its bytes and then its name.
TEST_P(Faults, AnOutputIsOnTheDiskBeforeSuccessIsReported) {
  if (GetParam().output == nullptr) GTEST_SKIP() << "it writes no file";
  if (Run("strace -f -o /dev/null true") != 0) GTEST_SKIP() << "strace is not here, or may not trace";
  const std::string trace = scratch_ / "in/trace";
  ASSERT_EQ(Run("strace -qq -y -o " + trace + " -e trace=fsync,linkat,rename env " + line()), 0) << said_;
  std::istringstream calls(ReadAll(trace));
  const std::string output = scratch_ / (std::string("out/") + GetParam().output);
  const std::string folder = fs::path(output).parent_path();
  int stage = 0;
  for (std::string call; std::getline(calls, call);) {
    const bool is_sync = call.starts_with("fsync(");
    const bool is_folder = call.find("<" + folder + ">)") != std::string::npos;
    if (stage == 0 && is_sync && !is_folder && call.find("<" + folder + "/") != std::string::npos) stage = 1;
    if (stage == 1 && !is_sync && call.find("\"" + output + "\"") != std::string::npos) stage = 2;
    if (stage == 2 && is_sync && is_folder) stage = 3;
  }
  EXPECT_EQ(stage, 3) << ReadAll(trace);
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
      // An export is a folder of many files, some of which may be there.
      ExpectPromised(code, signal == SIGINT ? kInterrupt : kTermination,
                     "after " + std::to_string(moment) + " us");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Faults, testing::ValuesIn(kPrograms),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace lutra::host

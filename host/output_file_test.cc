// SPDX-License-Identifier: Apache-2.0
// Tests that outputs are complete or absent, and that a failure keeps existing files.

#include "host/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "host/failures.h"
#include "host/model_file.h"
#include "host/testing/program.h"

namespace lutra::host {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return scratch_ / name; }
  void Put(const std::string& name, const std::string& text) const { std::ofstream(Path(name)) << text; }
  // Returns the names in the folder, one after the other.
  std::string Listing() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(scratch_ / "")) names.insert(entry.path().filename());
    std::string text;
    for (const std::string& name : names) text += name + " ";
    return text;
  }
  std::string ErrorOf(const std::string& path) const {
    try {
      OutputFile(path).Write("text");
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  }

  ScratchFolder scratch_;
};

TEST_F(OutputFileTest, WritesNewFilesAndReplacesOldOnes) {
  const OutputFile file(Path("a"));
  EXPECT_EQ(Listing(), "") << "a probe leaves nothing";
  file.Write("one");
  EXPECT_EQ(ReadAll(Path("a")), "one");
  file.Write("second");
  EXPECT_EQ(ReadAll(Path("a")), "second");
  EXPECT_EQ(Listing(), "a ");
  WriteFileBytes(Path("b"), "\0x", 2);
  EXPECT_EQ(ReadAll(Path("b")), std::string("\0x", 2));
}

TEST_F(OutputFileTest, WithoutAPathThereIsNoOutput) {
  const OutputFile file("");
  EXPECT_FALSE(file.wanted());
  file.Write("text");
  EXPECT_EQ(Listing(), "");
  testing::internal::CaptureStdout();
  file.WriteOrPrint("printed");
  OutputFile(Path("a")).WriteOrPrint("written");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "printed");
  EXPECT_EQ(ReadAll(Path("a")), "written");
}

TEST_F(OutputFileTest, KeepsModesAndGivesNewFilesTheUsualOne) {
  const mode_t mask = umask(027);
  OutputFile(Path("new")).Write("text");
  Put("old", "text");
  chmod(Path("old").c_str(), 0604);
  OutputFile(Path("old")).Write("more");
  umask(mask);
  struct stat status = {};
  ASSERT_EQ(stat(Path("new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  ASSERT_EQ(stat(Path("old").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0604u);
}

TEST_F(OutputFileTest, ReplacesWhatALinkLeadsToAndKeepsTheLink) {
  fs::create_directory(Path("folder"));
  Put("folder/real", "old");
  fs::create_symlink("folder/real", Path("link"));
  fs::create_symlink("folder/none_yet", Path("dangling"));
  OutputFile(Path("link")).Write("new");
  OutputFile(Path("dangling")).Write("born");
  EXPECT_TRUE(fs::is_symlink(Path("link")) && fs::is_symlink(Path("dangling")));
  EXPECT_EQ(ReadAll(Path("folder/real")), "new");
  EXPECT_EQ(ReadAll(Path("folder/none_yet")), "born");
  fs::create_symlink("loop", Path("loop"));
  EXPECT_NE(ErrorOf(Path("loop")).find("loop: cannot write the file: Too many levels"), std::string::npos);
}

// If a wrong program could replace the system's devices, as it could for root, the test writes into nodes of
// its own.
TEST_F(OutputFileTest, WritesIntoDevicesWithoutReplacingThem) {
  std::string null = "/dev/null", full = "/dev/full";
  if (access("/dev", W_OK) == 0) {
    constexpr unsigned kMemoryDevices = 1, kNull = 3, kFull = 7;
    null = Path("null");
    full = Path("full");
    if (mknod(null.c_str(), S_IFCHR | 0600, makedev(kMemoryDevices, kNull)) != 0 ||
        mknod(full.c_str(), S_IFCHR | 0600, makedev(kMemoryDevices, kFull)) != 0 ||
        !std::ofstream(null).is_open()) {
      GTEST_SKIP() << "no device of our own can be made here";
    }
  }
  OutputFile(null).Write("text");
  EXPECT_TRUE(fs::is_character_file(null));
  EXPECT_NE(ErrorOf(full).find("full: cannot write the file: No space left"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file(full));
}

TEST_F(OutputFileTest, WritesIntoPipesWithoutReplacingThem) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  const std::string text(200000, 'x');  // More than a pipe can hold.
  const pid_t reader = fork();
  if (reader == 0) _exit(ReadAll(Path("pipe")) == text ? 0 : 1);
  // Waits until the reader is there.
  int probe = -1;
  while ((probe = open(Path("pipe").c_str(), O_WRONLY | O_NONBLOCK)) < 0) usleep(1000);
  {
    OutputFile file(Path("pipe"));
    close(probe);
    const OutputFile moved = std::move(file);
    moved.Write(text);
  }
  int status = -1;
  waitpid(reader, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_fifo(Path("pipe")));
}

// They are refused before the work, and without waiting for a reader.
TEST_F(OutputFileTest, RefusesAPipeThatNobodyReadsAndASocket) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_THROW(OutputFile(Path("pipe")), BadUsage);
  const int bound = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = Path("socket");
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(bound, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THROW(OutputFile{path}, BadUsage);
  close(bound);
  EXPECT_EQ(Listing(), "pipe socket ");
}

TEST_F(OutputFileTest, RefusesBeforeTheWorkWhatCannotBeWritten) {
  EXPECT_THROW(OutputFile("/nosuch/folder/file"), BadInput);
  EXPECT_THROW(OutputFile("/proc/file"), BadInput);
  EXPECT_THROW(OutputFile(Path("")), BadInput) << "a folder";
  EXPECT_THROW(OutputFile(Path("a/b")), BadInput);
  Put("file", "");
  EXPECT_THROW(OutputFile(Path("file/b")), BadInput);
  EXPECT_THROW(OutputFile(Path(std::string(300, 'x'))), BadInput);
}

TEST_F(OutputFileTest, RefusesTwoOutputsOfOneName) {
  fs::create_symlink("a", Path("link"));
  {
    const OutputFile first(Path("a"));
    EXPECT_THROW(OutputFile(Path("a")), BadUsage);
    EXPECT_THROW(OutputFile(Path("./a")), BadUsage);
    EXPECT_THROW(OutputFile(Path("link")), BadUsage);
    const OutputFile other(Path("b"));
    const OutputFile terminal("/dev/null"), again("/dev/null");
  }
  OutputFile(Path("a")).Write("later");
  EXPECT_EQ(ReadAll(Path("a")), "later");
}

TEST_F(OutputFileTest, IsNotReadBeforeItIsWritten) {
  Put("a", "old");
  fs::create_symlink("a", Path("link"));
  {
    const OutputFile file(Path("a"));
    EXPECT_THROW(ReadFileBytes(Path("a")), BadUsage);
    EXPECT_THROW(ReadFileBytes(Path("link")), BadUsage);
    EXPECT_EQ(ReadAll(Path("a")), "old");
    Put("b", "of another");
    EXPECT_EQ(ReadFileText(Path("b")), "of another");
    file.Write("new");
    EXPECT_EQ(ReadFileText(Path("a")), "new");
  }
  const OutputFile file(Path("a"), Path("link")), other(Path("b"), Path("a"));
  EXPECT_EQ(ReadFileText(Path("a")), "new");
  EXPECT_THROW(ReadFileBytes(Path("b")), BadUsage) << "may replace another file";
}

TEST_F(OutputFileTest, LeavesFilesOfOthersAlone) {
  Put("out.part", "the user's own");
  OutputFile(Path("out")).Write("text");
  EXPECT_EQ(ReadAll(Path("out.part")), "the user's own");
}

TEST_F(OutputFileTest, LeavesTheOldFileWhenTheNewOneDoesNotFit) {
  Put("a", "old");
  const OutputFile file(Path("a"));
  signal(SIGXFSZ, SIG_IGN);  // As RunMain does.
  const rlimit small = {100, RLIM_INFINITY};
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(file.Write(std::string(1000, 'x')), BadInput);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(ReadAll(Path("a")), "old");
  EXPECT_EQ(Listing(), "a ");
}

}  // namespace
}  // namespace lutra::host

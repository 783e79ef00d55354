// SPDX-License-Identifier: Apache-2.0
// Tests that folders and processes are removed when the program ends, however it ends.

#include "host/guardian.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include "host/interrupt.h"
#include "host/testing/program.h"

namespace lutra::host {
namespace {

namespace fs = std::filesystem;

bool ComesTrue(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

// A process that owns a folder with files, and a group of two sleeping processes.
struct Owner {
  pid_t pid = -1, sleeper = -1, child = -1;
};

Owner StartOwner(const std::string& folder) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  Owner owner;
  owner.pid = fork();
  if (owner.pid == 0) {
    const pid_t sleeper = fork();
    if (sleeper == 0) {
      setpgid(0, 0);
      const pid_t child = fork();
      const pid_t both[] = {getpid(), child};
      if (child != 0 && write(ends[1], both, sizeof both) != sizeof both) _exit(1);
      for (;;) pause();
    }
    setpgid(sleeper, sleeper);
    const auto* const guarded = new Guarded(Guarded::kFolder, folder);
    const auto* const file = new Guarded(Guarded::kFile, folder + ".file");
    std::ofstream(folder + ".file") << "text";
    const auto* const group = new Guarded(Guarded::kProcessGroup, std::to_string(sleeper));
    fs::create_directories(folder + "/a/b");
    std::ofstream(folder + "/a/b/file") << "text";
    for (;;) pause();
    delete group;
    delete file;
    delete guarded;
  }
  pid_t both[2] = {};
  EXPECT_EQ(read(ends[0], both, sizeof both), static_cast<ssize_t>(sizeof both));
  close(ends[0]);
  close(ends[1]);
  owner.sleeper = both[0];
  owner.child = both[1];
  EXPECT_TRUE(ComesTrue([&] { return fs::exists(folder + "/a/b/file"); }));
  return owner;
}

// Returns whether the process has ended. In a container no process may reap orphans, so zombies count as
// ended.
bool IsGone(pid_t pid) {
  if (kill(pid, 0) != 0) return true;
  // The file of a process that ends meanwhile is empty.
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  return stat.empty() || stat.find(") Z ") != std::string::npos;
}

class GuardianTest : public testing::TestWithParam<int> {};

TEST_P(GuardianTest, CleansUpAfterASignal) {
  const ScratchFolder scratch;
  const std::string folder = scratch / "guarded";
  const Owner owner = StartOwner(folder);
  EXPECT_FALSE(IsGone(owner.sleeper) || IsGone(owner.child));
  kill(owner.pid, GetParam());
  int status = 0;
  waitpid(owner.pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(ComesTrue([&] { return !fs::exists(folder) && !fs::exists(folder + ".file"); }));
  EXPECT_TRUE(ComesTrue([&] { return IsGone(owner.sleeper) && IsGone(owner.child); }));
}

INSTANTIATE_TEST_SUITE_P(Signals, GuardianTest, testing::Values(SIGKILL, SIGINT, SIGTERM, SIGHUP));

TEST(Guarded, GoesWithTheObject) {
  const ScratchFolder scratch;
  const std::string folder = scratch / "guarded";
  {
    const Guarded guarded(Guarded::kFolder, folder);
    fs::create_directories(folder + "/a");
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Guarded, IsAFileThatMayBeReleased) {
  const ScratchFolder scratch;
  for (const bool is_released : {false, true}) {
    const std::string path = scratch / "file";
    {
      Guarded guarded(Guarded::kFile, path);
      std::ofstream(path) << "text";
      if (is_released) guarded.Release();
    }
    EXPECT_EQ(fs::exists(path), is_released);
  }
}

TEST(InterruptScope, NotesTheFirstSignalAndEndsAtTheSecond) {
  const pid_t pid = fork();
  if (pid == 0) {
    {
      const InterruptScope scope;
      if (InterruptSignal() != 0) _exit(1);
      raise(SIGTERM);
      if (InterruptSignal() != SIGTERM) _exit(2);
    }
    const InterruptScope scope;
    raise(SIGINT);
    if (InterruptSignal() != SIGTERM) _exit(3);
    raise(SIGINT);
    _exit(4);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << WEXITSTATUS(status);
}

TEST(InterruptScope, LeavesAloneWhatIsIgnored) {
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGHUP, SIG_IGN);  // nohup
    const InterruptScope scope;
    raise(SIGHUP);
    _exit(InterruptSignal());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Tests that programs are started with their streams, and end with all that they started.

#include "host/process_group.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>

namespace lutra::host {
namespace {

using Words = std::vector<std::string>;

Words Shell(const std::string& line) { return {"/bin/sh", "-c", line}; }

// Runs a line to its end, and returns how it ended.
std::string RunShell(const std::string& line, const StandardStreams& streams = {}) {
  ProcessGroup group(Shell(line), streams);
  group.WaitForEnd();
  return HowItEnded(group.End());
}

// A pipe, of which a program gets one end.
struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    from = Descriptor(ends[0]);
    to = Descriptor(ends[1]);
  }
  // Reads until all other ends are closed.
  std::string Rest() {
    to.Close();
    std::string text(4096, '\0');
    size_t size = 0;
    for (ssize_t count; (count = read(from.get(), &text[size], text.size() - size)) > 0;) {
      size += static_cast<size_t>(count);
    }
    text.resize(size);
    return text;
  }
  Descriptor from, to;
};

// Zombies count as ended: who reaps them is the system's business.
bool Runs(pid_t process) {
  const Descriptor descriptor(open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY));
  char text[256] = {};
  if (read(descriptor.get(), text, sizeof text - 1) <= 0) return false;
  const std::string stat = text;
  const size_t name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] != 'Z';
}

bool EndsSoon(pid_t process) {
  for (int i = 0; i < 2000 && Runs(process); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return !Runs(process);
}

TEST(ProcessGroup, SaysHowTheProgramEnded) {
  EXPECT_EQ(RunShell("exit 0"), "exit code 0");
  EXPECT_EQ(RunShell("exit 203"), "exit code 203");
  EXPECT_EQ(RunShell("kill -9 $$"), "signal 9 (Killed)");
}

TEST(ProcessGroup, ConnectsTheStreams) {
  Pipe input, output, errors;
  ASSERT_EQ(write(input.to.get(), "word\n", 5), 5);
  input.to.Close();
  EXPECT_EQ(
      RunShell("read a; echo out $a; echo err $a >&2", {input.from.get(), output.to.get(), errors.to.get()}),
      "exit code 0");
  EXPECT_EQ(output.Rest(), "out word\n");
  EXPECT_EQ(errors.Rest(), "err word\n");
}

TEST(ProcessGroup, RestoresTheSignalsThatThisProcessIgnores) {
  for (const int number : {SIGPIPE, SIGXFSZ}) {
    const auto before = signal(number, SIG_IGN);
    EXPECT_EQ(RunShell("kill -" + std::to_string(number) + " $$").substr(0, 6), "signal") << number;
    signal(number, before);
  }
}

TEST(ProcessGroup, ThrowsIfTheProgramCannotBeStarted) {
  try {
    ProcessGroup group({"/no/such/program"}, {});
    FAIL() << "it was started";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOENT);
    EXPECT_NE(std::string(error.what()).find("/no/such/program"), std::string::npos) << error.what();
  }
}

TEST(ProcessGroup, EndsWhatTheProgramLeavesBehind) {
  Pipe output;
  ProcessGroup group(Shell("sleep 1000 <&- >&- 2>&- & echo $!"), {-1, output.to.get(), -1});
  const pid_t left = std::atoi(output.Rest().c_str());
  ASSERT_GT(left, 0);
  group.WaitForEnd();
  EXPECT_TRUE(group.HasEnded());
  EXPECT_TRUE(Runs(left));
  EXPECT_EQ(HowItEnded(group.End()), "exit code 0");
  EXPECT_TRUE(EndsSoon(left));
}

TEST(ProcessGroup, EndsAProgramThatRuns) {
  Pipe output;
  std::optional<ProcessGroup> group;
  group.emplace(Shell("echo $$; exec sleep 1000"), StandardStreams{-1, output.to.get(), -1});
  output.to.Close();
  char text[16] = {};
  ASSERT_GT(read(output.from.get(), text, sizeof text - 1), 0);
  const pid_t program = std::atoi(text);
  EXPECT_FALSE(group->HasEnded());
  EXPECT_FALSE(group->WaitForEnd(std::chrono::milliseconds(30)));
  EXPECT_TRUE(Runs(program));
  group.reset();
  EXPECT_FALSE(Runs(program));
}

TEST(ProcessGroup, ReturnsTheSameStatusAgain) {
  ProcessGroup group(Shell("exit 7"), {});
  group.WaitForEnd();
  const int status = group.End();
  EXPECT_EQ(HowItEnded(status), "exit code 7");
  EXPECT_EQ(group.End(), status);
  EXPECT_TRUE(group.HasEnded());
}

TEST(ProcessGroup, ItsDescriptorIsReadableAfterTheEnd) {
  ProcessGroup group(Shell("exit 0"), {});
  if (group.descriptor() < 0) GTEST_SKIP() << "this system has no descriptors of processes";
  pollfd ready = {group.descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&ready, 1, 10'000), 1);
  EXPECT_TRUE(group.HasEnded());
}

}  // namespace
}  // namespace lutra::host

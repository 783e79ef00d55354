// SPDX-License-Identifier: Apache-2.0
// Starts programs without a fork, as a child would inherit locks of this process's threads.

#include "host/process_group.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace lutra::host {

ProcessGroup::ProcessGroup(const std::vector<std::string>& words, const StandardStreams& streams) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (streams.input >= 0) posix_spawn_file_actions_adddup2(&actions, streams.input, STDIN_FILENO);
  if (streams.output >= 0) posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO);
  if (streams.errors >= 0) posix_spawn_file_actions_adddup2(&actions, streams.errors, STDERR_FILENO);
  // This process may ignore these signals, which a program does not expect.
  sigset_t as_usual;
  sigemptyset(&as_usual);
  for (const int number : {SIGPIPE, SIGXFSZ}) sigaddset(&as_usual, number);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigdefault(&attributes, &as_usual);
  // Emulators of a processor start the program as a copy of this one, which cannot say that there is none.
  const bool is_there = access(arguments[0], X_OK) == 0;
  const int error =
      is_there ? posix_spawn(&id_, arguments[0], &actions, &attributes, arguments.data(), environ) : errno;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);
  guarded_ = std::make_unique<Guarded>(Guarded::kProcessGroup, std::to_string(id_));
  descriptor_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id_, 0)));
}

// The program is not reaped while others may be in its group, so that its id is not given to another process.
bool ProcessGroup::HasEnded() const {
  if (guarded_ == nullptr) return true;
  siginfo_t ended = {};
  waitid(P_PID, static_cast<id_t>(id_), &ended, WEXITED | WNOHANG | WNOWAIT);
  return ended.si_pid != 0;
}

bool ProcessGroup::WaitForEnd(std::chrono::duration<double> limit) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  while (!HasEnded()) {
    if (Clock::now() >= deadline) return false;
    // Without a descriptor it looks again after a while.
    constexpr int kMilliseconds = 20;
    pollfd ended = {descriptor(), POLLIN, 0};
    poll(&ended, 1, kMilliseconds);
  }
  return true;
}

int ProcessGroup::End() {
  if (guarded_ == nullptr) return status_;
  guarded_.reset();
  while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) continue;
  descriptor_.Close();
  return status_;
}

std::string HowItEnded(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// A second process cleans up after this one. A socket tells it of each thing, "+f/dev/shm/x" and
// "-f/dev/shm/x", each with a zero byte after it; it acts when the socket ends.

#include "host/guardian.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>

namespace lutra::host {
namespace {

// Removes a thing. `thing`: the kind, and the name.
void Remove(const std::string& thing) {
  const std::string name = thing.substr(1);
  if (thing[0] == Guarded::kFile) {
    unlink(name.c_str());
  } else if (thing[0] == Guarded::kFolder) {
    std::error_code ignored;
    std::filesystem::remove_all(name, ignored);
  } else {
    kill(-static_cast<pid_t>(std::atol(name.c_str())), SIGKILL);
  }
}

// Runs the second process.
[[noreturn]] void Guard(int socket) {
  // It leaves the terminal with its signals, and pipes for whose end others wait.
  setsid();
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  dup2(socket, 0);
  close_range(1, ~0U, 0);
  if (chdir("/") != 0) _exit(0);
  std::set<std::string> things;
  std::string text;
  char chunk[4096];
  for (;;) {
    const ssize_t count = read(0, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(chunk, static_cast<size_t>(count));
    for (size_t end = text.find('\0'); end != std::string::npos; end = text.find('\0')) {
      const std::string thing = text.substr(1, end - 1);
      text[0] == '+' ? (void)things.insert(thing) : (void)things.erase(thing);
      text.erase(0, end + 1);
    }
  }
  // The last things go first. Processes are removed before folders, since they might write into them.
  for (auto thing = things.rbegin(); thing != things.rend(); ++thing) Remove(*thing);
  _exit(0);
}

class Guardian {
 public:
  Guardian() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[1]);
      Guard(ends[0]);
    }
    close(ends[0]);
    socket_ = ends[1];
  }
  ~Guardian() {
    close(socket_);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  void Say(char sign, const std::string& thing) {
    const std::lock_guard lock(mutex_);
    const std::string text = sign + thing + '\0';
    // If the guardian was killed, this shows only when this process is killed, too.
    if (pid_ > 0) send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }

 private:
  std::mutex mutex_;
  pid_t pid_ = -1;
  int socket_ = -1;
};

// Returns the guardian of this process: a forked process does not use its parent's.
Guardian& TheGuardian() {
  static std::mutex mutex;
  static std::unique_ptr<Guardian> guardian;
  static pid_t owner = -1;
  const std::lock_guard lock(mutex);
  if (owner != getpid()) {
    static_cast<void>(guardian.release());
    guardian = std::make_unique<Guardian>();
    owner = getpid();
  }
  return *guardian;
}

}  // namespace

Guarded::Guarded(Kind kind, const std::string& name) : kind_(kind), name_(name) {
  TheGuardian().Say('+', static_cast<char>(kind_) + name_);
}

Guarded::~Guarded() {
  if (is_released_) return;
  Remove(static_cast<char>(kind_) + name_);
  Release();
}

void Guarded::Release() {
  TheGuardian().Say('-', static_cast<char>(kind_) + name_);
  is_released_ = true;
}

}  // namespace lutra::host

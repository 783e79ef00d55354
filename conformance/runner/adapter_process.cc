// SPDX-License-Identifier: Apache-2.0
// Starts an adapter, speaks lines with it, and tells how it ended.

#include "conformance/runner/adapter_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <vector>

#include "host/model_file.h"

namespace lutra::conformance {
namespace {

std::string LastLine(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last.substr(0, 300);
}

// Pipes of one adapter must not be inherited by another, or neither ever sees its end.
std::mutex fork_mutex;

}  // namespace

AdapterProcess::AdapterProcess(std::string command, std::chrono::milliseconds timeout)
    : command_(std::move(command)), timeout_(timeout) {
  // Writing to an adapter that has died is an answer, not the end of this program.
  signal(SIGPIPE, SIG_IGN);
}

AdapterProcess::~AdapterProcess() {
  if (pid_ > 0) Send("bye");
  Stop();
  if (!stderr_.empty()) std::filesystem::remove(stderr_);
}

void AdapterProcess::Start() {
  if (stderr_.empty()) {
    std::string path = (std::filesystem::temp_directory_path() / "lutra_adapter_XXXXXX").string();
    const int file = mkstemp(path.data());
    if (file < 0) throw host::BadInput(fmt::format("{}: {}", path, std::strerror(errno)));
    close(file);
    stderr_ = path;
  }
  {
    const std::lock_guard lock(fork_mutex);
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
      throw host::BadInput(fmt::format("pipe: {}", std::strerror(errno)));
    }
    const std::string line = "exec " + command_;
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);  // A group of its own: what it starts ends with it.
      signal(SIGPIPE, SIG_DFL);
      const int errors = open(stderr_.c_str(), O_WRONLY | O_TRUNC | O_APPEND);
      dup2(to[0], 0);
      dup2(from[1], 1);
      dup2(errors, 2);
      execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
    if (pid_ < 0) throw host::BadInput(fmt::format("fork: {}", std::strerror(errno)));
  }
  received_.Clear();
  std::string line;
  std::optional<std::string> greeting;
  if (Send("hello 1") && Receive(&line) == Line::kOk) greeting = ParseGreeting(line);
  if (!greeting) {
    const std::string said = line.empty() ? LastLine(stderr_) : line;
    Stop();
    throw host::BadInput(
        fmt::format("{}: found \"{}\", required: the answer \"hello 1 NAME VERSION\"; see "
                    "conformance/adapters/protocol.h",
                    command_, said));
  }
  greeting_ = *greeting;
}

void AdapterProcess::Stop() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  to_ = from_ = -1;
  if (pid_ <= 0) return;
  // A short time to leave by itself.
  for (int i = 0; i < 50; ++i) {
    if (waitpid(pid_, nullptr, WNOHANG) != 0) {
      pid_ = -1;
      return;
    }
    usleep(1000);
  }
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

bool AdapterProcess::Send(const std::string& line) {
  const std::string text = line + "\n";
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(to_, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<size_t>(count);
  }
  return true;
}

AdapterProcess::Line AdapterProcess::Receive(std::string* line) {
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  for (;;) {
    if (received_.Take(line)) return Line::kOk;
    if (received_.TooLong()) return Line::kEnd;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Line::kTimeout;
    pollfd ready = {from_, POLLIN, 0};
    const int events = poll(&ready, 1, static_cast<int>(left.count()));
    if (events < 0 && errno == EINTR) continue;
    if (events == 0) return Line::kTimeout;
    char chunk[4096];
    const ssize_t count = read(from_, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Line::kEnd;
    received_.Append(chunk, static_cast<size_t>(count));
  }
}

std::string AdapterProcess::Epitaph() {
  int status = 0;
  std::string text = "it closed its output";
  for (int i = 0; i < 200 && pid_ > 0; ++i) {
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      if (WIFSIGNALED(status)) {
        text = fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
      } else {
        text = fmt::format("exit code {}", WEXITSTATUS(status));
      }
      break;
    }
    usleep(1000);
  }
  const std::string last = LastLine(stderr_);
  return last.empty() ? text : text + ": " + last;
}

const std::string& AdapterProcess::Greeting() {
  if (pid_ <= 0) Start();
  return greeting_;
}

AdapterAnswer AdapterProcess::Run(const std::string& id, const std::filesystem::path& folder) {
  if (pid_ <= 0) Start();
  std::string line;
  const Line received = Send("case " + id + " " + folder.string()) ? Receive(&line) : Line::kEnd;
  if (received == Line::kTimeout) {
    kill(-pid_, SIGKILL);
    Stop();
    return {AdapterAnswer::kTimeout, fmt::format("no answer in {} ms", timeout_.count())};
  }
  if (received == Line::kEnd) {
    AdapterAnswer answer = {AdapterAnswer::kCrash, Epitaph()};
    Stop();
    return answer;
  }
  if (std::optional<AdapterAnswer> answer = ParseAnswer(line)) return *std::move(answer);
  // What follows may be the answer to this case or the next: begin anew.
  kill(-pid_, SIGKILL);
  Stop();
  return {AdapterAnswer::kError, "not an answer of the protocol: " + line.substr(0, 200)};
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Starts an adapter, exchanges lines with it, and reports how it ended.

#include "conformance/runner/adapter_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "host/failures.h"
#include "host/interrupt.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

// The most characters of a line that is quoted.
constexpr size_t kMostCharacters = 300;
// The most bytes of stderr that are quoted, from its end.
constexpr off_t kMostErrorBytes = 4096;
constexpr int kGraceMilliseconds = 50;

[[noreturn]] void Refuse(const std::string& what) {
  throw host::BadInput(fmt::format("{}: {}; allow the process more (ulimit), or use fewer --jobs", what,
                                   std::strerror(errno)));
}

// Opens an unnamed file in the folder for temporary files, which vanishes when its descriptor is closed.
int OpenUnnamedFile() {
  std::string path = (TemporaryFolder() / "lutra_adapter_XXXXXX").string();
  const int file = mkostemp(path.data(), O_CLOEXEC | O_APPEND);
  if (file < 0) Refuse(path);
  unlink(path.c_str());
  return file;
}

std::string StatusText(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

// Starts a shell with these standard streams, in a process group of its own, so that all that it starts can
// be ended with it. Returns -1 and sets errno on failure. It does not fork, as a child would inherit locks of
// this process's threads.
pid_t Spawn(const std::string& line, int input, int output, int errors) {
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&streams, errors, STDERR_FILENO);
  sigset_t as_usual;
  sigemptyset(&as_usual);
  for (const int number : {SIGPIPE, SIGXFSZ}) sigaddset(&as_usual, number);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigdefault(&attributes, &as_usual);
  std::string shell = "sh", option = "-c", script = line;
  char* const arguments[] = {shell.data(), option.data(), script.data(), nullptr};
  pid_t pid = -1;
  errno = posix_spawn(&pid, "/bin/sh", &streams, &attributes, arguments, environ);
  const bool failed = errno != 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&streams);
  return failed ? -1 : pid;
}

// An adapter must not inherit the pipes of another one, as neither would see their end.
std::mutex fork_mutex;

}  // namespace

std::filesystem::path TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (!error) return folder;
  const char* const variable = std::getenv("TMPDIR");
  throw host::BadInput(
      fmt::format("{}: folder for temporary files: {}, required: one that is there; set TMPDIR",
                  variable == nullptr ? "/tmp" : variable, error.message()));
}

AdapterProcess::AdapterProcess(std::string command, std::chrono::milliseconds timeout)
    : command_(std::move(command)), timeout_(timeout) {
  // Writing to an adapter that has ended must return an error, and not end this program.
  signal(SIGPIPE, SIG_IGN);
}

AdapterProcess::~AdapterProcess() {
  if (pid_ > 0) {
    Send("bye", Clock::now());
    Stop(false);
  }
  if (stderr_ >= 0) close(stderr_);
}

void AdapterProcess::Start() {
  if (stderr_ < 0) stderr_ = OpenUnnamedFile();
  {
    const std::lock_guard lock(fork_mutex);
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0) Refuse("pipe");
    if (pipe2(from, O_CLOEXEC) != 0) {
      close(to[0]);
      close(to[1]);
      Refuse("pipe");
    }
    pid_ = Spawn("exec " + command_, to[0], from[1], stderr_);
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
    if (pid_ < 0) Refuse("/bin/sh");
    fcntl(to_, F_SETFL, O_NONBLOCK);
  }
  pid_descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  group_ = std::make_unique<host::Guarded>(host::Guarded::kProcessGroup, std::to_string(pid_));
  received_.Clear();
  std::string line;
  std::optional<std::string> greeting;
  const Clock::time_point deadline = Clock::now() + timeout_;
  Event event = Send("hello 1", deadline);
  if (event == Event::kReady) event = Receive(&line, deadline);
  if (event == Event::kReady) greeting = ParseGreeting(line);
  if (!greeting) {
    const std::string said = event == Event::kReady
                                 ? fmt::format("found \"{}\"", host::Printable(line, kMostCharacters))
                                 : Failed(event).why;
    Stop(true);
    throw host::BadInput(
        fmt::format("{}: {}, required: the answer \"hello 1 NAME VERSION\"; see "
                    "conformance/adapters/protocol.h",
                    command_, said));
  }
  greeting_ = *greeting;
}

std::string AdapterProcess::Stop(bool at_once) {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (pid_descriptor_ >= 0) close(pid_descriptor_);
  to_ = from_ = pid_descriptor_ = -1;
  if (pid_ <= 0) return "";
  // The process is not reaped while others may be in its group, so that its id is not given to another
  // process.
  siginfo_t ended = {};
  for (int i = 0; !at_once && i < kGraceMilliseconds && ended.si_pid == 0; ++i) {
    waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == 0) usleep(1000);
  }
  group_.reset();
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return StatusText(status);
}

AdapterProcess::Event AdapterProcess::Wait(int descriptor, short events, Clock::time_point deadline) const {
  for (;;) {
    if (host::InterruptSignal() != 0) return Event::kInterrupted;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Event::kTimeout;
    pollfd ready[] = {
        {descriptor, events, 0}, {pid_descriptor_, POLLIN, 0}, {host::InterruptDescriptor(), POLLIN, 0}};
    if (poll(ready, 3, static_cast<int>(std::min<int64_t>(left, INT32_MAX))) <= 0) continue;
    if (ready[0].revents != 0) return Event::kReady;
    // The process has ended, and a child of it keeps the pipe open.
    if (ready[1].revents != 0) return Event::kEnd;
  }
}

AdapterProcess::Event AdapterProcess::Send(const std::string& line, Clock::time_point deadline) {
  const std::string text = line + "\n";
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(to_, text.data() + sent, text.size() - sent);
    if (count > 0) {
      sent += static_cast<size_t>(count);
    } else if (count < 0 && errno == EAGAIN) {
      if (const Event event = Wait(to_, POLLOUT, deadline); event != Event::kReady) return event;
    } else if (count == 0 || errno != EINTR) {
      return Event::kEnd;
    }
  }
  return Event::kReady;
}

AdapterProcess::Event AdapterProcess::Receive(std::string* line, Clock::time_point deadline) {
  for (;;) {
    if (received_.Take(line)) return Event::kReady;
    if (received_.TooLong()) {
      // The line is incomplete, so it is no answer.
      *line = received_.Rest();
      return Event::kReady;
    }
    if (const Event event = Wait(from_, POLLIN, deadline); event != Event::kReady) return event;
    char chunk[4096];
    const ssize_t count = read(from_, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Event::kEnd;
    received_.Append(chunk, static_cast<size_t>(count));
  }
}

std::string AdapterProcess::Unasked() {
  pollfd ready = {from_, POLLIN, 0};
  if (received_.Rest().empty() && poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0) {
    char chunk[4096];
    const ssize_t count = read(from_, chunk, sizeof chunk);
    if (count > 0) received_.Append(chunk, static_cast<size_t>(count));
  }
  return received_.Rest();
}

std::string AdapterProcess::WithLastWords(const std::string& text) const {
  struct stat file = {};
  if (fstat(stderr_, &file) != 0) return text;
  const off_t begin = std::max(stderr_begin_, file.st_size - kMostErrorBytes);
  std::string words(static_cast<size_t>(std::max<off_t>(file.st_size - begin, 0)), '\0');
  const ssize_t count = pread(stderr_, words.data(), words.size(), begin);
  words.resize(count < 0 ? 0 : static_cast<size_t>(count));
  words.erase(words.find_last_not_of("\r\n") + 1);
  words.erase(0, words.find_last_of("\r\n") + 1);
  return words.empty() ? text : text + ": " + host::Printable(words, kMostCharacters);
}

AdapterAnswer AdapterProcess::Failed(Event event) {
  if (event == Event::kInterrupted) {
    Stop(true);
    return {AdapterAnswer::kInterrupted, "interrupted"};
  }
  if (event == Event::kTimeout) {
    Stop(true);
    return {AdapterAnswer::kTimeout, fmt::format("no answer in {} ms", timeout_.count())};
  }
  // A process that closed its output but runs on is ended here; the report must not say that a signal ended
  // it.
  const bool runs_on = [this] {
    siginfo_t ended = {};
    for (int i = 0; i < 4 * kGraceMilliseconds; ++i) {
      waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (ended.si_pid != 0) return false;
      usleep(1000);
    }
    return true;
  }();
  const std::string end = Stop(true);
  return {AdapterAnswer::kCrash, WithLastWords(runs_on ? "it closed its output" : end)};
}

void AdapterProcess::Restart() { Stop(true); }

const std::string& AdapterProcess::Greeting() {
  if (pid_ <= 0) Start();
  return greeting_;
}

AdapterAnswer AdapterProcess::Run(const std::string& id, const std::filesystem::path& folder) {
  if (pid_ > 0) {
    if (const std::string words = Unasked(); !words.empty()) {
      Stop(true);
      return {AdapterAnswer::kError, "spoke without being asked: " +
                                         host::Printable(words.substr(0, words.find('\n')), kMostCharacters)};
    }
  }
  if (pid_ <= 0) Start();
  struct stat file = {};
  if (fstat(stderr_, &file) == 0) stderr_begin_ = file.st_size;
  std::string line;
  const Clock::time_point deadline = Clock::now() + timeout_;
  Event event = Send("case " + id + " " + folder.string(), deadline);
  if (event == Event::kReady) event = Receive(&line, deadline);
  if (event != Event::kReady) return Failed(event);
  std::optional<AdapterAnswer> answer = ParseAnswer(line);
  if (!answer) {
    answer = {AdapterAnswer::kError,
              "not an answer of the protocol: " + host::Printable(line, kMostCharacters)};
  } else if (const std::string more = Unasked(); !more.empty()) {
    answer = {AdapterAnswer::kError, "more than one answer: " + host::Printable(more, kMostCharacters)};
  } else {
    return *std::move(answer);
  }
  // A later line may answer this case or the next one, so the adapter is started anew.
  Stop(true);
  return *std::move(answer);
}

}  // namespace lutra::conformance

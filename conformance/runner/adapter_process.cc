// SPDX-License-Identifier: Apache-2.0
// Starts an adapter, exchanges lines with it, and reports how it ended.

#include "conformance/runner/adapter_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "host/failures.h"
#include "host/interrupt.h"
#include "host/printable.h"
#include "host/temporary_file.h"

namespace lutra::conformance {
namespace {

// The most characters of a line that is quoted.
constexpr size_t kMostCharacters = 300;
// The most bytes of stderr that are quoted, from its end.
constexpr off_t kMostErrorBytes = 4096;
constexpr int kGraceMilliseconds = 50;

[[noreturn]] void Refuse(const std::string& what, int error = errno) {
  throw host::BadInput(fmt::format("{}: {}; allow the process more (ulimit), or use fewer --jobs", what,
                                   std::strerror(error)));
}

}  // namespace

AdapterProcess::AdapterProcess(std::string command, std::chrono::milliseconds timeout)
    : command_(std::move(command)), timeout_(timeout) {
  // Writing to an adapter that has ended must return an error, and not end this program.
  signal(SIGPIPE, SIG_IGN);
}

AdapterProcess::~AdapterProcess() {
  if (!group_) return;
  Send("bye", Clock::now());
  Stop(false);
}

void AdapterProcess::Start() {
  if (stderr_.get() < 0) stderr_ = host::OpenTemporaryFile();
  // No other adapter inherits these pipes, as none would then see their end.
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0) Refuse("pipe");
  const host::Descriptor its_input(to[0]);
  to_ = host::Descriptor(to[1]);
  if (pipe2(from, O_CLOEXEC) != 0) Refuse("pipe");
  const host::Descriptor its_output(from[1]);
  from_ = host::Descriptor(from[0]);
  const host::StandardStreams streams = {its_input.get(), its_output.get(), stderr_.get()};
  try {
    group_.emplace(std::vector<std::string>{"/bin/sh", "-c", "exec " + command_}, streams);
  } catch (const std::system_error& error) {
    Refuse("/bin/sh", error.code().value());
  }
  fcntl(to_.get(), F_SETFL, O_NONBLOCK);
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
  to_.Close();
  from_.Close();
  if (!group_) return "";
  for (int i = 0; !at_once && i < kGraceMilliseconds && !group_->HasEnded(); ++i) usleep(1000);
  const int status = group_->End();
  group_.reset();
  return host::HowItEnded(status);
}

AdapterProcess::Event AdapterProcess::Wait(int descriptor, short events, Clock::time_point deadline) const {
  for (;;) {
    if (host::InterruptSignal() != 0) return Event::kInterrupted;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Event::kTimeout;
    pollfd ready[] = {
        {descriptor, events, 0}, {group_->descriptor(), POLLIN, 0}, {host::InterruptDescriptor(), POLLIN, 0}};
    if (poll(ready, 3, static_cast<int>(std::min<int64_t>(left, INT32_MAX))) <= 0) continue;
    if (ready[0].revents != 0) return Event::kReady;
    // The process has ended, and a child of it keeps the pipe open.
    if (ready[1].revents != 0) return Event::kEnd;
  }
}

AdapterProcess::Event AdapterProcess::Send(const std::string& line, Clock::time_point deadline) {
  const std::string text = line + "\n";
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(to_.get(), text.data() + sent, text.size() - sent);
    if (count > 0) {
      sent += static_cast<size_t>(count);
    } else if (count < 0 && errno == EAGAIN) {
      if (const Event event = Wait(to_.get(), POLLOUT, deadline); event != Event::kReady) return event;
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
    if (const Event event = Wait(from_.get(), POLLIN, deadline); event != Event::kReady) return event;
    char chunk[4096];
    const ssize_t count = read(from_.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Event::kEnd;
    received_.Append(chunk, static_cast<size_t>(count));
  }
}

std::string AdapterProcess::Unasked() {
  pollfd ready = {from_.get(), POLLIN, 0};
  if (received_.Rest().empty() && poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0) {
    char chunk[4096];
    const ssize_t count = read(from_.get(), chunk, sizeof chunk);
    if (count > 0) received_.Append(chunk, static_cast<size_t>(count));
  }
  return received_.Rest();
}

std::string AdapterProcess::WithLastWords(const std::string& text) const {
  struct stat file = {};
  if (fstat(stderr_.get(), &file) != 0) return text;
  const off_t begin = std::max(stderr_begin_, file.st_size - kMostErrorBytes);
  std::string words(static_cast<size_t>(std::max<off_t>(file.st_size - begin, 0)), '\0');
  const ssize_t count = pread(stderr_.get(), words.data(), words.size(), begin);
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
  for (int i = 0; i < 4 * kGraceMilliseconds && !group_->HasEnded(); ++i) usleep(1000);
  const bool runs_on = !group_->HasEnded();
  const std::string end = Stop(true);
  return {AdapterAnswer::kCrash, WithLastWords(runs_on ? "it closed its output" : end)};
}

void AdapterProcess::Restart() { Stop(true); }

const std::string& AdapterProcess::Greeting() {
  if (!group_) Start();
  return greeting_;
}

AdapterAnswer AdapterProcess::Run(const std::string& id, const std::filesystem::path& folder) {
  if (group_) {
    if (const std::string words = Unasked(); !words.empty()) {
      Stop(true);
      return {AdapterAnswer::kError, "spoke without being asked: " +
                                         host::Printable(words.substr(0, words.find('\n')), kMostCharacters)};
    }
  }
  if (!group_) Start();
  struct stat file = {};
  if (fstat(stderr_.get(), &file) == 0) stderr_begin_ = file.st_size;
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

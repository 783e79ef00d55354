// SPDX-License-Identifier: Apache-2.0
// Runs processes of the old and the new program, one after the other.

#include "bench/turns.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>

#include "host/failures.h"
#include "host/printable.h"
#include "host/process_group.h"
#include "host/progress.h"
#include "host/result_json.h"
#include "host/temporary_file.h"

namespace lutra::bench {
namespace {

// The inferences of a turn take about this long, and those in which operators are timed as long again.
constexpr int64_t kTurnNs = 50'000'000;
constexpr int64_t kLeastRunsOfTurn = 5, kMostRunsOfTurn = 100'000;
constexpr size_t kMostCharacters = 300;
// A result has some kilobytes; a program that writes without end must not fill the disk.
constexpr rlim_t kMostBytes = 64'000'000;

// Returns all that was written to a file.
std::string TextOf(const host::Descriptor& file) {
  std::string text;
  char part[4096];
  for (ssize_t count; (count = pread(file.get(), part, sizeof part, static_cast<off_t>(text.size()))) > 0;) {
    text.append(part, static_cast<size_t>(count));
  }
  return text;
}

// While it lives, a process that starts cannot write more than this many bytes to a file.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {std::min(bytes, before_.rlim_cur), before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_ = {};
};

// Runs a program to its end, and returns its status of waitpid. Throws BadInput if it takes longer than
// `timeout_seconds`.
int RunToEnd(const std::string& program, const std::vector<std::string>& arguments, double timeout_seconds,
             const host::Descriptor& output, const host::Descriptor& errors) try {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::optional<host::ProcessGroup> group;
  {
    const FileSizeLimit limit(kMostBytes);
    group.emplace(words, host::StandardStreams{-1, output.get(), errors.get()});
  }
  if (!group->WaitForEnd(std::chrono::duration<double>(timeout_seconds))) {
    throw host::BadInput(fmt::format("{}: found no result after {} s, required: one; see --timeout", program,
                                     timeout_seconds));
  }
  return group->End();
} catch (const std::system_error& error) {
  throw host::BadInput(fmt::format("{}: {}, required: a generic_benchmark to run; check --against", program,
                                   std::strerror(error.code().value())));
}

// Returns the quickest inference of a turn. Other programs on the machine slow some turns by half, but hardly
// ever all inferences of one.
int64_t QuickestOf(const host::ResultFile& file, const std::string& program) {
  const host::Figure min_ns = file.models->front().inference.min_ns;
  if (min_ns && *min_ns > 0) return *min_ns;
  throw host::BadInput(
      fmt::format("{}: found no time, required: a clock that goes on; use --baseline", program));
}

}  // namespace

host::ResultFile RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                            double timeout_seconds) {
  const host::Descriptor output = host::OpenTemporaryFile(), errors = host::OpenTemporaryFile();
  const int status = RunToEnd(program, arguments, timeout_seconds, output, errors);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string errors_text = TextOf(errors);
    const std::string said = errors_text.substr(0, errors_text.find('\n'));
    throw host::BadInput(fmt::format("{}: {}{}; it must take {}", program, host::HowItEnded(status),
                                     said.empty() ? "" : ": " + host::Printable(said, kMostCharacters),
                                     arguments.back()));
  }
  host::ResultFile file = host::ParseResultJson(TextOf(output), program);
  if (!file.models || file.models->size() != 1 || file.models->front().refused()) {
    throw host::BadInput(
        fmt::format("{}: found no result of the model, required: one; is it a generic_benchmark?", program));
  }
  return file;
}

OldRun RunInTurns(const std::string& program, const std::vector<std::string>& arguments, int turns,
                  double timeout_seconds) {
  // A link that the kernel follows, whatever the program's name is.
  const std::string self = "/proc/self/exe";
  const auto with = [&arguments](std::vector<std::string> more) {
    more.insert(more.end(), arguments.begin(), arguments.end());
    return more;
  };
  const host::ResultFile first = RunProgram(program, with({"--format=json", "--runs=5"}), timeout_seconds);
  OldRun old = {first.models->front(), {first.environment.commit, {}}};
  const int64_t runs = std::clamp(kTurnNs / QuickestOf(first, program), kLeastRunsOfTurn, kMostRunsOfTurn);
  std::vector<std::string> options = {"--format=json", fmt::format("--runs={}", runs)};
  if (std::find(arguments.begin(), arguments.end(), "--no-arena-search") == arguments.end())
    options.emplace_back("--no-arena-search");
  const auto turn = with(std::move(options));
  const auto quickest_of = [&](const std::string& of) {
    return QuickestOf(RunProgram(of, turn, timeout_seconds), of);
  };
  std::vector<int64_t> old_ns, new_ns;
  host::Progress progress("in turns");
  for (int i = 0; i < turns; ++i) {
    // Each program is the first equally often.
    const bool is_old_first = i % 2 == 0;
    if (is_old_first) old_ns.push_back(quickest_of(program));
    new_ns.push_back(quickest_of(self));
    if (!is_old_first) old_ns.push_back(quickest_of(program));
    progress.Update(i + 1, turns);
  }
  old.against.times = host::RatioOf(old_ns, new_ns);
  return old;
}

}  // namespace lutra::bench

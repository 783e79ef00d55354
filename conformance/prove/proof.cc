// SPDX-License-Identifier: Apache-2.0
// Starts the proving program, reads its lines, and adds the parts.

#include "conformance/prove/proof.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <sstream>
#include <system_error>

#include "host/descriptor.h"
#include "host/failures.h"
#include "host/interrupt.h"
#include "host/jobs.h"
#include "host/printable.h"
#include "host/process_group.h"

namespace lutra::conformance {
namespace {

// Longer output is not that of a proof: the program prints a line for each variant.
constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostCounterexamples = 20;

// Reads the words of a line, one after the other.
class Words {
 public:
  Words(const std::string& line, const std::string& name) : line_(line), name_(name), words_(line) {}

  std::string Next() {
    std::string word;
    if (!(words_ >> word)) Wrong("a word");
    return word;
  }
  void Expect(const char* word) {
    if (Next() != word) Wrong(fmt::format("the word \"{}\"", word));
  }
  int64_t Number(const char* word) {
    Expect(word);
    return Parse<int64_t>(10);
  }
  uint32_t Hex() { return Parse<uint32_t>(16); }
  void ExpectEnd() {
    std::string word;
    if (words_ >> word) Wrong("the end of the line");
  }
  std::string Rest() {
    std::string rest;
    std::getline(words_ >> std::ws, rest);
    return rest;
  }
  [[noreturn]] void Wrong(const std::string& required) const {
    throw host::BadInput(name_, fmt::format("the line \"{}\"", host::Printable(line_, 200)), required);
  }

 private:
  template <typename T>
  T Parse(int base) {
    const std::string word = Next();
    T value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (error != std::errc() || end != word.data() + word.size() || word[0] == '-') Wrong("a count");
    return value;
  }

  const std::string& line_;
  const std::string& name_;
  std::istringstream words_;
};

Proof ParseProof(Words& words) {
  Proof proof;
  proof.table = words.Next();
  proof.variant = words.Next();
  proof.blocks = words.Number("blocks");
  proof.of = words.Number("of");
  proof.cases = words.Number("cases");
  proof.reference = words.Number("reference");
  words.Expect("values");
  for (uint32_t& word : proof.values) word = words.Hex();
  proof.wrong = words.Number("wrong");
  words.ExpectEnd();
  if (proof.blocks > proof.of || proof.wrong > proof.cases || proof.reference > proof.cases) {
    words.Wrong("at most all blocks, and at most all cases");
  }
  // A proof has blocks if and only if it has cases.
  if ((proof.blocks == 0) != (proof.cases == 0)) words.Wrong("cases in each block");
  return proof;
}

struct Ended {
  std::string output;
  int code = 0;
};

[[noreturn]] void Refuse(const std::string& line, int error) {
  throw host::BadInput(fmt::format("{}: {}; allow the process more (ulimit), or use fewer --jobs",
                                   host::Printable(line), std::strerror(error)));
}

// Waits until a descriptor is readable. Returns false after a signal.
bool IsReadable(int descriptor) {
  while (host::InterruptSignal() == 0) {
    pollfd ready[] = {{descriptor, POLLIN, 0}, {host::InterruptDescriptor(), POLLIN, 0}};
    if (poll(ready, 2, -1) > 0 && ready[0].revents != 0) return true;
  }
  return false;
}

// Starts a shell that reads nothing, and writes to the pipe.
std::unique_ptr<host::ProcessGroup> StartShell(const std::string& line, host::Descriptor output) try {
  const host::Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  return std::make_unique<host::ProcessGroup>(std::vector<std::string>{"/bin/sh", "-c", line},
                                              host::StandardStreams{nothing.get(), output.get()});
} catch (const std::system_error& error) {
  Refuse(line, error.code().value());
}

// Runs a line to its end, or until a signal comes: then all that it started is ended.
Ended RunShell(const std::string& line) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Refuse(line, errno);
  const host::Descriptor from(ends[0]);
  const std::unique_ptr<host::ProcessGroup> shell = StartShell(line, host::Descriptor(ends[1]));
  Ended ended;
  char bytes[4096];
  while (IsReadable(from.get())) {
    const ssize_t count = read(from.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    if (ended.output.size() < kMostBytes) ended.output.append(bytes, static_cast<size_t>(count));
  }
  // A shell that has closed its output may run on.
  if (shell->descriptor() >= 0) IsReadable(shell->descriptor());
  if (host::InterruptSignal() == 0) shell->WaitForEnd();
  const int status = shell->End();
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

std::string LineOf(const ProofRequest& request, int job) {
  std::string line = fmt::format("{} '{}' '{}'", request.command, request.table, request.variant);
  if (request.sample > 1) return line + fmt::format(" sample {} {}", request.seed, request.sample);
  const int part = (request.shard.index - 1) * request.jobs + job + 1;
  return line + fmt::format(" part {} {}", part, request.shard.count * request.jobs);
}

ProofRun RunPart(const ProofRequest& request, int job) {
  const std::string line = LineOf(request, job);
  const Ended ended = RunShell(line);
  if (host::InterruptSignal() != 0) return {};
  const std::string name = host::Printable(line);
  const ProofRun run = ParseProofLines(ended.output, name);
  int64_t wrong = 0;
  for (const Proof& proof : run.proofs) wrong += proof.wrong;
  // Exit code 3 means that nothing was proved, as the lines say, too.
  const int required = run.proofs.empty() ? 3 : wrong > 0 ? 1 : 0;
  if (ended.code != required) {
    throw host::BadInput(name, fmt::format("exit code {}", ended.code),
                         fmt::format("{}, as its lines say", required));
  }
  return run;
}

}  // namespace

int Proof::DistinctValues() const {
  int count = 0;
  for (const uint32_t word : values) count += std::popcount(word);
  return count;
}

void Proof::Add(const Proof& part) {
  blocks += part.blocks;
  cases += part.cases;
  reference += part.reference;
  for (size_t i = 0; i < values.size(); ++i) values[i] |= part.values[i];
  wrong += part.wrong;
}

ProofRun ParseProofLines(const std::string& text, const std::string& name) {
  if (text.size() >= kMostBytes) throw host::BadInput(name, "a megabyte and more", "a line for each variant");
  ProofRun run;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    // As in all reports of firmware, other text of a line or of a board is ignored.
    const size_t begin = line.find("lutra1 ");
    if (begin == std::string::npos) continue;
    line.erase(0, begin);
    Words words(line, name);
    words.Expect("lutra1");
    const std::string kind = words.Next();
    if (kind == "build") {
      run.platform = words.Next();
      run.rounding = words.Next();
      run.compiler = words.Rest();
    } else if (kind == "proof") {
      run.proofs.push_back(ParseProof(words));
    } else if (kind == "skipped") {
      const std::string table = words.Next();
      run.skipped.push_back({table, words.Next()});
    } else if (kind == "counterexample") {
      if (run.counterexamples.size() < kMostCounterexamples) run.counterexamples.push_back(words.Rest());
    } else {
      words.Wrong("lines of prove_kernels");
    }
  }
  if (run.compiler.empty()) throw host::BadInput(name, "no line \"lutra1 build\"", "lines of prove_kernels");
  return run;
}

void AddPart(const ProofRun& part, const std::string& name, ProofRun* whole) {
  const auto same = [](const ProofRun& a, const ProofRun& b) {
    if (a.platform != b.platform || a.rounding != b.rounding || a.compiler != b.compiler) return false;
    if (a.skipped != b.skipped || a.proofs.size() != b.proofs.size()) return false;
    for (size_t i = 0; i < a.proofs.size(); ++i) {
      const ProvedVariant &one = a.proofs[i], &other = b.proofs[i];
      if (one != other || a.proofs[i].of != b.proofs[i].of) return false;
    }
    return true;
  };
  if (!same(part, *whole))
    throw host::BadInput(name, "other proofs, or another build, than another part's", "parts of one proof");
  for (size_t i = 0; i < part.proofs.size(); ++i) whole->proofs[i].Add(part.proofs[i]);
  for (const std::string& text : part.counterexamples) {
    if (whole->counterexamples.size() < kMostCounterexamples) whole->counterexamples.push_back(text);
  }
}

ProofRun RunProofProgram(const ProofRequest& request) {
  const int jobs = request.sample > 1 ? 1 : request.jobs;
  std::vector<ProofRun> parts(static_cast<size_t>(jobs));
  host::RunJobs(jobs, [&](int job) { parts[static_cast<size_t>(job)] = RunPart(request, job); });
  if (host::InterruptSignal() != 0) return {};
  ProofRun whole = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) AddPart(parts[i], host::Printable(request.command), &whole);
  return whole;
}

}  // namespace lutra::conformance

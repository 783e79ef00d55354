// SPDX-License-Identifier: Apache-2.0
// Starts the proving program, reads its lines, and adds the parts.

#include "conformance/prove/proof.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "host/failures.h"
#include "host/interrupt.h"
#include "host/jobs.h"
#include "host/printable.h"

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

// popen does not say why a command failed; its exit code does.
Ended RunShell(const std::string& line) {
  std::FILE* const pipe = popen(line.c_str(), "re");
  if (pipe == nullptr)
    throw host::BadInput(fmt::format("{}: {}", host::Printable(line), std::strerror(errno)));
  Ended ended;
  char bytes[4096];
  while (const size_t count = std::fread(bytes, 1, sizeof bytes, pipe)) {
    if (ended.output.size() < kMostBytes) ended.output.append(bytes, count);
  }
  const int status = pclose(pipe);
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

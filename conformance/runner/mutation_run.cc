// SPDX-License-Identifier: Apache-2.0
// Copies the sources, builds the copies, and runs cases on them.

#include "conformance/runner/mutation_run.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/runner/case_run.h"
#include "conformance/runner/corpus.h"
#include "conformance/runner/expected_outputs.h"
#include "conformance/runner/run.h"
#include "conformance/runner/verdict.h"
#include "host/glob.h"
#include "host/interrupt.h"
#include "host/jobs.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/parse_json.h"
#include "host/progress.h"
#include "host/sha256.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

constexpr char kResults[] = "results.jsonl";

std::string Hash(const std::string& text) { return host::Sha256(text.data(), text.size()); }

std::string HashOf(const Case& test) {
  std::string text = test.id + "\n" + host::Sha256(test.model.data(), test.model.size());
  for (const oracle::Bytes& input : test.inputs) text += host::Sha256(input.data(), input.size());
  return Hash(text);
}

// ---- A copy of the sources.

class Tree {
 public:
  Tree(const fs::path& sources, const fs::path& folder)
      : sources_(sources), folder_(folder), build_(folder / "build"), log_(folder.string() + ".log") {
    fs::create_directories(folder_);
    Copy();
  }
  // Writes `text` to a file of the copy.
  void Write(const std::string& file, const std::string& text) const {
    host::WriteFileBytes(folder_ / file, text.data(), text.size());
  }
  void Restore(const std::string& file) const { Write(file, host::ReadFileText(sources_ / file)); }

  // Returns false if the copy does not build; throws BadInput if the build cannot be configured.
  bool Build() const {
    if (!fs::exists(build_ / "CMakeCache.txt")) {
      const std::string line = fmt::format(
          "cmake -S '{}' -B '{}' -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG' "
          "-DLUTRA_BUILD_TESTS=OFF -DLUTRA_BUILD_BENCHMARKS=OFF",
          folder_.string(), build_.string());
      if (!Run(line)) Refuse("cannot be configured");
    }
    return Run(fmt::format("cmake --build '{}' --target lutra_adapter --parallel 2", build_.string()));
  }
  std::string Adapter(const std::string& arguments) const {
    return fmt::format("'{}' {}", (build_ / "conformance/adapters/lutra_adapter").string(), arguments);
  }
  [[noreturn]] void Refuse(const std::string& what) const {
    throw host::BadInput(fmt::format("{}: {}, required: sources that build and pass; see {}",
                                     sources_.string(), what, log_.string()));
  }

 private:
  // Returns whether the copy leaves out a top folder: builds, and folders that no adapter needs.
  static bool IsLeftOut(const std::string& top) {
    static const std::set<std::string> names = {"build", "golden", "models"};
    return top.starts_with('.') || names.count(top) != 0;
  }
  // Unchanged files keep their times, so that little is built again.
  void Copy() const {
    std::set<fs::path> kept;
    for (const auto& top : fs::directory_iterator(sources_)) {
      if (IsLeftOut(top.path().filename())) continue;
      std::vector<fs::path> files;
      if (top.is_regular_file()) files.push_back(top.path());
      if (top.is_directory()) {
        for (const auto& entry : fs::recursive_directory_iterator(top)) {
          if (entry.is_regular_file()) files.push_back(entry.path());
        }
      }
      for (const fs::path& file : files) {
        const fs::path relative = fs::relative(file, sources_), to = folder_ / relative;
        kept.insert(relative);
        const std::string text = host::ReadFileText(file);
        if (fs::exists(to) && host::ReadFileText(to) == text) continue;
        fs::create_directories(to.parent_path());
        host::WriteFileBytes(to, text.data(), text.size());
      }
    }
    std::vector<fs::path> gone;
    for (auto entry = fs::recursive_directory_iterator(folder_); entry != fs::recursive_directory_iterator();
         ++entry) {
      if (entry->path() == build_) entry.disable_recursion_pending();
      if (entry->is_regular_file() && kept.count(fs::relative(entry->path(), folder_)) == 0)
        gone.push_back(entry->path());
    }
    for (const fs::path& file : gone) fs::remove(file);
  }
  bool Run(const std::string& line) const {
    const int status = std::system(fmt::format("{} </dev/null >'{}' 2>&1", line, log_.string()).c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  fs::path sources_, folder_, build_, log_;
};

// ---- Cases, with their expected outputs.

class Judges {
 public:
  explicit Judges(const MutationCases& cases, int jobs) : profile_(*oracle::FindProfile("tflm")) {
    for (const std::vector<Case>* set : {&cases.smoke, &cases.corpus, &cases.models}) {
      for (const Case& test : *set) all_.push_back({&test, std::nullopt, HashOf(test)});
      ends_.push_back(all_.size());
    }
    std::atomic<size_t> next = 0;
    const auto judge = [&](int) {
      for (size_t at = next++; at < all_.size(); at = next++)
        all_[at].expected = ExpectedOutputs(*all_[at].test, profile_);
    };
    host::RunJobs(jobs, judge, [&] { next = all_.size(); });
    std::string text;
    for (const Judged& judged : all_) text += judged.hash;
    hash_ = Hash(text);
    for (const Judged& judged : all_) hashes_.insert(judged.hash);
  }
  const std::string& hash() const { return hash_; }
  bool Has(const std::string& hash) const { return hashes_.count(hash) != 0; }

  // Returns the first case of set 0, 1 or 2 that fails, trying those that match `first` before the others;
  // null if none fails.
  struct Judged {
    const Case* test;
    std::optional<std::vector<oracle::Bytes>> expected;
    std::string hash;
  };
  const Judged* FirstBad(size_t set, const std::string& first, AdapterProcess* adapter,
                         const fs::path& folder) const {
    for (const bool matching : {true, false}) {
      for (size_t i = set == 0 ? 0 : ends_[set - 1]; i < ends_[set] && host::InterruptSignal() == 0; ++i) {
        const Judged& judged = all_[i];
        if (host::Matches(first, judged.test->id) != matching) continue;
        const CaseRun run = RunCase(*judged.test, SizesOf(judged.expected), adapter, folder);
        if (run.answer.kind == AdapterAnswer::kInterrupted) return nullptr;
        const host::Verdict verdict = Judge(*judged.test, profile_, 0, judged.expected, run).verdict;
        // Without a fault Lutra lacks nothing, so "unsupported" shows the fault, too.
        if (host::IsBad(verdict) || verdict == host::Verdict::kUnsupported) return &judged;
      }
    }
    return nullptr;
  }

 private:
  const oracle::Profile& profile_;
  std::vector<Judged> all_;
  std::vector<size_t> ends_;
  std::string hash_;
  std::set<std::string> hashes_;
};

// ---- Results that are kept.

nlohmann::json ToJson(const MutationResult& r) {
  return {{"id", r.id},         {"file", r.file},      {"why", r.why},
          {"edit", r.edit},     {"builds", r.builds},  {"smoke", r.smoke},
          {"corpus", r.corpus}, {"model", r.model},    {"found_by", r.found_by},
          {"cases", r.cases},   {"seconds", r.seconds}};
}

MutationResult FromJson(const nlohmann::json& json) {
  MutationResult r;
  r.id = json.at("id");
  r.file = json.at("file");
  r.why = json.at("why");
  r.edit = json.at("edit");
  r.builds = json.at("builds");
  r.smoke = json.at("smoke");
  r.corpus = json.at("corpus");
  r.model = json.at("model");
  r.found_by = json.at("found_by");
  r.cases = json.at("cases");
  r.seconds = json.at("seconds");
  return r;
}

// Returns whether running the mutation again would give the earlier result.
bool StillHolds(const MutationResult& earlier, const std::string& edit, const Judges& judges) {
  if (earlier.edit != edit) return false;
  return !earlier.builds || earlier.cases == judges.hash() ||
         (!earlier.smoke.empty() && judges.Has(earlier.found_by));
}

// Tries mutations on several copies at a time.
class Attempt {
 public:
  Attempt(const std::vector<Mutation>& mutations, const MutationOptions& options, const Judges& judges)
      : mutations_(mutations), options_(options), judges_(judges), results_(mutations.size()) {
    std::map<std::string, MutationResult> earlier;
    for (MutationResult& result : ReadMutationResults(options.work)) earlier[result.id] = std::move(result);
    for (size_t i = 0; i < mutations.size(); ++i) {
      const std::string source = host::ReadFileText(options.sources / mutations[i].file);
      edited_.push_back(Mutated(source, mutations[i]));
      hashes_.push_back(Hash(source + edited_.back() + KernelsOf(mutations[i]) + mutations[i].delegate));
      const auto found = earlier.find(mutations[i].id);
      if (found != earlier.end() && StillHolds(found->second, hashes_[i], judges)) {
        results_[i] = found->second;
        results_[i]->why = mutations[i].why;
      } else {
        left_.push_back(i);
      }
    }
  }

  std::vector<MutationResult> Run() {
    const host::InterruptScope interruptible;
    host::Progress progress("trying faults");
    const auto jobs = static_cast<int>(std::min(static_cast<size_t>(options_.jobs), left_.size()));
    host::RunJobs(
        jobs, [&](int job) { Work(job, &progress); }, [&] { next_ = left_.size(); });
    std::vector<MutationResult> results;
    for (const auto& result : results_) {
      if (result) results.push_back(*result);
    }
    return results;
  }

 private:
  void Work(int job, host::Progress* progress) {
    const Tree tree(options_.sources, options_.work / fmt::format("tree{}", job));
    const WorkFolder folder;
    if (!tree.Build()) tree.Refuse("do not build");
    if (job == 0) RequireSound(tree, folder.path());
    for (size_t at = next_++; at < left_.size() && host::InterruptSignal() == 0; at = next_++) {
      const size_t i = left_[at];
      MutationResult result = Try(tree, mutations_[i], edited_[i], folder.path());
      tree.Restore(mutations_[i].file);
      if (host::InterruptSignal() != 0) return;
      result.edit = hashes_[i];
      const std::lock_guard lock(mutex_);
      std::ofstream(options_.work / kResults, std::ios::app) << ToJson(result).dump() << "\n";
      results_[i] = std::move(result);
      progress->Update(++done_, static_cast<int64_t>(left_.size()));
    }
  }
  const std::string& KernelsOf(const Mutation& mutation) const {
    return mutation.kernels.empty() ? options_.kernels : mutation.kernels;
  }
  // Returns the adapter's arguments for this mutation.
  std::string ArgumentsOf(const Mutation& mutation) const {
    std::string arguments = fmt::format("--kernels '{}'", KernelsOf(mutation));
    if (mutation.delegate.empty()) return arguments;
    const size_t space = mutation.delegate.find(' ');
    arguments += fmt::format(" --delegate '{}'", mutation.delegate.substr(0, space));
    if (space == std::string::npos) return arguments;
    return arguments + fmt::format(" --delegate-options '{}'", mutation.delegate.substr(space + 1));
  }
  // Throws BadInput unless all cases pass without a fault, with all variants and delegates that faults need.
  void RequireSound(const Tree& tree, const fs::path& folder) const {
    std::set<std::string> all_arguments;
    for (const size_t i : left_) all_arguments.insert(ArgumentsOf(mutations_[i]));
    for (const std::string& arguments : all_arguments) {
      AdapterProcess adapter(tree.Adapter(arguments), options_.timeout);
      for (const size_t set : {size_t{0}, size_t{2}}) {
        const Judges::Judged* bad = judges_.FirstBad(set, "*", &adapter, folder);
        if (bad != nullptr) tree.Refuse(fmt::format("fail {} with {}", bad->test->id, arguments));
      }
    }
  }
  MutationResult Try(const Tree& tree, const Mutation& mutation, const std::string& edited,
                     const fs::path& folder) {
    const auto start = std::chrono::steady_clock::now();
    MutationResult result = {
        .id = mutation.id, .file = mutation.file, .why = mutation.why, .cases = judges_.hash()};
    tree.Write(mutation.file, edited);
    result.builds = tree.Build();
    if (result.builds) {
      AdapterProcess adapter(tree.Adapter(ArgumentsOf(mutation)), options_.timeout);
      for (size_t set = 0; set < 3 && result.found_by.empty(); ++set) {
        const Judges::Judged* bad = judges_.FirstBad(set, mutation.cases, &adapter, folder);
        if (bad == nullptr) continue;
        result.found_by = bad->hash;
        (set == 0 ? result.smoke : set == 1 ? result.corpus : result.model) = bad->test->id;
      }
      // The corpus contains the smoke set, and so finds all faults that it finds.
      if (!result.smoke.empty()) result.corpus = result.smoke;
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

  const std::vector<Mutation>& mutations_;
  const MutationOptions& options_;
  const Judges& judges_;
  std::vector<std::string> edited_, hashes_;
  std::vector<std::optional<MutationResult>> results_;
  std::vector<size_t> left_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  int64_t done_ = 0;
};

struct Counts {
  int faults = 0, valid = 0, corpus = 0, smoke = 0;
  void Add(const MutationResult& r) {
    ++faults;
    valid += !r.corpus.empty() || !r.model.empty() ? 1 : 0;
    corpus += r.corpus.empty() ? 0 : 1;
    smoke += r.smoke.empty() ? 0 : 1;
  }
  std::string Row(const std::string& name) const {
    return fmt::format("{:<48}{:>8}{:>8}{:>8}{:>8}\n", name, faults, valid, corpus, smoke);
  }
};

}  // namespace

std::vector<MutationResult> ReadMutationResults(const fs::path& work) {
  std::vector<MutationResult> results;
  const fs::path path = work / kResults;
  if (!fs::exists(path)) return results;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    // If a run was killed, its last line may be cut off.
    if (!nlohmann::json::accept(line)) continue;
    results.push_back(FromJson(host::ParseJson(line, path.string())));
  }
  return results;
}

std::vector<MutationResult> TryMutations(const std::vector<Mutation>& mutations, const MutationCases& cases,
                                         const MutationOptions& options) {
  fs::create_directories(options.work);
  const Judges judges(cases, options.jobs);
  return Attempt(mutations, options, judges).Run();
}

std::string MutationTable(const std::vector<MutationResult>& results) {
  std::map<std::string, Counts> files;
  Counts all;
  for (const MutationResult& result : results) {
    files[result.file].Add(result);
    all.Add(result);
  }
  std::string text = fmt::format("{:<48}{:>8}{:>8}{:>8}{:>8}\n", "", "faults", "valid", "corpus", "smoke");
  for (const auto& [file, counts] : files) text += counts.Row(file);
  text += all.Row("all");
  for (const MutationResult& result : results) {
    if (!result.corpus.empty()) continue;
    text += fmt::format("{}: {}: {}\n",
                        !result.builds         ? "does not build"
                        : result.model.empty() ? "changes nothing seen"
                                               : "survives " + result.model,
                        result.id, result.why);
  }
  return text;
}

std::string MutationJson(const std::vector<MutationResult>& results) {
  Counts all;
  nlohmann::json list = nlohmann::json::array();
  for (const MutationResult& result : results) {
    all.Add(result);
    list.push_back(ToJson(result));
  }
  const nlohmann::json json = {{"faults", all.faults},
                               {"valid", all.valid},
                               {"corpus", all.corpus},
                               {"smoke", all.smoke},
                               {"mutations", list}};
  return json.dump(1) + "\n";
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Reads lines `lutra1 ...` into result records, word by word.

#include "bench/device_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

#include "bench/measure.h"
#include "host/decompression_policy.h"
#include "host/firmware.h"
#include "host/output_file.h"

namespace lutra::bench {
namespace {

constexpr char kMark[] = "lutra1 ";

// The words of a line, read from the left; an unexpected word is an error that names the line.
class Line {
 public:
  Line(std::string where, const std::string& text) : where_(std::move(where)), words_(text) {}

  std::string Word() {
    std::string word;
    if (!(words_ >> word)) Fail("a word", "the end of the line");
    return word;
  }
  int64_t Number() {
    const std::string word = Word();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 0) Fail("a number", word);
    if (value > host::kMostFigure) Fail(fmt::format("a number up to {}", host::kMostFigure), word);
    return value;
  }
  // Returns the number behind `name`.
  int64_t Number(const std::string& name) {
    Expect(name);
    return Number();
  }
  void Expect(const std::string& name) {
    const std::string word = Word();
    if (word != name) Fail('"' + name + '"', word);
  }
  bool AtEnd() { return (words_ >> std::ws).eof(); }
  std::string Rest() {
    std::string rest;
    std::getline(words_ >> std::ws, rest);
    return rest;
  }
  // Returns the element of `list` that the next number names.
  template <typename T>
  T& Element(std::vector<T>& list) {
    const int64_t index = Number();
    if (index >= static_cast<int64_t>(list.size())) {
      Fail(fmt::format("a number below {}", list.size()), std::to_string(index));
    }
    return list[static_cast<size_t>(index)];
  }
  [[noreturn]] void Fail(const std::string& required, const std::string& found) const {
    throw host::BadInput(
        fmt::format("{}: device-log: found {}, required {}; record the log again", where_, found, required));
  }

 private:
  std::string where_;
  std::istringstream words_;
};

host::Counts ReadCounts(Line& line) {
  host::Counts counts;
  counts.instructions = line.Number("instructions");
  counts.loads = line.Number("loads");
  counts.stores = line.Number("stores");
  if (!line.AtEnd()) counts.vector_instructions = line.Number("vector");
  return counts;
}

// Decodings are operators of their own (TFLM_DECODE), or come before the operator that needs the tensor.
void AddDecoding(const Line& line, const host::Counts& counts, host::ModelResult* result) {
  if (!result->decompression) return;
  host::Counts& sum = result->decompression->counts;
  const auto add = [&line](host::Figure more, host::Figure* figure) {
    if (!more) return;
    const int64_t whole = figure->value_or(0) + *more;
    if (whole > host::kMostFigure) {
      line.Fail(fmt::format("decodings of up to {} together", host::kMostFigure), std::to_string(whole));
    }
    *figure = whole;
  };
  add(counts.instructions, &sum.instructions);
  add(counts.loads, &sum.loads);
  add(counts.stores, &sum.stores);
  add(counts.vector_instructions, &sum.vector_instructions);
}

void ReadCount(Line& line, host::ModelResult* result) {
  const std::string kind = line.Word();
  if (kind == "invoke") {
    result->inference.counts = ReadCounts(line);
    if (result->decompression) result->decompression->counts = {};
  } else if (kind == "operator") {
    host::OperatorResult& op = line.Element(result->op_results);
    line.Expect(op.type);
    op.counts = ReadCounts(line);
    if (op.type == "TFLM_DECODE") AddDecoding(line, op.counts, result);
  } else if (kind == "decode") {
    line.Number();
    line.Word();
    AddDecoding(line, ReadCounts(line), result);
  }
}

void ReadTime(Line& line, host::ModelResult* result) {
  const std::string kind = line.Word();
  if (kind == "invoke") {
    host::InferenceResult& inference = result->inference;
    inference.runs = line.Number("runs");
    inference.min_ns = line.Number("min");
    inference.median_ns = line.Number("median");
    inference.mad_ns = line.Number("mad");
    inference.p95_ns = line.Number("p95");
  } else if (kind == "operator") {
    host::OperatorResult& op = line.Element(result->op_results);
    line.Number("runs");
    line.Number("min");
    op.median_ns = line.Number("median");
  }
}

// A firmware of `compress embed` tells no more than the bytes given and used: `is_short`.
void ReadArena(Line& line, bool is_short, host::ArenaResult* arena) {
  arena->given_bytes = line.Number("given");
  arena->used_bytes = line.Number("used");
  if (arena->used_bytes > arena->given_bytes) {
    line.Fail(fmt::format("at most the {} bytes that were given", arena->given_bytes),
              fmt::format("{} bytes used", arena->used_bytes));
  }
  if (is_short && line.AtEnd()) return;
  arena->persistent_bytes = line.Number("persistent");
  arena->activation_bytes = line.Number("activation");
  arena->scratch_bytes = line.Number("scratch");
  arena->compression_bytes = line.Number("compression");
}

// Returns the tensor's index.
std::ptrdiff_t ReadTensor(Line& line, std::vector<host::TensorResult>& tensors) {
  host::TensorResult& tensor = line.Element(tensors);
  line.Expect("crc32");
  const std::string crc32 = line.Word();
  if (crc32.size() != 8 || crc32.find_first_not_of("0123456789abcdef") != std::string::npos) {
    line.Fail("8 digits of a CRC-32", crc32);
  }
  if (!tensor.crc32.empty() && tensor.crc32 != crc32) {
    line.Fail(tensor.crc32 + ", as an earlier run has printed", crc32);
  }
  tensor.crc32 = crc32;
  return &tensor - tensors.data();
}

void ReadLine(const std::string& kind, Line& line, host::ModelResult* result) {
  if (kind == "input") ReadTensor(line, result->inputs);
  if (kind == "stack") result->stack = {line.Number("given"), line.Number("used")};
  if (kind == "kernel") {
    host::OperatorResult& op = line.Element(result->op_results);
    op.kernel = line.Word();
  }
  if (kind == "count") ReadCount(line, result);
  if (kind == "time") ReadTime(line, result);
  if (kind == "flash") {
    result->flash = {line.Number("text"), line.Number("rodata"), line.Number("data"), line.Number("bss")};
  }
  if (kind == "refused" || kind == "fault") result->error = kind + ": " + line.Rest();
}

std::optional<std::filesystem::path> ModelNamed(const std::string& name,
                                                const std::vector<std::filesystem::path>& folders) {
  const std::filesystem::path file = std::filesystem::path(name).filename();
  for (const std::filesystem::path& folder : folders) {
    std::error_code no_such_file;  // A name may be longer than the system allows for files.
    if (std::filesystem::is_regular_file(folder / file, no_such_file)) return folder / file;
  }
  return {};
}

// Returns the model that a firmware of `compress embed` calls so, by an identifier that other models may
// have, too: the one of this size in the first folder that has one.
std::filesystem::path EmbeddedModel(const Line& line, const std::string& name, int64_t bytes,
                                    const std::vector<std::filesystem::path>& folders) {
  std::filesystem::path other;
  for (const std::filesystem::path& folder : folders) {
    std::set<std::filesystem::path> found;
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() != ".tflite" || host::FirmwareNameOf(path.string()) != name) continue;
      if (!entry.is_regular_file(unreadable)) continue;
      if (static_cast<int64_t>(entry.file_size(unreadable)) == bytes) found.insert(path);
      if (other.empty()) other = path;
    }
    if (found.size() > 1) {
      line.Fail("one model of this name and size",
                fmt::format("{} and {}", found.begin()->string(), found.rbegin()->string()));
    }
    if (!found.empty()) return *found.begin();
  }
  return other.empty() ? FindModel(name, folders) : other;
}

// The lines that one run of a model printed, from its line `model` to the next. Each memory policy has a
// result of its own. For models with compressed tensors, so has each policy of decompression with each number
// of bytes outside the arena. A run whose lines do not name these may belong to any of them.
class Run {
 public:
  // `line`: the words behind `model`.
  Run(Line& line, const std::vector<std::filesystem::path>& folders, std::vector<host::ModelResult>* results)
      : results_(results) {
    const std::string name = line.Word();
    const int64_t found = line.Number("bytes");
    const std::optional<std::filesystem::path> file = ModelNamed(name, folders);
    is_embedded_ = !file;
    path_ = (file ? *file : EmbeddedModel(line, name, found, folders)).string();
    const auto bytes = static_cast<int64_t>(std::filesystem::file_size(path_));
    if (found != bytes) line.Fail(fmt::format("{}, which {} has", bytes, path_), std::to_string(found));
  }

  void Read(const std::string& kind, Line& line) {
    ended_ = ended_ || kind == "refused" || kind == "fault";
    if (kind == "memory") {
      memory_ = line.Word();
      if (*memory_ != "small" && *memory_ != "fast") line.Fail("small or fast", *memory_);
      index_.reset();
    } else if (kind == "decompression") {
      ReadDecompression(line);
      index_.reset();
    } else {
      if (kind == "arena") ReadArena(line, is_embedded_, &*result().arena);
      if (kind == "output") outputs_.insert(ReadTensor(line, result().outputs));
      ReadLine(kind, line, &result());
    }
  }
  // `log`: the name of the run's log.
  void End(const std::string& log) {
    if (ended_) return;
    if (outputs_.size() >= result().outputs.size()) {
      result().error.clear();  // An earlier run's: the last one has succeeded.
      return;
    }
    throw host::BadInput(
        fmt::format("{}: device-log: found {} outputs of {}, required: {}; was the run cut off?", log,
                    outputs_.size(), path_, result().outputs.size()));
  }

 private:
  void ReadDecompression(Line& line) {
    policy_ = line.Word();
    const std::vector<std::string> choices = host::DecompressionChoices();
    if (std::find(choices.begin(), choices.end(), *policy_) == choices.end()) {
      line.Fail("per-use, at-init or streamed", *policy_);
    }
    outside_bytes_ = line.Number("outside");
  }

  bool IsOf(const host::ModelResult& known) const {
    if (known.path != path_) return false;
    if (memory_ && !known.memory.empty() && known.memory != *memory_) return false;
    return !policy_ || !known.decompression ||
           (known.decompression->policy == *policy_ && known.decompression->outside_bytes == outside_bytes_);
  }

  host::ModelResult& result() {
    if (index_) return (*results_)[*index_];
    const auto known = std::find_if(results_->begin(), results_->end(),
                                    [this](const host::ModelResult& result) { return IsOf(result); });
    index_ = static_cast<size_t>(known - results_->begin());
    if (known == results_->end()) results_->push_back(DescribeModel(path_, policy_ == "streamed"));
    host::ModelResult& result = (*results_)[*index_];
    if (memory_) result.memory = *memory_;
    if (policy_ && result.decompression) {
      result.decompression->policy = *policy_;
      result.decompression->outside_bytes = outside_bytes_;
    }
    return result;
  }

  std::string path_;
  bool is_embedded_ = false;  // In a firmware of `compress embed`.
  std::vector<host::ModelResult>* results_;
  std::optional<std::string> memory_, policy_;
  int64_t outside_bytes_ = 0;
  std::optional<size_t> index_;       // Of the result, once a line needs it.
  std::set<std::ptrdiff_t> outputs_;  // Those that were printed.
  bool ended_ = false;
};

void Finish(host::ModelResult* result) {
  if (!result->error.empty()) return;
  double total_ns = 0;  // For many operators the sum may exceed an integer.
  for (const host::OperatorResult& op : result->op_results) {
    total_ns += static_cast<double>(op.median_ns.value_or(0));
  }
  for (host::OperatorResult& op : result->op_results) {
    if (op.median_ns && total_ns > 0) {
      op.share = static_cast<double>(*op.median_ns) / total_ns;
    }
  }
}

// Calls use(kind, line) for each line with the mark, which other text may precede.
template <typename Use>
void ForEachLine(std::istream& log, const std::string& name, const Use& use) {
  std::string text;
  for (int number = 1; std::getline(log, text); ++number) {
    const size_t at = text.find(kMark);
    if (at == std::string::npos) continue;
    Line line(fmt::format("{}:{}", name, number), text.substr(at + sizeof kMark - 1));
    const std::string kind = line.Word();
    use(kind, line);
  }
}

std::ifstream Open(const std::filesystem::path& log) {
  host::RefuseToReadOutput(log);
  std::ifstream file(log);
  if (!file) throw host::BadInput(fmt::format("{}: device-log: the file cannot be read", log.string()));
  return file;
}

}  // namespace

std::filesystem::path FindModel(const std::string& name, const std::vector<std::filesystem::path>& folders) {
  if (std::optional<std::filesystem::path> file = ModelNamed(name, folders)) return *file;
  throw host::BadInput(
      fmt::format("{}: device-log: there is no such model in the folders given; use --models", name));
}

host::ModelResult DescribeModel(const std::filesystem::path& path, bool streamed) {
  MeasureOptions options;
  options.runs = 1;
  options.warmup = 0;
  options.arena_search = false;
  if (streamed) {
    // With policy fast, variants of this machine would keep the weights decoded.
    options.interpreter.policy = MemoryPolicy::kSmall;
    options.interpreter.decompression = DecompressionPolicy::kStreamed;
  }
  host::ModelResult result = Measure(host::ReadModelFile(path), options);
  result.arena.emplace();
  result.memory.clear();
  RemoveTimes(&result);
  for (host::OperatorResult& op : result.op_results) op.kernel.clear();
  for (host::TensorResult& input : result.inputs) input.crc32.clear();
  for (host::TensorResult& output : result.outputs) output.crc32.clear();
  return result;
}

void ReadDeviceLog(std::istream& log, const std::string& name,
                   const std::vector<std::filesystem::path>& model_folders,
                   std::vector<host::ModelResult>* results) {
  std::optional<Run> run;
  ForEachLine(log, name, [&](const std::string& kind, Line& line) {
    if (kind != "model") {
      if (run) run->Read(kind, line);
      return;
    }
    if (run) run->End(name);
    run.emplace(line, model_folders, results);
  });
  if (!run) {
    throw host::BadInput(fmt::format("{}: device-log: found no line `lutra1 model`, required one", name));
  }
  run->End(name);
}

std::vector<host::ModelResult> ReadDeviceLogs(const std::vector<std::filesystem::path>& logs,
                                              const std::vector<std::filesystem::path>& model_folders) {
  std::vector<host::ModelResult> results;
  for (const std::filesystem::path& log : logs) {
    std::ifstream file = Open(log);
    ReadDeviceLog(file, log.string(), model_folders, &results);
  }
  for (host::ModelResult& result : results) Finish(&result);
  return results;
}

std::vector<host::KernelResult> ReadKernelCounts(std::istream& log, const std::string& name) {
  std::vector<host::KernelResult> kernels;
  bool is_of_variants = false;  // An emulator that does not count leaves the other lines.
  ForEachLine(log, name, [&](const std::string& kind, Line& line) {
    is_of_variants = is_of_variants || kind == "reference" || kind == "count";
    if (kind != "count") return;
    line.Expect("kernel");
    host::KernelResult kernel;
    kernel.table = line.Word();
    kernel.variant = line.Word();
    kernel.counts = ReadCounts(line);
    kernels.push_back(kernel);
  });
  if (!is_of_variants) {
    throw host::BadInput(fmt::format(
        "{}: device-log: found no line `lutra1 reference` or `lutra1 count kernel`, required those of "
        "run_variants",
        name));
  }
  return kernels;
}

std::vector<host::KernelResult> ReadKernelCounts(const std::filesystem::path& log) {
  std::ifstream file = Open(log);
  return ReadKernelCounts(file, log.string());
}

}  // namespace lutra::bench

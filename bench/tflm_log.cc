// SPDX-License-Identifier: Apache-2.0
// Logs of TensorFlow Lite Micro's and TensorFlow Lite's own benchmarks, line by line.

#include "bench/tflm_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <regex>

#include "bench/device_log.h"
#include "host/model_file.h"
#include "host/output_file.h"

namespace lutra::bench {
namespace {

// These programs print no longer lines; std::regex recurses with the length.
constexpr size_t kLongestLine = 400;

enum class Program { kUnknown, kGenericModelBenchmark, kBenchmarkModel };

class Reader {
 public:
  Reader(std::string name, const TflmLogOptions& options) : name_(std::move(name)), options_(options) {}

  void Read(std::istream& log) {
    std::string text;
    while (std::getline(log, text)) {
      ++line_;
      while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
      if (text.size() > kLongestLine) continue;
      if (!ReadGenericModelBenchmark(text)) ReadBenchmarkModel(text);
    }
    line_ = 0;
    if (program_ == Program::kUnknown) {
      Fail("no line of generic_model_benchmark or benchmark_model", "the log of one of them");
    }
    if (program_ == Program::kGenericModelBenchmark && !used_bytes_) {
      Fail("no line Total of the arena", "the log's end; was the run cut off?");
    }
    if (program_ == Program::kBenchmarkModel && !runs_)
      Fail("no line count=", "the log's end; was the run cut off?");
  }

  host::ModelResult Result(const std::vector<std::filesystem::path>& folders) const {
    const std::string log_model = std::filesystem::path(name_).stem().string() + ".tflite";
    host::ModelResult result = DescribeModel(FindModel(model_.empty() ? log_model : model_, folders));
    result.kernels = program_ == Program::kBenchmarkModel ? "TensorFlow Lite" : "TFLM";
    result.repack.clear();
    if (program_ == Program::kBenchmarkModel) {
      result.arena.reset();
      result.inference.runs = *runs_;
      result.inference.min_ns = min_ns_;
      result.inference.median_ns = median_ns_;
      return result;
    }
    result.arena->given_bytes = given_bytes_.value_or(0);
    result.arena->used_bytes = *used_bytes_;
    result.arena->persistent_bytes = persistent_bytes_.value_or(0);
    result.arena->activation_bytes = other_bytes_.value_or(0);
    PutCodes("input", inputs_, &result.inputs);
    PutCodes("output", outputs_, &result.outputs);
    PutTimes(&result);
    return result;
  }

 private:
  struct Event {
    std::string type;
    int64_t ticks;
  };

  [[noreturn]] void Fail(const std::string& found, const std::string& required) const {
    const std::string where = line_ == 0 ? name_ : fmt::format("{}:{}", name_, line_);
    throw host::BadInput(fmt::format("{}: tflm-log: found {}, required: {}", where, found, required));
  }

  int64_t Number(const std::string& digits) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0 ||
        value > host::kMostFigure) {
      Fail(digits, fmt::format("a number up to {}", host::kMostFigure));
    }
    return value;
  }

  // A log is one program's.
  void Is(Program program) {
    if (program_ != Program::kUnknown && program_ != program)
      Fail("lines of two programs", "the log of one run");
    program_ = program;
  }

  bool ReadGenericModelBenchmark(const std::string& text) {
    static const std::regex configured(R"(^Configured arena size = (\d+)$)");
    static const std::regex model(R"(^=== (?:.*/)?([^/]+\.tflite) ===$)");
    static const std::regex took(R"(^([A-Za-z0-9_]+) took (\d+) ticks \(\d+ ms\)\.$)");
    static const std::regex code(R"(^(Input|Output) CRC32: 0x([0-9A-Fa-f]{1,8})$)");
    static const std::regex arena(
        R"re(^ *"?(Total|NonPersistent|Persistent)"? *[|,] *(\d+) *[|,] *[0-9.]+$)re");
    std::smatch found;
    if (std::regex_match(text, found, model)) {
      model_ = found[1];
      return true;
    }
    if (std::regex_match(text, found, configured)) {
      if (given_bytes_) Fail("a second run", "the log of one run");
      given_bytes_ = Number(found[1]);
    } else if (std::regex_match(text, found, took)) {
      events_.push_back({found[1], Number(found[2])});
    } else if (std::regex_match(text, found, code)) {
      ReadCode(found[1] == "Input", found[2]);
    } else if (std::regex_match(text, found, arena)) {
      std::optional<int64_t>& bytes = found[1] == "Total"           ? used_bytes_
                                      : found[1] == "NonPersistent" ? other_bytes_
                                                                    : persistent_bytes_;
      bytes = Number(found[2]);
    } else {
      return false;
    }
    Is(Program::kGenericModelBenchmark);
    return true;
  }

  // A streaming model is invoked several times: the last one counts.
  void ReadCode(bool is_input, const std::string& digits) {
    if (is_input && !outputs_.empty()) {
      inputs_.clear();
      outputs_.clear();
      events_.clear();
    }
    std::string code = std::string(8 - digits.size(), '0') + digits;
    for (char& digit : code)
      digit = digit >= 'A' && digit <= 'F' ? static_cast<char>(digit - 'A' + 'a') : digit;
    (is_input ? inputs_ : outputs_).push_back(code);
  }

  // Times are in microseconds. The first line count= is the warm-up's, the last the inferences'.
  void ReadBenchmarkModel(const std::string& text) {
    static const std::regex graph(R"(^(?:INFO: )?(?:Graph: \[|Loaded model )(?:.*/)?([^/\]]+\.tflite)\]?$)");
    static const std::regex count(R"(^(?:INFO: )?count=(\d+) (?:first=\d+ )?.*$)");
    static const std::regex least(R"(^.* min=(\d+)(?: .*)?$)");
    static const std::regex median(R"(^.* (?:median|p50)=(\d+)(?: .*)?$)");
    std::smatch found;
    if (std::regex_match(text, found, graph)) {
      Is(Program::kBenchmarkModel);
      if (!model_.empty() && model_ != found[1])
        Fail("a second model " + found[1].str(), "the log of one run");
      model_ = found[1];
    } else if (std::regex_match(text, found, count)) {
      Is(Program::kBenchmarkModel);
      runs_ = Number(found[1]);
      min_ns_.reset();
      median_ns_.reset();
      if (std::regex_match(text, found, least)) min_ns_ = Nanoseconds(found[1]);
      if (std::regex_match(text, found, median)) median_ns_ = Nanoseconds(found[1]);
    }
  }

  int64_t Nanoseconds(const std::string& microseconds) const {
    const int64_t value = Number(microseconds);
    if (value > host::kMostFigure / 1000)
      Fail(microseconds, fmt::format("up to {} us", host::kMostFigure / 1000));
    return value * 1000;
  }

  void PutCodes(const char* what, const std::vector<std::string>& codes,
                std::vector<host::TensorResult>* tensors) const {
    if (codes.size() != tensors->size()) {
      Fail(fmt::format("{} CRCs of {}s", codes.size(), what),
           fmt::format("{}, which the model has", tensors->size()));
    }
    for (size_t i = 0; i < codes.size(); ++i) (*tensors)[i].crc32 = codes[i];
  }

  void PutTimes(host::ModelResult* result) const {
    if (events_.size() != result->op_results.size()) {
      Fail(fmt::format("{} operators", events_.size()),
           fmt::format("{}, which the model has", result->op_results.size()));
    }
    int64_t ticks = 0;
    for (size_t i = 0; i < events_.size(); ++i) {
      host::OperatorResult& op = result->op_results[i];
      if (events_[i].type != op.type) {
        Fail(fmt::format("operator {} {}", i, events_[i].type), op.type + ", which the model has");
      }
      if (events_[i].ticks > host::kMostFigure / kNanoseconds - ticks)
        Fail("times that are too large", "a sound log");
      ticks += events_[i].ticks;
      op.median_ns = InNanoseconds(events_[i].ticks);
    }
    if (!options_.ticks_per_second) return;
    for (size_t i = 0; i < events_.size(); ++i) {
      if (ticks > 0)
        result->op_results[i].share = static_cast<double>(events_[i].ticks) / static_cast<double>(ticks);
    }
    result->inference.runs = 1;
    result->inference.min_ns = InNanoseconds(ticks);
    result->inference.median_ns = InNanoseconds(ticks);
  }

  static constexpr int64_t kNanoseconds = 1'000'000'000;
  host::Figure InNanoseconds(int64_t ticks) const {
    if (!options_.ticks_per_second) return {};
    return static_cast<int64_t>(static_cast<double>(ticks) * kNanoseconds /
                                static_cast<double>(*options_.ticks_per_second));
  }

  std::string name_;
  TflmLogOptions options_;
  int64_t line_ = 0;
  Program program_ = Program::kUnknown;
  std::string model_;
  std::optional<int64_t> given_bytes_, used_bytes_, persistent_bytes_, other_bytes_, runs_, min_ns_,
      median_ns_;
  std::vector<Event> events_;
  std::vector<std::string> inputs_, outputs_;
};

}  // namespace

host::ModelResult ReadTflmLog(std::istream& log, const std::string& name,
                              const std::vector<std::filesystem::path>& model_folders,
                              const TflmLogOptions& options) {
  Reader reader(name, options);
  reader.Read(log);
  return reader.Result(model_folders);
}

host::ModelResult ReadTflmLog(const std::filesystem::path& log,
                              const std::vector<std::filesystem::path>& model_folders,
                              const TflmLogOptions& options) {
  host::RefuseToReadOutput(log);
  std::ifstream file(log);
  if (!file) throw host::BadInput(fmt::format("{}: tflm-log: the file cannot be read", log.string()));
  return ReadTflmLog(file, log.string(), model_folders, options);
}

}  // namespace lutra::bench

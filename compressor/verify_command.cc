// SPDX-License-Identifier: Apache-2.0
// compress verify: checks that two models compute the same, however the second is run.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "compressor/commands.h"
#include "host/model_inputs.h"
#include "host/npy.h"
#include "host/prepared_model.h"
#include "host/printable.h"
#include "host/progress.h"
#include "lutra/cpu.h"

namespace lutra::compressor {
namespace {

struct VerifyArguments {
  std::string a;
  std::string b;
  std::string data;
  int runs = 5;
  bool every_way = false;
};

using ByteList = std::vector<uint8_t>;

// A model, ready to run.
class Runner {
 public:
  // `way`: text that reports of differences add to the sample.
  Runner(const host::ModelFile& file, const InterpreterOptions& options, std::string way)
      : file_(file), way_(std::move(way)), prepared_(file, options, host::SmallestArena(file, options)) {}

  const host::ModelFile& file() const { return file_; }
  const std::string& way() const { return way_; }
  MicroInterpreter& interpreter() { return *prepared_; }
  void Run(const std::vector<ByteList>& inputs) {
    host::FillInputs(*prepared_, inputs);
    prepared_.Invoke();
  }

 private:
  const host::ModelFile& file_;
  std::string way_;
  host::PreparedModel prepared_;
};

// Returns runners for all policies of memory and decompression, with each instruction set of this machine,
// and with none.
std::vector<std::unique_ptr<Runner>> RunnersOfEveryWay(const host::ModelFile& file) {
  std::vector<InstructionSet> sets = {{"ref", kCpuAny}};
  for (const InstructionSet& set : kInstructionSets) {
    if ((CpuFeaturesHere() & set.features) == set.features) sets.push_back(set);
  }
  const char* const decompressions[] = {"per-use", "at-init", "streamed"};
  std::vector<std::unique_ptr<Runner>> runners;
  for (const MemoryPolicy policy : {MemoryPolicy::kSmall, MemoryPolicy::kFast}) {
    for (size_t d = 0; d < std::size(decompressions); ++d) {
      for (const InstructionSet& set : sets) {
        const InterpreterOptions options = {.policy = policy,
                                            .cpu_features = set.features,
                                            .decompression = static_cast<DecompressionPolicy>(d)};
        const char* const memory = policy == MemoryPolicy::kSmall ? "small" : "fast";
        runners.push_back(std::make_unique<Runner>(
            file, options, fmt::format(", {}, {}, {}", memory, decompressions[d], set.name)));
      }
    }
  }
  return runners;
}

void RequireSameInterface(Runner& a, Runner& b) {
  const auto refuse = [&](const std::string& what) {
    throw host::BadInput(
        fmt::format("{}: interface: found {} that differ from those of {}, required: the same inputs and "
                    "outputs; compare a model with what was made of it",
                    b.file().path, what, a.file().path));
  };
  MicroInterpreter& x = a.interpreter();
  MicroInterpreter& y = b.interpreter();
  if (x.input_count() != y.input_count()) refuse("inputs");
  if (x.output_count() != y.output_count()) refuse("outputs");
  for (int i = 0; i < x.input_count(); ++i) {
    if (x.input(i).info.bytes != y.input(i).info.bytes) refuse("inputs");
  }
  for (int i = 0; i < x.output_count(); ++i) {
    if (x.output(i).info.bytes != y.output(i).info.bytes) refuse("outputs");
  }
}

// Compares the outputs of the last run; returns how many elements differ.
int CompareOutputs(Runner& a, Runner& b, const std::string& sample) {
  int differing = 0;
  for (int i = 0; i < a.interpreter().output_count(); ++i) {
    const Tensor x = a.interpreter().output(i);
    const auto* left = static_cast<const uint8_t*>(x.data);
    const auto* right = static_cast<const uint8_t*>(b.interpreter().output(i).data);
    int count = 0;
    int first = -1;
    for (int k = 0; k < x.info.bytes; ++k) {
      if (left[k] == right[k]) continue;
      if (first < 0) first = k;
      ++count;
    }
    if (count == 0) continue;
    ++differing;
    fmt::print("{}, output {} \"{}\": {} of {} bytes differ, the first at {}: {} and {}\n", sample, i,
               host::Printable(x.info.name), count, x.info.bytes, first,
               static_cast<int>(static_cast<int8_t>(left[first])),
               static_cast<int>(static_cast<int8_t>(right[first])));
  }
  return differing;
}

// The two models, the second of which runs in one way or several.
struct Pair {
  Runner a;
  std::vector<std::unique_ptr<Runner>> b;

  // Runs all models on these inputs; returns how many outputs differ.
  int Compare(const std::vector<ByteList>& inputs, const std::string& sample) {
    a.Run(inputs);
    int differing = 0;
    for (const auto& runner : b) {
      runner->Run(inputs);
      differing += CompareOutputs(a, *runner, sample + runner->way());
    }
    return differing;
  }
};

// Runs the samples along the first axis of the file, for a model with one input.
int RunData(const VerifyArguments& line, Pair& pair, int* samples) {
  const host::NpyArray data = host::ReadNpy(line.data);
  MicroInterpreter& first = pair.a.interpreter();
  const TensorInfo info = first.input_count() == 1 ? first.input(0).info : TensorInfo();
  const auto bytes = static_cast<size_t>(info.bytes);
  if (bytes == 0 || data.type != info.type || data.bytes == 0 || data.bytes % bytes != 0) {
    throw host::BadInput(
        fmt::format("{}: found {} bytes of {}, required: samples of {} bytes of {} for a model with one "
                    "input; check the array",
                    line.data, data.bytes, ToString(data.type), bytes, ToString(info.type)));
  }
  int differing = 0;
  *samples = static_cast<int>(data.bytes / bytes);
  host::Progress progress("comparing");
  for (int i = 0; i < *samples; ++i) {
    progress.Update(i, *samples);
    const uint8_t* sample = data.data + static_cast<size_t>(i) * bytes;
    differing += pair.Compare({{sample, sample + bytes}}, fmt::format("sample {}", i));
  }
  return differing;
}

int RunSeeds(const VerifyArguments& line, Pair& pair) {
  int differing = 0;
  host::Progress progress("comparing");
  for (int seed = 1; seed <= line.runs; ++seed) {
    progress.Update(seed - 1, line.runs);
    const auto inputs = host::SeededInputs(pair.a.file().model, static_cast<uint64_t>(seed));
    differing += pair.Compare(inputs, fmt::format("seed {}", seed));
  }
  return differing;
}

void RunVerify(const VerifyArguments& line, int* exit_code) {
  const host::ModelFile a = host::ReadModelFile(line.a), b = host::ReadModelFile(line.b);
  Pair pair = {.a = Runner(a, {}, ""), .b = {}};
  if (line.every_way) {
    pair.b = RunnersOfEveryWay(b);
  } else {
    pair.b.push_back(std::make_unique<Runner>(b, InterpreterOptions(), ""));
  }
  RequireSameInterface(pair.a, *pair.b[0]);
  int samples = line.runs;
  const int differing = line.data.empty() ? RunSeeds(line, pair) : RunData(line, pair, &samples);
  fmt::print("{} and {}: {} on {} inputs{}\n", line.a, line.b,
             differing == 0 ? "equal outputs" : fmt::format("{} outputs differ", differing), samples,
             line.every_way ? fmt::format(", in {} ways", pair.b.size()) : "");
  if (differing != 0) *exit_code = 1;
}

}  // namespace

void AddVerifyCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<VerifyArguments>();
  CLI::App* verb =
      app.add_subcommand("verify", "Run two models on the same inputs; exit 1 if outputs differ");
  verb->footer(HelpFooter(
      "Example:\n  compress verify in.tflite packed.tflite --every-way\n\n"
      "Every byte of every output is compared, and each output that differs has a line. Both models need\n"
      "inputs and outputs of the same sizes. Random inputs are the same on every machine.",
      "outputs differ"));
  verb->add_option("A", line->a, "Model")->required();
  verb->add_option("B", line->b, "Model")->required();
  CLI::Option* runs = verb->add_option("--runs", line->runs, "Random inputs (seeds 1 to N)")
                          ->capture_default_str()
                          ->check(CLI::Range(1, 1000000000));
  verb->add_option("--data", line->data, "Inputs, .npy, first axis = sample")->excludes(runs);
  verb->add_flag(
      "--every-way", line->every_way,
      "Run B under every policy of memory and decompression, with every kernel variant of this machine");
  verb->callback([line, exit_code] { RunVerify(*line, exit_code); });
}

}  // namespace lutra::compressor

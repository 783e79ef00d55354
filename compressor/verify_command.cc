// SPDX-License-Identifier: Apache-2.0
// verify: two models compute the same.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "compressor/commands.h"
#include "host/model_inputs.h"
#include "host/npy.h"
#include "host/prepared_model.h"
#include "host/printable.h"
#include "host/progress.h"

namespace lutra::compressor {
namespace {

struct VerifyArguments {
  std::string a;
  std::string b;
  std::string data;
  int runs = 5;
};

using ByteList = std::vector<uint8_t>;

// One of the two models, ready to run.
class Runner {
 public:
  explicit Runner(const std::string& path)
      : file_(host::ReadModelFile(path)), prepared_(file_, {}, host::SmallestArena(file_, {})) {}

  const host::ModelFile& file() const { return file_; }
  MicroInterpreter& interpreter() { return *prepared_; }
  void Run(const std::vector<ByteList>& inputs) {
    host::FillInputs(*prepared_, inputs);
    prepared_.Invoke();
  }

 private:
  host::ModelFile file_;
  host::PreparedModel prepared_;
};

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

// Compares the outputs of the last run; returns how many differ.
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

// Samples along the first axis of the file, for a model with one input.
int RunData(const VerifyArguments& line, Runner& a, Runner& b, int* samples) {
  const host::NpyArray data = host::ReadNpy(line.data);
  const TensorInfo info = a.interpreter().input_count() == 1 ? a.interpreter().input(0).info : TensorInfo();
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
    const std::vector<ByteList> inputs = {{sample, sample + bytes}};
    a.Run(inputs);
    b.Run(inputs);
    differing += CompareOutputs(a, b, fmt::format("sample {}", i));
  }
  return differing;
}

int RunSeeds(const VerifyArguments& line, Runner& a, Runner& b) {
  int differing = 0;
  host::Progress progress("comparing");
  for (int seed = 1; seed <= line.runs; ++seed) {
    progress.Update(seed - 1, line.runs);
    const std::vector<ByteList> inputs = host::SeededInputs(a.file().model, static_cast<uint64_t>(seed));
    a.Run(inputs);
    b.Run(inputs);
    differing += CompareOutputs(a, b, fmt::format("seed {}", seed));
  }
  return differing;
}

}  // namespace

void AddVerifyCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<VerifyArguments>();
  CLI::App* verb =
      app.add_subcommand("verify", "Run two models on the same inputs; exit 1 if outputs differ");
  verb->add_option("A", line->a, "Model")->required();
  verb->add_option("B", line->b, "Model")->required();
  CLI::Option* runs = verb->add_option("--runs", line->runs, "Random inputs (seeds 1 to N)")
                          ->capture_default_str()
                          ->check(CLI::Range(1, 1000000000));
  verb->add_option("--data", line->data, "Inputs, .npy, first axis = sample")->excludes(runs);
  verb->callback([line, exit_code] {
    Runner a(line->a);
    Runner b(line->b);
    RequireSameInterface(a, b);
    int samples = line->runs;
    const int differing = line->data.empty() ? RunSeeds(*line, a, b) : RunData(*line, a, b, &samples);
    fmt::print("{} and {}: {} on {} inputs\n", line->a, line->b,
               differing == 0 ? "equal outputs" : fmt::format("{} outputs differ", differing), samples);
    if (differing != 0) *exit_code = 1;
  });
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Measures one model: memory, time, outputs. Everything generic_benchmark reports comes from here.
//
//   MeasureOptions options;
//   ModelResult result = Measure(ReadModelFile("kws.tflite"), options);   // throws BadInput

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model_file.h"
#include "bench/npy.h"
#include "bench/result.h"
#include "lutra/micro_interpreter.h"

namespace lutra {

struct MeasureOptions {
  std::optional<int> runs;  // Empty: at least 10 and at least one second.
  int warmup = 3;
  double max_seconds = 60;
  uint64_t seed = 1;
  std::vector<std::string> input_files;  // One for each graph input; none: seeded bytes.
  std::optional<size_t> arena_bytes;     // Empty: what the search finds.
  bool arena_search = true;
  InterpreterOptions interpreter;
  std::string kernels = "best";
  std::string output_prefix;  // Empty: outputs are not written.
  // Labelled data; used if both are given.
  std::string data_file;
  std::string labels_file;
  std::string metric;  // Empty: by the labels and shapes.
};

ModelResult Measure(const ModelFile& file, const MeasureOptions& options);

// Leaves what is no time: for a processor that is not real, or not this one.
void RemoveTimes(ModelResult* result);

// An interpreter and the arena it lives in, ready to run.
class PreparedModel {
 public:
  // Throws BadInput if the model is refused or the arena is too small.
  PreparedModel(const ModelFile& file, const InterpreterOptions& options, size_t arena_bytes,
                const MicroInterpreter::Visitor& visitor = {}, const Profiler* profiler = nullptr);
  MicroInterpreter& operator*() { return interpreter_; }
  MicroInterpreter* operator->() { return &interpreter_; }
  int64_t init_ns() const { return init_ns_; }
  int64_t prepare_ns() const { return prepare_ns_; }
  // Throws BadInput if the inference fails, or if a kernel wrote past the arena.
  void Invoke();

 private:
  static constexpr size_t kGuardBytes = 64;
  static constexpr uint8_t kGuard = 0xC3;

  const ModelFile& file_;
  size_t arena_bytes_;
  AlignedBytes memory_;
  int64_t init_ns_ = 0;
  MicroInterpreter interpreter_;
  int64_t prepare_ns_ = 0;
};

// The smallest arena, a multiple of 16, in which the model can be prepared. Throws BadInput if the
// model is refused.
size_t SmallestArena(const ModelFile& file, const InterpreterOptions& options);

// Input values: seeded, or from files (raw or .npy) that must fit. One byte string for each input.
std::vector<std::vector<uint8_t>> MakeInputs(const ModelFile& file, const MeasureOptions& options);

EvaluationResult Evaluate(const ModelFile& file, const MeasureOptions& options, size_t arena_bytes);

}  // namespace lutra

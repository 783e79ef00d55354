// SPDX-License-Identifier: Apache-2.0
// Measures one model: memory, time, outputs. Everything generic_benchmark reports comes from here.
//
//   MeasureOptions options;
//   ModelResult result = Measure(ReadModelFile("kws.tflite"), options);   // throws BadInput

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/model_file.h"
#include "host/result.h"
#include "lutra/delegate.h"
#include "lutra/micro_interpreter.h"

namespace lutra::bench {

// This limit holds where neither a number of runs nor of seconds is given.
inline constexpr double kMostSeconds = 60;

struct MeasureOptions {
  std::optional<int> runs;  // Empty: at least 10 and at least one second.
  int warmup = 3;
  std::optional<double> max_seconds;  // Empty: kMostSeconds if there is no number of runs, else no limit.
  uint64_t seed = 1;
  std::vector<std::string> input_files;  // One for each graph input; none: seeded bytes.
  std::optional<size_t> arena_bytes;     // Empty: the smallest arena, which is searched for.
  bool arena_search = true;
  InterpreterOptions interpreter;
  DelegateList delegates;
  Span<const AlternateMemoryRegion> regions;  // Where compressed tensors are decoded, if there is room.
  std::string kernels = "best";
  bool against_ref = false;   // Times the reference's operators, too.
  std::string output_prefix;  // Empty: outputs are not written.
  // Labelled data; used if both are given.
  std::string data_file;
  std::string labels_file;
  std::string metric;  // Empty: by the labels and shapes.
};

host::ModelResult Measure(const host::ModelFile& file, const MeasureOptions& options);

// Returns the arena that Measure would run in, with its plan; runs nothing. Throws BadInput if the model is
// refused.
host::ArenaResult PlanArena(const host::ModelFile& file, const MeasureOptions& options);

// Returns a note if the clock's steps limit the precision of a model's times; else an empty text.
std::string ClockNote(const host::ModelResult& result, int64_t step_ns);

// Removes all times, for results of an emulated processor or of another one.
void RemoveTimes(host::ModelResult* result);

host::EvaluationResult Evaluate(const host::ModelFile& file, const MeasureOptions& options,
                                size_t arena_bytes);

}  // namespace lutra::bench

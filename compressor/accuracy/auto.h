// SPDX-License-Identifier: Apache-2.0
// Auto: the widths of a model's tensors chosen by what the model answers.
//
//   AutoOptions options;
//   options.goal = {.kind = SolverGoal::kKeepLabels};
//   const AutoResult result = Auto(ReadModelFile("in.tflite"), data, options);
//   if (result.reaches_goal) output.Write(result.file);

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compressor/accuracy/solver.h"

namespace lutra::compressor {

struct AutoOptions {
  SolverGoal goal;
  std::optional<double> max_loss;  // Instead of goal.accuracy: below the uncompressed model's.
  SolverOptions solver;
  std::string log;  // A file of what was run, which a later call goes on from. Empty: none.
  Target target = Target::kTflm;
  enum Search : uint8_t {
    kSolver,
    kNntool,   // Its search for one QSNR; the goal is to keep every label.
    kUniform,  // The same number of bits for all.
  };
  Search search = kSolver;
  // The goal's bytes are the file's, or those of indices and tables alone as GAP9's engine reads them, which
  // is what nntool counts.
  enum Sizes : uint8_t { kFile, kGap9 };
  Sizes sizes = kFile;
  bool importance =
      true;  // Values by what the weights are multiplied by on the data; else all count the same.
  bool bias_correction = true;  // bias_correction.h
  bool assignment = true;       // assignment.h
  bool hold_out = false;        // Only one half of the samples of each class is fitted on.
  uint64_t split = 0;           // Which half: with hold_out, of several splits this one.
  bool strip = false;
  int jobs = 0;
};

struct AutoTensor {
  int index = 0;
  std::string name;
  int bits = 0;
  std::string codec;
  int64_t original_bytes = 0;
  int64_t bytes = 0;
  double decode_us = 0;   // Estimated.
  double qsnr_db = 0;     // Infinite: as it was.
  bool is_moved = false;  // As BinRow has it.
};

// On samples that nothing was fitted on.
struct HeldOut {
  int64_t count = 0;
  double value_before = 0;
  double value_after = 0;
  int64_t lost = 0;
};

struct ParetoPoint {
  int64_t bytes = 0;               // Of the file, nearly.
  double value = 0;                // On the samples that were fitted on,
  std::optional<double> held_out;  // and on the others.
  bool is_result = false;
};

struct AutoResult {
  std::string path;
  Bytes file;
  bool reaches_goal = false;
  int64_t bytes_before = 0;
  int64_t bytes_after = 0;
  double value_before = 0;  // Accuracy.
  double value_after = 0;
  int64_t lost = 0;  // Inputs that were answered rightly before and are not now.
  int64_t count = 0;
  int evaluations = 0;
  std::vector<AutoTensor> tensors;
  std::optional<double> decode_us;  // Measured, where the goal limits it.
  nlohmann::ordered_json decoding;  // DecodingJson, with the codecs that were left out as "left_out".
  std::string decoding_text;        // The same in words.
  struct Constants {
    int64_t before = 0;
    int64_t after = 0;
  };
  std::optional<Constants> constants;  // Bytes of weights and biases, for kGap9.
  std::vector<SearchStep> steps;       // As Solution has them.
  std::optional<HeldOut> held_out;
  std::vector<ParetoPoint> pareto;  // Of the solver.
  BinPlan plan;
  std::string spec;  // For pack: with the plan it makes the file again.
};

// Without labels in `data`, the model's own answers are the labels. Throws BadInput for data that are no
// classes of the model, and for a model that is compressed already.
AutoResult Auto(const host::ModelFile& file, const Dataset& data, const AutoOptions& options);

std::string AutoTable(const AutoResult& result);
std::string AutoJson(const AutoResult& result);

}  // namespace lutra::compressor

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

#include "compressor/accuracy/search.h"

namespace lutra::compressor {

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
  AnswerChange fitted;
  int evaluations = 0;
  std::vector<AutoTensor> tensors;
  std::optional<double> decode_us;  // Measured, where the goal limits it.
  nlohmann::ordered_json decoding;  // DecodingJson, with the codecs that were left out as "left_out".
  std::string decoding_text;        // The same in words.
  struct Constants {
    int64_t before = 0;
    int64_t after = 0;
  };
  std::optional<Constants> constants;    // Bytes of weights and biases, for kGap9.
  std::vector<SearchStep> steps;         // As Solution has them.
  std::optional<AnswerChange> held_out;  // On samples that nothing was fitted on.
  std::vector<ParetoPoint> pareto;       // Of the solver.
  BinPlan plan;
  std::string spec;  // For pack: with the plan it makes the file again.
};

// Without labels in `data`, the model's own answers are the labels. Throws BadInput for data that are no
// classes of the model, and for a model that is compressed already.
AutoResult Auto(const host::ModelFile& file, const Dataset& data, const AutoOptions& options);

std::string AutoTable(const AutoResult& result);
std::string AutoJson(const AutoResult& result);

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Searches for the widths and codecs of all tensors that meet a goal, in the way that the options name.
//
//   const Searched searched = Search(file, fit, options);
//   const Made made = BinAndPack(*searched.choices, options, searched.solution.chosen);

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compressor/accuracy/labelled_data.h"
#include "compressor/accuracy/solver.h"

namespace lutra::compressor {

struct AutoOptions {
  SolverGoal goal;
  std::string metric;              // As metric.h names it; empty: what fits.
  std::optional<double> max_loss;  // Instead of goal.limit: the allowed loss in hundredths, of accuracy or
                                   // area, or of the model's own rmse.
  SolverOptions solver;
  DecodeTimer timer = MeasuredDecodeUs;  // With goal.decode_us.
  std::string log;  // A file of what was run, which a later call goes on from. Empty: none.
  Target target = Target::kTflm;
  enum Search : uint8_t {
    kSolver,
    kNntool,   // Its search for one QSNR; the goal is to keep every label.
    kUniform,  // The same number of bits for all.
  };
  Search search = kSolver;
  // The goal's bytes are the file's, or those of indices and tables alone as GAP9's engine reads them, which
  // nntool counts.
  enum Sizes : uint8_t { kFile, kGap9 };
  Sizes sizes = kFile;
  bool importance =
      true;  // Errors are weighted by the inputs on the data (importance.h); else all count the same.
  bool bias_correction = true;  // bias_correction.h
  bool assignment = true;       // assignment.h
  bool hold_out = false;        // Only one half of the samples of each class is fitted on.
  uint64_t split = 0;           // Which half: with hold_out, of several splits this one.
  bool sensitivity = false;     // The summary has the sensitivities of each tensor alone.
  bool trim = false;
  bool strip = true;        // Before it is searched, as Strip does; biases lose their scales at the end.
  bool keep_names = false;  // With strip: all but names.
  int jobs = 0;
};

struct Searched {
  std::unique_ptr<Choices> choices;
  Solution solution;
  std::vector<ParetoChoice> pareto;                  // Of the solver,
  std::vector<host::TensorSensitivity> sensitivity;  // and what it knows of each tensor alone.
};

// Ignores options.max_loss: its caller has set options.goal from it.
Searched Search(const host::ModelFile& file, const LabelledData& fit, const AutoOptions& options);

struct Made {
  BinReport binned;
  PackResult packed;
};

Made BinAndPack(const Choices& choices, const AutoOptions& options, const std::vector<int>& chosen);

// Returns whether the answers of a model meet the goal, whatever its bytes.
bool MeetsGoal(const SolverGoal& goal, const MetricFacts& metric, const host::AnswerChange& run);

}  // namespace lutra::compressor

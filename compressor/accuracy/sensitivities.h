// SPDX-License-Identifier: Apache-2.0
// Measures how each tensor alone, at each of its widths, changes the values that a network decides by.
//
//   Sensitivities sensitivities(choices, evaluator, fit, deciding, goal, options, &runs);
//   sensitivities.Measure();
//   if (sensitivities.ErrorOf(3, 2) < sensitivities.ErrorOf(3, 4)) ...   // Options 2 and 4 of tensor 3.
//
// An error is the mean over samples of the energy of the change (squared, in real units), relative to that
// sample's squared margin or, with other metrics than answers, to a unit that the metric has. Errors of
// different tensors hardly correlate, so their energies add up.

#pragma once

#include <cstdint>
#include <vector>

#include "compressor/accuracy/choices.h"
#include "compressor/accuracy/deciding_model.h"
#include "compressor/accuracy/evaluate.h"
#include "compressor/accuracy/labelled_data.h"
#include "compressor/accuracy/runs.h"
#include "compressor/accuracy/solver_options.h"
#include "host/compression_result.h"

namespace lutra::compressor {

class Sensitivities {
 public:
  // `evaluator` has the data of `fit`, `deciding` is of the choices' base. All arguments outlive it.
  Sensitivities(const Choices& choices, const Evaluator& evaluator, const LabelledData& fit,
                const DecidingModel& deciding, const SolverGoal& goal, const SolverOptions& options,
                Runs* runs);

  // Runs the network for what `runs` do not have. Call it before the others.
  void Measure();

  double ErrorOf(size_t tensor, size_t option) const { return errors_[tensor][option]; }
  // Returns the sum over tensors.
  double ErrorOf(const std::vector<int>& chosen) const;
  // Returns errors, bytes and times of all options, tensor by tensor.
  std::vector<host::TensorSensitivity> Table() const;

  // Returns how often the network was run over the samples.
  int evaluations() const { return evaluations_; }

 private:
  // Measures the model with one changed tensor, on the samples of `evaluator`.
  Runs::Sensitivity MeasureOne(const Evaluator& evaluator, const Bytes& wanted,
                               const std::vector<double>& units, const std::vector<int>& chosen);
  // Returns the units in which the energies of changed outputs are counted, sample by sample.
  std::vector<double> EnergyUnits(const Evaluator& evaluator, const Bytes& wanted) const;

  const Choices& choices_;
  const Evaluator& evaluator_;
  const LabelledData& fit_;
  const DecidingModel& deciding_;
  const SolverGoal& goal_;
  const int samples_;  // SolverOptions::sensitivity_samples.
  Runs& runs_;
  const bool by_answers_;
  std::vector<std::vector<double>> errors_;  // One for each option of each tensor.
  int evaluations_ = 0;
};

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Runs the solver, or one of the searches that it is compared with.

#include "compressor/accuracy/search.h"

#include <cmath>
#include <map>

#include "compressor/accuracy/importance.h"
#include "compressor/decoding_cost.h"
#include "compressor/gap9/nntool/search.h"

namespace lutra::compressor {
namespace {

// Finds the least number of bits that reaches the goal, the same for all tensors that gain by it.
Solution SearchUniform(const Choices& choices, const LabelledData& fit, int jobs, const SolverGoal& goal) {
  Solution best;
  for (int bits = kMaxBinBits; bits >= 0; --bits) {
    std::vector<int> chosen(choices.tensors().size());
    for (size_t t = 0; t < chosen.size(); ++t) {
      const auto& options = choices.tensors()[t].options;
      const auto option = static_cast<size_t>(kMaxBinBits + 1 - bits);
      // Option 0 is the tensor as it is; then come the widths, the widest first.
      if (bits > 0 && option < options.size() && options[option].codec != "plain") {
        chosen[t] = static_cast<int>(option);
      }
    }
    if (bits == 0 && best.reaches_goal) break;  // The model as it is need not be tried.
    const host::AnswerChange run = Evaluate(fit, choices.Apply(chosen), jobs);
    ++best.evaluations;
    const int64_t bytes = choices.BytesOf(chosen);
    const bool reaches =
        MeetsGoal(goal, *fit.metric, run) && (goal.kind != SolverGoal::kMaxBytes || bytes <= goal.bytes);
    const double loss = fit.metric->Loss(run.value_after);
    const bool better = goal.kind == SolverGoal::kMaxBytes ? loss < best.loss : bytes < best.bytes;
    if (best.chosen.empty() || (reaches && (!best.reaches_goal || better))) {
      best.chosen = chosen;
      best.bytes = bytes;
      best.loss = loss;
      best.reaches_goal = reaches;
    }
  }
  return best;
}

// Measures the weights for a search that fits on these samples. A compressed model gives nothing, and Choices
// refuses it.
Calibration Calibrate(const host::ModelFile& file, const Evaluator& evaluator, const AutoOptions& options) {
  const ModelEditor editor(file);
  if (IsCompressed(editor)) return {};
  // As in Choices, biases of the same bytes have one place, and none of them can be moved alone.
  const std::vector<FilterInputs> inputs =
      MeasureFilterInputs(LoadModel(editor.Write(), file.path), evaluator);
  Calibration calibration;
  if (options.bias_correction) calibration.correction = BiasCorrection(inputs);
  if (options.importance) calibration.importance = Importance(file, inputs, options.bias_correction);
  if (options.assignment) calibration.assigners = Assigners(file, inputs, options.bias_correction);
  return calibration;
}

// Runs the solver for a target; `options` say where the search begins.
Searched SearchFor(const host::ModelFile& file, const Evaluator& evaluator, const LabelledData& fit,
                   const Calibration& calibration, const AutoOptions& options, Runs* runs) {
  Searched searched;
  searched.choices = std::make_unique<Choices>(
      file, options.target, options.sizes == AutoOptions::kGap9 ? Widths::kEngine : Widths::kUseful,
      calibration, options.goal.decode_us ? options.timer : DecodeTimer());
  SolverOptions solver_options = options.solver;
  solver_options.target = options.target;
  if (options.sizes == AutoOptions::kFile) {
    solver_options.file_bytes = [&](const std::vector<int>& chosen) {
      return static_cast<int64_t>(BinAndPack(*searched.choices, options, chosen).packed.file.size());
    };
  }
  Solver solver(*searched.choices, evaluator, fit, options.goal, solver_options, runs);
  searched.solution = solver.Solve();
  searched.pareto = solver.Pareto(searched.solution);
  searched.sensitivity = solver.Sensitivities();
  return searched;
}

// Returns whether `a` rather than `b` should be written.
bool IsBetter(const Searched& a, int64_t a_bytes, const Searched& b, int64_t b_bytes,
              const SolverGoal& goal) {
  if (a.solution.reaches_goal != b.solution.reaches_goal) return a.solution.reaches_goal;
  const bool counts_loss = goal.kind == SolverGoal::kMaxBytes && a.solution.loss != b.solution.loss;
  return counts_loss ? a.solution.loss < b.solution.loss : a_bytes < b_bytes;
}

// Returns the solver's choice. The target lutra reads all that TFLM reads, so its search begins with the
// choice for TFLM, and never ends with a worse one.
Searched SearchBySolver(const host::ModelFile& file, const Evaluator& evaluator, const LabelledData& fit,
                        const AutoOptions& options) {
  const Calibration calibration = Calibrate(file, evaluator, options);
  Runs runs(options.log);
  AutoOptions first = options;
  const bool is_superset = options.target == Target::kLutra && options.sizes == AutoOptions::kFile;
  if (is_superset) first.target = Target::kTflm;
  Searched found = SearchFor(file, evaluator, fit, calibration, first, &runs);
  if (!is_superset) return found;
  AutoOptions second = options;
  second.solver.start = found.choices->ValuesOf(found.solution.chosen);
  Searched further = SearchFor(file, evaluator, fit, calibration, second, &runs);
  further.solution.evaluations += found.solution.evaluations;
  found.solution.evaluations = further.solution.evaluations;
  const auto bytes = [&](const Searched& searched) {
    return static_cast<int64_t>(
        BinAndPack(*searched.choices, options, searched.solution.chosen).packed.file.size());
  };
  return IsBetter(found, bytes(found), further, bytes(further), options.goal) ? std::move(found)
                                                                              : std::move(further);
}

}  // namespace

bool MeetsGoal(const SolverGoal& goal, const MetricFacts& metric, const host::AnswerChange& run) {
  constexpr double kOfRounding = 1e-9;
  if (goal.kind == SolverGoal::kKeepLabels) return run.lost == 0;
  return goal.kind != SolverGoal::kLimit ||
         metric.Loss(run.value_after) <= metric.Loss(goal.limit) + kOfRounding;
}

Made BinAndPack(const Choices& choices, const AutoOptions& options, const std::vector<int>& chosen) {
  const std::string& path = choices.base().path;
  Made made;
  ModelEditor editor(choices.base());
  made.binned = BinModel(choices.base(), choices.PlanOf(chosen), &editor);
  PackOptions pack;
  pack.target = options.target;
  pack.placement = PlacementFor(options.target);
  pack.strip = options.strip;
  pack.stripping.names = !options.keep_names;
  if (options.goal.decode_us || options.sizes == AutoOptions::kGap9) pack.spec = choices.SpecOf(chosen);
  // A codec that decodes as fast as the chosen one may be smaller for a tensor; the other tensors have lookup
  // tables.
  if (!options.solver.any_codec) {
    std::map<TensorId, DecodeType> slowest;
    for (const SpecEntry& entry : choices.SpecOf(chosen)) slowest[entry.id] = entry.codec;
    pack.may_take_time = [slowest](TensorId id, DecodeType codec) {
      const auto found = slowest.find(id);
      const DecodeType most = found == slowest.end() ? DecodeType::kLut : found->second;
      return DecodesAsFast(codec, most);
    };
  }
  made.packed = Pack(LoadModel(editor.Write(), path), pack);
  return made;
}

Searched Search(const host::ModelFile& file, const LabelledData& fit, const AutoOptions& options) {
  const Evaluator evaluator(fit.data, options.jobs, true);
  if (options.search == AutoOptions::kSolver) return SearchBySolver(file, evaluator, fit, options);
  Searched searched;
  searched.choices = std::make_unique<Choices>(file, options.target, Widths::kUniform);
  if (!options.solver.any_codec) searched.choices->StoreIn(FastCodecsOf(options.target));
  searched.solution = options.search == AutoOptions::kNntool
                          ? SearchAsNntool(*searched.choices, evaluator, fit.Answers())
                          : SearchUniform(*searched.choices, fit, options.jobs, options.goal);
  return searched;
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Evaluates a model's answers on data, and how compression has changed them.
//
//   const Evaluator evaluator(ReadDataset(source, input, output), jobs);
//   const Bytes outputs = evaluator.Outputs(file);
//   const Evaluation result = evaluator.Evaluate(file, "accuracy", {});
//
// Samples are shared out among threads; results do not depend on how many. A model with variables starts each
// sample from fresh state. Models have one input and one output.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compressor/accuracy/dataset.h"
#include "compressor/accuracy/metric.h"
#include "compressor/accuracy/scoring.h"
#include "compressor/model_editor.h"
#include "lutra/micro_interpreter.h"

namespace lutra::compressor {

// An operator's output against the reference's, over all samples: 10 log10(sum x^2 / sum (x - y)^2), x the
// reference's real values. Infinite where nothing differs.
struct LayerResult {
  int index = 0;
  std::string op;
  double qsnr_db = 0;
  std::string tensor;  // The output's name.
};

struct Evaluation {
  std::string metric;  // As metric.h names it.
  double value = 0;
  int64_t count = 0;
  std::optional<host::Interval> interval;
  SampleErrors samples;
  // With answers alone:
  double margin = 0;                            // The mean over samples.
  std::vector<std::vector<int64_t>> confusion;  // [label][answer]
  std::vector<InputResult> inputs;              // One for each sample.
};

class Evaluator {
 public:
  // `jobs` threads; 0: one for each processor. `quiet`: without a line of progress.
  Evaluator(Dataset data, int jobs, bool quiet = false);

  const Dataset& data() const { return data_; }
  int jobs() const { return jobs_; }

  // The model's output for each sample, one behind the other. Throws BadInput if the model does not take the
  // data.
  Bytes Outputs(const host::ModelFile& file) const;

  // Calls use(sample, output) for samples nearly in their order, from several threads, until one returns
  // false. `arena_bytes` is that of host::SmallestArena; models whose tensors have the same shapes share it.
  void ForEachOutput(const host::ModelFile& file, size_t arena_bytes,
                     const std::function<bool(int64_t sample, const uint8_t* output)>& use) const;

  // `reference` (Outputs of a model) serves as labels if the data have none, and for metrics of a change: its
  // answers for accuracy, its values for rmse. An empty metric stands for the one that fits. Throws BadInput
  // for a metric that labels and model do not fit.
  Evaluation Evaluate(const host::ModelFile& file, const std::string& metric, const Bytes& reference) const;

  // Calls use(sample, these activations) for each sample, in any order, from several threads.
  void ForEachActivations(
      const host::ModelFile& file, const std::vector<int>& tensors,
      const std::function<void(int64_t sample, const std::vector<Tensor>& values)>& use) const;

  // Layer by layer, of subgraph 0. Both models have the same operators: unpack compressed ones first. Throws
  // BadInput if they have not.
  std::vector<LayerResult> CompareLayers(const host::ModelFile& file, const host::ModelFile& reference) const;

 private:
  // Calls run(prepared models of `files`, sample) for each sample, from several threads, nearly in their
  // order, until one returns false.
  template <typename Run>
  void ForEachSample(const std::vector<const host::ModelFile*>& files, const std::vector<size_t>& arena_bytes,
                     const Run& run) const;

  Dataset data_;
  int jobs_;
  bool quiet_;
};

// Makes the answers of `model` the labels of `data`; `same` are its samples as the model takes them.
void LabelByAnswers(const host::ModelFile& model, const Dataset& same, int jobs, Dataset* data);
// Makes the values of `outputs`, those of `file`, the labels of `data`.
void LabelByValues(const host::ModelFile& file, const Bytes& outputs, Dataset* data);

// The model with every operator's outputs as its own; *operators becomes the operator of each.
host::ModelFile WithAllOutputs(const host::ModelFile& file, std::vector<int>* operators);

std::string EvaluationTable(const std::string& path, const Evaluation& result,
                            const std::vector<LayerResult>& layers, bool per_input);
std::string EvaluationJson(const std::string& path, const Evaluation& result,
                           const std::vector<LayerResult>& layers, bool per_input, bool with_layers);

}  // namespace lutra::compressor

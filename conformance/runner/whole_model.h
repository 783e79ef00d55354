// SPDX-License-Identifier: Apache-2.0
// Will a model answer the same elsewhere? Its layers under several profiles, and on a runtime.
//
//   const Trial trial = {SeededSamples(*model, 10), InvokesOf(*model), *oracle::FindProfile("tflm")};
//   const ModelDrift drift = DriftOfRuntime(*model, trial, {0, 10}, &adapter, {folder});
//   for (const LayerDrift& layer : drift.layers) fmt::print("{} {}\n", layer.op, Describe(layer.rules));

#pragma once

#include "conformance/runner/layer_rules.h"
#include "conformance/runner/run.h"

namespace lutra::conformance {

// Elements of a tensor that differ from the reference's, over all samples.
struct Difference {
  int64_t elements = 0, different = 0;
  double largest = 0;
  // In the first sample in which there is one; -1: none.
  int first_sample = -1;
};

struct LayerDrift {
  int index = 0;  // The operator's, in subgraph 0.
  std::string op, tensor;
  Difference alone;       // With the reference's values as inputs: what this layer alone adds.
  Difference drifted;     // With the outputs of the layers before it as inputs.
  ExplainingRules rules;  // On a runtime: each layer is fed with that runtime's values.
};

// An operator of subgraph 0 that the reference does not judge: the oracle lacks it, or a type of it.
struct NotJudged {
  int index = 0;
  std::string op, why;
  friend bool operator==(const NotJudged&, const NotJudged&) = default;
};

struct ModelDrift {
  std::string name;  // The profile's, or the runtime's.
  std::vector<LayerDrift> layers;
  // The layers behind these operators get the runtime's own values. Under a profile these are not known, so
  // that the layers are not compared.
  std::vector<NotJudged> not_judged;
  int samples = 0;
  // Samples whose largest output (the first of equal ones) has another index; -1: the output is one value.
  int other_answers = -1;
  Difference output;        // Without elements: the output is not judged.
  std::string problem;      // Not empty: why there is nothing to compare.
  bool is_refused = false;  // The problem is that the runtime does not take the model.
};

// Adds further samples of the same model and runtime. After a problem nothing is compared, so nothing is
// added. Throws std::invalid_argument if the layers differ.
void AddDrift(const ModelDrift& next, ModelDrift* drift);

// The first layer that differs; null: none does.
const LayerDrift* FirstThatDiffers(const ModelDrift& drift);

// Returns the index of the largest code of the first output (the first of equal ones); nothing if the output
// is one value or no int8.
std::optional<size_t> AnswerOf(const oracle::ModelObjects& model, const oracle::Bytes& output);

using Samples = std::vector<std::vector<oracle::Bytes>>;  // Inputs of each.

// Says how a model is tried. State begins anew with every sample, and is kept over its inferences.
struct Trial {
  Samples samples;
  int invokes = 1;  // Inferences of each sample; the values after the last are compared.
  const oracle::Profile& reference;
};

// Says which samples one of several parts of a trial tries, from `first`.
struct SampleRange {
  int first = 0, end = 0;
};

// Returns 1, or 3 for a model that keeps state.
int InvokesOf(const oracle::ModelObjects& model);

// Measures how the oracle drifts under a profile, against the reference profile.
ModelDrift DriftOfProfile(const oracle::ModelObjects& model, const Trial& trial, SampleRange range,
                          const oracle::Profile& profile);

struct RuntimeRun {
  std::filesystem::path folder;  // For the files of a case.
  // Every tensor is made an output, so that layers can be compared. Recordings of a model have its own
  // outputs alone.
  bool tap = true;
};

// Measures how a runtime drifts, but not LayerDrift::alone. The case of sample k is model.<4 digits of k>.
ModelDrift DriftOfRuntime(const oracle::ModelObjects& model, const Trial& trial, SampleRange range,
                          AdapterProcess* adapter, const RuntimeRun& run);

// Returns inputs of seeds 1 to `count`, as generic_benchmark makes them, with indices and divisors that the
// operators accept.
Samples SeededSamples(const oracle::ModelObjects& model, int count);

}  // namespace lutra::conformance

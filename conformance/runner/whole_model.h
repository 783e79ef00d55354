// SPDX-License-Identifier: Apache-2.0
// Will a model answer the same elsewhere? Its layers under several profiles, and on a runtime.

#pragma once

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
  Difference alone;    // Fed with the reference's values: what this layer adds.
  Difference drifted;  // Fed with what the layers before it gave.
};

struct ModelDrift {
  std::string name;  // The profile's, or the runtime's.
  std::vector<LayerDrift> layers;
  int samples = 0;
  // Samples whose largest output (the first of equal ones) stands elsewhere; -1: the output is one value.
  int other_answers = -1;
  Difference output;
  std::string problem;  // Not empty: why there is nothing to compare.
};

struct ModelReport {
  std::string path, reference;
  std::vector<ModelDrift> drifts;
};

// Where the largest code of the first output stands (the first of equal ones); nothing if it is one value or
// no int8.
std::optional<size_t> AnswerOf(const oracle::ModelObjects& model, const oracle::Bytes& output);

using Samples = std::vector<std::vector<oracle::Bytes>>;  // Inputs of each.

// How the oracle drifts under a profile, against the reference profile.
ModelDrift DriftOfProfile(const oracle::ModelObjects& model, const Samples& samples,
                          const oracle::Profile& reference, const oracle::Profile& profile);
// How a runtime drifts, which runs the model with every tensor among its outputs; no layer alone.
ModelDrift DriftOfRuntime(const oracle::ModelObjects& model, const Samples& samples,
                          const oracle::Profile& reference, AdapterProcess* adapter,
                          const std::filesystem::path& folder);

// Inputs of seeds 1 to `count`: splitmix64, one stream over all inputs, as generic_benchmark makes them.
Samples SeededSamples(const oracle::ModelObjects& model, int count);

std::string ModelReportTable(const ModelReport& report);
std::string ModelReportJson(const ModelReport& report);

}  // namespace lutra::conformance

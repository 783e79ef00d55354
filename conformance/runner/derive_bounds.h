// SPDX-License-Identifier: Apache-2.0
// Finds by how many codes an operator's outputs may be off before models give other answers.
//
// For one operator at a time, every int8 element that it gives anywhere in a model is moved by up to e codes,
// in five patterns: all up, all down, up and down in turn, the reverse, and at random; everything else is
// computed by the profile tflm. Its bound is the largest e such that at e and below it no pattern changes the
// answer of any model on any sample. A model's answer is the place of its largest output code; where the
// output is no int8, is one value, or has the shape of the first input (an autoencoder's), it stays as long
// as no element differs by more than `max_difference`.
//
//   host::Bounds bounds = BoundsOf(DeriveBounds({{"kws", *model, samples}}, {}));

#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/runner/whole_model.h"

namespace lutra::conformance {

struct BearingModel {
  std::string name;
  const oracle::ModelObjects& model;
  Samples samples;
};

struct BearingOptions {
  int most = 16;           // No more is tried.
  int max_difference = 1;  // Of outputs that are no classes.
};

struct DerivedBound {
  int bound = 0;
  // The model and sample whose answer one code more changes; empty: `most` changes none.
  std::string limit;
};

// Finds the bound of every operator of the models that rounds; operators that only move or compare codes have
// none. Names are those of reports. Throws Unspecified for a model that the oracle does not run. `tell` is
// called with each operator before it is tried.
std::map<std::string, DerivedBound> DeriveBounds(const std::vector<BearingModel>& models,
                                                 const BearingOptions& options,
                                                 const std::function<void(const std::string&)>& tell = {});
host::Bounds BoundsOf(const std::map<std::string, DerivedBound>& derived);

}  // namespace lutra::conformance

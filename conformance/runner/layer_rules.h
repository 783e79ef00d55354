// SPDX-License-Identifier: Apache-2.0
// Finds the rule that each layer of a model follows on a runtime, from the runtime's own inputs and outputs
// of it.
//
//   LayerRules rules(model);
//   rules.Weigh(values);                       // of every tensor, for each sample
//   fmt::print("{}\n", Describe(rules.RulesOf(3)));  // "FP32"

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/oracle/evaluate.h"

namespace lutra::conformance {

// Returns whether `values` has bytes for the tensor of subgraph 0, or it needs none; an operand that is left
// out (-1) does not.
bool IsKnown(const oracle::ModelObjects& model, const std::vector<oracle::Bytes>& values, int32_t tensor);

// The rules that explain a layer in every sample that was weighed.
struct ExplainingRules {
  std::string op;  // As the oracle names it; empty: none was weighed.
  std::vector<std::string> names;
};
// "FP32", "DR or SR" (one name for rules that no input tells apart), "unknown"; empty if no sample was
// weighed.
std::string Describe(const ExplainingRules& rules);
// Leaves only the rules that explain the samples of both.
void Intersect(const ExplainingRules& other, ExplainingRules* rules);

class LayerRules {
 public:
  explicit LayerRules(const oracle::ModelObjects& model) : model_(model) {}

  // `values`: bytes of each tensor of subgraph 0, as a runtime had them after its first inference. A tensor
  // that is empty there, and no constant, is not known; operators that read or write it are left out.
  void Weigh(const std::vector<oracle::Bytes>& values);
  ExplainingRules RulesOf(int layer) const;

 private:
  struct Layer {
    const oracle::Operator* op = nullptr;
    std::set<size_t> possible;  // Indices of rules.
  };

  const oracle::ModelObjects& model_;
  std::map<size_t, Layer> layers_;
};

}  // namespace lutra::conformance

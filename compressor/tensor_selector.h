// SPDX-License-Identifier: Apache-2.0
// Finds the tensors that an option means: --tensor=T, --only, --exclude, --step.
//
//   for (const TensorId id : SelectTensors(editor, "op:CONV_2D")) ...
//
//   3          tensor 3 of subgraph 0                 1:3      tensor 3 of subgraph 1
//   conv1/w    the tensor of that name                conv*    all names that match (* and ?)
//   op:CONV_2D the constant inputs of these operators

#pragma once

#include <compare>
#include <string>
#include <vector>

#include "compressor/model_editor.h"

namespace lutra::compressor {

struct TensorId {
  int subgraph = 0;
  int tensor = 0;
  friend auto operator<=>(const TensorId&, const TensorId&) = default;
};

// Returns "17", or in other subgraphs than 0 "1:17".
std::string ToText(TensorId id);

// Returns the tensors in ascending order. Throws BadInput if there is none, or if several have the name.
// op:TYPE and patterns select constants only.
std::vector<TensorId> SelectTensors(const ModelEditor& editor, const std::string& selector);

// Returns the constant inputs of operators of subgraph 0 by position: "3", "2:5" (2 to 4), "-1" the last.
// Throws BadInput if there is no such operator.
std::vector<TensorId> SelectSteps(const ModelEditor& editor, const std::string& step);

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Draws row plans of random groups and places. Runtimes that do not know LUTRA_PLAN run the model as it is.
//
//   AddRowPlan(random, {y}, &maker.model());

#pragma once

#include "conformance/generator/model_maker.h"

namespace lutra::conformance {

// Adds the metadata of runtime/PLAN.md, with groups of consecutive operators that may or may not run by rows
// and, for some models, places of tensors and the multipliers of the convolutions. `outputs`: the future
// outputs of the model.
void AddRowPlan(Random& random, const std::vector<int32_t>& outputs, edit::ModelT* model);

}  // namespace lutra::conformance

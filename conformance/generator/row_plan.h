// SPDX-License-Identifier: Apache-2.0
// Row plans of random groups. Runtimes that do not know LUTRA_PLAN run the model as it is.
//
//   AddRowPlan(random, &maker.model());

#pragma once

#include "conformance/generator/model_maker.h"

namespace lutra::conformance {

// Adds the metadata of runtime/PLAN.md with groups of operators that follow each other, whether or not they
// can run by rows and, for some models, the multipliers of the convolutions.
void AddRowPlan(Random& random, edit::ModelT* model);

}  // namespace lutra::conformance

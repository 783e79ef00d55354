// SPDX-License-Identifier: Apache-2.0
// Describes a model and how its memory is laid out, as text, without running it.

#pragma once

#include <string>

#include "bench/measure.h"
#include "host/model_file.h"

namespace lutra::bench {

// Lists operators with shapes, types, scales, MACs and weights; says which are unsupported, and why.
std::string InspectModel(const host::ModelFile& file, const MeasureOptions& options);

// Draws the tensors' addresses over the steps of an inference. Throws BadInput if the model is refused.
std::string DrawMemoryPlan(const host::ModelFile& file, const MeasureOptions& options);

}  // namespace lutra::bench

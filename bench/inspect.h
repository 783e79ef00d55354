// SPDX-License-Identifier: Apache-2.0
// Describes a model and how its memory is laid out, as text, without running it.

#pragma once

#include <string>

#include "bench/measure.h"
#include "host/model_file.h"

namespace lutra::bench {

// Operators with shapes, types, scales, MACs and weights; what is unsupported, and why.
std::string InspectModel(const host::ModelFile& file, const MeasureOptions& options);

// Tensors over time against addresses. Throws BadInput if the model is refused.
std::string DrawMemoryPlan(const host::ModelFile& file, const MeasureOptions& options);

}  // namespace lutra::bench

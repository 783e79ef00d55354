// SPDX-License-Identifier: Apache-2.0
// nntool's search for one QSNR (qsnr_search.h), on the tensors and the samples of a model.
//
//   const Choices choices(file, Target::kTflm, Widths::kUniform);
//   const Solution solution = SearchAsNntool(choices, evaluator, labels);

#pragma once

#include <vector>

#include "compressor/accuracy/solver.h"

namespace lutra::compressor {

// Keeps every label that the model answers rightly. `choices` are of Widths::kUniform.
Solution SearchAsNntool(const Choices& choices, const Evaluator& evaluator,
                        const std::vector<int64_t>& labels);

}  // namespace lutra::compressor

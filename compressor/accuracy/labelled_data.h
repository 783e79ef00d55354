// SPDX-License-Identifier: Apache-2.0
// Samples with the right answer of each, and what a changed model answers on them.
//
//   const LabelledData all = InOrderOfMargins(file, data, jobs);
//   const auto [fit, others] = Halves(all, 0);
//   const host::AnswerChange change = Evaluate(others, changed, jobs);

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "compressor/accuracy/evaluate.h"
#include "host/compression_result.h"

namespace lutra::compressor {

struct LabelledData {
  Dataset data;
  std::vector<int64_t> labels;
  std::vector<char> right;  // Whether the unchanged model answers so.

  double Accuracy() const {
    return static_cast<double>(std::count(right.begin(), right.end(), 1)) / static_cast<double>(right.size());
  }
};

// The samples that the model is least sure of come first: what changes an answer is seen soon. Without labels
// in `data`, the model's own answers are the labels. Throws BadInput for data that are no classes of the
// model.
LabelledData InOrderOfMargins(const host::ModelFile& file, const Dataset& data, int jobs);

// Returns the samples to fit on, and the others: of each two samples of a class that follow one another in
// the order given one each. Split 0 fits on the first of them; in others chance decides.
std::pair<LabelledData, LabelledData> Halves(const LabelledData& all, uint64_t split);

// Compares the answers of `file` with those of the unchanged model.
host::AnswerChange Evaluate(const LabelledData& samples, const host::ModelFile& file, int jobs);

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Samples with the right answer of each, and the answers of a changed model on them.
//
//   const LabelledData all = LabelledFor(file, data, "", jobs);
//   const auto [fit, others] = Halves(all, 0);
//   const host::AnswerChange change = Evaluate(others, changed, jobs);

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compressor/accuracy/evaluate.h"
#include "host/compression_result.h"

namespace lutra::compressor {

struct LabelledData {
  Dataset data;  // With labels, whether they were given or are the unchanged model's answers or values.
  const MetricFacts* metric = nullptr;
  SampleErrors before;  // The unchanged model's.

  double Value() const { return ValueOf(*metric, before); }
  // The right answer of each sample; with metrics of answers.
  std::vector<int64_t> Answers() const;
};

// With answers, the samples that the model is least sure of come first, so that a changed answer is found
// soon. An empty metric stands for the one that fits labels and model. Without labels in `data`, and for
// metrics of a change, the model's own outputs are right. Throws BadInput for data that do not fit model or
// metric.
LabelledData LabelledFor(const host::ModelFile& file, const Dataset& data, const std::string& metric,
                         int jobs);

// Returns the samples to fit on, and the others. Each two samples of a class that follow one another in the
// given order are divided between them; without classes, each two samples are. Split 0 fits on the first of
// the two; in other splits chance decides.
std::pair<LabelledData, LabelledData> Halves(const LabelledData& all, uint64_t split);

// Compares the answers of `file` with those of the unchanged model.
host::AnswerChange Evaluate(const LabelledData& samples, const host::ModelFile& file, int jobs);

}  // namespace lutra::compressor

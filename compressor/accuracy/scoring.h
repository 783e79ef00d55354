// SPDX-License-Identifier: Apache-2.0
// Compares a model's outputs with the labels of its data.
//
//   const Scoring scoring(data, file, {}, "");
//   errors[sample] = scoring.ErrorOf(sample, output);

#pragma once

#include <string>

#include "compressor/accuracy/dataset.h"
#include "compressor/accuracy/metric.h"
#include "compressor/model_editor.h"

namespace lutra::compressor {

// The model's answer on one sample. The margin is by how much the largest output exceeds the second, in real
// units. With other metrics than those of answers, it has the sample's error instead.
struct InputResult {
  int64_t answer = 0;
  int64_t label = 0;
  double margin = 0;
  double error = 0;
};

// Says by how much the value of `label` exceeds all others, in real units; negative if another is larger.
double MarginOf(const TensorInfo& info, const uint8_t* values, int64_t label);

class Scoring {
 public:
  // If the data have no labels, and for metrics of a change, `reference` has the right values: outputs of the
  // unchanged model, one behind the other. An empty metric stands for the one that fits. All arguments must
  // outlive it. Throws BadInput for a metric that labels and model do not fit.
  Scoring(const Dataset& data, const host::ModelFile& file, const Bytes& reference,
          const std::string& metric);

  const MetricFacts& metric() const { return *metric_; }
  InputResult ResultOf(int64_t sample, const uint8_t* output) const;
  // Returns the error as SampleErrors has it.
  double ErrorOf(int64_t sample, const uint8_t* output) const;
  // Says which samples should score high, with auc.
  std::vector<bool> Positive() const;

 private:
  double UncheckedErrorOf(int64_t sample, const uint8_t* output) const;
  std::string DefaultMetric() const;
  void CheckLabels() const;
  void CheckLabel(size_t index, double most) const;
  int64_t LabelOf(int64_t sample) const;
  double Difference(int64_t sample, const uint8_t* output, int64_t i) const;
  [[noreturn]] void Refuse(const std::string& what) const;
  const uint8_t* ReferenceOf(int64_t sample) const;

  const Dataset& data_;
  const std::string& path_;
  const TensorInfo input_;
  const TensorInfo output_;
  const Bytes& reference_;
  const MetricFacts* metric_ = nullptr;
  bool has_labels_ = false;
};

}  // namespace lutra::compressor

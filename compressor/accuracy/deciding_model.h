// SPDX-License-Identifier: Apache-2.0
// Makes the values that a network decides by its output. SOFTMAX saturates: where a network of answers ends
// with one, it decides by what goes into that, and else by its own output.
//
//   const DecidingModel deciding(choices.base(), *FindMetric("accuracy"));
//   const Bytes values = evaluator.Outputs(deciding.file());
//   const double margin = MarginOf(deciding.output(), values.data(), label);

#pragma once

#include <cstddef>

#include "compressor/accuracy/metric.h"
#include "host/model_file.h"
#include "lutra/tensor_info.h"

namespace lutra::compressor {

class DecidingModel {
 public:
  // `base` has one output.
  DecidingModel(const host::ModelFile& base, const MetricFacts& metric);

  const host::ModelFile& file() const { return file_; }
  size_t arena_bytes() const { return arena_bytes_; }  // By host::SmallestArena.
  TensorInfo input() const { return file_.model.tensor(0, file_.model.inputs(0)[0]); }
  TensorInfo output() const { return file_.model.tensor(0, file_.model.outputs(0)[0]); }

 private:
  host::ModelFile file_;
  size_t arena_bytes_;
};

}  // namespace lutra::compressor

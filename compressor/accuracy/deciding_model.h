// SPDX-License-Identifier: Apache-2.0
// A model whose output is the values by which a network decides. SOFTMAX saturates, so a network of answers
// that ends with SOFTMAX decides by the input of it; every other network decides by its own output.
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

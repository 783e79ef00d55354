// SPDX-License-Identifier: Apache-2.0
// Trim: removes channels that do not affect a model's outputs, which are the same, byte for byte.
//
//   const TrimResult trimmed = Trim(ReadModelFile("in.tflite"));
//   output.Write(trimmed.file);
//   fmt::print("{}", TrimTable(trimmed));
//
// A channel is constant if the lowest and the highest sum that its inputs can reach become the same code by
// every rule of rounding (trim/code_range.h). Its contribution to later layers is added to their biases.
// Channels that only removed channels read are removed, too. A model without such channels does not change.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compressor/model_editor.h"

namespace lutra::compressor {

// A layer with weights.
struct TrimmedLayer {
  int node = 0;
  std::string type;  // "CONV_2D".
  std::string name;  // Of its output.
  int32_t channels = 0;
  int32_t constant = 0;  // The number of these that are constant.
  int32_t removed = 0;
  int64_t macs_before = 0, macs_after = 0;
  int64_t weight_bytes_before = 0, weight_bytes_after = 0;
  // Why the other constant channels stay.
  struct Reason {
    std::string why;
    int32_t channels = 0;
  };
  std::vector<Reason> stay;
};

struct TrimResult {
  std::string path;
  Bytes file;
  int64_t bytes_before = 0;
  int64_t macs_before = 0, macs_after = 0;
  std::vector<TrimmedLayer> layers;

  int64_t channels() const;
  int64_t constant() const;
  int64_t removed() const;
};

// Throws BadInput for a model with custom operators, a row plan or compressed tensors, and for one that
// cannot be written back (as ModelEditor).
TrimResult Trim(const host::ModelFile& file);

// A line in all; one for each layer, too.
std::string TrimLine(const TrimResult& result);
std::string TrimTable(const TrimResult& result);
std::string TrimJson(const TrimResult& result);

}  // namespace lutra::compressor

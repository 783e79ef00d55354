// SPDX-License-Identifier: Apache-2.0
// What `compress bin` is to do with each tensor, kept in a JSON file.
//
//   BinPlan plan = ReadPlan("settings.json", model);   // throws BadInput
//   plan[{0, 3}].settings.bits = 4;
//   const std::string text = WritePlan(plan);
//
//   {"version": 1,
//    "tensors": {"0:3": {"name": "conv/filter", "bits": 4, "per": "channel", "threshold": 0.0,
//                        "sparse": "auto", "pin_zero": false, "enabled": true}}}
//
// Keys are subgraph:index. Each tensor has `bits` (1 to 8) or `min_qsnr_db`; what else is left out has
// its default. The name must be the tensor's.

#pragma once

#include <map>
#include <string>

#include "compressor/binning.h"
#include "compressor/tensor_selector.h"
#include "lutra/model.h"

namespace lutra::compressor {

struct PlannedTensor {
  std::string name;
  BinSettings settings;

  friend bool operator==(const PlannedTensor&, const PlannedTensor&) = default;
};

using BinPlan = std::map<TensorId, PlannedTensor>;

// "tensor", "channel"; "auto", "force", "no".
const char* ToString(TableScope per);
const char* ToString(SparseUse sparse);
bool FromString(const std::string& text, TableScope* per);
bool FromString(const std::string& text, SparseUse* sparse);

std::string WritePlan(const BinPlan& plan);

// Throws BadInput if `text` is not such a file, or names a tensor that `model` has not. `path` is for
// the message.
BinPlan ParsePlan(const std::string& text, const std::string& path, const Model& model);
BinPlan ReadPlan(const std::string& path, const Model& model);

}  // namespace lutra::compressor

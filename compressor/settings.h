// SPDX-License-Identifier: Apache-2.0
// Keeps in a JSON file what `compress bin` is to do with each tensor.
//
//   BinPlan plan = ReadPlan("settings.json", model);   // throws BadInput
//   plan[{0, 3}].settings.bits = 4;
//   const std::string text = WritePlan(plan);
//
//   {"version": 1,
//    "tensors": {"0:3": {"name": "conv/filter", "bits": 4, "per": "channel", "threshold": 0.0,
//                        "sparse": "auto", "pin_zero": false, "enabled": true}}}
//
// Keys are subgraph:index. Each tensor has `bits` (1 to 8), `min_qsnr_db` or `values`: the values that its
// elements may have, as they are stored, [-90, -12, 0, 33], or with "per": "channel" such a list for each
// channel. `add` has a whole number for each element of an integer tensor; these are added first, and may be
// all that is given: so a bias is moved, and a weight becomes another value than the nearest. With `rules`
// "nntool" it is binned as that tool does (gap9/nntool/binning.h). Other keys may be left out. The name must
// be the tensor's.
//
// The same text may stand in a model's metadata LUTRA_BINNING: a tool that has clustered the weights says
// there what it knows of them.

#pragma once

#include <map>
#include <optional>
#include <string>

#include "compressor/binning.h"
#include "compressor/model_editor.h"
#include "compressor/tensor_selector.h"
#include "lutra/model.h"

namespace lutra::compressor {

struct PlannedTensor {
  std::string name;
  BinSettings settings;

  friend bool operator==(const PlannedTensor&, const PlannedTensor&) = default;
};

using BinPlan = std::map<TensorId, PlannedTensor>;

// "tensor", "channel"; "auto", "force", "no"; "lutra", "nntool".
const char* ToString(TableScope per);
const char* ToString(SparseUse sparse);
bool FromString(const std::string& text, TableScope* per);
bool FromString(const std::string& text, SparseUse* sparse);
// "nntool" or "lutra".
bool FromString(const std::string& text, const BinRules** rules);

std::string WritePlan(const BinPlan& plan);

// Throws BadInput if `text` is not such a file, or names a tensor that `model` has not. `path` is for
// the message.
BinPlan ParsePlan(const std::string& text, const std::string& path, const Model& model);
BinPlan ReadPlan(const std::string& path, const Model& model);

// The plan in the model's metadata; empty: it has none. Throws BadInput as ParsePlan does.
std::optional<BinPlan> PlanInMetadata(const ModelEditor& editor, const Model& model);
// Replaces the plan that the model has, if any.
void WritePlanToMetadata(const BinPlan& plan, ModelEditor* editor);

// "bits 4", ">= 20 dB, per channel, off".
std::string Describe(const BinSettings& settings);

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Binning of a whole model: finds the tensors that can be binned, and bins them as a plan says.
//
//   const ModelFile file = ReadModelFile("in.tflite");
//   BinPlan plan;
//   for (const BinCandidate& candidate : BinCandidates(file.model))
//     if (candidate.reason.empty()) plan[candidate.id] = {candidate.name, {.bits = 4}};
//   ModelEditor editor(file);
//   const BinReport report = BinModel(file, plan, &editor);
//   fmt::print("{}", WriteBinTable(report));

#pragma once

#include <map>
#include <string>
#include <vector>

#include "compressor/binning.h"
#include "compressor/model_editor.h"
#include "compressor/pack.h"
#include "compressor/settings.h"
#include "host/compression_result.h"

namespace lutra::compressor {

// A constant that an operator reads.
struct BinCandidate {
  TensorId id;
  int step = 0;         // The first operator that reads it: its index in the subgraph,
  std::string op_name;  // and what it does.
  std::string name;
  std::string reason;               // Why it cannot be binned at all; else
  std::string left_out_by_default;  // why it is binned only if it is named.
  bool only_if_smaller = false;     // A list of one dimension, such as biases: a table may be as large.
  bool is_named = false;            // Chosen by its index or its full name.
};

std::vector<BinCandidate> BinCandidates(const Model& model);

struct BinRow {
  BinCandidate candidate;
  std::string type;
  std::vector<int32_t> shape;
  BinSettings settings;
  int element_bits = 8;
  BinnedTensor binned;  // Without its bytes.
  bool applied = false;
  std::string note;                   // Why it was not.
  std::optional<NntoolCount> nntool;  // By its rules, of what was applied.

  // Returns whether its values are meant to change, like those of a corrected bias: the QSNR then says how
  // far they were moved, not how good they are.
  bool is_moved() const {
    return settings.is_only_moved() || (candidate.only_if_smaller && !settings.add.empty());
  }
  // The bytes that it counts for in the total.
  int64_t compressed_bytes() const { return applied ? binned.size.total_bytes : binned.size.original_bytes; }
};

struct BinReport {
  std::string path;
  std::vector<BinRow> rows;
  std::vector<BinCandidate> left_out;  // Constants that the plan does not name.
};

// Puts the enabled tensors' new values into `editor`, which must hold the same model. If a QSNR is asked for,
// a tensor that misses it at 8 bits, or would not become smaller, is not changed. Throws BadInput for a
// tensor that cannot be binned.
BinReport BinModel(const host::ModelFile& file, const BinPlan& plan, ModelEditor* editor);

// Removes from the plan those of `chosen` that are `only_if_smaller` and not `is_named`, if binning does not
// make them smaller. Returns the reasons. TFLM reads a list with a scale for each element only with a table
// for each.
std::map<TensorId, std::string> DropWhatDoesNotGain(const host::ModelFile& file,
                                                    const std::vector<BinCandidate>& chosen, Target target,
                                                    BinPlan* plan);

// The line for BadInput: why a tensor cannot be binned.
std::string DescribeBinRefusal(const std::string& path, TensorId id, const std::string& name,
                               const std::string& reason);

// Describes the candidate for JSON.
host::ConstantPlace PlaceOf(const BinCandidate& candidate);
// Writes for tables "lossless", "moved" or the number.
std::string QsnrText(double qsnr_db, bool is_moved);
std::string WriteBinTable(const BinReport& report);
std::string WriteBinJson(const BinReport& report);

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Finds the tensors of a model that can be binned, and bins those that a plan names.

#include "compressor/bin_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "compressor/candidates.h"
#include "host/progress.h"
#include "lutra/compression/format.h"
#include "lutra/node_info.h"

namespace lutra::compressor {
namespace {

constexpr int64_t kTooFewElements = 4;
constexpr char kNotRead[] = "no constant that an operator reads";

// Returns why the tensor's values may not be changed; empty if they may.
std::string ReasonAgainst(const TensorInfo& tensor, const NodeInfo& node) {
  if (tensor.is_compressed || std::string(node.custom_code) == kDecodeCustomCode) {
    return "compressed already";
  }
  switch (tensor.type) {
    case TensorType::kInt8:
    case TensorType::kUInt8:
    case TensorType::kInt16:
    case TensorType::kInt32:
    case TensorType::kFloat32:
      return "";
    default:
      return fmt::format("type {}", ToString(tensor.type));
  }
}

// The reason to leave a tensor out, by one of the places where an operator reads it; empty if there is none.
std::string ReasonToLeaveOut(const TensorInfo& tensor, BuiltinOperator code, int input) {
  if (Contains(ConstantInputs(code), input)) return "no weights: an operator is prepared with these values";
  const OperatorFacts* const facts = FactsOf(code);
  const bool is_weight =
      tensor.is_quantized() || (facts != nullptr && Contains(facts->compressible_inputs, input));
  if (tensor.type == TensorType::kInt32 && !is_weight) return "no weights: int32 without a scale";
  if (tensor.shape.Count() <= kTooFewElements) return "at most 4 elements";
  return "";
}

BinRow MakeRow(const host::ModelFile& file, const BinCandidate& candidate, const PlannedTensor& planned,
               ModelEditor* editor) {
  const TensorId id = candidate.id;
  const TensorInfo tensor = file.model.tensor(id.subgraph, id.tensor);
  BinRow row;
  row.candidate = candidate;
  row.type = ToString(tensor.type);
  row.shape.assign(tensor.shape.dims, tensor.shape.dims + tensor.shape.rank);
  row.settings = planned.settings;
  row.element_bits = 8 * ElementBytes(tensor.type);
  try {
    row.binned = BinTensor(tensor, planned.settings);
  } catch (const std::invalid_argument& refusal) {
    throw host::BadInput(DescribeBinRefusal(file.path, id, candidate.name, refusal.what()));
  }
  const std::optional<double> wanted_db = planned.settings.min_qsnr_db;
  if (!planned.settings.enabled) {
    row.note = "off";
  } else if (wanted_db && row.binned.qsnr_db < *wanted_db) {
    row.note = fmt::format("{:.2f} dB at 8 bits is less than {:g} dB", row.binned.qsnr_db, *wanted_db);
  } else if (wanted_db && row.binned.size.total_bytes >= row.binned.size.original_bytes) {
    row.note = "would not become smaller";
  } else {
    row.applied = true;
    // The tensor gets a buffer of its own: another tensor may use the same values and keep them.
    editor->tensor(id.subgraph, id.tensor).buffer = editor->AddBuffer(std::move(row.binned.bytes));
  }
  row.binned.bytes.clear();
  return row;
}

}  // namespace

std::vector<BinCandidate> BinCandidates(const Model& model) {
  std::vector<BinCandidate> candidates;
  for (int subgraph = 0; subgraph < model.subgraph_count(); ++subgraph) {
    std::map<int, size_t> places;
    for (int step = 0; step < model.node_count(subgraph); ++step) {
      const NodeInfo node = model.node(subgraph, step);
      for (int32_t i = 0; i < node.inputs.size(); ++i) {
        const int index = node.inputs[i];
        if (index < 0) continue;
        const TensorInfo tensor = model.tensor(subgraph, index);
        if (!tensor.is_constant() || tensor.is_variable) continue;
        const std::string left_out = ReasonToLeaveOut(tensor, node.code, i);
        const auto [place, is_new] = places.try_emplace(index, candidates.size());
        if (!is_new) {
          if (!left_out.empty()) candidates[place->second].left_out_by_default = left_out;
          continue;
        }
        candidates.push_back({.id = {subgraph, index},
                              .step = step,
                              .op_name = NameOf(node.code, node.custom_code),
                              .name = tensor.name,
                              .reason = ReasonAgainst(tensor, node),
                              .left_out_by_default = left_out,
                              .only_if_smaller = tensor.shape.rank < 2});
      }
    }
  }
  return candidates;
}

BinReport BinModel(const host::ModelFile& file, const BinPlan& plan, ModelEditor* editor) {
  BinReport report;
  report.path = file.path;
  host::Progress progress("Binning");
  for (const BinCandidate& candidate : BinCandidates(file.model)) {
    const auto planned = plan.find(candidate.id);
    if (planned == plan.end()) {
      report.left_out.push_back(candidate);
      continue;
    }
    if (!candidate.reason.empty()) {
      throw host::BadInput(DescribeBinRefusal(file.path, candidate.id, candidate.name, candidate.reason));
    }
    progress.Update(static_cast<int64_t>(report.rows.size()), static_cast<int64_t>(plan.size()));
    report.rows.push_back(MakeRow(file, candidate, planned->second, editor));
  }
  for (const auto& [id, planned] : plan) {
    const auto matches = [&id = id](const BinRow& row) { return row.candidate.id == id; };
    if (std::none_of(report.rows.begin(), report.rows.end(), matches)) {
      throw host::BadInput(DescribeBinRefusal(file.path, id, planned.name, kNotRead));
    }
  }
  for (BinRow& row : report.rows) {
    if (row.settings.rules == nullptr || !row.applied) continue;
    const BinCandidate& candidate = row.candidate;
    row.nntool = row.settings.rules->count(file.model, candidate.id.subgraph, candidate.id.tensor,
                                           candidate.step, row.binned);
  }
  return report;
}

std::map<TensorId, std::string> DropWhatDoesNotGain(const host::ModelFile& file,
                                                    const std::vector<BinCandidate>& chosen, Target target,
                                                    BinPlan* plan) {
  std::map<TensorId, std::string> reasons;
  for (const BinCandidate& candidate : chosen) {
    const auto planned = plan->find(candidate.id);
    if (!candidate.only_if_smaller || candidate.is_named || planned == plan->end()) continue;
    if (!planned->second.settings.add.empty()) continue;  // These elements make up for errors of others.
    const TensorInfo tensor = file.model.tensor(candidate.id.subgraph, candidate.id.tensor);
    std::string reason;
    if (target == Target::kTflm && tensor.scales.size() > 1) {
      reason = "no gain: a scale for each value, and TFLM reads that with a table for each; see --target";
    } else {
      try {
        const LutSize size = BinTensor(tensor, planned->second.settings).size;
        if (size.total_bytes < size.original_bytes) continue;
        reason = fmt::format("no gain: {} bytes would become {}, with their table", size.original_bytes,
                             size.total_bytes);
      } catch (const std::invalid_argument& refusal) {
        reason = refusal.what();
      }
    }
    reasons[candidate.id] = reason;
    plan->erase(planned);
  }
  return reasons;
}

std::string DescribeBinRefusal(const std::string& path, TensorId id, const std::string& name,
                               const std::string& reason) {
  return fmt::format(
      "{}: tensor {} \"{}\": binning: found {}, required: an uncompressed constant, int8, uint8, "
      "int16, int32 or float32, of finite values; leave the tensor out",
      path, ToText(id), name, reason);
}

}  // namespace lutra::compressor

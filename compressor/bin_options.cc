// SPDX-License-Identifier: Apache-2.0
// The options of bin and curve, declared and turned into settings.

#include "compressor/bin_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "host/sign_checks.h"

namespace lutra::compressor {
namespace {

bool IsOneTensor(const std::string& selector) {
  return selector.find_first_of("*?") == std::string::npos && !selector.starts_with("op:");
}

}  // namespace

void AddBinOptions(CLI::App& verb, BinOptions* options) {
  const std::string quality = "Quality";
  verb.add_option(
          "--per", options->per,
          "tensor (the default): one table; channel: one for each scale of a tensor that has several, "
          "closer to the weights, but more table bytes")
      ->check(CLI::IsMember({"tensor", "channel"}))
      ->group(quality);
  verb.add_option("--threshold", options->threshold, "Magnitudes below this become 0 first; in real units")
      ->check(host::NonNegativeNumber())
      ->group(quality);
  verb.add_option(
          "--sparse", options->sparse,
          "A flag bit for the most frequent value instead of an index. auto (the default): where that "
          "is smaller; force: always, and one value more; no")
      ->check(CLI::IsMember({"auto", "force", "no"}))
      ->group(quality);
  verb.add_flag("--pin-zero", options->pin_zero, "Keep 0 (the zero point) among the values")->group(quality);
  const std::string choice = "Tensors";
  verb.add_option("--tensor", options->tensors,
                  "Index (3, or 1:3 for subgraph 1), name, pattern (conv*), op:CONV_2D; may be repeated")
      ->allow_extra_args(false)
      ->group(choice);
  verb.add_option("--step", options->steps,
                  "Weights and biases of operator N, or of N:M, negative from the end")
      ->allow_extra_args(false)
      ->group(choice);
}

bool AnyGiven(const CLI::App& verb) {
  for (const char* option : {"--per", "--threshold", "--sparse", "--pin-zero"}) {
    if (verb.count(option) > 0) return true;
  }
  return false;
}

void ApplyTo(const CLI::App& verb, const BinOptions& options, BinSettings* settings) {
  if (!options.per.empty()) FromString(options.per, &settings->per);
  if (!options.sparse.empty()) FromString(options.sparse, &settings->sparse);
  if (verb.count("--threshold") > 0) settings->threshold = options.threshold;
  if (options.pin_zero) settings->pin_zero = true;
  if (settings->sparse == SparseUse::kForce && settings->per == TableScope::kChannel) {
    throw CLI::ValidationError("--sparse=force needs --per=tensor, as the sparse form has one table");
  }
}

std::vector<BinCandidate> ChooseTensors(const ModelEditor& editor,
                                        const std::vector<BinCandidate>& candidates,
                                        const BinOptions& options) {
  std::vector<TensorId> named, matched;
  for (const std::string& selector : options.tensors) {
    const std::vector<TensorId> ids = SelectTensors(editor, selector);
    std::vector<TensorId>& list = IsOneTensor(selector) ? named : matched;
    list.insert(list.end(), ids.begin(), ids.end());
  }
  for (const std::string& step : options.steps) {
    const std::vector<TensorId> ids = SelectSteps(editor, step);
    matched.insert(matched.end(), ids.begin(), ids.end());
  }
  const bool all = !options.names_tensors();
  const auto has = [](const std::vector<TensorId>& list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  for (const TensorId id : named) {
    const auto is_id = [&](const BinCandidate& candidate) { return candidate.id == id; };
    const auto found = std::find_if(candidates.begin(), candidates.end(), is_id);
    const std::string reason =
        found == candidates.end() ? "no constant that an operator reads" : found->reason;
    if (!reason.empty()) {
      const std::string& name = editor.tensor(id.subgraph, id.tensor).name;
      throw host::BadInput(DescribeBinRefusal(editor.path(), id, name, reason));
    }
  }
  std::vector<BinCandidate> chosen;
  std::string left_out;
  for (const BinCandidate& candidate : candidates) {
    const bool usual = candidate.reason.empty() && candidate.left_out_by_default.empty();
    const bool wanted = all || has(matched, candidate.id);
    if (has(named, candidate.id) || (wanted && usual)) {
      chosen.push_back(candidate);
      chosen.back().is_named = has(named, candidate.id);
    } else if (wanted) {
      left_out = fmt::format("{} \"{}\": {}", ToText(candidate.id), candidate.name,
                             candidate.reason.empty() ? candidate.left_out_by_default : candidate.reason);
    }
  }
  if (chosen.empty()) {
    throw host::BadInput(
        fmt::format("{}: binning: found no tensor to bin ({}), required: weights or biases of "
                    "more than 4 elements; name one by its index",
                    editor.path(), left_out.empty() ? "no constants" : left_out));
  }
  return chosen;
}

}  // namespace lutra::compressor

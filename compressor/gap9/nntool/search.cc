// SPDX-License-Identifier: Apache-2.0
// Searches a QSNR by running the network.

#include "compressor/gap9/nntool/search.h"

#include <algorithm>
#include <cmath>

#include "compressor/gap9/nntool/qsnr_search.h"
#include "host/prepared_model.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

// nntool rounds QSNRs to whole numbers: those that round to `wanted` or more meet it.
bool MeetsQsnr(double qsnr_db, double wanted) { return qsnr_db >= std::ceil(wanted) - 0.5; }

std::vector<int> ChosenAt(const Choices& choices, double qsnr_db) {
  constexpr int kFewestBits = 2;
  std::vector<int> chosen;
  for (const TensorChoice& choice : choices.tensors()) {
    int option = 0;
    for (size_t o = 1; o < choice.options.size(); ++o) {
      const TensorOption& candidate = choice.options[o];
      if (candidate.settings->bits < kFewestBits || !MeetsQsnr(candidate.qsnr_db, qsnr_db)) continue;
      // The widest come first: later options take fewer bits.
      option = candidate.lut_bytes < choice.original_bytes ? static_cast<int>(o) : 0;
    }
    chosen.push_back(option);
  }
  return chosen;
}

}  // namespace

Solution SearchAsNntool(const Choices& choices, const Evaluator& evaluator,
                        const std::vector<int64_t>& labels) {
  const size_t arena_bytes = host::SmallestArena(choices.base(), {});
  Solution solution;
  const auto right_of = [&](const std::vector<int>& chosen) {
    const host::ModelFile file = choices.Apply(chosen);
    const TensorInfo info = file.model.tensor(0, file.model.outputs(0)[0]);
    std::vector<char> right(labels.size());
    evaluator.ForEachOutput(file, arena_bytes, [&](int64_t sample, const uint8_t* output) {
      const auto at = static_cast<size_t>(sample);
      right[at] = host::ArgMax(info, output) == labels[at] ? 1 : 0;
      return true;
    });
    ++solution.evaluations;
    return right;
  };
  const std::vector<char> base = right_of(std::vector<int>(choices.tensors().size()));
  std::vector<int> inputs;
  for (size_t i = 0; i < base.size(); ++i) {
    if (base[i] != 0) inputs.push_back(static_cast<int>(i));
  }
  const auto probe = [&](double qsnr_db, const std::vector<int>& asked) {
    QsnrProbe result;
    const std::vector<int> chosen = ChosenAt(choices, qsnr_db);
    for (size_t t = 0; t < chosen.size(); ++t) {
      const TensorChoice& choice = choices.tensors()[t];
      result.saved_bytes += choice.original_bytes - choice.options[static_cast<size_t>(chosen[t])].lut_bytes;
    }
    const std::vector<char> right = right_of(chosen);
    for (const int i : asked) {
      if (right[static_cast<size_t>(i)] == 0) result.bad.push_back(i);
    }
    return result;
  };
  QsnrSearchResult found;
  if (!inputs.empty()) found = SearchQsnr(inputs, probe);
  solution.chosen =
      found.qsnr_db ? ChosenAt(choices, *found.qsnr_db) : std::vector<int>(choices.tensors().size());
  solution.bytes = choices.BytesOf(solution.chosen);
  const std::vector<char> right = right_of(solution.chosen);
  solution.loss = static_cast<double>(std::count(right.begin(), right.end(), 0));
  const bool keeps_all = std::all_of(inputs.begin(), inputs.end(),
                                     [&](int input) { return right[static_cast<size_t>(input)] != 0; });
  solution.reaches_goal = found.qsnr_db.has_value() && keeps_all;
  for (const QsnrStep& step : found.steps) {
    solution.steps.push_back({.qsnr_db = step.qsnr_db,
                              .step_db = step.step_db,
                              .is_up = step.is_up,
                              .is_final = step.is_final,
                              .from_memory = step.from_memory,
                              .inputs = static_cast<int64_t>(step.inputs.size()),
                              .is_good = step.is_good,
                              .bad = static_cast<int64_t>(step.bad.size())});
  }
  return solution;
}

}  // namespace lutra::compressor

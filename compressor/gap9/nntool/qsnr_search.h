// SPDX-License-Identifier: Apache-2.0
// The search of GreenWaves' nntool for one QSNR that all tensors of a model are compressed to, step for step
// (`compress * auto` of its 2021 releases), so that its results can be reproduced and compared with.
//
//   const auto result = SearchQsnr({0, 1, 2}, [&](double qsnr, const std::vector<int>& inputs) { return
//   probe; });
//
// It starts at 30 dB with steps of 15, goes down while every input still validates and up when one does not,
// halves the step at each turn, and ends when a step of at most 0.5 succeeds. After a probe that failed it
// tries only the inputs that failed; then it checks the QSNR that it found with all inputs, and goes up by
// 0.5 dB while one fails.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace lutra::compressor {

// The result of a model that is compressed to one QSNR.
struct QsnrProbe {
  int64_t saved_bytes = 0;
  std::vector<int> bad;  // Of the inputs asked about, those that no longer validate.
};

// A line of the search's log.
struct QsnrStep {
  double qsnr_db = 0;
  double step_db = 0;
  bool is_up = false;
  bool is_final = false;     // Of the check with all inputs.
  bool from_memory = false;  // Not probed again.
  std::vector<int> inputs;
  bool is_good = false;
  std::vector<int> bad;  // Empty where it is good, or where nothing was saved.
};

struct QsnrSearchResult {
  std::optional<double> qsnr_db;  // Empty: even 120 dB does not validate.
  int64_t saved_bytes = 0;
  std::vector<QsnrStep> steps;
};

using QsnrProbeFn = std::function<QsnrProbe(double qsnr_db, const std::vector<int>& inputs)>;

// `inputs`: those that the uncompressed model answers rightly; not empty.
QsnrSearchResult SearchQsnr(const std::vector<int>& inputs, const QsnrProbeFn& probe);

}  // namespace lutra::compressor

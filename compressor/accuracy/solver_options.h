// SPDX-License-Identifier: Apache-2.0
// Says what the solver searches for, and how.
//
//   const SolverGoal goal = {.kind = SolverGoal::kLimit, .limit = 0.93};   // Accuracy, say.
//   SolverOptions options;
//   options.evaluations = 200;

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compressor/pack.h"

namespace lutra::compressor {

struct SolverGoal {
  enum Kind : uint8_t {
    kKeepLabels,  // Every input that the uncompressed model answers rightly stays right. For answers alone.
    kLimit,       // The metric's value is no worse than `limit`.
    kMaxBytes,    // Not more than `bytes`, and as good a value as that allows.
  };
  Kind kind = kKeepLabels;
  double limit = 0;
  int64_t bytes = 0;
  std::optional<double> decode_us;  // Besides, decoding must not take longer, by Choices::DecodeUsOf.
};

struct SolverOptions {
  uint64_t seed = 1;
  int evaluations = 4000;  // Runs over the data, after the sensitivities; those that end early count as well.
  int sensitivity_samples = 0;  // Spread over all; 0: all of them.
  // An answer counts as right only if it also keeps this share of its margin, in whole codes. Without a
  // spare, a model that is small on the samples of the search loses answers on others (README.md has
  // measurements). Answers that the model gave wrongly count as wrong: answers won by chance do not make up
  // for lost ones. With other metrics the value counts as worse by five times so many standard errors of its
  // change (ErrorOfChange).
  double spare = 0.4;
  // For kMaxBytes: returns the exact bytes of a choice. Empty: Choices::BytesOf, which is nearly the file's
  // size.
  std::function<int64_t(const std::vector<int>& chosen)> file_bytes;
  Target target = Target::kTflm;  // Of the choices.
  bool any_codec = false;         // Allows codecs that take long to decode.
  // The result of another search, by Choices::ValuesOf, from which this one begins. Empty: it begins with the
  // unchanged model.
  std::vector<int> start = {};
};

}  // namespace lutra::compressor

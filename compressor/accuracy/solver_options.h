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
  std::optional<double> decode_us;  // Besides: decoding takes no longer, by Choices::DecodeUsOf.
};

struct SolverOptions {
  uint64_t seed = 1;
  int evaluations = 4000;  // Runs over the data, after the sensitivities; those that end early count as well.
  int sensitivity_samples = 0;  // Spread over all; 0: all of them.
  // Answers count as right that keep this share of their margin, too, in whole codes. Without, what is
  // small on the samples of the search loses answers on others (README.md has what was measured). And answers
  // that the model gave wrongly stay so: what is won by chance does not make up for what is lost. With other
  // metrics the value counts as worse by five times so many standard errors of its change (ErrorOfChange).
  double spare = 0.4;
  // For kMaxBytes: what a choice takes, exactly. Empty: as Choices::BytesOf has it, which files do nearly.
  std::function<int64_t(const std::vector<int>& chosen)> file_bytes;
  Target target = Target::kTflm;  // Of the choices.
  bool any_codec = false;         // However long it takes to decode.
  // The result of another search, by Choices::ValuesOf, from where this one begins. Empty: everything as it
  // is.
  std::vector<int> start = {};
};

}  // namespace lutra::compressor

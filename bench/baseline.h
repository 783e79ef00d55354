// SPDX-License-Identifier: Apache-2.0
// Compares a measurement with that of an old program, or of an old file, of the same model.
//
//   const BaselineVerdict verdict = HoldAgainst(old, result, 2);
//   fmt::print("{}", verdict.text);
//   return verdict.is_worse ? 1 : 0;

#pragma once

#include <string>

#include "host/result.h"

namespace lutra::bench {

struct BaselineVerdict {
  std::string text;  // A line for each figure.
  bool is_worse = false;
};

// A result is worse if a figure of the old one is gone, bytes grew, outputs changed for the same inputs, a
// score of the same data fell, or times grew by more than
// `max_increase_percent`: by host::Judge if `result` has times in turns, else also by more than three
// deviations. `step_ns` is the clock's.
BaselineVerdict HoldAgainst(const host::ModelResult& old, const host::ModelResult& result,
                            double max_increase_percent, int64_t step_ns);

// Returns the run in `baseline` of the same model (by the name of its file) in the same setting: kernels,
// memory, repacking, decompression, delegates. Throws BadInput, naming `path`, if there is no such run or
// there are several.
const host::ModelResult& RunLike(const host::ModelResult& result, const host::ResultFile& baseline,
                                 const std::string& path);

}  // namespace lutra::bench

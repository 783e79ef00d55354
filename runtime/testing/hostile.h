// SPDX-License-Identifier: Apache-2.0
// For tests: arbitrary bytes give an error with a rule, or run. Under a sanitizer,
// EXPECT_FALSE(TryToRun(bytes)) shows that nothing crashed or read outside the file, too.

#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "runtime/testing/try_to_run.h"

namespace lutra {

// Returns whether they ran.
inline bool TryToRun(const std::vector<uint8_t>& bytes, const InterpreterOptions& options = {},
                     Span<const AlternateMemoryRegion> regions = {}) {
  const Trial trial = Try({bytes.data(), bytes.size()}, options, regions);
  if (trial.status != Status::kOk) {
    EXPECT_NE(trial.rule, Rule::kNone);
  }
  return trial.status == Status::kOk;
}

}  // namespace lutra

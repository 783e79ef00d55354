// SPDX-License-Identifier: Apache-2.0
// The confidence interval of an accuracy as reports have it: {"low": 0.7225, "high": 1.0}.

#pragma once

#include <nlohmann/json.hpp>

#include "host/scores.h"

namespace lutra::compressor {

inline nlohmann::ordered_json IntervalJson(double accuracy, int64_t count) {
  const host::Interval interval = host::ConfidenceInterval(accuracy, count);
  return {{"low", interval.low}, {"high", interval.high}};
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// The figures of a result file that services for continuous benchmarks keep.
//
//   for (const CiFigures& model : FiguresForCi(file)) fmt::print("{} {}\n", model.name, model.bytes);

#pragma once

#include <string>
#include <vector>

#include "host/result.h"

namespace lutra::bench {

struct CiFigures {
  std::string name;  // The file's name without folder and ending; its path if two models have that name.
  host::InferenceResult inference;
  host::Figure arena_bytes;
  int64_t bytes = 0;
};

// Returns the figures of each model that ran.
std::vector<CiFigures> FiguresForCi(const host::ResultFile& file);

}  // namespace lutra::bench

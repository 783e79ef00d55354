// SPDX-License-Identifier: Apache-2.0
// Times a model in several runtimes, in turns, and compares their outputs with those of the first.
//
//   Comparison comparison = Compare(file, runtimes, {});
//   comparison.sides[1].times->min_ns

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/compare/peer.h"
#include "host/result.h"

namespace lutra::bench {

struct CompareOptions {
  uint64_t seed = 1;
  double seconds = 3;  // For each model, all runtimes together.
};

struct SideTimes {
  int64_t runs = 0;
  int64_t min_ns = 0;
  int64_t median_ns = 0;
};

// Elements of all outputs that differ from the first runtime's.
struct OutputDifference {
  int64_t elements = 0;
  int64_t differs = 0;
  std::optional<double> largest;  // Of the differences that are numbers; empty: none is.
};

struct Side {
  std::string name;
  std::string error;      // Why there are no figures; empty: there are.
  bool is_wrong = false;  // The runtime broke its own promises: outputs of another number or size.
  std::optional<SideTimes> times;
  std::optional<OutputDifference> outputs;  // Empty for the first.
};

struct Comparison {
  std::string path;
  int64_t bytes = 0;
  int64_t macs = 0;
  std::string error;  // Why this runtime refused the model; then there are no sides.
  std::vector<Side> sides;
};

// Compares the outputs of all runtimes with the first's. Throws BadInput if the first refuses the model.
Comparison Compare(const host::ModelFile& file, const std::vector<Runtime>& runtimes,
                   const CompareOptions& options);

struct ComparisonFile {
  host::Environment environment;
  std::vector<Runtime> runtimes;
  std::vector<Comparison> comparisons;
};

std::string WriteComparisonTable(const ComparisonFile& file);
// A line for each model, and how many miss the goals: not slower than the reference, nor than 1.5 times
// LiteRT.
std::string WriteShapesTable(const ComparisonFile& file);
std::string WriteComparisonJson(const ComparisonFile& file);

}  // namespace lutra::bench

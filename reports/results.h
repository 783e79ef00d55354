// SPDX-License-Identifier: Apache-2.0
// The files that a report is made of: results (host/result.h), and what `compress` says of a model.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/result.h"

namespace lutra::reports {

using host::Figure;

struct CompressedTensor {
  std::string name, codec;
  int64_t before = 0, after = 0;  // Bytes.
  Figure bits;                    // An index has so many.
  std::optional<double> qsnr_db;  // Empty: nothing was lost.
};

// Bytes against accuracy, as `compress auto` has tried it.
struct ParetoPoint {
  int64_t bytes = 0;
  double value = 0;
  std::optional<double> held_out;  // On samples that nothing was fitted on.
  bool is_result = false;
};

// What `compress auto` says of answers.
struct AccuracyChange {
  double before = 0, after = 0;
  int64_t count = 0;
  int64_t lost = 0;  // Right before, wrong after.
};

// A report of `compress`, on one model.
struct CompressionReport {
  std::string model;
  bool of_file = false;  // Whether the bytes are those of whole files; else of these tensors.
  int64_t before = 0, after = 0;
  std::vector<CompressedTensor> tensors;
  // Of `compress auto`:
  std::optional<AccuracyChange> fitted, held_out;
  std::vector<ParetoPoint> pareto;
  std::string settings;  // The file for `compress bin --settings`.
};

// A result file, or a report of `compress`.
struct ResultFile {
  std::string path, platform;  // A report of `compress` has no platform.
  host::ResultFile results;
  std::optional<CompressionReport> compression;

  // Empty where the file has none.
  const std::vector<host::ModelResult>& models() const;
  const std::vector<host::KernelResult>& kernels() const;
};

}  // namespace lutra::reports

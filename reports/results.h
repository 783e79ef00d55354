// SPDX-License-Identifier: Apache-2.0
// The files that a report is made of: results (host/result.h), and what `compress` and `vta` say of a model.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/accelerator_result.h"
#include "host/compression_result.h"
#include "host/result.h"

namespace lutra::reports {

using host::Figure;

struct CompressedTensor {
  std::string name, codec;
  int64_t before = 0, after = 0;  // Bytes.
  Figure bits;                    // An index has so many.
  std::optional<double> qsnr_db;  // Empty: nothing was lost.
  bool is_moved = false;          // On purpose: qsnr_db is a distance then, no quality.
};

// A report of `compress` on one model, whichever verb it is of.
struct CompressionReport {
  std::string model;
  bool of_file = false;  // Whether the bytes are those of whole files; else of these tensors.
  int64_t before = 0, after = 0;
  std::vector<CompressedTensor> tensors;
  // Only `compress auto` has these:
  std::string metric;
  std::optional<host::AnswerChange> fitted, held_out;
  std::vector<host::ParetoPoint> pareto;
  std::vector<host::TensorSensitivity> sensitivity;
  std::string settings;  // The file for `compress bin --settings`,
  std::string spec;      // and that for `compress pack --spec`.
};

// A result file, or a report of `compress` or `vta`.
struct ResultFile {
  std::string path, platform;  // Such a report has no platform.
  host::ResultFile results;
  std::optional<CompressionReport> compression;
  std::optional<host::AcceleratedRun> accelerated;  // Layers and declined nodes in ascending order.

  bool HasPlatform() const { return !compression && !accelerated; }

  // Empty where the file has none.
  const std::vector<host::ModelResult>& models() const;
  const std::vector<host::KernelResult>& kernels() const;
};

}  // namespace lutra::reports

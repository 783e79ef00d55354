// SPDX-License-Identifier: Apache-2.0
// The files of a report: results (host/result.h), and reports of `compress` and `vta` on a model.

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
  Figure bits;                    // Bits of an index.
  std::optional<double> qsnr_db;  // Empty: nothing was lost.
  bool is_moved = false;          // Moved on purpose: qsnr_db is a distance then, no quality.
};

// A report of any verb of `compress` on one model.
struct CompressionReport {
  std::string model;
  bool of_file = false;  // Whether the bytes are those of whole files, or else of these tensors.
  int64_t before = 0, after = 0;
  std::vector<CompressedTensor> tensors;
  // Only reports of `compress auto` have these:
  std::string metric;
  std::optional<host::AnswerChange> fitted, held_out;
  std::vector<host::ParetoPoint> pareto;
  std::vector<host::TensorSensitivity> sensitivity;
  std::string settings;  // The file for `compress bin --settings`,
  std::string spec;      // and that for `compress pack --spec`.
};

// A result file, or a report of `compress` or `vta`.
struct ResultFile {
  std::string path, platform;  // Reports of `compress` and `vta` have no platform.
  host::ResultFile results;
  std::optional<CompressionReport> compression;
  std::optional<host::AcceleratedRun> accelerated;  // Layers and declined nodes in ascending order.

  bool HasPlatform() const { return !compression && !accelerated; }

  // Returns the file's models; empty if it has none.
  const std::vector<host::ModelResult>& models() const;
  const std::vector<host::KernelResult>& kernels() const;
};

}  // namespace lutra::reports

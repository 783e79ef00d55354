// SPDX-License-Identifier: Apache-2.0
// The files that a report is made of: results (host/result.h), and what `compress` and `vta` say of a model.

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
  bool is_moved = false;          // On purpose: qsnr_db is a distance then, no quality.
};

// Bytes against accuracy, as `compress auto` has tried it.
struct ParetoPoint {
  int64_t bytes = 0;
  double value = 0;
  std::optional<double> held_out;  // On samples that nothing was fitted on.
  bool is_result = false;
};

// The answers that `compress auto` reports.
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
  // Only `compress auto` has these:
  std::optional<AccuracyChange> fitted, held_out;
  std::vector<ParetoPoint> pareto;
  std::string settings;  // The file for `compress bin --settings`,
  std::string spec;      // and that for `compress pack --spec`.
};

// A node that ran on an accelerator.
struct AcceleratedLayer {
  int64_t index = 0;
  std::string op;
  int64_t cycles = 0, bound_cycles = 0, bytes = 0;
  double utilisation = 0;
};

// And one that did not.
struct DeclinedNode {
  int64_t index = 0;
  std::string op, reason;
};

// The report of `vta run` about a model.
struct AcceleratedRun {
  struct Cost {
    int64_t cycles = 0, bytes = 0, copied_bytes = 0, cycles_with_copies = 0;
  };
  struct Gains {
    Cost one_thread, two_threads, nodes_apart;
  };
  std::string accelerator, model, config, mode;
  int64_t threads = 1, nodes = 0, partitions = 0, differences = 0;
  Cost cost;
  double utilisation = 0;
  std::vector<AcceleratedLayer> layers;  // In ascending order, as
  std::vector<DeclinedNode> declined;    // these.
  std::optional<Gains> gains;
};

// A result file, or a report of `compress` or `vta`.
struct ResultFile {
  std::string path, platform;  // Such a report has no platform.
  host::ResultFile results;
  std::optional<CompressionReport> compression;
  std::optional<AcceleratedRun> accelerated;

  bool HasPlatform() const { return !compression && !accelerated; }

  // Empty where the file has none.
  const std::vector<host::ModelResult>& models() const;
  const std::vector<host::KernelResult>& kernels() const;
};

}  // namespace lutra::reports

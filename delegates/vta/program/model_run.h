// SPDX-License-Identifier: Apache-2.0
// A model through the delegate and the simulator: what ran on VTA, how long it took, what the bounds are.
//
//   const ModelRun run = RunModel(file, {.driver = {.config = config, .threads = 2}}, seed, {});
//   run.layers[0].cycles

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "delegates/vta/driver/driver.h"
#include "delegates/vta/program/options.h"
#include "delegates/vta/simulator/simulator.h"
#include "host/model_file.h"

namespace lutra::vta::sim {

// A layer that ran on VTA.
struct LayerRun {
  int index = 0;  // Of the node in the file.
  std::string op;
  LayerBound bound;
  uint64_t cycles = 0, bytes = 0, instructions = 0;
  uint64_t gemm_cycles = 0, alu_cycles = 0;  // In which the run executed a micro-op of either.

  // The share of all multiply-adds that these cycles have room for.
  double Utilisation(const Config& config) const;
};

struct DeclinedNode {
  int index = 0;
  std::string op, reason;
};

struct ModelRun {
  std::vector<LayerRun> layers;
  std::vector<DeclinedNode> declined;
  int nodes = 0;
  int partitions = 0;
  // Bytes that the processor read and wrote to bring tensors into VTA's layout, and out of it.
  uint64_t copied_bytes = 0;
  int64_t simulated_ns = 0;                       // Of this machine, in the simulator alone.
  std::vector<std::vector<uint8_t>> outputs;      // With VTA,
  std::vector<std::vector<uint8_t>> cpu_outputs;  // and without.
  uint64_t cycles() const;
  uint64_t bytes() const;
  uint64_t differences() const;  // Bytes of outputs.
  // With the copies' own, as if they filled the bus: no processor takes fewer.
  uint64_t CyclesWithCopies(const Config& config) const;
};

// `visit`: after each layer. The inputs are made from the seed.
using LayerVisitor =
    std::function<void(const LayerRun& layer, const Result& result, Span<const EncodedInstruction> stream)>;
// Throws BadInput for a model that the runtime refuses, WrongResult for a stream that the simulator does.
ModelRun RunModel(const host::ModelFile& file, const Options& options, uint64_t seed,
                  const RunOptions& run_options, const LayerVisitor& visit = nullptr);

// Holds the same run in other ways: what two parts of SRAM gain, and what layouts that stay between nodes do.
// It is without the CPU's outputs.
struct Gains {
  ModelRun threads[2];  // With one part, and with two.
  ModelRun apart;       // As it was asked for, but each node is a partition of its own.
};
// Throws as RunModel does, and WrongResult where an output is not `run`'s.
Gains MeasureGains(const host::ModelFile& file, Options options, uint64_t seed, const RunOptions& run_options,
                   const ModelRun& run);

// Texts of the program's verbs. `gains` may be null.
std::string RunText(const Config& config, const ModelRun& run, const Gains* gains = nullptr);
std::string RunJson(const std::string& path, const Options& options, const ModelRun& run,
                    const Gains* gains = nullptr);
std::string RooflineText(const Config& config, const ModelRun& run);

}  // namespace lutra::vta::sim

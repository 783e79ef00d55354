// SPDX-License-Identifier: Apache-2.0
// Runs a model with the delegate and the simulator: layers on VTA, their cycles, and their bounds.
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
  uint64_t gemm_cycles = 0, alu_cycles = 0;  // Cycles in which the run executed a micro-op of either.

  // Returns the share of all multiply-adds for which these cycles have room.
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
  // Bytes that the processor read and wrote to convert tensors to VTA's layout and back.
  uint64_t copied_bytes = 0;
  int64_t simulated_ns = 0;                       // Time of this machine in the simulator.
  std::vector<std::vector<uint8_t>> outputs;      // With VTA,
  std::vector<std::vector<uint8_t>> cpu_outputs;  // and without.
  uint64_t cycles() const;
  uint64_t bytes() const;
  uint64_t differences() const;  // Bytes of outputs that differ.
  // Includes the copies' cycles, as if they filled the bus: no processor takes fewer.
  uint64_t CyclesWithCopies(const Config& config) const;
};

// `visit`: after each layer. The inputs are made from the seed.
using LayerVisitor =
    std::function<void(const LayerRun& layer, const Result& result, Span<const EncodedInstruction> stream)>;
// Throws BadInput for a model that the runtime refuses, WrongResult for a stream that the simulator refuses.
ModelRun RunModel(const host::ModelFile& file, const Options& options, uint64_t seed,
                  const RunOptions& run_options, const LayerVisitor& visit = nullptr);

// The same run in other ways, which show the gain of two parts of SRAM, and of layouts that are kept between
// nodes. They have no outputs of the CPU.
struct Gains {
  ModelRun threads[2];  // With one part, and with two.
  ModelRun apart;       // As requested, but each node is a partition of its own.
};
// Throws as RunModel does, and WrongResult if an output differs from `run`'s.
Gains MeasureGains(const host::ModelFile& file, Options options, uint64_t seed, const RunOptions& run_options,
                   const ModelRun& run);

// Texts of the program's verbs. `gains` may be null.
std::string RunText(const Config& config, const ModelRun& run, const Gains* gains = nullptr);
std::string RunJson(const std::string& path, const Options& options, const ModelRun& run,
                    const Gains* gains = nullptr);
std::string RooflineText(const Config& config, const ModelRun& run);

}  // namespace lutra::vta::sim

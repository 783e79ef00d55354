// SPDX-License-Identifier: Apache-2.0
// A model through the delegate and the simulator: what ran on VTA, how long it took, what the bounds are.
//
//   ModelRun run(file, {.threads = 2, .mode = Mode::kExact, .config = config}, {});
//   run.layers()[0].cycles

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/model_file.h"
#include "runtime/delegates/vta/driver.h"
#include "vta/simulator.h"

namespace lutra::vta::sim {

// A layer that ran on VTA.
struct LayerRun {
  int index = 0;  // Of the node in the file.
  std::string op;
  LayerBound bound;
  uint64_t cycles = 0, bytes = 0, instructions = 0;
  uint64_t gemm_cycles = 0, alu_cycles = 0;  // In which the run executed a micro-op of either.

  // Of all multiply-adds that these cycles have room for.
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
  std::vector<std::vector<uint8_t>> outputs;      // With VTA,
  std::vector<std::vector<uint8_t>> cpu_outputs;  // and without.
  uint64_t cycles() const;
  uint64_t differences() const;  // Bytes of outputs.
};

// `visit`: after each layer. The inputs are made from the seed.
using LayerVisitor =
    std::function<void(const LayerRun& layer, const Result& result, Span<const EncodedInstruction> stream)>;
// Throws BadInput for a model that the runtime refuses, WrongResult for a stream that the simulator does.
ModelRun RunModel(const host::ModelFile& file, const DriverOptions& options, uint64_t seed,
                  const RunOptions& run_options, const LayerVisitor& visit = nullptr);

// Texts of the program's verbs.
std::string RunText(const Config& config, const ModelRun& run);
std::string RunJson(const Config& config, const ModelRun& run);
std::string RooflineText(const Config& config, const ModelRun& run);

}  // namespace lutra::vta::sim

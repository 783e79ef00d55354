// SPDX-License-Identifier: Apache-2.0
// The report of `vta run` about a model, for the program that writes it and the reports that read it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lutra::host {

struct AcceleratorCost {
  int64_t cycles = 0;
  int64_t bytes = 0;               // Bytes that the accelerator moved.
  int64_t copied_bytes = 0;        // Bytes that the processor copied between layouts.
  int64_t cycles_with_copies = 0;  // As if the copies filled the bus.
};

struct AcceleratorGains {
  AcceleratorCost one_thread, two_threads;
  AcceleratorCost nodes_apart;  // Each node is a partition of its own.
};

struct AcceleratorOutput {
  std::string crc32;
};

// A node that ran on the accelerator.
struct AcceleratedLayer {
  int64_t index = 0;
  std::string op;
  int64_t cycles = 0;
  int64_t gemm_cycles = 0, alu_cycles = 0, bus_cycles = 0;  // Of the layer's bound.
  int64_t bytes = 0;
  double utilisation = 0;  // The part of the possible multiply-adds that the layer has.

  int64_t bound_cycles() const { return std::max({gemm_cycles, alu_cycles, bus_cycles}); }
};

// A node that did not run there.
struct DeclinedNode {
  int64_t index = 0;
  std::string op, reason;
};

struct AcceleratedRun {
  std::string accelerator, model, config, mode;
  int64_t threads = 1;
  std::vector<AcceleratorOutput> outputs;
  int64_t nodes_taken = 0, nodes = 0, partitions = 0;
  AcceleratorCost cost;
  double utilisation = 0;
  int64_t instructions = 0, macs = 0;
  int64_t simulated_ns = 0;  // The time of the simulation on this machine.
  std::vector<AcceleratedLayer> layers;
  std::vector<DeclinedNode> declined;
  int64_t differences = 0;  // Bytes of outputs that differ from the processor's.
  std::optional<AcceleratorGains> gains;
};

}  // namespace lutra::host

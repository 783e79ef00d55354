// SPDX-License-Identifier: Apache-2.0
// SimulatedDevice: the simulator as the device behind a driver.
//
//   SimulatedDevice simulated(config);
//   Driver driver = {.options = {.config = config}, .device = simulated.device(), ...};
//   ...
//   simulated.last().timing.cycles      // of the stream that ran last

#pragma once

#include <list>
#include <string>
#include <vector>

#include "delegates/vta/driver/driver.h"
#include "delegates/vta/simulator/simulator.h"

namespace lutra::vta::sim {

class SimulatedDevice {
 public:
  // The Config is valid.
  explicit SimulatedDevice(const Config& config, const RunOptions& options = {.finds_races = false})
      : simulator_(config), options_(options) {}
  SimulatedDevice(const SimulatedDevice&) = delete;

  // The device may be used as long as this lives. It has memory of its own, or the driver's.
  Device device(bool owns_memory = true);
  RunOptions& options() { return options_; }
  // The result of the last run, or its fault.
  const Result& last() const { return last_; }
  // The time that this machine has spent on simulating all runs.
  int64_t run_ns() const { return run_ns_; }
  Dram& dram() { return dram_; }

 private:
  static Status Allocate(void* user, uint64_t bytes, DramBuffer* buffer);
  static Status Map(void* user, DramBuffer* buffer);
  static Status Run(void* user, const Config& config, Span<const EncodedInstruction> stream,
                    RunCounters* counters);

  Simulator simulator_;
  RunOptions options_;
  Dram dram_;
  std::list<std::vector<uint8_t>> memory_;
  Result last_;
  int64_t run_ns_ = 0;
};

}  // namespace lutra::vta::sim

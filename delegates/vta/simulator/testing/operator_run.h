// SPDX-License-Identifier: Apache-2.0
// Tests of lowered operators share this: memory that a driver asks for, and a layer's run on the simulator.

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <list>
#include <vector>

#include "delegates/vta/driver/driver.h"
#include "delegates/vta/simulator/device.h"

namespace lutra::vta::sim {

struct Heap {
  std::list<std::vector<uint64_t>> blocks;

  PersistentMemory memory() {
    return {.user = this, .allocate = [](void* user, uint64_t bytes, void** memory) {
              auto& list = static_cast<Heap*>(user)->blocks;
              list.emplace_back(static_cast<size_t>(bytes / 8 + 1));
              *memory = list.back().data();
              return Status::kOk;
            }};
  }
};

// Images of inputs with their values, lowered and run.
struct OperatorRun {
  std::vector<Image> inputs;
  std::vector<std::vector<int8_t>> values;
  Image output;

  std::vector<int8_t> result;
  const char* reason = nullptr;  // Why it was declined.
  uint64_t cycles = 0;
  LayerBound bound;

  void Run(const DriverOptions& options,
           const std::function<Status(const Driver&, const OperatorRun&, LoweredLayer*)>& lower) {
    SimulatedDevice simulated(options.config, {});
    Heap heap;
    Driver driver = {.options = options, .device = simulated.device(), .memory = heap.memory()};
    ASSERT_EQ(PrepareDriver(driver), Status::kOk);
    for (Image& input : inputs) ASSERT_EQ(AllocateImage(driver, &input), Status::kOk);
    ASSERT_EQ(AllocateImage(driver, &output), Status::kOk);
    LoweredLayer lowered;
    const Status status = lower(driver, *this, &lowered);
    reason = lowered.reason;
    bound = lowered.bound;
    if (reason != nullptr) return;
    ASSERT_EQ(status, Status::kOk);
    for (size_t i = 0; i < inputs.size(); ++i) PackImage(options.config, inputs[i], values[i].data());
    RunCounters counters;
    ASSERT_EQ(driver.device.run(driver.device.user, options.config, lowered.stream, &counters), Status::kOk)
        << (simulated.last().findings.empty() ? "" : simulated.last().findings.back().text);
    EXPECT_EQ(simulated.last().warnings, 0u) << simulated.last().findings.front().text;
    cycles = simulated.last().timing.cycles;
    result.resize(static_cast<size_t>(output.count));
    UnpackImage(options.config, output, result.data());
  }
};

}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// Estimated cycles of a stream: three modules in order, their tokens, one bus.
//
// The constants are read from the state machines of VTA's RTL, not measured: every figure is an estimate.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "delegates/vta/driver/instruction.h"

namespace lutra::vta::sim {

// The four counters between the modules.
enum class Queue : uint8_t { kLoadToCompute, kComputeToLoad, kComputeToStore, kStoreToCompute };
inline constexpr int kQueueCount = 4;
const char* ToString(Queue queue);

// The queues of an instruction's flags, as bits 1 << Queue.
uint32_t PoppedQueues(const Instruction& instruction);
uint32_t PushedQueues(const Instruction& instruction);

// The most that a counter of tokens holds, and the most instructions that wait for a module.
inline constexpr uint32_t kMostTokens = 255;
inline constexpr uint32_t kMostQueued = 512;

// Estimates, in cycles unless they say otherwise.
struct CycleModel {
  uint32_t burst_beats = 256;
  uint32_t burst_gap = 1;      // Between bursts that are read.
  uint32_t dram_latency = 16;  // For a request that finds the bus idle.
  uint32_t load_setup = 3;
  uint32_t store_element_extra = 1;  // Beside the beats: the memory is read again.
  uint32_t store_burst = 5;          // Command, address and response.
  uint32_t compute_fill = 7;         // Until the first result, and after the last.
  uint32_t compute_decode = 2;
  uint32_t gemm_uop = 1;
  uint32_t alu_immediate_uop = 1;
  uint32_t alu_register_uop = 2;
  uint32_t no_op = 2;
  uint32_t finish = 1;
  uint32_t fetch_instructions = 128;  // Read at once; then one a cycle goes to its module.
};

enum class Client : uint8_t { kFetch, kLoad, kCompute, kStore };
inline constexpr int kClientCount = 4;

struct ModuleCycles {
  uint64_t busy = 0;
  // Waiting for a token of each queue, the last that came.
  std::array<uint64_t, kQueueCount> blocked = {};
  uint64_t idle = 0;  // Nothing was there to do.
};

struct InstructionTime {
  uint64_t begin = 0, end = 0;
};

struct Timing {
  uint64_t cycles = 0;
  std::array<ModuleCycles, 3> modules;  // Load, compute, store.
  std::vector<InstructionTime> instructions;
  std::array<uint64_t, kClientCount> bytes = {};
  std::array<uint64_t, kClientCount> beats = {};
  uint64_t gemm_cycles = 0, alu_cycles = 0;  // In which a micro-op is executed.
};

// The stream has run: its instructions are valid and do not deadlock.
Timing EstimateCycles(const Config& config, const std::vector<Instruction>& stream,
                      const CycleModel& model = {});

}  // namespace lutra::vta::sim

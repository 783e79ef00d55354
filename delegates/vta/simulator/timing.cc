// SPDX-License-Identifier: Apache-2.0
// Simulates an event at a time: the first of fetch, load, compute and store that can act does so, for a burst
// or an instruction.

#include "delegates/vta/simulator/timing.h"

#include <algorithm>
#include <deque>

namespace lutra::vta::sim {
namespace {

constexpr uint64_t kNever = UINT64_MAX;

uint32_t Bit(Queue queue) { return 1u << static_cast<int>(queue); }

uint64_t DivideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

}  // namespace

const char* ToString(Queue queue) {
  constexpr const char* kNames[] = {"load to compute", "compute to load", "compute to store",
                                    "store to compute"};
  return kNames[static_cast<int>(queue)];
}

uint32_t PoppedQueues(const Instruction& instruction) {
  const Stage stage = StageOf(instruction);
  uint32_t queues = 0;
  if (instruction.pop_prev != 0) {
    queues |= Bit(stage == Stage::kStore ? Queue::kComputeToStore : Queue::kLoadToCompute);
  }
  if (instruction.pop_next != 0) {
    queues |= Bit(stage == Stage::kLoad ? Queue::kComputeToLoad : Queue::kStoreToCompute);
  }
  return queues;
}

uint32_t PushedQueues(const Instruction& instruction) {
  const Stage stage = StageOf(instruction);
  uint32_t queues = 0;
  if (instruction.push_prev != 0) {
    queues |= Bit(stage == Stage::kStore ? Queue::kStoreToCompute : Queue::kComputeToLoad);
  }
  if (instruction.push_next != 0) {
    queues |= Bit(stage == Stage::kLoad ? Queue::kLoadToCompute : Queue::kComputeToStore);
  }
  return queues;
}

namespace {

class Estimator {
 public:
  Estimator(const Config& config, const std::vector<Instruction>& stream, const CycleModel& model)
      : config_(config), stream_(stream), model_(model) {
    timing_.instructions.resize(stream.size());
    fetched_at_.resize(stream.size(), kNever);
  }

  Timing Run() {
    for (;;) {
      int best = -1;
      uint64_t best_time = kNever;
      // If several could act at the same time, the first gets the bus: fetching, then loads.
      for (int client = 0; client < kClientCount; ++client) {
        const uint64_t time = NextTime(client);
        if (time < best_time) best = client, best_time = time;
      }
      if (best < 0) break;
      Act(best, best_time);
    }
    for (ModuleCycles& module : timing_.modules) {
      module.idle = timing_.cycles - module.busy;
      for (const uint64_t blocked : module.blocked) module.idle -= blocked;
    }
    return std::move(timing_);
  }

 private:
  // A module, with the instruction that it executes.
  struct Module {
    std::deque<uint32_t> waiting;  // Fetched instructions.
    uint64_t time = 0;             // When it can act again.
    bool is_running = false;
    uint32_t number = 0;  // Of the instruction that runs.
    uint32_t row = 0;     // Of a transfer, the next to move,
    uint64_t moved = 0;   // and the bytes of it that have moved.
  };

  uint64_t NextTime(int client) {
    if (client == 0) return CanFetch() ? fetch_time_ : kNever;
    const Module& module = modules_[client - 1];
    return module.is_running ? module.time : StartTime(module, nullptr);
  }

  bool HasRoom(size_t number) const {
    return modules_[static_cast<int>(StageOf(stream_[number])) - 1].waiting.size() < kMostQueued;
  }
  bool CanFetch() const { return fetched_ < stream_.size() && HasRoom(fetched_); }

  // When the first waiting instruction can begin, and which queue it waited for.
  uint64_t StartTime(const Module& module, int* last_queue) const {
    if (module.waiting.empty()) return kNever;
    const uint32_t number = module.waiting.front();
    uint64_t time = std::max(module.time, fetched_at_[number]);
    for (int queue = 0; queue < kQueueCount; ++queue) {
      if ((PoppedQueues(stream_[number]) >> queue & 1) == 0) continue;
      if (tokens_[queue].empty()) return kNever;
      if (tokens_[queue].front() > time) {
        time = tokens_[queue].front();
        if (last_queue != nullptr) *last_queue = queue;
      }
    }
    return time;
  }

  void Act(int client, uint64_t time) {
    if (client == 0) return Fetch(time);
    Module& module = modules_[client - 1];
    if (!module.is_running)
      Start(module, client, time);
    else
      Continue(module, client);
  }

  // The beats of a read that begins no earlier than `time`; returns when the last has come.
  uint64_t Read(uint64_t time, uint64_t bytes, Client client) {
    const uint64_t beats = DivideUp(bytes, config_.bus_bytes());
    const uint64_t begin = bus_free_ <= time ? time + model_.dram_latency : bus_free_;
    bus_free_ = begin + beats;
    Count(client, bytes, beats);
    return bus_free_;
  }

  void Count(Client client, uint64_t bytes, uint64_t beats) {
    timing_.bytes[static_cast<int>(client)] += bytes;
    timing_.beats[static_cast<int>(client)] += beats;
  }

  void Fetch(uint64_t time) {
    const size_t count = std::min<size_t>(model_.fetch_instructions, stream_.size() - fetched_);
    uint64_t at = Read(time, count * kInstructionBytes, Client::kFetch);
    for (size_t i = 0; i < count && HasRoom(fetched_); ++i) {
      fetched_at_[fetched_] = ++at;
      modules_[static_cast<int>(StageOf(stream_[fetched_])) - 1].waiting.push_back(
          static_cast<uint32_t>(fetched_));
      ++fetched_;
    }
    fetch_time_ = at;
  }

  void Start(Module& module, int client, uint64_t time) {
    int last_queue = -1;
    StartTime(module, &last_queue);
    const uint32_t number = module.waiting.front();
    const Instruction& instruction = stream_[number];
    if (last_queue >= 0) {
      const uint64_t since = std::max(module.time, fetched_at_[number]);
      timing_.modules[client - 1].blocked[last_queue] += time - since;
    }
    for (int queue = 0; queue < kQueueCount; ++queue) {
      if (PoppedQueues(instruction) >> queue & 1) tokens_[queue].pop_front();
    }
    module.waiting.pop_front();
    module.is_running = true;
    module.number = number;
    module.row = 0;
    module.moved = 0;
    timing_.instructions[number].begin = time;
    module.time = time + Setup(instruction);
    if (instruction.IsNoOp() || !instruction.IsTransfer()) Finish(module, client);
  }

  // Returns all cycles except the bursts'.
  uint64_t Setup(const Instruction& instruction) {
    if (instruction.IsNoOp()) return model_.no_op;
    if (instruction.IsTransfer()) return instruction.opcode == Opcode::kLoad ? model_.load_setup : 0;
    if (instruction.opcode == Opcode::kFinish) return model_.finish;
    const uint64_t uops = instruction.UopsExecuted();
    const bool is_gemm = instruction.opcode == Opcode::kGemm;
    const uint64_t cycles = uops * (is_gemm                    ? model_.gemm_uop
                                    : instruction.use_imm != 0 ? model_.alu_immediate_uop
                                                               : model_.alu_register_uop);
    (is_gemm ? timing_.gemm_cycles : timing_.alu_cycles) += cycles;
    return cycles + model_.compute_fill + model_.compute_decode;
  }

  // The next burst of a transfer, or its end. No burst crosses a multiple of its length.
  void Continue(Module& module, int client) {
    const Instruction& transfer = stream_[module.number];
    const uint64_t element = config_.ElementBytes(transfer.memory);
    const uint64_t row_bytes = transfer.x_size * element;
    if (module.row == transfer.y_size) {
      // Padding is written in cycles in which no data comes.
      if (transfer.opcode == Opcode::kLoad) {
        const uint64_t data = uint64_t{transfer.y_size} * transfer.x_size;
        const uint64_t pads = transfer.Elements() - data;
        const uint64_t free = module.time - timing_.instructions[module.number].begin;
        module.time += pads > free ? pads - free : 0;
      }
      return Finish(module, client);
    }
    const uint64_t at =
        (transfer.dram_base + uint64_t{module.row} * transfer.x_stride) * element + module.moved;
    const uint64_t burst = uint64_t{model_.burst_beats} * config_.bus_bytes();
    const uint64_t bytes = std::min(row_bytes - module.moved, burst - at % burst);
    if (transfer.opcode == Opcode::kLoad) {
      const auto who = client == 1 ? Client::kLoad : Client::kCompute;
      module.time = Read(module.time, bytes, who) + model_.burst_gap;
    } else {
      const uint64_t beats = DivideUp(bytes, config_.bus_bytes());
      Count(Client::kStore, bytes, beats);
      const uint64_t elements = DivideUp(bytes, element);
      module.time += beats + elements * model_.store_element_extra + model_.store_burst;
    }
    module.moved += bytes;
    if (module.moved == row_bytes) {
      ++module.row;
      module.moved = 0;
    }
  }

  void Finish(Module& module, int client) {
    InstructionTime& time = timing_.instructions[module.number];
    time.end = module.time;
    timing_.modules[client - 1].busy += time.end - time.begin;
    timing_.cycles = std::max(timing_.cycles, time.end);
    const uint32_t pushed = PushedQueues(stream_[module.number]);
    for (int queue = 0; queue < kQueueCount; ++queue) {
      if (pushed >> queue & 1) tokens_[queue].push_back(module.time);
    }
    module.is_running = false;
  }

  const Config& config_;
  const std::vector<Instruction>& stream_;
  const CycleModel& model_;
  Timing timing_;
  size_t fetched_ = 0;
  uint64_t fetch_time_ = 0, bus_free_ = 0;
  std::vector<uint64_t> fetched_at_;
  std::array<Module, 3> modules_;
  std::array<std::deque<uint64_t>, kQueueCount> tokens_;  // When each was pushed.
};

}  // namespace

Timing EstimateCycles(const Config& config, const std::vector<Instruction>& stream, const CycleModel& model) {
  return Estimator(config, stream, model).Run();
}

}  // namespace lutra::vta::sim

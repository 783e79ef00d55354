// SPDX-License-Identifier: Apache-2.0
// The modules' queues, their tokens, and their order.

#include "delegates/vta/simulator/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <random>

#include "delegates/vta/simulator/races.h"

namespace lutra::vta::sim {
namespace {

constexpr int kModules = 3;

int ModuleOf(const Instruction& instruction) { return static_cast<int>(StageOf(instruction)) - 1; }

struct Token {
  Clock clock;
  uint32_t number;  // Of the instruction that pushed it.
};

class Scheduler {
 public:
  Scheduler(Machine& machine, Profile profile, Dram& dram, const RunOptions& options, Result& result)
      : machine_(machine),
        dram_(dram),
        options_(options),
        result_(result),
        findings_(profile),
        random_(options.seed) {
    if (options.finds_races) races_.emplace(machine.config());
  }

  void Run(Span<const EncodedInstruction> instructions) {
    if (Decode(instructions) && CheckFinish()) {
      while (Step()) {
      }
      if (!findings_.failed()) CheckEnd();
    }
    result_.findings = findings_.list();
    result_.warnings = findings_.warnings();
  }

 private:
  bool Decode(Span<const EncodedInstruction> instructions) {
    const Config& config = machine_.config();
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      Instruction instruction;
      InstructionFault fault = vta::Decode(config, instructions[i], &instruction);
      if (fault == InstructionFault::kNone) fault = Check(config, instruction);
      if (fault != InstructionFault::kNone && fault != InstructionFault::kEmptyLoop) {
        return findings_.Add(Issue::kInstruction, i,
                             fmt::format("found {}, required: what the instruction set has; see vta disasm",
                                         vta::ToString(fault)));
      }
      ++totals_[ModuleOf(instruction)];
      result_.stream.push_back(instruction);
    }
    return true;
  }

  bool CheckFinish() {
    const std::vector<Instruction>& stream = result_.stream;
    for (uint32_t i = 0; i < stream.size(); ++i) {
      const bool is_finish = stream[i].opcode == Opcode::kFinish;
      if (is_finish == (i + 1 == stream.size())) continue;
      return findings_.Add(Issue::kFinish, i,
                           fmt::format("found {}, required: one FINISH, as the last instruction; {}",
                                       is_finish ? "a FINISH before others" : "a stream that does not end",
                                       is_finish ? "take it out" : "add it"));
    }
    return !stream.empty() ||
           findings_.Add(Issue::kFinish, kNoInstruction, "found no instruction, required: a FINISH; add it");
  }

  // Fetches instructions in the stream's order; the first whose module's queue is full delays all others.
  void Fetch() {
    const std::vector<Instruction>& stream = result_.stream;
    for (; fetched_ < stream.size(); ++fetched_) {
      std::deque<uint32_t>& queue = waiting_[ModuleOf(stream[fetched_])];
      if (queue.size() == kMostQueued) return;
      queue.push_back(static_cast<uint32_t>(fetched_));
    }
  }

  bool CanGoOn(int module) const {
    if (waiting_[module].empty()) return false;
    const uint32_t popped = PoppedQueues(result_.stream[waiting_[module].front()]);
    for (int queue = 0; queue < kQueueCount; ++queue) {
      if ((popped >> queue & 1) != 0 && tokens_[queue].empty()) return false;
    }
    return true;
  }

  // Executes one instruction; returns false if there is none, or after an error.
  bool Step() {
    Fetch();
    int ready[kModules], count = 0;
    for (int i = 0; i < kModules; ++i) {
      const int module =
          options_.priority ? static_cast<int>((*options_.priority)[static_cast<size_t>(i)]) - 1 : i;
      if (CanGoOn(module)) ready[count++] = module;
    }
    if (count == 0) return false;
    const uint64_t choice = options_.priority || count == 1 ? 0 : random_() % static_cast<uint64_t>(count);
    return Execute(ready[choice]);
  }

  bool Execute(int module) {
    const uint32_t number = waiting_[module].front();
    const Instruction& instruction = result_.stream[number];
    waiting_[module].pop_front();
    Clock& clock = clocks_[module];
    for (int queue = 0; queue < kQueueCount; ++queue) {
      if ((PoppedQueues(instruction) >> queue & 1) == 0) continue;
      Join(tokens_[queue].front().clock, clock);
      tokens_[queue].pop_front();
    }
    ++clock[module];
    if (!Account(instruction, number)) return false;
    // Executing checks what the detector requires.
    if (!machine_.Execute(instruction, number, dram_, findings_)) return false;
    if (races_ && !races_->Visit(instruction, number, clock, machine_.UopsOf(instruction), findings_))
      return false;
    return Push(instruction, number, clock);
  }

  bool Push(const Instruction& instruction, uint32_t number, const Clock& clock) {
    const uint32_t pushed = PushedQueues(instruction);
    for (int queue = 0; queue < kQueueCount; ++queue) {
      if ((pushed >> queue & 1) == 0) continue;
      tokens_[queue].push_back({clock, number});
      last_push_[queue] = number;
      const auto count = static_cast<uint32_t>(tokens_[queue].size());
      result_.most_tokens[queue] = std::max(result_.most_tokens[queue], count);
      if (count > kMostTokens) {
        return findings_.Add(
            Issue::kTokenOverflow, number,
            fmt::format("found {} tokens {}, required: at most {}, the rest is lost; pop them "
                        "earlier",
                        count, ToString(static_cast<Queue>(queue)), kMostTokens));
      }
    }
    return true;
  }

  bool Account(const Instruction& instruction, uint32_t number) {
    Counters& counters = result_.counters;
    ++counters.instructions[static_cast<int>(instruction.opcode)];
    if (instruction.IsNoOp()) ++counters.no_ops;
    if (instruction.IsTransfer()) {
      if (!instruction.IsNoOp()) {
        counters.bytes[static_cast<int>(instruction.memory)] +=
            uint64_t{instruction.y_size} * instruction.x_size *
            machine_.config().ElementBytes(instruction.memory);
      }
      return true;
    }
    const uint64_t uops = instruction.UopsExecuted();
    executed_ += uops;
    if (executed_ > options_.most_uops) {
      return findings_.Add(Issue::kTooLong, number,
                           fmt::format("found {} micro-ops up to here, required: at most {}; make the loops "
                                       "shorter, or the limit higher",
                                       executed_, options_.most_uops));
    }
    if (instruction.opcode == Opcode::kAlu) {
      counters.alu_uops += uops;
    } else if (instruction.reset != 0) {
      counters.reset_uops += uops;
    } else {
      counters.gemm_uops += uops;
      counters.macs += uops * machine_.config().lanes() * machine_.config().block();
    }
    return true;
  }

  // The compute module's clock is FINISH's.
  void CheckFinishWaits() {
    const auto number = static_cast<uint32_t>(result_.stream.size() - 1);
    const Clock& clock = clocks_[ModuleOf(result_.stream[number])];
    for (int module = 0; module < kModules; ++module) {
      if (clock[module] >= totals_[module]) continue;
      findings_.Add(
          Issue::kFinishEarly, number,
          fmt::format("found that it waits for {} of {} instructions of the {} module, required: for all; "
                      "push a token after the last and pop it before FINISH",
                      clock[module], totals_[module], ToString(static_cast<Stage>(module + 1))));
      return;
    }
  }

  // "load waits at instruction 3 for a token compute to load, the last of 2 pushed by instruction 1"
  std::string Waiting(int module) const {
    const std::string name = ToString(static_cast<Stage>(module + 1));
    if (waiting_[module].empty()) return name + " has nothing to do";
    const uint32_t number = waiting_[module].front();
    std::string text = fmt::format("{} waits at instruction {}", name, number);
    for (int queue = 0; queue < kQueueCount; ++queue) {
      const bool pops = PoppedQueues(result_.stream[number]) >> queue & 1;
      if (!pops || !tokens_[queue].empty()) continue;
      text += fmt::format(" for a token {}, {}", ToString(static_cast<Queue>(queue)),
                          last_push_[queue] == kNoInstruction
                              ? std::string("which nobody pushed")
                              : fmt::format("last pushed by instruction {}", last_push_[queue]));
    }
    return text;
  }

  void CheckEnd() {
    uint32_t first = kNoInstruction;
    std::string all;
    for (int module = 0; module < kModules; ++module) {
      all += (module == 0 ? "" : "; ") + Waiting(module);
      if (!waiting_[module].empty()) first = std::min(first, waiting_[module].front());
    }
    if (first != kNoInstruction) {
      findings_.Add(Issue::kDeadlock, first,
                    fmt::format("found {}, required: a push for each pop{}", all,
                                fetched_ == result_.stream.size()
                                    ? "; add the push"
                                    : fmt::format(" among {} instructions that wait for a module; bring them "
                                                  "closer together",
                                                  kMostQueued)));
      return;
    }
    for (int queue = 0; queue < kQueueCount; ++queue) {
      if (tokens_[queue].empty()) continue;
      findings_.Add(Issue::kTokenLeak, tokens_[queue].front().number,
                    fmt::format("found {} tokens {} left, the first of this instruction, required: none; pop "
                                "them, or do not push them",
                                tokens_[queue].size(), ToString(static_cast<Queue>(queue))));
      return;
    }
    CheckFinishWaits();
  }

  Machine& machine_;
  Dram& dram_;
  const RunOptions& options_;
  Result& result_;
  Findings findings_;
  std::mt19937_64 random_;
  std::optional<RaceDetector> races_;
  size_t fetched_ = 0;
  uint64_t executed_ = 0;
  std::array<std::deque<uint32_t>, kModules> waiting_;
  std::array<Clock, kModules> clocks_ = {};
  std::array<uint32_t, kModules> totals_ = {};
  std::array<std::deque<Token>, kQueueCount> tokens_;
  std::array<uint32_t, kQueueCount> last_push_ = {kNoInstruction, kNoInstruction, kNoInstruction,
                                                  kNoInstruction};
};

}  // namespace

Result Simulator::Run(Span<const EncodedInstruction> instructions, Dram& dram, const RunOptions& options) {
  Result result;
  Scheduler(machine_, profile_, dram, options, result).Run(instructions);
  if (result.ok() && options.estimates_cycles) {
    result.timing = EstimateCycles(machine_.config(), result.stream, options.model);
  }
  return result;
}

}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// Compares the last accesses to each element with the order that tokens give.

#include "delegates/vta/simulator/races.h"

#include <fmt/format.h>

#include <algorithm>

namespace lutra::vta::sim {
struct RaceDetector::Visitor {
  RaceDetector& detector;
  const Instruction& instruction;
  uint32_t number;
  const Clock& clock;
  Findings& findings;
  int module;

  // An access to the element; `what` and `index` are for the text.
  bool Touch(Element& element, bool is_write, const char* what, uint64_t index) {
    for (int other = 0; other < 3; ++other) {
      if (other == module) continue;
      const Access& write = element.write[other];
      if (write.place > clock[other]) return Report(write, other, what, index);
      const Access& read = element.read[other];
      if (is_write && read.place > clock[other]) return Report(read, other, what, index);
    }
    (is_write ? element.write : element.read)[module] = {clock[module], number};
    return true;
  }

  // Names the later instruction in the stream, so that the text does not depend on the run's order.
  bool Report(const Access& access, int other, const char* what, uint64_t index) {
    const bool is_later = number > access.number;
    const int first = is_later ? other : module, second = is_later ? module : other;
    return findings.Add(
        Issue::kRace, is_later ? number : access.number,
        fmt::format(
            "found {} {:#x} touched by the {} module, and by instruction {} of the {} module, required: "
            "tokens that order the two; add a push and a pop",
            what, index, NameOf(second), is_later ? access.number : number, NameOf(first)));
  }

  static const char* NameOf(int module_index) { return ToString(static_cast<Stage>(module_index + 1)); }

  bool Sram(Memory memory, uint64_t index, bool is_write) {
    return Touch(detector.memories_[static_cast<int>(memory)][static_cast<size_t>(index)], is_write,
                 ToString(memory), index);
  }

  bool Range(Memory memory, bool is_write) {
    for (uint64_t i = 0; i < instruction.Elements(); ++i) {
      if (!Sram(memory, instruction.sram_base + i, is_write)) return false;
    }
    return true;
  }

  bool DramOfTransfer() {
    const uint64_t element = detector.config_.ElementBytes(instruction.memory);
    for (uint32_t y = 0; y < instruction.y_size; ++y) {
      const uint64_t begin = (instruction.dram_base + uint64_t{y} * instruction.x_stride) * element;
      const uint64_t end = begin + instruction.x_size * element;
      for (uint64_t at = begin >> detector.log_granule_; at < end >> detector.log_granule_; ++at) {
        const bool is_store = instruction.opcode == Opcode::kStore;
        if (!Touch(detector.dram_[at], is_store, "DRAM at byte", at << detector.log_granule_)) return false;
      }
    }
    return true;
  }

  bool Compute(const std::vector<Uop>& uops) {
    const bool is_gemm = instruction.opcode == Opcode::kGemm;
    const bool reads = is_gemm && (instruction.reset == 0 || findings.profile() == Profile::kHls);
    for (uint32_t o = 0; o < instruction.iter_out; ++o) {
      for (uint32_t i = 0; i < instruction.iter_in; ++i) {
        const uint64_t dst =
            uint64_t{o} * instruction.dst_factor_out + uint64_t{i} * instruction.dst_factor_in;
        const uint64_t src =
            uint64_t{o} * instruction.src_factor_out + uint64_t{i} * instruction.src_factor_in;
        const uint64_t wgt =
            uint64_t{o} * instruction.wgt_factor_out + uint64_t{i} * instruction.wgt_factor_in;
        for (const Uop& uop : uops) {
          if (reads &&
              !(Sram(Memory::kInp, uop.src + src, false) && Sram(Memory::kWgt, uop.wgt + wgt, false)))
            return false;
          if (!Sram(Memory::kOut, uop.dst + dst, true)) return false;
        }
      }
    }
    return true;
  }
};

RaceDetector::RaceDetector(const Config& config)
    : config_(config),
      log_granule_(std::min(config.LogElementBytes(Memory::kUop), config.LogElementBytes(Memory::kOut))) {
  for (const Memory memory : {Memory::kInp, Memory::kWgt, Memory::kOut}) {
    memories_[static_cast<int>(memory)].resize(config.Depth(memory));
  }
}

bool RaceDetector::Visit(const Instruction& instruction, uint32_t number, const Clock& clock,
                         const std::vector<Uop>& uops, Findings& findings) {
  const int module = static_cast<int>(StageOf(instruction)) - 1;
  Visitor visitor = {*this, instruction, number, clock, findings, module};
  if (instruction.IsNoOp() || instruction.opcode == Opcode::kFinish) return true;
  if (!instruction.IsTransfer()) return visitor.Compute(uops);
  if (!visitor.DramOfTransfer()) return false;
  if (instruction.opcode == Opcode::kStore) return visitor.Range(Memory::kOut, false);
  return module != 0 || visitor.Range(instruction.memory, true);
}

}  // namespace lutra::vta::sim

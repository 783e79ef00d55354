// SPDX-License-Identifier: Apache-2.0
// Races: two modules access one element, one of them changing it, and no chain of tokens orders them. They
// are found in any order of execution.

#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "delegates/vta/driver/instruction.h"
#include "delegates/vta/simulator/findings.h"

namespace lutra::vta::sim {

// Counts how many instructions of each module are known to have ended: a vector clock.
using Clock = std::array<uint32_t, 3>;

inline void Join(const Clock& from, Clock& into) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = into[i] > from[i] ? into[i] : from[i];
}

class RaceDetector {
 public:
  explicit RaceDetector(const Config& config);

  // Call it before the instruction is executed. `clock`: the instructions before it; its module's own count
  // is its place there, from 1. `uops`: those of a GEMM or ALU instruction. Returns whether the run can go
  // on.
  bool Visit(const Instruction& instruction, uint32_t number, const Clock& clock,
             const std::vector<Uop>& uops, Findings& findings);

 private:
  // The last instruction of each module that read and that changed an element, as its place and its number.
  struct Access {
    uint32_t place = 0, number = 0;
  };
  struct Element {
    std::array<Access, 3> read = {}, write = {};
  };
  struct Visitor;

  Config config_;
  uint32_t log_granule_;  // The granule of DRAM: every element has a whole number of granules.
  std::array<std::vector<Element>, kMemoryCount> memories_;  // INP, WGT and OUT: what modules share.
  std::unordered_map<uint64_t, Element> dram_;               // By granule.
};

}  // namespace lutra::vta::sim

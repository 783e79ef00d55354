// SPDX-License-Identifier: Apache-2.0
// Dram: the memory that VTA shares with its host, in pages, by physical address.
//
//   Dram dram;
//   const uint64_t input = dram.Allocate(1000);       // begins at a page; never 0
//   Span<uint8_t> bytes = dram.Bytes(input, 1000);    // until the next allocation

#pragma once

#include <cstdint>
#include <vector>

#include "lutra/span.h"

namespace lutra::vta::sim {

class Dram {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  Dram() : bytes_(kPageBytes, 0) {}
  struct Interval {
    uint64_t begin, end;
  };

  uint64_t Allocate(uint64_t bytes);
  // Maps memory of the caller's, which keeps its place. Its addresses are behind all that can be allocated.
  // Memory that was mapped at the same place before is unmapped: its addresses are free.
  uint64_t Map(Span<uint8_t> memory);
  // Returns whether one allocation holds all of [begin, end).
  bool Holds(uint64_t begin, uint64_t end) const;
  // The caller must know that Holds() is true for them. The address is one of an allocation or of mapped
  // memory.
  Span<uint8_t> Bytes(uint64_t address, uint64_t count) {
    uint8_t* const first = address < kFirstMapped ? bytes_.data() + address : Mapped(address);
    return {first, static_cast<size_t>(count)};
  }
  const std::vector<Interval>& allocations() const { return allocations_; }

 private:
  static constexpr uint64_t kFirstMapped = uint64_t{1} << 32;

  uint8_t* Mapped(uint64_t address) const;

  std::vector<uint8_t> bytes_;
  std::vector<Interval> allocations_;  // Rising.
  struct Mapping {
    uint64_t begin, end;
    uint8_t* bytes;
  };
  std::vector<Mapping> mappings_;  // Rising.
};

}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// A stream in a file, with the memory that it works on.
//
//   "VTASTRM1"
//   ten bytes, the Config in the order of its members; two bytes 0
//   the number of instructions, the number of allocations: four bytes each, as everything little-endian
//   the bytes of each allocation: four bytes each
//   the instructions, 16 bytes each; the allocations
//
// Allocations begin at pages of 4,096 bytes, one behind the other, the first at address 4,096.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "delegates/vta/driver/instruction.h"
#include "delegates/vta/simulator/dram.h"

namespace lutra::vta::sim {

struct StreamFile {
  Config config;
  std::vector<EncodedInstruction> stream;
  Dram dram;
};

// Throws BadInput, naming `path`.
StreamFile ParseStream(Span<const uint8_t> bytes, const std::string& path);
std::vector<uint8_t> StreamBytes(const Config& config, Span<const EncodedInstruction> stream, Dram& dram);

}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// An instruction or a micro-op as a line of text.
//
//   Disassemble(config, encoded)   "LOAD INP sram_base=4 y_size=1 x_size=8 x_stride=8; pop_next, push_next"
//
// Fields that are 0 are left out; an instruction that cannot be decoded is its bytes and why.

#pragma once

#include <string>

#include "delegates/vta/driver/instruction.h"

namespace lutra::vta::sim {

std::string Disassemble(const Config& config, const EncodedInstruction& encoded);
std::string Disassemble(const Config& config, const Instruction& instruction);

// "dst 3 src 0 wgt 7"
std::string ToString(const Uop& uop);

}  // namespace lutra::vta::sim

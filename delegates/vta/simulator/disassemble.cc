// SPDX-License-Identifier: Apache-2.0
// Text of instructions, from the same table of fields that they are decoded by.

#include "delegates/vta/simulator/disassemble.h"

#include <fmt/format.h>

#include <string_view>

namespace lutra::vta::sim {

std::string Disassemble(const Config& config, const EncodedInstruction& encoded) {
  Instruction instruction;
  const InstructionFault fault = Decode(config, encoded, &instruction);
  if (fault == InstructionFault::kNone) return Disassemble(config, instruction);
  std::string text = "????";
  for (int i = 0; i < 4; ++i) text += fmt::format(" {:08x}", LoadWord(encoded.bytes + 4 * i));
  return text + "; " + vta::ToString(fault);
}

std::string Disassemble(const Config& config, const Instruction& instruction) {
  std::string text = ToString(instruction.opcode), flags;
  if (instruction.opcode == Opcode::kAlu) text += fmt::format(" {}", ToString(instruction.alu_opcode));
  if (instruction.IsTransfer()) text += fmt::format(" {}", ToString(instruction.memory));
  for (const Field& field : FieldsOf(config, instruction.opcode)) {
    const std::string_view name = field.name;
    if (name == "opcode" || name == "memory" || name == "alu_opcode" || name == "use_imm") continue;
    const uint32_t value = field.get(instruction);
    if (name == "imm") {
      if (instruction.use_imm != 0) text += fmt::format(" imm={}", instruction.immediate());
      continue;
    }
    if (value == 0) continue;
    if (name.starts_with("pop_") || name.starts_with("push_")) {
      flags += fmt::format("{}{}", flags.empty() ? "; " : ", ", name);
    } else if (name == "dram_base") {
      text += fmt::format(" dram_base={:#x}", value);
    } else if (field.width == 1) {
      text += fmt::format(" {}", name);
    } else {
      text += fmt::format(" {}={}", name, value);
    }
  }
  return text + flags;
}

std::string ToString(const Uop& uop) {
  return fmt::format("dst {} src {} wgt {}", uop.dst, uop.src, uop.wgt);
}

}  // namespace lutra::vta::sim

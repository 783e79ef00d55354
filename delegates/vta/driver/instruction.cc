// SPDX-License-Identifier: Apache-2.0
// The layout of instructions and micro-ops as one table, which encoder, decoder and disassembler read.

#include "delegates/vta/driver/instruction.h"

namespace lutra::vta {
namespace {

constexpr uint32_t kOpcodeBits = 3;
constexpr uint32_t kHalf = 64;

// Field::get and Field::set of a member of Instruction.
template <auto member>
uint32_t Get(const Instruction& instruction) {
  return static_cast<uint32_t>(instruction.*member);
}
template <typename T>
void Assign(T& target, uint32_t value) {
  target = static_cast<T>(value);
}
template <auto member>
void Set(Instruction& instruction, uint32_t value) {
  Assign(instruction.*member, value);
}

uint64_t Mask(uint32_t width) { return (uint64_t{1} << width) - 1; }

class ListMaker {
 public:
  // A field that would cross the middle begins there instead.
  template <auto member>
  void Add(const char* name, uint32_t width) {
    if (bit_ < kHalf && bit_ + width > kHalf) bit_ = kHalf;
    list_.fields[list_.count++] = {name, Get<member>, Set<member>, static_cast<uint8_t>(bit_),
                                   static_cast<uint8_t>(width)};
    bit_ += width;
  }
  const FieldList& list() const { return list_; }

 private:
  FieldList list_ = {};
  uint32_t bit_ = 0;
};

using I = Instruction;

void AddTransfer(ListMaker& fields) {
  fields.Add<&I::memory>("memory", 3);
  fields.Add<&I::sram_base>("sram_base", 16);
  fields.Add<&I::dram_base>("dram_base", 32);
  fields.Add<&I::y_size>("y_size", 16);
  fields.Add<&I::x_size>("x_size", 16);
  fields.Add<&I::x_stride>("x_stride", 16);
  fields.Add<&I::y_pad_0>("y_pad_0", 4);
  fields.Add<&I::y_pad_1>("y_pad_1", 4);
  fields.Add<&I::x_pad_0>("x_pad_0", 4);
  fields.Add<&I::x_pad_1>("x_pad_1", 4);
}

void AddCompute(const Config& config, bool is_alu, ListMaker& fields) {
  const uint32_t acc = config.LogDepth(Memory::kAcc), wgt = config.LogDepth(Memory::kWgt);
  // An ALU instruction's source is an accumulator.
  const uint32_t src = is_alu ? acc : config.LogDepth(Memory::kInp), uop = config.LogDepth(Memory::kUop);
  fields.Add<&I::reset>("reset", 1);
  fields.Add<&I::uop_bgn>("uop_bgn", uop);
  fields.Add<&I::uop_end>("uop_end", uop + 1);
  fields.Add<&I::iter_out>("iter_out", kLogLoopExtent);
  fields.Add<&I::iter_in>("iter_in", kLogLoopExtent);
  fields.Add<&I::dst_factor_out>("dst_factor_out", acc);
  fields.Add<&I::dst_factor_in>("dst_factor_in", acc);
  fields.Add<&I::src_factor_out>("src_factor_out", src);
  fields.Add<&I::src_factor_in>("src_factor_in", src);
  if (is_alu) {
    fields.Add<&I::alu_opcode>("alu_opcode", 3);
    fields.Add<&I::use_imm>("use_imm", 1);
    fields.Add<&I::imm>("imm", 16);
  } else {
    fields.Add<&I::wgt_factor_out>("wgt_factor_out", wgt);
    fields.Add<&I::wgt_factor_in>("wgt_factor_in", wgt);
  }
}

uint64_t LoadHalf(const uint8_t* bytes) {
  return uint64_t{LoadWord(bytes)} | uint64_t{LoadWord(bytes + 4)} << 32;
}

void StoreHalf(uint8_t* bytes, uint64_t half) {
  StoreWord(bytes, static_cast<uint32_t>(half));
  StoreWord(bytes + 4, static_cast<uint32_t>(half >> 32));
}

// Checks for codes that their fields can hold but the instruction set lacks.
InstructionFault CheckCodes(const Instruction& instruction) {
  if (static_cast<int>(instruction.opcode) >= kOpcodeCount) return InstructionFault::kOpcode;
  if (static_cast<int>(instruction.memory) >= kMemoryCount) return InstructionFault::kMemory;
  if (static_cast<int>(instruction.alu_opcode) >= kAluOpcodeCount) return InstructionFault::kAluOpcode;
  return InstructionFault::kNone;
}

InstructionFault CheckTransfer(const Config& config, const Instruction& instruction) {
  const bool is_store = instruction.opcode == Opcode::kStore;
  if (is_store != (instruction.memory == Memory::kOut)) return InstructionFault::kMemory;
  if (is_store &&
      (instruction.y_pad_0 | instruction.y_pad_1 | instruction.x_pad_0 | instruction.x_pad_1) != 0) {
    return InstructionFault::kStorePadding;
  }
  if (instruction.sram_base + instruction.Elements() > config.Depth(instruction.memory)) {
    return InstructionFault::kSramRange;
  }
  return InstructionFault::kNone;
}

}  // namespace

FieldList FieldsOf(const Config& config, Opcode opcode) {
  ListMaker fields;
  fields.Add<&I::opcode>("opcode", kOpcodeBits);
  fields.Add<&I::pop_prev>("pop_prev", 1);
  fields.Add<&I::pop_next>("pop_next", 1);
  fields.Add<&I::push_prev>("push_prev", 1);
  fields.Add<&I::push_next>("push_next", 1);
  if (opcode == Opcode::kLoad || opcode == Opcode::kStore) AddTransfer(fields);
  if (opcode == Opcode::kGemm || opcode == Opcode::kAlu) AddCompute(config, opcode == Opcode::kAlu, fields);
  return fields.list();
}

InstructionFault Encode(const Config& config, const Instruction& instruction, EncodedInstruction* encoded,
                        const char** field) {
  if (field != nullptr) *field = nullptr;
  if (const InstructionFault fault = CheckCodes(instruction); fault != InstructionFault::kNone) return fault;
  uint64_t halves[2] = {0, 0};
  for (const Field& place : FieldsOf(config, instruction.opcode)) {
    const uint64_t value = place.get(instruction);
    if (value > Mask(place.width)) {
      if (field != nullptr) *field = place.name;
      return InstructionFault::kFieldRange;
    }
    halves[place.bit / kHalf] |= value << (place.bit % kHalf);
  }
  StoreHalf(encoded->bytes, halves[0]);
  StoreHalf(encoded->bytes + 8, halves[1]);
  return InstructionFault::kNone;
}

InstructionFault Decode(const Config& config, const EncodedInstruction& encoded, Instruction* instruction) {
  uint64_t halves[2] = {LoadHalf(encoded.bytes), LoadHalf(encoded.bytes + 8)};
  *instruction = {};
  instruction->opcode = static_cast<Opcode>(halves[0] & Mask(kOpcodeBits));
  if (static_cast<int>(instruction->opcode) >= kOpcodeCount) return InstructionFault::kOpcode;
  for (const Field& place : FieldsOf(config, instruction->opcode)) {
    uint64_t& half = halves[place.bit / kHalf];
    const uint32_t shift = place.bit % kHalf;
    place.set(*instruction, static_cast<uint32_t>(half >> shift & Mask(place.width)));
    half &= ~(Mask(place.width) << shift);
  }
  if (const InstructionFault fault = CheckCodes(*instruction); fault != InstructionFault::kNone) return fault;
  return (halves[0] | halves[1]) == 0 ? InstructionFault::kNone : InstructionFault::kUnusedBits;
}

InstructionFault Check(const Config& config, const Instruction& instruction) {
  if (const InstructionFault fault = CheckCodes(instruction); fault != InstructionFault::kNone) return fault;
  const Stage stage = StageOf(instruction);
  if ((stage == Stage::kLoad && (instruction.pop_prev | instruction.push_prev) != 0) ||
      (stage == Stage::kStore && (instruction.pop_next | instruction.push_next) != 0)) {
    return InstructionFault::kDependency;
  }
  if (instruction.IsTransfer()) return CheckTransfer(config, instruction);
  if (instruction.opcode == Opcode::kFinish) return InstructionFault::kNone;
  if (instruction.uop_end > config.Depth(Memory::kUop)) return InstructionFault::kUopRange;
  return instruction.UopsExecuted() == 0 ? InstructionFault::kEmptyLoop : InstructionFault::kNone;
}

Stage StageOf(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kStore) return Stage::kStore;
  const bool is_operand = instruction.memory == Memory::kInp || instruction.memory == Memory::kWgt;
  return instruction.opcode == Opcode::kLoad && is_operand ? Stage::kLoad : Stage::kCompute;
}

uint32_t EncodeUop(const Config& config, Uop uop) {
  const uint32_t dst = config.LogDepth(Memory::kAcc), src = config.LogDepth(Memory::kInp);
  const uint64_t wgt = uop.wgt & Mask(config.LogDepth(Memory::kWgt));
  return static_cast<uint32_t>((uop.dst & Mask(dst)) | (uop.src & Mask(src)) << dst | wgt << (dst + src));
}

Uop DecodeUop(const Config& config, uint32_t word) {
  const uint32_t dst = config.LogDepth(Memory::kAcc), src = config.LogDepth(Memory::kInp);
  const auto part = [word](uint32_t bit, uint32_t width) {
    return static_cast<uint32_t>(uint64_t{word} >> bit & Mask(width));
  };
  return {part(0, dst), part(dst, src), part(dst + src, config.LogDepth(Memory::kWgt))};
}

bool FitsFields(const Config& config, Uop uop) {
  return uop.dst < config.Depth(Memory::kAcc) && uop.src < config.Depth(Memory::kInp) &&
         uop.wgt < config.Depth(Memory::kWgt);
}

uint32_t LoadWord(const uint8_t* bytes) {
  return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

void StoreWord(uint8_t* bytes, uint32_t word) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<uint8_t>(word >> 8 * i);
}

}  // namespace lutra::vta

// SPDX-License-Identifier: Apache-2.0
// Instruction: the fields of VTA's 128 bits, with encoder and decoder.
//
//   Instruction load = {.opcode = Opcode::kLoad, .push_next = 1};
//   load.memory = Memory::kInp;
//   load.x_size = 4;
//   load.y_size = 1;
//   EncodedInstruction bytes;
//   if (Encode(config, load, &bytes) != InstructionFault::kNone) ...
//
// bits   2:0  opcode     3 pop_prev   4 pop_next   5 push_prev   6 push_next
// LOAD, STORE
//        9:7  memory     25:10 sram_base   57:26 dram_base   63:58 none
//      79:64  y_size     95:80 x_size     111:96 x_stride
//    115:112  y_pad_0  119:116 y_pad_1   123:120 x_pad_0   127:124 x_pad_1
// GEMM, ALU; the widths of micro-op indices and factors follow the buffers, here those of the shipped Config
//          7  reset      20:8 uop_bgn   34:21 uop_end, exclusive   48:35 iter_out   62:49 iter_in
//      74:64  dst_factor_out  85:75 dst_factor_in   96:86 src_factor_out   107:97 src_factor_in
// GEMM
//    117:108  wgt_factor_out  127:118 wgt_factor_in
// ALU
//    110:108  alu_opcode  111 use_imm  127:112 imm
// FINISH: nothing else.
//
// Bits without a field are 0. A field that would cross the middle begins at bit 64, as with C's bit-fields of
// 64 bits: if buffers are small, factors are in the first half, too. Bytes are little-endian.

#pragma once

#include "delegates/vta/driver/config.h"
#include "lutra/span.h"

namespace lutra::vta {

enum class Opcode : uint8_t { kLoad = 0, kStore = 1, kGemm = 2, kFinish = 3, kAlu = 4 };
inline constexpr int kOpcodeCount = 5;
enum class AluOpcode : uint8_t { kMin = 0, kMax = 1, kAdd = 2, kShr = 3, kMul = 4 };
inline constexpr int kAluOpcodeCount = 5;
// The three modules, with the numbers of VTA's runtime: prev is one less, next one more.
enum class Stage : uint8_t { kLoad = 1, kCompute = 2, kStore = 3 };

constexpr const char* ToString(Opcode opcode) {
  constexpr const char* kNames[] = {"LOAD", "STORE", "GEMM", "FINISH", "ALU"};
  return static_cast<int>(opcode) < kOpcodeCount ? kNames[static_cast<int>(opcode)] : "unknown opcode";
}
constexpr const char* ToString(AluOpcode opcode) {
  constexpr const char* kNames[] = {"MIN", "MAX", "ADD", "SHR", "MUL"};
  return static_cast<int>(opcode) < kAluOpcodeCount ? kNames[static_cast<int>(opcode)] : "unknown ALU opcode";
}
constexpr const char* ToString(Stage stage) {
  constexpr const char* kNames[] = {"none", "load", "compute", "store"};
  return static_cast<int>(stage) < 4 ? kNames[static_cast<int>(stage)] : "none";
}

// Every field of every opcode as a number; fields that an opcode lacks are 0.
struct Instruction {
  Opcode opcode = Opcode::kLoad;
  uint32_t pop_prev = 0, pop_next = 0, push_prev = 0, push_next = 0;
  // LOAD, STORE.
  Memory memory = Memory::kUop;
  uint32_t sram_base = 0, dram_base = 0;
  uint32_t y_size = 0, x_size = 0, x_stride = 0;
  uint32_t y_pad_0 = 0, y_pad_1 = 0, x_pad_0 = 0, x_pad_1 = 0;
  // GEMM, ALU.
  uint32_t reset = 0;
  uint32_t uop_bgn = 0, uop_end = 0, iter_out = 0, iter_in = 0;
  uint32_t dst_factor_out = 0, dst_factor_in = 0, src_factor_out = 0, src_factor_in = 0;
  uint32_t wgt_factor_out = 0, wgt_factor_in = 0;
  AluOpcode alu_opcode = AluOpcode::kMin;
  uint32_t use_imm = 0;
  uint32_t imm = 0;  // 16 bits.

  int32_t immediate() const { return static_cast<int16_t>(static_cast<uint16_t>(imm)); }
  static uint32_t ImmediateField(int32_t value) { return static_cast<uint16_t>(value); }
  bool IsTransfer() const { return opcode == Opcode::kLoad || opcode == Opcode::kStore; }
  // Returns whether this is a transfer of nothing, which only carries dependency flags.
  bool IsNoOp() const { return IsTransfer() && x_size == 0; }
  // Return the elements of a row in SRAM, and of all rows.
  uint32_t RowElements() const { return x_pad_0 + x_size + x_pad_1; }
  uint64_t Elements() const {
    return IsNoOp() ? 0 : uint64_t{RowElements()} * (uint64_t{y_pad_0} + y_size + y_pad_1);
  }
  // Returns one past the last element in DRAM that a transfer accesses, counted from dram_base.
  uint64_t DramElements() const {
    return IsNoOp() || y_size == 0 ? 0 : uint64_t{y_size - 1} * x_stride + x_size;
  }
  uint64_t UopsExecuted() const {
    return uop_end > uop_bgn ? uint64_t{iter_out} * iter_in * (uop_end - uop_bgn) : 0;
  }
  bool operator==(const Instruction&) const = default;
};

struct EncodedInstruction {
  uint8_t bytes[16];
};
inline constexpr uint32_t kInstructionBytes = sizeof(EncodedInstruction);

struct Uop {
  uint32_t dst = 0;  // Accumulator.
  uint32_t src = 0;  // GEMM: input; ALU: accumulator.
  uint32_t wgt = 0;
  bool operator==(const Uop&) const = default;
};

// A field's place. It is read and written as a number, whatever its type is in Instruction.
struct Field {
  const char* name;
  uint32_t (*get)(const Instruction& instruction);
  void (*set)(Instruction& instruction, uint32_t value);
  uint8_t bit;
  uint8_t width;
};
struct FieldList {
  Field fields[20];
  int count = 0;
  const Field* begin() const { return fields; }
  const Field* end() const { return fields + count; }
};
// Returns the fields of the opcode, in the order of bits.
FieldList FieldsOf(const Config& config, Opcode opcode);

enum class InstructionFault : uint8_t {
  kNone = 0,
  kOpcode,        // 5 to 7.
  kMemory,        // 6, 7; LOAD of OUT; STORE of anything else.
  kAluOpcode,     // 5 to 7.
  kFieldRange,    // Encode only: a value that its field cannot hold.
  kUnusedBits,    // Decode only: a bit without a field.
  kDependency,    // A flag towards a neighbour that the module does not have.
  kStorePadding,  // STORE has none.
  kSramRange,     // A transfer reaches past the end of its memory.
  kUopRange,      // Micro-ops past the end of their memory.
  kEmptyLoop,     // No micro-op, or a loop that is run 0 times.
};

constexpr const char* ToString(InstructionFault fault) {
  switch (fault) {
    case InstructionFault::kNone:
      return "none";
    case InstructionFault::kOpcode:
      return "unknown opcode";
    case InstructionFault::kMemory:
      return "memory that the opcode cannot name";
    case InstructionFault::kAluOpcode:
      return "unknown ALU opcode";
    case InstructionFault::kFieldRange:
      return "value too large for its field";
    case InstructionFault::kUnusedBits:
      return "bits outside every field";
    case InstructionFault::kDependency:
      return "dependency flag towards a module that is not there";
    case InstructionFault::kStorePadding:
      return "STORE with padding";
    case InstructionFault::kSramRange:
      return "transfer past the end of its memory";
    case InstructionFault::kUopRange:
      return "micro-ops past the end of their memory";
    case InstructionFault::kEmptyLoop:
      return "loop without a micro-op or an iteration";
  }
  return "unknown";
}

// Sets `field`, if not null, to the first field whose value does not fit, or to null.
InstructionFault Encode(const Config& config, const Instruction& instruction, EncodedInstruction* encoded,
                        const char** field = nullptr);
InstructionFault Decode(const Config& config, const EncodedInstruction& encoded, Instruction* instruction);

// Checks one instruction, with fields in range, by itself.
InstructionFault Check(const Config& config, const Instruction& instruction);

// Returns the module that executes it: the compute module loads micro-ops and accumulators.
Stage StageOf(const Instruction& instruction);

// The indices must be those of a valid Config: higher bits are lost.
uint32_t EncodeUop(const Config& config, Uop uop);
Uop DecodeUop(const Config& config, uint32_t word);
bool FitsFields(const Config& config, Uop uop);

// Words in memory, little-endian on every machine.
uint32_t LoadWord(const uint8_t* bytes);
void StoreWord(uint8_t* bytes, uint32_t word);

}  // namespace lutra::vta

// SPDX-License-Identifier: Apache-2.0
// Writes instructions in order, with the tokens between them, and tracks the micro-ops in SRAM.

#include "delegates/vta/driver/command_stream.h"

namespace lutra::vta {
namespace {

constexpr uint32_t kHazardDistance = 2;

// Returns FNV-1a over whole words.
uint64_t HashOf(Span<const uint32_t> words) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const uint32_t word : words) hash = (hash ^ word) * 0x100000001B3;
  return hash;
}

int IndexOf(Stage stage) { return static_cast<int>(stage) - 1; }

}  // namespace

Status CommandStream::Fail(Status status, InstructionFault fault) {
  if (status_ == Status::kOk) {
    status_ = status;
    fault_ = fault;
  }
  return status_;
}

bool CommandStream::AreNeighbours(Stage from, Stage to) const {
  const int distance = static_cast<int>(from) - static_cast<int>(to);
  return distance == 1 || distance == -1;
}

Status CommandStream::Transfer(Opcode opcode, const Transfer2D& transfer) {
  Instruction instruction = {.opcode = opcode, .memory = transfer.memory};
  instruction.sram_base = transfer.sram_index;
  instruction.dram_base = transfer.dram_index;
  instruction.y_size = transfer.y_size;
  instruction.x_size = transfer.x_size;
  instruction.x_stride = transfer.x_stride;
  instruction.y_pad_0 = transfer.y_pad_before;
  instruction.y_pad_1 = transfer.y_pad_after;
  instruction.x_pad_0 = transfer.x_pad_before;
  instruction.x_pad_1 = transfer.x_pad_after;
  return Append(instruction);
}

// Appends the instruction with the pops that wait for its stage.
Status CommandStream::Append(Instruction instruction) {
  if (status_ != Status::kOk) return status_;
  if (is_finished_) return Fail(Status::kInvalidArgument);
  Pending& pending = pending_[IndexOf(StageOf(instruction))];
  instruction.pop_prev = pending.prev ? 1 : 0;
  instruction.pop_next = pending.next ? 1 : 0;
  pending = {};
  if (const InstructionFault fault = Check(config_, instruction); fault != InstructionFault::kNone) {
    return Fail(Status::kInvalidArgument, fault);
  }
  if (!buffers_.counts && instruction_count_ >= buffers_.instructions.size()) {
    return Fail(Status::kArenaTooSmall);
  }
  last_ = instruction;
  ++instruction_count_;
  return Rewrite();
}

// Writes the last instruction again, as it is now.
Status CommandStream::Rewrite() {
  EncodedInstruction encoded;
  const InstructionFault fault = Encode(config_, last_, &encoded);
  if (fault != InstructionFault::kNone) return Fail(Status::kInvalidArgument, fault);
  if (!buffers_.counts) buffers_.instructions[instruction_count_ - 1] = encoded;
  return Status::kOk;
}

// Appends an instruction of the stage that only carries flags.
Status CommandStream::AppendNoOp(Stage stage) {
  Instruction instruction;
  if (stage == Stage::kStore) instruction.opcode = Opcode::kStore;
  instruction.memory = stage == Stage::kStore  ? Memory::kOut
                       : stage == Stage::kLoad ? Memory::kInp
                                               : Memory::kUop;
  return Append(instruction);
}

Status CommandStream::DepPush(Stage from, Stage to) {
  if (!AreNeighbours(from, to)) return Fail(Status::kInvalidArgument, InstructionFault::kDependency);
  const Pending& pending = pending_[IndexOf(from)];
  // A pending wait must come before the next instruction.
  if (pending.prev || pending.next) LUTRA_TRY(AppendNoOp(from));
  uint32_t Instruction::*const flag = to < from ? &Instruction::push_prev : &Instruction::push_next;
  if (instruction_count_ == 0 || StageOf(last_) != from || last_.*flag != 0) LUTRA_TRY(AppendNoOp(from));
  if (status_ != Status::kOk) return status_;
  last_.*flag = 1;
  return Rewrite();
}

Status CommandStream::DepPop(Stage from, Stage to) {
  if (!AreNeighbours(from, to)) return Fail(Status::kInvalidArgument, InstructionFault::kDependency);
  if (status_ != Status::kOk) return status_;
  bool Pending::*const side = from < to ? &Pending::prev : &Pending::next;
  Pending& pending = pending_[IndexOf(to)];
  if (pending.*side) LUTRA_TRY(AppendNoOp(to));
  pending.*side = true;
  return Status::kOk;
}

Status CommandStream::UopLoopBegin(uint32_t extent, uint32_t dst_factor, uint32_t src_factor,
                                   uint32_t wgt_factor) {
  if (loop_count_ == 2 || recorded_ != 0) return Fail(Status::kInvalidArgument);
  loops_[loop_count_++] = {extent, dst_factor, src_factor, wgt_factor};
  ++open_loops_;
  return status_;
}

Status CommandStream::UopPush(Uop uop) {
  if (!FitsFields(config_, uop)) return Fail(Status::kInvalidArgument, InstructionFault::kFieldRange);
  if (open_loops_ != loop_count_) return Fail(Status::kInvalidArgument);
  if (recorded_ >= buffers_.recorded.size()) return Fail(Status::kArenaTooSmall);
  for (uint32_t back = 1; back <= kHazardDistance && back <= recorded_; ++back) {
    if (DecodeUop(config_, buffers_.recorded[recorded_ - back]).dst == uop.dst) {
      return Fail(Status::kInvalidArgument);
    }
  }
  buffers_.recorded[recorded_++] = EncodeUop(config_, uop);
  return status_;
}

Status CommandStream::UopLoopEnd() {
  if (open_loops_ == 0 || recorded_ == 0) return Fail(Status::kInvalidArgument);
  --open_loops_;
  return status_;
}

Status CommandStream::PushGemmOp(bool reset) {
  return PushKernel({.opcode = Opcode::kGemm, .reset = reset ? 1u : 0u});
}

Status CommandStream::PushAluOp(AluOpcode opcode) {
  Instruction instruction = {.opcode = Opcode::kAlu};
  instruction.alu_opcode = opcode;
  return PushKernel(instruction);
}

Status CommandStream::PushAluImmediateOp(AluOpcode opcode, int32_t immediate) {
  if (immediate < INT16_MIN || immediate > INT16_MAX) {
    return Fail(Status::kInvalidArgument, InstructionFault::kFieldRange);
  }
  Instruction instruction = {.opcode = Opcode::kAlu};
  instruction.alu_opcode = opcode;
  instruction.use_imm = 1;
  instruction.imm = Instruction::ImmediateField(immediate);
  return PushKernel(instruction);
}

Status CommandStream::PushKernel(Instruction instruction) {
  if (recorded_ == 0 || open_loops_ != 0) return Fail(Status::kInvalidArgument);
  uint32_t sram_index = 0;
  LUTRA_TRY(LoadKernel(&sram_index));
  const bool is_gemm = instruction.opcode == Opcode::kGemm;
  // A single loop is the outer one of GEMM, but the inner one of ALU.
  const Loop once;
  const Loop& outer = loop_count_ == 2 || (loop_count_ == 1 && is_gemm) ? loops_[0] : once;
  const Loop& inner = loop_count_ == 2 ? loops_[1] : loop_count_ == 1 && !is_gemm ? loops_[0] : once;
  instruction.uop_bgn = sram_index;
  instruction.uop_end = sram_index + recorded_;
  instruction.iter_out = outer.extent;
  instruction.iter_in = inner.extent;
  instruction.dst_factor_out = outer.dst;
  instruction.dst_factor_in = inner.dst;
  instruction.src_factor_out = outer.src;
  instruction.src_factor_in = inner.src;
  instruction.wgt_factor_out = outer.wgt;
  instruction.wgt_factor_in = inner.wgt;
  loop_count_ = 0;
  recorded_ = 0;
  return Append(instruction);
}

// Returns the kernel with these micro-ops, or null. Two lists with the same hash are an error.
UopKernel* CommandStream::FindKernel(uint64_t hash, Status* status) {
  for (uint32_t i = 0; i < kernel_count_; ++i) {
    UopKernel& kernel = buffers_.kernels[i];
    if (kernel.hash != hash || kernel.count != recorded_) continue;
    for (uint32_t word = 0; word < recorded_ && !buffers_.counts; ++word) {
      const uint32_t written = LoadWord(&buffers_.uops[size_t{kernel.dram_index + word} * 4]);
      if (written != buffers_.recorded[word]) *status = Fail(Status::kUnsupported);
    }
    return &kernel;
  }
  return nullptr;
}

// Loads the recorded micro-ops into SRAM, unless they are there.
Status CommandStream::LoadKernel(uint32_t* sram_index) {
  const uint64_t hash = HashOf(buffers_.recorded.Subspan(0, recorded_));
  Status status = status_;
  UopKernel* kernel = FindKernel(hash, &status);
  LUTRA_TRY(status);
  UopKernel forgotten;  // Used if the table is full.
  if (kernel == nullptr) {
    kernel = kernel_count_ < buffers_.kernels.size() ? &buffers_.kernels[kernel_count_++] : &forgotten;
    *kernel = {hash, recorded_, 0, 0, false};
    LUTRA_TRY(WriteUops(&kernel->dram_index));
  }
  if (buffers_.preloaded_uops != 0) {
    LUTRA_TRY(Preload());
    kernel->sram_index = kernel->dram_index;
    *sram_index = kernel->sram_index;
    return Status::kOk;
  }
  if (!kernel->is_resident) LUTRA_TRY(PlaceKernel(kernel));
  *sram_index = kernel->sram_index;
  return Status::kOk;
}

// Loads all micro-ops of the stream, once.
Status CommandStream::Preload() {
  if (is_preloaded_) return Status::kOk;
  is_preloaded_ = true;
  ++uop_loads_;
  return LoadBuffer2D({.memory = Memory::kUop,
                       .dram_index = buffers_.uop_dram_index,
                       .x_size = buffers_.preloaded_uops,
                       .x_stride = buffers_.preloaded_uops});
}

Status CommandStream::WriteUops(uint32_t* dram_index) {
  *dram_index = uop_count_;
  if (!buffers_.counts) {
    if (buffers_.uops.size() / 4 < size_t{uop_count_} + recorded_) return Fail(Status::kArenaTooSmall);
    for (uint32_t i = 0; i < recorded_; ++i) {
      StoreWord(&buffers_.uops[size_t{uop_count_ + i} * 4], buffers_.recorded[i]);
    }
  }
  uop_count_ += recorded_;
  return Status::kOk;
}

// Places the kernel behind the last one, or at the start again, over other kernels.
Status CommandStream::PlaceKernel(UopKernel* kernel) {
  const uint32_t depth = config_.Depth(Memory::kUop);
  if (recorded_ > depth) return Fail(Status::kInvalidArgument, InstructionFault::kUopRange);
  if (next_uop_ + recorded_ > depth) next_uop_ = 0;
  const uint32_t end = next_uop_ + recorded_;
  for (uint32_t i = 0; i < kernel_count_; ++i) {
    UopKernel& other = buffers_.kernels[i];
    if (other.sram_index < end && other.sram_index + other.count > next_uop_) other.is_resident = false;
  }
  kernel->sram_index = next_uop_;
  kernel->is_resident = true;
  next_uop_ = end;
  ++uop_loads_;
  return LoadBuffer2D({.memory = Memory::kUop,
                       .sram_index = kernel->sram_index,
                       .dram_index = buffers_.uop_dram_index + kernel->dram_index,
                       .x_size = recorded_,
                       .x_stride = recorded_});
}

Status CommandStream::Synchronize() {
  if (recorded_ != 0 || loop_count_ != 0) return Fail(Status::kInvalidArgument);
  // Only this stage's last instruction waits for pending work of the other stages.
  LUTRA_TRY(DepPush(Stage::kLoad, Stage::kCompute));
  LUTRA_TRY(DepPush(Stage::kStore, Stage::kCompute));
  LUTRA_TRY(DepPop(Stage::kLoad, Stage::kCompute));
  LUTRA_TRY(DepPop(Stage::kStore, Stage::kCompute));
  LUTRA_TRY(AppendNoOp(Stage::kCompute));
  LUTRA_TRY(Append({.opcode = Opcode::kFinish}));
  is_finished_ = true;
  return Status::kOk;
}

}  // namespace lutra::vta

// SPDX-License-Identifier: Apache-2.0
// CommandStream: VTA's runtime API, LoadBuffer2D, StoreBuffer2D, DepPush, DepPop, the recording of micro-ops
// and Synchronize. It writes instructions into memory of the caller's, but allocates and runs nothing: a
// stream whose buffers keep their addresses is written once and run often.
//
//   vta::CommandStream commands(config, buffers);
//   commands.LoadBuffer2D({.memory = Memory::kInp, .sram_index = 0, .dram_index = 64, .x_size = 8});
//   commands.DepPush(Stage::kLoad, Stage::kCompute);
//   commands.DepPop(Stage::kLoad, Stage::kCompute);
//   commands.UopLoopBegin(8, 1, 1, 0);                      // eight times, dst and src one further each time
//   commands.UopPush({.dst = 0, .src = 0, .wgt = 0});
//   commands.UopLoopEnd();
//   commands.PushGemmOp();
//   ...
//   if (commands.Synchronize() != Status::kOk) ...
//
// The first failure is kept: later calls do nothing and return it. With CommandBuffers::counts nothing is
// written; instruction_count and uop_count are the numbers that writing will need.

#pragma once

#include "delegates/vta/driver/instruction.h"
#include "lutra/span.h"
#include "lutra/status.h"

namespace lutra::vta {

// A used list of micro-ops: it has to be loaded again only if it is no longer in SRAM.
struct UopKernel {
  uint64_t hash;
  uint32_t count;
  uint32_t dram_index;  // From the start of Buffers::uops.
  uint32_t sram_index;
  bool is_resident;
};

struct CommandBuffers {
  Span<EncodedInstruction> instructions;
  Span<uint8_t> uops;           // Micro-ops as they will be in DRAM, four bytes each.
  uint32_t uop_dram_index = 0;  // The index of `uops` in DRAM, in micro-ops.
  Span<uint32_t> recorded;      // For the micro-ops of one kernel.
  Span<UopKernel> kernels;      // Known kernels. If empty, each kernel is loaded again.
  bool counts = false;          // Write nothing; instructions and uops are not used.
  // All micro-ops of the stream, uop_count() of a count, if the memory holds as many: one LOAD brings them
  // before the first is used. 0: each kernel is loaded when it is needed.
  uint32_t preloaded_uops = 0;
};

// A 2-D transfer. Sizes, strides and indices count elements of the memory; rows in DRAM are x_stride apart.
struct Transfer2D {
  Memory memory = Memory::kInp;
  uint32_t sram_index = 0, dram_index = 0;
  uint32_t x_size = 1, y_size = 1, x_stride = 0;
  uint32_t x_pad_before = 0, y_pad_before = 0, x_pad_after = 0, y_pad_after = 0;
};

class CommandStream {
 public:
  // `config` must be valid.
  CommandStream(const Config& config, const CommandBuffers& buffers) : config_(config), buffers_(buffers) {}

  Status LoadBuffer2D(const Transfer2D& transfer) { return Transfer(Opcode::kLoad, transfer); }
  Status StoreBuffer2D(const Transfer2D& transfer) { return Transfer(Opcode::kStore, transfer); }

  // Records a kernel: at most two loops, the outer first, then micro-ops, then the loops' ends, then the
  // push. Missing loops run once. A micro-op's dst must differ from that of the two before it.
  Status UopLoopBegin(uint32_t extent, uint32_t dst_factor, uint32_t src_factor, uint32_t wgt_factor);
  Status UopPush(Uop uop);
  Status UopLoopEnd();
  Status PushGemmOp(bool reset = false);
  Status PushAluOp(AluOpcode opcode);
  Status PushAluImmediateOp(AluOpcode opcode, int32_t immediate);

  // DepPush sends a token from one stage to its neighbour after all instructions of `from` so far; DepPop
  // makes the next instructions of `to` wait for it.
  Status DepPush(Stage from, Stage to);
  Status DepPop(Stage from, Stage to);

  // Ends the stream after load and store have ended.
  Status Synchronize();

  Status status() const { return status_; }
  // Returns an instruction's fault, if the status is kInvalidArgument; kNone: calls came in a wrong order.
  InstructionFault fault() const { return fault_; }
  uint32_t instruction_count() const { return instruction_count_; }
  uint32_t uop_count() const { return uop_count_; }
  uint32_t uop_loads() const { return uop_loads_; }

 private:
  struct Loop {
    uint32_t extent = 1, dst = 0, src = 0, wgt = 0;
  };
  struct Pending {
    bool prev = false, next = false;
  };

  Status Fail(Status status, InstructionFault fault = InstructionFault::kNone);
  Status Transfer(Opcode opcode, const Transfer2D& transfer);
  Status Append(Instruction instruction);
  Status Rewrite();
  Status AppendNoOp(Stage stage);
  Status PushKernel(Instruction instruction);
  Status LoadKernel(uint32_t* sram_index);
  UopKernel* FindKernel(uint64_t hash, Status* status);
  Status PlaceKernel(UopKernel* kernel);
  Status Preload();
  Status WriteUops(uint32_t* dram_index);
  bool AreNeighbours(Stage from, Stage to) const;

  Config config_;
  CommandBuffers buffers_;
  Status status_ = Status::kOk;
  InstructionFault fault_ = InstructionFault::kNone;
  bool is_finished_ = false, is_preloaded_ = false;
  uint32_t instruction_count_ = 0, uop_count_ = 0, uop_loads_ = 0, kernel_count_ = 0;
  Instruction last_;       // Valid if instruction_count_ is not 0.
  Pending pending_[3];     // Pops that wait for an instruction of their stage.
  uint32_t next_uop_ = 0;  // The SRAM index of the next kernel.
  // The kernel that is being recorded.
  Loop loops_[2];
  uint32_t loop_count_ = 0, open_loops_ = 0, recorded_ = 0;
};

}  // namespace lutra::vta

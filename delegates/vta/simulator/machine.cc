// SPDX-License-Identifier: Apache-2.0
// Executes instructions.

#include "delegates/vta/simulator/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "delegates/vta/simulator/gemm.h"

namespace lutra::vta::sim {
namespace {

// Hardware may read an old value of an accumulator up to this many micro-ops after a change.
constexpr uint64_t kHazardDistance = 2;
constexpr uint64_t kChiselHazardDistance = 1;
// Chisel's core has this many, whatever the configuration says.
constexpr uint32_t kChiselUops = 2048;

// Returns how far the amount moves the bits to the right, or, if negative, to the left.
int32_t Amount(Profile profile, int32_t amount, int32_t immediate_field) {
  switch (profile) {
    case Profile::kHls:  // Five bits with a sign.
      return ((amount & 31) ^ 16) - 16;
    case Profile::kChisel:  // Five bits; the immediate has the direction, also of a register.
      return immediate_field < 0 ? -(static_cast<int32_t>(0u - static_cast<uint32_t>(amount)) & 31)
                                 : amount & 31;
    default:
      return std::clamp(amount, -32, 32);
  }
}

int32_t AddWrapping(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

int32_t MultiplyWrapping(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

// The two loops around a list of micro-ops.
template <typename Run>
void ForEachUop(const Instruction& instruction, const std::vector<Uop>& uops, const Run& run) {
  for (uint32_t o = 0; o < instruction.iter_out; ++o) {
    for (uint32_t i = 0; i < instruction.iter_in; ++i) {
      const size_t dst = size_t{o} * instruction.dst_factor_out + size_t{i} * instruction.dst_factor_in;
      const size_t src = size_t{o} * instruction.src_factor_out + size_t{i} * instruction.src_factor_in;
      const size_t wgt = size_t{o} * instruction.wgt_factor_out + size_t{i} * instruction.wgt_factor_in;
      for (const Uop& uop : uops) run(uop.dst + dst, uop.src + src, uop.wgt + wgt);
    }
  }
}

// The accumulator of the t-th micro-op that the instruction executes.
uint64_t DstAt(const Instruction& instruction, const std::vector<Uop>& uops, uint64_t t) {
  const uint64_t turn = t / uops.size();
  return uops[t % uops.size()].dst + turn % instruction.iter_in * instruction.dst_factor_in +
         turn / instruction.iter_in * instruction.dst_factor_out;
}

// Returns whether one of `count` micro-ops from `first` has the accumulator of one of the `distance` before
// it.
bool RepeatsDst(const Instruction& instruction, const std::vector<Uop>& uops, uint64_t first, uint64_t count,
                uint64_t distance) {
  const uint64_t end = std::min(first + count, instruction.UopsExecuted());
  for (uint64_t t = first; t < end; ++t) {
    for (uint64_t back = 1; back <= std::min(distance, t); ++back) {
      if (DstAt(instruction, uops, t) == DstAt(instruction, uops, t - back)) return true;
    }
  }
  return false;
}

}  // namespace

int32_t Shift(Profile profile, int32_t value, int32_t amount, int32_t immediate_field) {
  const int32_t right = Amount(profile, amount, immediate_field);
  if (right >= 0) return value >> std::min(right, 31);
  return right <= -32 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(value) << -right);
}

bool IsPortableShift(Profile profile, int32_t amount, int32_t immediate_field) {
  return amount > -32 && amount < 32 &&
         Amount(profile, amount, immediate_field) == Amount(Profile::kReference, amount, immediate_field);
}

struct Machine::Job {
  const Instruction& instruction;
  uint32_t number;
  Dram& dram;
  Findings& findings;
};

Machine::Machine(const Config& config)
    : config_(config),
      uop_(config.Depth(Memory::kUop)),
      inp_(size_t{config.Depth(Memory::kInp)} * config.lanes()),
      wgt_(size_t{config.Depth(Memory::kWgt)} * config.block() * config.block()),
      acc_(size_t{config.Depth(Memory::kAcc)} * config.lanes()),
      out_(acc_.size()),
      fresh_(config.Depth(Memory::kOut)) {}

bool Machine::Execute(const Instruction& instruction, uint32_t number, Dram& dram, Findings& findings) {
  const Job job = {instruction, number, dram, findings};
  switch (instruction.opcode) {
    case Opcode::kLoad:
      return instruction.IsNoOp() || Load(job);
    case Opcode::kStore:
      return instruction.IsNoOp() || Store(job);
    case Opcode::kGemm:
      return Gemm(job);
    case Opcode::kAlu:
      return Alu(job);
    case Opcode::kFinish:
      break;
  }
  return true;
}

const std::vector<Uop>& Machine::UopsOf(const Instruction& instruction) {
  uops_.clear();
  for (uint32_t i = instruction.uop_bgn; i < instruction.uop_end; ++i) {
    uops_.push_back(DecodeUop(config_, uop_[i]));
  }
  return uops_;
}

bool Machine::CheckDram(const Job& job) {
  const uint64_t element = config_.ElementBytes(job.instruction.memory);
  const uint64_t begin = job.instruction.dram_base * element;
  const uint64_t end = begin + job.instruction.DramElements() * element;
  if (begin == end || job.dram.Holds(begin, end)) return true;
  return job.findings.Add(Issue::kDram, job.number,
                          fmt::format("found bytes {:#x} to {:#x}, required: all of them in one allocation; "
                                      "see dram_base, sizes and x_stride",
                                      begin, end));
}

bool Machine::CheckTransferProfile(const Job& job) {
  const Instruction& load = job.instruction;
  const bool is_padded = (load.y_pad_0 | load.y_pad_1 | load.x_pad_0 | load.x_pad_1) != 0;
  if (load.memory == Memory::kAcc8 && !job.findings.Add(Issue::kAcc8, job.number,
                                                        "found a load of 8 bits, which this implementation "
                                                        "does not have; load 32 bits"))
    return false;
  if (is_padded && (load.memory == Memory::kWgt || load.memory == Memory::kUop) &&
      !job.findings.Add(Issue::kPadding, job.number,
                        fmt::format("found it with {}, which this implementation does not pad; load zeros",
                                    ToString(load.memory))))
    return false;
  return load.memory != Memory::kUop || load.y_size <= 1 ||
         job.findings.Add(Issue::kUopRows, job.number,
                          fmt::format("found {} rows, of which this implementation loads one; load each row",
                                      load.y_size));
}

// Fills `count` elements from `at` on in the memory that `memory` names: with zeros if `bytes` is null.
void Machine::Fill(Memory memory, uint64_t at, uint64_t count, const uint8_t* bytes) {
  const uint64_t lanes = memory == Memory::kUop   ? 1
                         : memory == Memory::kWgt ? uint64_t{config_.block()} * config_.block()
                                                  : config_.lanes();
  const auto first = static_cast<size_t>(at * lanes), values = static_cast<size_t>(count * lanes);
  const auto fill = [bytes, first, values](auto& target, const auto& value) {
    for (size_t i = 0; i < values; ++i) {
      target[first + i] = bytes == nullptr ? 0 : value(bytes, i);
    }
  };
  const auto narrow = [](const uint8_t* from, size_t i) { return static_cast<int8_t>(from[i]); };
  switch (memory) {
    case Memory::kUop:
      return fill(uop_, [](const uint8_t* from, size_t i) { return LoadWord(from + 4 * i); });
    case Memory::kInp:
      return fill(inp_, narrow);
    case Memory::kWgt:
      return fill(wgt_, narrow);
    case Memory::kAcc8:
      fill(acc_, narrow);
      break;
    default:
      fill(acc_, [](const uint8_t* from, size_t i) { return static_cast<int32_t>(LoadWord(from + 4 * i)); });
      break;
  }
  std::fill_n(fresh_.begin() + static_cast<ptrdiff_t>(at), count, uint8_t{0});
}

bool Machine::Load(const Job& job) {
  if (!CheckTransferProfile(job) || !CheckDram(job)) return false;
  const Instruction& load = job.instruction;
  const uint64_t element = config_.ElementBytes(load.memory);
  uint64_t at = load.sram_base;
  const auto pad = [this, &load, &at](uint64_t count) {
    Fill(load.memory, at, count, nullptr);
    at += count;
  };
  pad(uint64_t{load.y_pad_0} * load.RowElements());
  for (uint32_t y = 0; y < load.y_size; ++y) {
    pad(load.x_pad_0);
    const uint64_t from = (load.dram_base + uint64_t{y} * load.x_stride) * element;
    Fill(load.memory, at, load.x_size, job.dram.Bytes(from, load.x_size * element).data());
    at += load.x_size;
    pad(load.x_pad_1);
  }
  pad(uint64_t{load.y_pad_1} * load.RowElements());
  return true;
}

bool Machine::Store(const Job& job) {
  if (!CheckDram(job)) return false;
  const Instruction& store = job.instruction;
  const uint64_t lanes = config_.lanes();
  for (uint64_t i = 0; i < store.Elements(); ++i) {
    const uint64_t at = store.sram_base + i;
    if (fresh_[static_cast<size_t>(at)] != 0) continue;
    job.findings.Add(Issue::kStaleOut, job.number,
                     fmt::format("found element {}, which does not hold its accumulator's value, required: a "
                                 "GEMM or ALU instruction that changed it last; add an ALU instruction",
                                 at));
    break;
  }
  for (uint32_t y = 0; y < store.y_size; ++y) {
    const auto from = static_cast<size_t>((store.sram_base + uint64_t{y} * store.x_size) * lanes);
    const uint64_t to = (store.dram_base + uint64_t{y} * store.x_stride) * lanes;
    const Span<uint8_t> bytes = job.dram.Bytes(to, store.x_size * lanes);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(out_[from + i]);
  }
  return true;
}

// Returns whether there is anything to execute. Fills uops_.
bool Machine::CheckLoop(const Job& job) {
  UopsOf(job.instruction);
  if (job.instruction.UopsExecuted() == 0) {
    return job.findings.Add(Issue::kEmptyLoop, job.number,
                            fmt::format("found micro-ops {} to {}, {} by {} times, required: at least one; "
                                        "leave the instruction out",
                                        job.instruction.uop_bgn, job.instruction.uop_end,
                                        job.instruction.iter_out, job.instruction.iter_in));
  }
  return job.instruction.uop_end <= kChiselUops ||
         job.findings.Add(Issue::kUopDepth, job.number,
                          fmt::format("found micro-ops up to {}, required: up to {}; make tiles smaller",
                                      job.instruction.uop_end, kChiselUops));
}

bool Machine::CheckUops(const Job& job, bool reads_inputs) {
  const Instruction& compute = job.instruction;
  const bool is_alu = compute.opcode == Opcode::kAlu;
  const uint64_t o = compute.iter_out - 1, i = compute.iter_in - 1;
  // Factors are unsigned: the last turn reaches furthest.
  const uint64_t dst = o * compute.dst_factor_out + i * compute.dst_factor_in;
  const uint64_t src = o * compute.src_factor_out + i * compute.src_factor_in;
  const uint64_t wgt = o * compute.wgt_factor_out + i * compute.wgt_factor_in;
  const auto check = [this, &job](const char* what, uint64_t index, Memory memory) {
    return index < config_.Depth(memory) ||
           job.findings.Add(
               Issue::kIndex, job.number,
               fmt::format("found {} {} in {}, required: below {}; see micro-ops, loops and factors", what,
                           index, ToString(memory), config_.Depth(memory)));
  };
  for (const Uop& uop : uops_) {
    if (!check("dst", uop.dst + dst, Memory::kAcc)) return false;
    if (!reads_inputs) continue;
    if (!check("src", uop.src + src, is_alu ? Memory::kAcc : Memory::kInp)) return false;
    if (!is_alu && !check("wgt", uop.wgt + wgt, Memory::kWgt)) return false;
  }
  return true;
}

// All turns of a loop are alike: it suffices to check the list itself, and the first step of each loop.
bool Machine::CheckAdjacent(const Job& job) {
  const bool is_chisel = job.findings.profile() == Profile::kChisel;
  if (is_chisel && job.instruction.opcode == Opcode::kGemm) return true;
  const uint64_t distance = is_chisel ? kChiselHazardDistance : kHazardDistance;
  const uint64_t step = uops_.size() * job.instruction.iter_in;
  if (!RepeatsDst(job.instruction, uops_, 0, uops_.size() + distance, distance) &&
      !RepeatsDst(job.instruction, uops_, step, distance, distance)) {
    return true;
  }
  return job.findings.Add(Issue::kAdjacentDst, job.number,
                          fmt::format("found one accumulator changed twice within {} micro-ops, which "
                                      "pipelines may get wrong; put others between",
                                      distance + 1));
}

void Machine::WriteOut(size_t index, bool fresh) {
  const size_t lanes = config_.lanes();
  const int32_t* from = &acc_[index * lanes];
  int8_t* to = &out_[index * lanes];
  for (size_t i = 0; i < lanes; ++i) to[i] = static_cast<int8_t>(from[i]);
  fresh_[index] = fresh ? 1 : 0;
}

bool Machine::Gemm(const Job& job) {
  const Instruction& gemm = job.instruction;
  const Profile profile = job.findings.profile();
  if (!CheckLoop(job)) return false;
  if (gemm.UopsExecuted() == 0) return true;
  const bool multiplies = gemm.reset == 0 || profile == Profile::kHls;
  if (!CheckUops(job, multiplies) || !CheckAdjacent(job)) return false;
  const size_t lanes = config_.lanes(), block = config_.block();
  ForEachUop(gemm, uops_, [&](size_t dst, size_t src, size_t wgt) {
    int32_t* acc = &acc_[dst * lanes];
    if (multiplies) {
      MultiplyBlock(&inp_[src * lanes], &wgt_[wgt * block * block], acc, config_.batch(), config_.block());
    }
    if (gemm.reset == 0) return WriteOut(dst, true);
    // HLS writes OUT with a sum that it then discards; Chisel does not write it.
    if (profile == Profile::kHls) WriteOut(dst, false);
    std::fill_n(acc, lanes, 0);
    if (profile == Profile::kReference) WriteOut(dst, true);
    if (profile == Profile::kChisel) fresh_[dst] = 0;
  });
  return true;
}

bool Machine::Alu(const Job& job) {
  const Instruction& alu = job.instruction;
  const Profile profile = job.findings.profile();
  if (!CheckLoop(job)) return false;
  if (alu.UopsExecuted() == 0) return true;
  if (alu.alu_opcode == AluOpcode::kMul &&
      !job.findings.Add(Issue::kMul, job.number,
                        "found it, which this implementation does not have; use GEMM"))
    return false;
  if (!CheckUops(job, true) || !CheckAdjacent(job)) return false;
  const size_t lanes = config_.lanes();
  const int32_t imm = alu.immediate();
  bool is_portable = true;
  const auto each = [&](const auto& op) {
    ForEachUop(alu, uops_, [&](size_t dst, size_t src, size_t) {
      int32_t* a = &acc_[dst * lanes];
      const int32_t* b = &acc_[src * lanes];
      for (size_t i = 0; i < lanes; ++i) a[i] = op(a[i], alu.use_imm != 0 ? imm : b[i]);
      WriteOut(dst, true);
    });
  };
  switch (alu.alu_opcode) {
    case AluOpcode::kMin:
      each([](int32_t a, int32_t b) { return std::min(a, b); });
      break;
    case AluOpcode::kMax:
      each([](int32_t a, int32_t b) { return std::max(a, b); });
      break;
    case AluOpcode::kAdd:
      each(AddWrapping);
      break;
    case AluOpcode::kShr:
      each([&](int32_t a, int32_t b) {
        is_portable = is_portable && IsPortableShift(profile, b, imm);
        return Shift(profile, a, b, imm);
      });
      break;
    case AluOpcode::kMul:
      each(MultiplyWrapping);
      break;
  }
  return is_portable ||
         job.findings.Add(Issue::kShift, job.number,
                          "found an amount that implementations take for different ones; shift "
                          "in two steps");
}

}  // namespace lutra::vta::sim

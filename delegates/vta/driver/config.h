// SPDX-License-Identifier: Apache-2.0
// Config: the design of VTA. VTA, the Versatile Tensor Accelerator, is a family of designs whose widths and
// buffers are set when the hardware is made; its instructions have fields accordingly.
//
//   vta::Config config;                                  // 1x16_i8w8a32_15_15_18_17, the one that is shipped
//   config.log_block = 5;                                // LOG_BLOCK of VTA's own configuration file
//   if (vta::Check(config) != vta::ConfigFault::kNone) ...
//
// Instructions count in elements of a memory: vectors of BATCH x BLOCK lanes, blocks of weights, or
// micro-ops.

#pragma once

#include <stdint.h>

namespace lutra::vta {

// The numbers are the instruction set's.
enum class Memory : uint8_t {
  kUop = 0,   // Micro-ops.
  kWgt = 1,   // BLOCK x BLOCK int8, a row for each output lane.
  kInp = 2,   // BATCH x BLOCK int8.
  kAcc = 3,   // BATCH x BLOCK int32.
  kOut = 4,   // BATCH x BLOCK int8. STORE only.
  kAcc8 = 5,  // LOAD only: int8 in DRAM, widened into the memory of kAcc.
};
inline constexpr int kMemoryCount = 6;

constexpr const char* ToString(Memory memory) {
  constexpr const char* kNames[] = {"UOP", "WGT", "INP", "ACC", "OUT", "ACC_8BIT"};
  return static_cast<int>(memory) < kMemoryCount ? kNames[static_cast<int>(memory)] : "unknown memory";
}

// Logarithms to base 2, named as in VTA's configuration file. Widths are in bits, buffers in bytes. The
// output has the input's width, and as many elements as the accumulators.
struct Config {
  uint8_t log_inp_width = 3;
  uint8_t log_wgt_width = 3;
  uint8_t log_acc_width = 5;
  uint8_t log_batch = 0;
  uint8_t log_block = 4;
  uint8_t log_uop_buff_size = 15;
  uint8_t log_inp_buff_size = 15;
  uint8_t log_wgt_buff_size = 18;
  uint8_t log_acc_buff_size = 17;
  uint8_t log_bus_width = 6;

  constexpr uint32_t batch() const { return uint32_t{1} << log_batch; }
  constexpr uint32_t block() const { return uint32_t{1} << log_block; }
  constexpr uint32_t lanes() const { return batch() * block(); }
  constexpr uint32_t bus_bytes() const { return uint32_t{1} << log_bus_width >> 3; }

  // log2 of an element's bytes in DRAM, and of the number of elements that the memory holds. The Config must
  // be valid.
  constexpr uint32_t LogElementBytes(Memory memory) const {
    switch (memory) {
      case Memory::kUop:
        return 2;
      case Memory::kWgt:
        return 2u * log_block;
      case Memory::kAcc:
        return 2u + log_batch + log_block;
      default:
        return uint32_t{log_batch} + log_block;
    }
  }
  constexpr uint32_t LogDepth(Memory memory) const {
    switch (memory) {
      case Memory::kUop:
        return log_uop_buff_size - LogElementBytes(memory);
      case Memory::kWgt:
        return log_wgt_buff_size - LogElementBytes(memory);
      case Memory::kInp:
        return log_inp_buff_size - LogElementBytes(memory);
      default:
        return log_acc_buff_size - LogElementBytes(Memory::kAcc);
    }
  }
  constexpr uint32_t ElementBytes(Memory memory) const { return uint32_t{1} << LogElementBytes(memory); }
  constexpr uint32_t Depth(Memory memory) const { return uint32_t{1} << LogDepth(memory); }
};

enum class ConfigFault : uint8_t {
  kNone = 0,
  kWidth,   // Inputs and weights have 8 bits, accumulators 32.
  kShape,   // BATCH of 1 to 16, BLOCK of 2 to 64.
  kBuffer,  // A buffer of at least 2 elements, and of at most 16 MiB.
  kDepths,  // As many inputs as accumulators: micro-ops have one field for both.
  kUop,     // The three indices of a micro-op fit into 32 bits.
  kFields,  // The fields of an instruction fit into its two halves.
  kBus,     // 32 to 1,024 bits.
};

constexpr const char* ToString(ConfigFault fault) {
  switch (fault) {
    case ConfigFault::kNone:
      return "none";
    case ConfigFault::kWidth:
      return "inputs and weights of 8 bits and accumulators of 32";
    case ConfigFault::kShape:
      return "LOG_BATCH of 0 to 4 and LOG_BLOCK of 1 to 6";
    case ConfigFault::kBuffer:
      return "buffers of 2 elements to 16 MiB";
    case ConfigFault::kDepths:
      return "as many elements in the input buffer as in the accumulators";
    case ConfigFault::kUop:
      return "indices of a micro-op that fit into 32 bits";
    case ConfigFault::kFields:
      return "fields of an instruction that fit into 64 bits twice";
    case ConfigFault::kBus:
      return "LOG_BUS_WIDTH of 5 to 10";
  }
  return "unknown";
}

inline constexpr uint32_t kLogLoopExtent = 14;

constexpr ConfigFault Check(const Config& config) {
  if (config.log_inp_width != 3 || config.log_wgt_width != 3 || config.log_acc_width != 5)
    return ConfigFault::kWidth;
  if (config.log_batch > 4 || config.log_block < 1 || config.log_block > 6) return ConfigFault::kShape;
  const struct {
    uint8_t log_bytes;
    Memory memory;
  } buffers[] = {{config.log_uop_buff_size, Memory::kUop},
                 {config.log_inp_buff_size, Memory::kInp},
                 {config.log_wgt_buff_size, Memory::kWgt},
                 {config.log_acc_buff_size, Memory::kAcc}};
  for (const auto& buffer : buffers) {
    if (buffer.log_bytes <= config.LogElementBytes(buffer.memory) || buffer.log_bytes > 24)
      return ConfigFault::kBuffer;
  }
  const uint32_t acc = config.LogDepth(Memory::kAcc), inp = config.LogDepth(Memory::kInp);
  const uint32_t wgt = config.LogDepth(Memory::kWgt), uop = config.LogDepth(Memory::kUop);
  if (acc != inp) return ConfigFault::kDepths;
  if (acc + inp + wgt > 32) return ConfigFault::kUop;
  // Two factors for each loop, or two for two operands, a code, a flag and an immediate; before them flags,
  // range and loops.
  if (4 * acc + 20 > 64 || 8 + 2 * uop + 1 + 2 * kLogLoopExtent > 64) return ConfigFault::kFields;
  if (config.log_bus_width < 5 || config.log_bus_width > 10) return ConfigFault::kBus;
  return ConfigFault::kNone;
}

// Configurations with a name: BATCHxBLOCK, widths, then the logarithms of the four buffers.
struct NamedConfig {
  const char* name;
  Config config;
};
inline constexpr NamedConfig kConfigs[] = {
    {"1x16_i8w8a32_15_15_18_17", {}},
    // 128 micro-ops, 32 of everything else.
    {"1x8_i8w8a32_9_8_11_10",
     {.log_block = 3,
      .log_uop_buff_size = 9,
      .log_inp_buff_size = 8,
      .log_wgt_buff_size = 11,
      .log_acc_buff_size = 10}},
    {"1x32_i8w8a32_15_15_18_17", {.log_block = 5}},
    // Four inputs for each block of weights.
    {"4x16_i8w8a32_15_15_18_17", {.log_batch = 2}},
};

static_assert(Check(kConfigs[0].config) == ConfigFault::kNone);
static_assert(Check(kConfigs[1].config) == ConfigFault::kNone);
static_assert(Check(kConfigs[2].config) == ConfigFault::kNone);
static_assert(Check(kConfigs[3].config) == ConfigFault::kNone);

}  // namespace lutra::vta

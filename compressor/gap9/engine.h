// SPDX-License-Identifier: Apache-2.0
// Engine: a model of the (de)compression engine in GAP9's cluster DMA, to the bit, without time.
//
//   Engine engine(l1, l2);                                  // memories, as bytes
//   Command command;
//   command.l1_address = 0;
//   command.l2_address = 0x40;                              // a multiple of 4
//   const Configuration conf = {.mode = Mode::kLut, .element_bytes = 2, .item_width = 4, .items = 400};
//   command.conf = conf.Word();
//   command.lut = values;
//   command.lut_size = 16;
//   command.update_lut = true;
//   engine.Push(&command);
//   engine.Run();                                           // command.done, command.error
//
// Streams are least significant bit first (BitOrder::kLsbFirst), elements in L1 little-endian. A command
// whose effect on the chip no source describes is refused with an Error; comments name the exceptions. The
// engine reads and writes nothing outside the two memories.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "compressor/gap9/configuration.h"
#include "lutra/span.h"

namespace lutra::compressor::gap9 {

enum class Transfer : uint8_t {
  kLinear = 0,
  k2dL2 = 1,  // Rows of items in L2, dense elements in L1. T1, decompression.
  k2dL1 = 2,  // Dense items in L2, rows of elements in L1. T1, decompression.
};

enum class Error : uint8_t {
  kNone = 0,
  kExtension,  // The reserved code, 2.
  kWidth,      // Check only: T1 has 1 to 31 bits, T2 and T3 1 to 15.
  kLut,        // An upload without values, or (Check only) in T1.
  kTransfer,   // No kind of transfer; 2-D outside T1's decompression, or compression outside T1.
  kStride,     // A row longer than the distance of rows.
  kL2Address,  // No multiple of 4.
  kL1Range,    // An element outside L1.
  kL2Range,    // An item outside L2.
};

const char* ToString(Error error);

// The count and stride of rows, as the registers hold them: minus 1.
struct Rows {
  uint16_t count_minus_1 = 0;   // Items of a row.
  uint16_t stride_minus_1 = 0;  // Items from the start of a row to that of the next.
};

inline constexpr uint32_t kResetSpecialSymbol = 0xABBAABBA;
inline constexpr int kLutEntries = 256;

// A transfer. The caller keeps it until it is done.
struct Command {
  uint32_t l1_address = 0;  // In bytes, from the start of the memory.
  uint32_t l2_address = 0;
  uint32_t conf = kResetConfiguration;
  Transfer transfer = Transfer::kLinear;
  Rows l2_rows;
  Rows l1_rows;
  uint32_t special_symbol = kResetSpecialSymbol;  // T3; as many low bytes count as an element has.
  const uint16_t* lut = nullptr;
  uint8_t lut_size = 0;  // Entries, so the 256th can only be set by Engine::WriteLut.
  // The engine keeps its LUT and rows from command to command, and loads those of this one only if told.
  bool update_lut = false;
  bool update_l2_rows = false;
  bool update_l1_rows = false;

  bool done = false;
  Error error = Error::kNone;
  Command* next = nullptr;  // The queue's.
};

// Returns the error that the SDK's assertions find before a command is pushed. Its release builds have no
// assertions, and the engine runs such a command as far as it can: an illegal width counts as 1 bit. (One
// assertion rejects 2-D transfers by mistake, and is left out here.)
Error Check(const Command& command);

// The bytes that were moved since the construction or Reset().
struct Traffic {
  uint64_t commands = 0;
  uint64_t items = 0;
  uint64_t l2_bits = 0;      // Items and flags.
  uint64_t l2_bytes = 0;     // Bytes of L2 that hold them, each once a row.
  uint64_t l1_bytes = 0;     // Elements: the bytes that an uncompressed transfer would move.
  uint64_t lut_entries = 0;  // Uploaded, 2 bytes each.
  uint64_t failed = 0;       // Commands with an error. Only their LUT counts above.
};

class Engine {
 public:
  // The memories must outlive the engine.
  Engine(Span<uint8_t> l1, Span<uint8_t> l2) : l1_(l1), l2_(l2) {}

  // Adds a command to the end of the queue, of any length. It must not be in the queue yet.
  void Push(Command* command);
  // Executes all that is queued, in order. A command that fails is done too, with its `error`, and the next
  // one runs. In T3, whose length the data decide, elements before the error may have been written.
  void Run();

  // The register LUT_WRITE.
  void WriteLut(uint8_t address, uint16_t value) { lut_[address] = value; }
  // The register BIT_READ: bits that the last command's items took, without those before the first.
  uint32_t bits_read() const { return bits_read_; }
  const Traffic& traffic() const { return traffic_; }
  // SOFT_RESET: empties the queue and sets the registers of a new engine. The LUT becomes zero, which a chip
  // does not promise.
  void Reset();

 private:
  struct Job;
  Error Execute(const Command& command);
  Error Decompress(const Job& job);
  Error DecompressSparse(const Job& job);
  Error Compress(const Job& job);
  uint32_t LutValue(uint32_t index, bool sign_extend) const;
  void Account(const Job& job, uint64_t bits);

  Span<uint8_t> l1_;
  Span<uint8_t> l2_;
  Command* first_ = nullptr;
  Command* last_ = nullptr;
  uint16_t lut_[kLutEntries] = {};
  Rows l2_rows_;
  Rows l1_rows_;
  uint32_t bits_read_ = 0;
  Traffic traffic_;
};

}  // namespace lutra::compressor::gap9

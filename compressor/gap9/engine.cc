// SPDX-License-Identifier: Apache-2.0
// The engine checks commands, moves items and counts traffic.

#include "compressor/gap9/engine.h"

namespace lutra::compressor::gap9 {
namespace {

// Returns `width` bits, at most 32, from bit `first` of a memory that holds them.
uint32_t ReadBits(Span<const uint8_t> memory, uint64_t first, int width) {
  uint64_t bits = 0;
  const int skipped = static_cast<int>(first % 8);
  const auto byte = static_cast<size_t>(first / 8);
  for (int have = 0; have < skipped + width; have += 8) {
    bits |= static_cast<uint64_t>(memory[byte + static_cast<size_t>(have / 8)]) << have;
  }
  return static_cast<uint32_t>(bits >> skipped & ((uint64_t{1} << width) - 1));
}

// Writes `width` bits, and leaves the bits around them unchanged.
void WriteBits(Span<uint8_t> memory, uint64_t first, int width, uint32_t value) {
  const int skipped = static_cast<int>(first % 8);
  const auto byte = static_cast<size_t>(first / 8);
  const uint64_t mask = ((uint64_t{1} << width) - 1) << skipped;
  const uint64_t bits = static_cast<uint64_t>(value) << skipped & mask;
  for (int at = 0; at < skipped + width; at += 8) {
    uint8_t& target = memory[byte + static_cast<size_t>(at / 8)];
    target = static_cast<uint8_t>((target & ~(mask >> at)) | bits >> at);
  }
}

uint32_t SignExtend(uint32_t value, int width) {
  const uint32_t sign = uint32_t{1} << (width - 1);
  return (value ^ sign) - sign;
}

bool IsTransfer(Transfer transfer) { return transfer <= Transfer::k2dL1; }

// Describes items that follow each other, or rows of such items.
struct Layout {
  uint64_t count = UINT32_MAX;
  uint64_t stride = UINT32_MAX;

  static Layout Of(const Rows& rows) {
    return {uint64_t{rows.count_minus_1} + 1, uint64_t{rows.stride_minus_1} + 1};
  }
  uint64_t At(uint64_t item) const { return item / count * stride + item % count; }
};

}  // namespace

// A command with its fields decoded.
struct Engine::Job {
  Configuration conf;
  int width;
  uint64_t l1_address;
  uint64_t first_bit;  // In L2.
  Layout l1;
  Layout l2;
  uint32_t special;

  uint64_t ElementAt(uint64_t item) const { return l1_address + l1.At(item) * conf.element_bytes; }
  uint64_t BitAt(uint64_t item) const { return first_bit + l2.At(item) * static_cast<uint64_t>(width); }
  // Where the transfer ends in L1 and in L2. There is at least one item.
  uint64_t l1_end() const { return ElementAt(conf.items - 1u) + conf.element_bytes; }
  uint64_t end_bit() const { return BitAt(conf.items - 1u) + static_cast<uint64_t>(width); }
};

const char* ToString(Error error) {
  switch (error) {
    case Error::kNone:
      return "none";
    case Error::kExtension:
      return "reserved extension";
    case Error::kWidth:
      return "illegal item width";
    case Error::kLut:
      return "LUT without values, or in mode T1";
    case Error::kTransfer:
      return "mode T1 alone has 2-D transfers, for decompression, and compression";
    case Error::kStride:
      return "rows overlap";
    case Error::kL2Address:
      return "L2 address is no multiple of 4";
    case Error::kL1Range:
      return "outside L1";
    case Error::kL2Range:
      return "outside L2";
  }
  return "unknown";
}

Error Check(const Command& command) {
  const Configuration conf = Configuration::Parse(command.conf);
  if (conf.element_bytes == 0) return Error::kExtension;
  if (!conf.HasLegalWidth()) return Error::kWidth;
  if (command.update_lut &&
      (command.lut == nullptr || command.lut_size == 0 || conf.mode == Mode::kBitPack)) {
    return Error::kLut;
  }
  return IsTransfer(command.transfer) ? Error::kNone : Error::kTransfer;
}

void Engine::Push(Command* command) {
  command->done = false;
  command->error = Error::kNone;
  command->next = nullptr;
  (last_ == nullptr ? first_ : last_->next) = command;
  last_ = command;
}

void Engine::Run() {
  while (first_ != nullptr) {
    Command* command = first_;
    first_ = command->next;
    if (first_ == nullptr) last_ = nullptr;
    command->next = nullptr;
    command->error = Execute(*command);
    if (command->error != Error::kNone) ++traffic_.failed;
    command->done = true;
  }
}

void Engine::Reset() { *this = Engine(l1_, l2_); }

Error Engine::Execute(const Command& command) {
  bits_read_ = 0;
  Job job = {};
  job.conf = Configuration::Parse(command.conf);
  job.width = job.conf.EffectiveWidth();
  if (job.conf.element_bytes == 0) return Error::kExtension;
  const bool is_pack = job.conf.direction == Direction::kCompress;
  const bool is_linear = command.transfer == Transfer::kLinear;
  const bool is_plain = is_linear && !is_pack;
  if (!IsTransfer(command.transfer) || (!is_linear && is_pack) ||
      (!is_plain && job.conf.mode != Mode::kBitPack)) {
    return Error::kTransfer;
  }
  if (command.l2_address % 4 != 0) return Error::kL2Address;
  if (command.update_lut && command.lut == nullptr) return Error::kLut;

  if (command.update_l2_rows) l2_rows_ = command.l2_rows;
  if (command.update_l1_rows) l1_rows_ = command.l1_rows;
  if (command.update_lut) {
    for (int i = 0; i < command.lut_size; ++i) WriteLut(static_cast<uint8_t>(i), command.lut[i]);
    traffic_.lut_entries += command.lut_size;
  }
  if (command.transfer == Transfer::k2dL2) job.l2 = Layout::Of(l2_rows_);
  if (command.transfer == Transfer::k2dL1) job.l1 = Layout::Of(l1_rows_);
  if (job.l1.count > job.l1.stride || job.l2.count > job.l2.stride) return Error::kStride;
  job.l1_address = command.l1_address;
  job.first_bit = (uint64_t{command.l2_address} + job.conf.start_byte) * 8 + job.conf.start_bit;
  job.special = command.special_symbol;
  if (job.conf.items > 0) {
    if (job.l1_end() > l1_.size()) return Error::kL1Range;
    if (job.conf.mode != Mode::kSparseLut && job.end_bit() > uint64_t{l2_.size()} * 8) return Error::kL2Range;
  }
  if (is_pack) return Compress(job);
  return job.conf.mode == Mode::kSparseLut ? DecompressSparse(job) : Decompress(job);
}

// Indices of more than 8 bits lose their high bits, since addresses in the LUT have 8.
uint32_t Engine::LutValue(uint32_t index, bool sign_extend) const {
  const uint32_t value = lut_[index % kLutEntries];
  return sign_extend ? SignExtend(value, 16) : value;
}

Error Engine::Decompress(const Job& job) {
  const Configuration& conf = job.conf;
  for (uint32_t i = 0; i < conf.items; ++i) {
    uint32_t value = ReadBits(l2_, job.BitAt(i), job.width);
    if (conf.mode == Mode::kLut) {
      value = LutValue(value, conf.sign_extend);
    } else if (conf.sign_extend) {
      value = SignExtend(value, job.width);
    }
    WriteBits(l1_, job.ElementAt(i) * 8, conf.element_bytes * 8, value);
  }
  Account(job, uint64_t{conf.items} * static_cast<uint64_t>(job.width));
  return Error::kNone;
}

Error Engine::DecompressSparse(const Job& job) {
  const Configuration& conf = job.conf;
  const uint64_t memory_bits = uint64_t{l2_.size()} * 8;
  uint64_t at = job.first_bit;
  for (uint32_t i = 0; i < conf.items; ++i) {
    if (at >= memory_bits) return Error::kL2Range;
    uint32_t value = job.special;
    if (ReadBits(l2_, at++, 1) != 0) {
      if (at + static_cast<uint64_t>(job.width) > memory_bits) return Error::kL2Range;
      value = LutValue(ReadBits(l2_, at, job.width), conf.sign_extend);
      at += static_cast<uint64_t>(job.width);
    }
    WriteBits(l1_, job.ElementAt(i) * 8, conf.element_bytes * 8, value);
  }
  Account(job, at - job.first_bit);
  return Error::kNone;
}

Error Engine::Compress(const Job& job) {
  for (uint32_t i = 0; i < job.conf.items; ++i) {
    const uint32_t value = ReadBits(l1_, job.ElementAt(i) * 8, job.conf.element_bytes * 8);
    WriteBits(l2_, job.BitAt(i), job.width, value);
  }
  Account(job, uint64_t{job.conf.items} * static_cast<uint64_t>(job.width));
  return Error::kNone;
}

void Engine::Account(const Job& job, uint64_t bits) {
  bits_read_ = static_cast<uint32_t>(bits);
  ++traffic_.commands;
  traffic_.items += job.conf.items;
  traffic_.l2_bits += bits;
  for (uint64_t item = 0; item < job.conf.items; item += job.l2.count) {
    const bool is_row = job.l2.count < job.conf.items;
    const uint64_t left = job.conf.items - item;
    const uint64_t row_items = left < job.l2.count ? left : job.l2.count;
    const uint64_t row_bits = is_row ? row_items * static_cast<uint64_t>(job.width) : bits;
    traffic_.l2_bytes += (job.BitAt(item) % 8 + row_bits + 7) / 8;
  }
  traffic_.l1_bytes += uint64_t{job.conf.items} * job.conf.element_bytes;
}

}  // namespace lutra::compressor::gap9

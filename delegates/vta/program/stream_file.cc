// SPDX-License-Identifier: Apache-2.0
// Files of streams, read and written.

#include "delegates/vta/program/stream_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/failures.h"

namespace lutra::vta::sim {
namespace {

constexpr char kMagic[] = {'V', 'T', 'A', 'S', 'T', 'R', 'M', '1'};
constexpr size_t kHeaderBytes = 28;
// Each allocation takes a page.
constexpr uint32_t kMostAllocations = 4096;

constexpr uint8_t Config::*kMembers[] = {&Config::log_inp_width,     &Config::log_wgt_width,
                                         &Config::log_acc_width,     &Config::log_batch,
                                         &Config::log_block,         &Config::log_uop_buff_size,
                                         &Config::log_inp_buff_size, &Config::log_wgt_buff_size,
                                         &Config::log_acc_buff_size, &Config::log_bus_width};

}  // namespace

StreamFile ParseStream(Span<const uint8_t> bytes, const std::string& path) {
  const auto refuse = [&path](const std::string& text) -> host::BadInput {
    return host::BadInput(fmt::format("{}: stream: {}; write the file again", path, text));
  };
  if (bytes.size() < kHeaderBytes || !std::equal(std::begin(kMagic), std::end(kMagic), bytes.begin())) {
    throw refuse(
        fmt::format("found {} bytes that do not begin with VTASTRM1 and a header, required: {} or more "
                    "that do",
                    bytes.size(), kHeaderBytes));
  }
  StreamFile file;
  size_t at = sizeof kMagic;
  for (const auto member : kMembers) file.config.*member = bytes[at++];
  if (const ConfigFault fault = Check(file.config); fault != ConfigFault::kNone) {
    throw refuse(fmt::format("found another configuration, required: {}", vta::ToString(fault)));
  }
  if (bytes[at] != 0 || bytes[at + 1] != 0) throw refuse("found bytes 18 and 19, required: both 0");
  const uint32_t instructions = LoadWord(&bytes[at + 2]), allocations = LoadWord(&bytes[at + 6]);
  at = kHeaderBytes;
  if (allocations > kMostAllocations) {
    throw refuse(fmt::format("found {} allocations, required: at most {}", allocations, kMostAllocations));
  }
  const uint64_t sizes_end = at + uint64_t{4} * allocations;
  uint64_t needed = sizes_end + uint64_t{instructions} * kInstructionBytes;
  for (uint32_t i = 0; i < allocations && sizes_end <= bytes.size(); ++i) {
    needed += LoadWord(&bytes[at + 4 * size_t{i}]);
  }
  if (needed != bytes.size()) {
    throw refuse(
        fmt::format("found {} bytes, required: the {} that its header tells of", bytes.size(), needed));
  }
  size_t data = static_cast<size_t>(sizes_end);
  file.stream.resize(instructions);
  for (EncodedInstruction& instruction : file.stream) {
    std::copy_n(&bytes[data], kInstructionBytes, instruction.bytes);
    data += kInstructionBytes;
  }
  for (uint32_t i = 0; i < allocations; ++i) {
    const uint32_t count = LoadWord(&bytes[at + 4 * size_t{i}]);
    const uint64_t address = file.dram.Allocate(count);
    std::copy_n(bytes.begin() + data, count, file.dram.Bytes(address, count).begin());
    data += count;
  }
  return file;
}

std::vector<uint8_t> StreamBytes(const Config& config, Span<const EncodedInstruction> stream, Dram& dram) {
  std::vector<uint8_t> bytes(std::begin(kMagic), std::end(kMagic));
  const auto word = [&bytes](uint64_t value) {
    bytes.resize(bytes.size() + 4);
    StoreWord(bytes.data() + bytes.size() - 4, static_cast<uint32_t>(value));
  };
  for (const auto member : kMembers) bytes.push_back(config.*member);
  bytes.insert(bytes.end(), 2, 0);
  word(stream.size());
  word(dram.allocations().size());
  for (const Dram::Interval& one : dram.allocations()) word(one.end - one.begin);
  for (const EncodedInstruction& instruction : stream) {
    bytes.insert(bytes.end(), std::begin(instruction.bytes), std::end(instruction.bytes));
  }
  for (const Dram::Interval& one : dram.allocations()) {
    const Span<uint8_t> from = dram.Bytes(one.begin, one.end - one.begin);
    bytes.insert(bytes.end(), from.begin(), from.end());
  }
  return bytes;
}

}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// Allocations in pages, one behind the other.

#include "delegates/vta/simulator/dram.h"

#include <algorithm>

namespace lutra::vta::sim {

uint64_t Dram::Allocate(uint64_t bytes) {
  const uint64_t begin = (bytes_.size() + kPageBytes - 1) / kPageBytes * kPageBytes;
  bytes_.resize(static_cast<size_t>(begin + bytes), 0);
  allocations_.push_back({begin, begin + bytes});
  return begin;
}

uint64_t Dram::Map(Span<uint8_t> memory) {
  const auto is_stale = [memory](const Mapping& old) {
    return old.bytes < memory.end() && memory.begin() < old.bytes + (old.end - old.begin);
  };
  mappings_.erase(std::remove_if(mappings_.begin(), mappings_.end(), is_stale), mappings_.end());
  // The first gap with a page on either side, so that accesses past the end are found.
  const auto page_after = [](uint64_t end) { return (end + 2 * kPageBytes - 1) / kPageBytes * kPageBytes; };
  uint64_t begin = kFirstMapped;
  auto next = mappings_.begin();
  for (; next != mappings_.end() && page_after(begin + memory.size()) > next->begin; ++next) {
    begin = page_after(next->end);
  }
  mappings_.insert(next, {begin, begin + memory.size(), memory.data()});
  return begin;
}

uint8_t* Dram::Mapped(uint64_t address) const {
  const auto next = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                     [](uint64_t at, const Mapping& mapping) { return at < mapping.begin; });
  return next[-1].bytes + (address - next[-1].begin);
}

bool Dram::Holds(uint64_t begin, uint64_t end) const {
  if (begin >= kFirstMapped) {
    const auto next =
        std::upper_bound(mappings_.begin(), mappings_.end(), begin,
                         [](uint64_t at, const Mapping& mapping) { return at < mapping.begin; });
    return begin <= end && next != mappings_.begin() && end <= next[-1].end;
  }
  const auto next =
      std::upper_bound(allocations_.begin(), allocations_.end(), begin,
                       [](uint64_t address, const Interval& interval) { return address < interval.begin; });
  return begin <= end && next != allocations_.begin() && end <= (next - 1)->end;
}

}  // namespace lutra::vta::sim

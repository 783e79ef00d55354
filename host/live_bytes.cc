// SPDX-License-Identifier: Apache-2.0
// Sums the buffers of a memory plan for each operator.

#include "host/live_bytes.h"

#include <algorithm>
#include <utility>

namespace lutra::host {

std::vector<int64_t> LiveBytes(const ModelResult& result) {
  if (!result.arena || result.arena->buffers.empty()) return {};
  std::vector<int64_t> bytes;
  for (size_t i = 0; i < result.op_results.size(); ++i) {
    const auto step = static_cast<int64_t>(i) + 1;
    std::vector<std::pair<int64_t, int64_t>> live;  // Begin and end of each.
    for (const BufferResult& buffer : result.arena->buffers) {
      if (buffer.first_step <= step && step <= buffer.last_step)
        live.emplace_back(buffer.offset_bytes, buffer.offset_bytes + buffer.bytes);
    }
    std::sort(live.begin(), live.end());
    int64_t sum = 0, end = 0;
    for (const auto& [from, to] : live) {
      sum += std::max<int64_t>(0, to - std::max(from, end));
      end = std::max(end, to);
    }
    bytes.push_back(sum);
  }
  return bytes;
}

}  // namespace lutra::host

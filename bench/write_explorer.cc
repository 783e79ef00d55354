// SPDX-License-Identifier: Apache-2.0
// Model Explorer's node data of the first model: the time of each operator, or its arena.

#include "bench/writers.h"
#include "host/live_bytes.h"
#include "host/node_data.h"

namespace lutra::bench {

std::string WriteExplorerTimes(const host::ResultFile& file) {
  std::vector<host::NodeValue> nodes;
  for (const host::OperatorResult& op : file.models->front().op_results) {
    if (op.median_ns) nodes.push_back({op.name, static_cast<double>(*op.median_ns) / 1e3});
  }
  return host::NodeDataText("", "median us", nodes);
}

std::string WriteExplorerArena(const host::ResultFile& file) {
  const host::ModelResult& result = file.models->front();
  const std::vector<int64_t> bytes = host::LiveBytes(result);
  std::vector<host::NodeValue> nodes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    nodes.push_back({result.op_results[i].name, static_cast<double>(bytes[i])});
  }
  return host::NodeDataText("", "arena bytes", nodes);
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// Chrome's trace format: one run, operator by operator.

#include <nlohmann/json.hpp>

#include "bench/writers.h"
#include "host/result_json.h"

namespace lutra::bench {

using Json = nlohmann::ordered_json;

std::string WriteTrace(const host::ResultFile& file) {
  Json events = Json::array();
  int process = 0;
  for (const host::ModelResult& r : *file.models) {
    ++process;
    if (!r.refused() && !r.inference.median_ns) continue;
    events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", process}, {"args", {{"name", r.path}}}});
    for (size_t i = 0; i < r.trace.size(); ++i) {
      const host::OperatorResult& op = r.op_results[i];
      events.push_back({{"name", op.type},
                        {"cat", "operator"},
                        {"ph", "X"},
                        {"ts", static_cast<double>(r.trace[i].start_ns) / 1e3},
                        {"dur", static_cast<double>(r.trace[i].duration_ns) / 1e3},
                        {"pid", process},
                        {"tid", 1},
                        {"args", {{"index", op.index}, {"output", op.name}, {"macs", op.macs}}}});
    }
  }
  return host::JsonText({{"displayTimeUnit", "ns"}, {"traceEvents", events}});
}

}  // namespace lutra::bench

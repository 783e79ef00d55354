// SPDX-License-Identifier: Apache-2.0
// google-benchmark's JSON: models and their operators as benchmarks.

#include <nlohmann/json.hpp>

#include "bench/writers.h"
#include "host/result_json.h"

namespace lutra::bench {

using Json = nlohmann::ordered_json;

std::string WriteGoogleBenchmark(const host::ResultFile& file) {
  Json benchmarks = Json::array();
  const auto add = [&benchmarks](const std::string& name, int64_t iterations, int64_t ns) {
    benchmarks.push_back({{"name", name},
                          {"run_name", name},
                          {"run_type", "iteration"},
                          {"repetitions", 1},
                          {"repetition_index", 0},
                          {"threads", 1},
                          {"iterations", iterations},
                          {"real_time", ns},
                          {"cpu_time", ns},
                          {"time_unit", "ns"}});
  };
  for (const host::ModelResult& r : *file.models) {
    if (r.refused() || !r.inference.median_ns) continue;
    add(r.path, r.inference.runs, *r.inference.median_ns);
    for (const host::OperatorResult& op : r.op_results) {
      if (!op.median_ns) continue;
      add(r.path + "/" + std::to_string(op.index) + ":" + op.type, r.inference.runs, *op.median_ns);
    }
  }
  Json context = host::EnvironmentJson(file.environment);
  context["executable"] = file.environment.program;
  context["library_build_type"] = file.environment.build_type == "Debug" ? "debug" : "release";
  return host::JsonText({{"context", context}, {"benchmarks", benchmarks}});
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// The JSON that bencher.dev reads (Bencher Metric Format): models as benchmarks.

#include <nlohmann/json.hpp>

#include "bench/ci_figures.h"
#include "bench/writers.h"
#include "host/result_json.h"

namespace lutra::bench {

using Json = nlohmann::ordered_json;

std::string WriteBencher(const host::ResultFile& file) {
  Json benchmarks = Json::object();
  for (const CiFigures& model : FiguresForCi(file)) {
    Json& measures = benchmarks[model.name] = Json::object();
    if (const host::InferenceResult& time = model.inference; time.median_ns) {
      const int64_t deviation_ns = time.mad_ns.value_or(0);
      measures["latency"] = {{"value", *time.median_ns},
                             {"lower_value", *time.median_ns - deviation_ns},
                             {"upper_value", *time.median_ns + deviation_ns}};
    }
    if (model.arena_bytes) measures["arena"] = {{"value", *model.arena_bytes}};
    measures["file-size"] = {{"value", model.bytes}};
  }
  return host::JsonText(benchmarks);
}

}  // namespace lutra::bench

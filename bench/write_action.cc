// SPDX-License-Identifier: Apache-2.0
// The JSON that github-action-benchmark reads as customSmallerIsBetter: a row for each figure of each model.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/ci_figures.h"
#include "bench/writers.h"
#include "host/result_json.h"

namespace lutra::bench {

using Json = nlohmann::ordered_json;

std::string WriteAction(const host::ResultFile& file) {
  Json rows = Json::array();
  for (const CiFigures& model : FiguresForCi(file)) {
    if (const host::InferenceResult& time = model.inference; time.median_ns) {
      rows.push_back({{"name", model.name + " time"},
                      {"unit", "ns"},
                      {"value", *time.median_ns},
                      {"range", fmt::format("± {}", time.mad_ns.value_or(0))},
                      {"extra", fmt::format("median of {} inferences", time.runs)}});
    }
    if (model.arena_bytes)
      rows.push_back({{"name", model.name + " arena"}, {"unit", "bytes"}, {"value", *model.arena_bytes}});
    rows.push_back({{"name", model.name + " model"}, {"unit", "bytes"}, {"value", model.bytes}});
  }
  return host::JsonText(rows);
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// Writes Model Explorer's node data.

#include "host/node_data.h"

#include <nlohmann/json.hpp>

#include "host/result_json.h"

namespace lutra::host {

std::string NodeDataText(const std::string& graph, const std::string& name,
                         const std::vector<NodeValue>& nodes) {
  using Json = nlohmann::ordered_json;
  Json results = Json::object();
  for (const NodeValue& node : nodes) results[node.tensor] = {{"value", node.value}};
  const Json gradient = {{{"stop", 0}, {"bgColor", "#fff7ec"}}, {{"stop", 1}, {"bgColor", "#fc8d59"}}};
  const Json data = {{"results", std::move(results)}, {"name", name}, {"gradient", gradient}};
  return JsonText({{graph.empty() ? "main" : graph, data}});
}

}  // namespace lutra::host

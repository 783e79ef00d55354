// SPDX-License-Identifier: Apache-2.0
// Writes SARIF 2.1.0.

#include "host/sarif.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/environment.h"
#include "host/result_json.h"

namespace lutra::host {
namespace {

using Json = nlohmann::ordered_json;

// Returns a path as a URI reference; relative paths stay relative.
std::string UriOf(const std::string& path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string uri;
  for (const char c : path) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    uri += is_letter || kPlain.find(c) != std::string_view::npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return path.starts_with('/') ? "file://" + uri : uri;
}

Json LocationOf(const SarifFinding& finding) {
  Json location = Json::object();
  if (!finding.path.empty())
    location["physicalLocation"] = {{"artifactLocation", {{"uri", UriOf(finding.path)}}}};
  if (!finding.place.empty())
    location["logicalLocations"] = Json::array({{{"fullyQualifiedName", finding.place}}});
  return location;
}

}  // namespace

std::string SarifText(const SarifLog& log) {
  Json rules = Json::array(), results = Json::array();
  for (const auto& [id, text] : log.rules)
    rules.push_back({{"id", id}, {"shortDescription", {{"text", text}}}});
  for (const SarifFinding& finding : log.findings) {
    Json result = {{"ruleId", finding.rule}};
    if (const auto rule = log.rules.find(finding.rule); rule != log.rules.end())
      result["ruleIndex"] = std::distance(log.rules.begin(), rule);
    result["level"] = finding.level;
    result["message"] = {{"text", finding.message}};
    result["locations"] = Json::array({LocationOf(finding)});
    results.push_back(std::move(result));
  }
  const Json driver = {{"name", log.program},
                       {"version", DescribeEnvironment(log.program).version},
                       {"rules", std::move(rules)}};
  const Json run = {{"tool", {{"driver", driver}}}, {"results", std::move(results)}};
  return JsonText({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({run})}},
                  1);
}

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Writes and reads result files.

#include "conformance/fuzz/results.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/environment.h"
#include "host/failures.h"
#include "host/parse_json.h"
#include "host/printable.h"
#include "host/result_json.h"

namespace lutra::conformance {
namespace {

// Two files can be merged only if these options agree.
nlohmann::ordered_json Selection(const FuzzOptions& options) {
  nlohmann::ordered_json selection = {{"seed", options.seed},
                                      {"ops", options.ops},
                                      {"invalid", options.is_broken},
                                      {"profile", options.profile->name}};
  if (options.shard.count > 1) {
    selection["shard"] = ToString(options.shard);
    selection["campaign"] = {{"first", options.campaign.first},
                             {"cases", options.campaign.cases},
                             {"required", options.campaign.required}};
  }
  return selection;
}

// A shard that ran at two commits would belong to neither.
void RequireOneCommit(const nlohmann::ordered_json& file, const std::string& path) {
  const std::string found = file.at("context").at("commit"), here = host::BuildCommit();
  if (found != here)
    throw host::BadInput(path + ": --resume", "commit " + host::Printable(found, 60),
                         here + ", that of this program");
}

}  // namespace

FuzzResult FuzzResultIn(const nlohmann::ordered_json& file) {
  FuzzResult result = {.backend = file.at("backend"),
                       .first = file.at("first"),
                       .next = file.at("next"),
                       .unspecified = file.at("unspecified"),
                       .seconds = file.at("seconds")};
  for (const auto& [op, count] : file.at("operators").items()) {
    result.operators[op] = {.run = count.at("judged"),
                            .unsupported = count.at("unsupported"),
                            .lacking = count.at("lacking"),
                            .failed = count.at("failed")};
  }
  for (const auto& failure : file.at("failures")) {
    result.failures.push_back({.index = failure.at("index"),
                               .adapter = failure.at("adapter"),
                               .result = {.id = failure.at("id"),
                                          .verdict = host::VerdictOf(failure.at("verdict")),
                                          .why = failure.at("why")},
                               .op = failure.at("op"),
                               .draws = failure.at("draws").get<Draws>(),
                               .nodes = failure.at("nodes"),
                               .elements = failure.at("elements")});
  }
  if (file.contains("coverage")) result.coverage = Coverage::FromJson(file["coverage"]);
  return result;
}

void PutFuzzResult(const FuzzResult& result, bool with_coverage, nlohmann::ordered_json* json) {
  json->update({{"first", result.first},
                {"next", result.next},
                {"backend", result.backend},
                {"seconds", result.seconds},
                {"unspecified", result.unspecified}});
  auto& operators = (*json)["operators"] = nlohmann::ordered_json::object();
  for (const auto& [op, count] : result.operators) {
    operators[op] = {{"judged", count.run},
                     {"unsupported", count.unsupported},
                     {"lacking", count.lacking},
                     {"failed", count.failed}};
  }
  auto& failures = (*json)["failures"] = nlohmann::ordered_json::array();
  for (const FuzzFailure& failure : result.failures) {
    failures.push_back({{"id", failure.result.id},
                        {"index", failure.index},
                        {"op", failure.op},
                        {"verdict", host::ToString(failure.result.verdict)},
                        {"why", failure.result.why},
                        {"nodes", failure.nodes},
                        {"elements", failure.elements},
                        {"adapter", failure.adapter},
                        {"draws", failure.draws}});
  }
  if (with_coverage) (*json)["coverage"] = result.coverage.Json();
}

std::string FuzzJson(const FuzzOptions& options, const FuzzResult& result,
                     const host::Environment& environment) {
  nlohmann::ordered_json json = {{"schema_version", 1}, {"context", host::EnvironmentJson(environment)}};
  json.update(Selection(options));
  PutFuzzResult(result, options.with_coverage, &json);
  return FuzzText(json);
}

std::string FuzzText(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

FuzzResult ParseFuzzJson(const std::string& text, const std::string& path, const FuzzOptions& options) {
  try {
    const auto file = host::ParseJson<nlohmann::ordered_json>(text, path);
    if (options.shard.count == 1 && file.contains("shard")) {
      throw host::BadInput(path + ": --resume", "shard " + file["shard"].dump(), "results of a whole run");
    }
    const nlohmann::ordered_json wanted = Selection(options);
    for (const auto& [key, value] : wanted.items()) {
      const nlohmann::json found(file.at(key)), required(value);
      if (found != required) {
        throw host::BadInput(path + ": --resume",
                             fmt::format("{} {}", key, host::Printable(found.dump(), 60)), required.dump());
      }
    }
    if (options.shard.count > 1) RequireOneCommit(file, path);
    return FuzzResultIn(file);
  } catch (const nlohmann::json::exception&) {
    throw host::BadInput(path + ": --resume", "no results of `conformance fuzz`",
                         "what `fuzz --results` has written");
  }
}

void AddEarlier(const FuzzResult& earlier, FuzzResult* result) {
  result->first = earlier.first;
  result->unspecified += earlier.unspecified;
  result->seconds += earlier.seconds;
  for (const auto& [op, count] : earlier.operators) {
    OperatorCount& mine = result->operators[op];
    mine.run += count.run;
    mine.unsupported += count.unsupported;
    mine.lacking += count.lacking;
    mine.failed += count.failed;
  }
  result->failures.insert(result->failures.begin(), earlier.failures.begin(), earlier.failures.end());
  KeepFirstFailures(result, kMostFailuresPerOp);
  result->coverage.Add(earlier.coverage);
}

}  // namespace lutra::conformance

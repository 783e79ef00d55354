// SPDX-License-Identifier: Apache-2.0
// Writes, reads and adds the results of a trial's shards.

#include "conformance/runner/model_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "host/failures.h"
#include "host/result_json.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

// With this limit, sums of the largest number of shards stay within an int64.
constexpr int64_t kMostElements = std::numeric_limits<int64_t>::max() / std::numeric_limits<int32_t>::max();

Json JsonOf(const Difference& d) {
  return {{"elements", d.elements},
          {"different", d.different},
          {"largest", d.largest},
          {"first_sample", d.first_sample}};
}

Json JsonOf(const ModelDrift& drift) {
  Json layers = Json::array(), not_judged = Json::array();
  for (const LayerDrift& layer : drift.layers) {
    layers.push_back({{"index", layer.index},
                      {"op", layer.op},
                      {"tensor", layer.tensor},
                      {"alone", JsonOf(layer.alone)},
                      {"drifted", JsonOf(layer.drifted)},
                      {"rules", {{"op", layer.rules.op}, {"names", layer.rules.names}}}});
  }
  for (const NotJudged& one : drift.not_judged) {
    not_judged.push_back({{"index", one.index}, {"op", one.op}, {"why", one.why}});
  }
  return {{"name", drift.name},
          {"samples", drift.samples},
          {"problem", drift.problem},
          {"is_refused", drift.is_refused},
          {"other_answers", drift.other_answers},
          {"output", JsonOf(drift.output)},
          {"not_judged", std::move(not_judged)},
          {"layers", std::move(layers)}};
}

Difference DifferenceIn(const Json& json, const std::string& path) {
  Difference d = {.elements = json.at("elements"),
                  .different = json.at("different"),
                  .first_sample = json.at("first_sample")};
  // JSON has no infinity, so it is written as null.
  d.largest = json.at("largest").is_null() ? std::numeric_limits<double>::infinity()
                                           : json.at("largest").get<double>();
  if (d.different < 0 || d.different > d.elements || d.elements > kMostElements) {
    throw host::BadInput(path, fmt::format("{} of {} elements that differ", d.different, d.elements),
                         "at most all");
  }
  return d;
}

ModelDrift DriftIn(const Json& json, const std::string& path) {
  ModelDrift drift = {.name = json.at("name"),
                      .samples = json.at("samples"),
                      .other_answers = json.at("other_answers"),
                      .output = DifferenceIn(json.at("output"), path),
                      .problem = json.at("problem"),
                      .is_refused = json.at("is_refused")};
  for (const Json& one : json.at("not_judged")) {
    drift.not_judged.push_back({one.at("index"), one.at("op"), one.at("why")});
  }
  for (const Json& one : json.at("layers")) {
    const Json& rules = one.at("rules");
    drift.layers.push_back({.index = one.at("index"),
                            .op = one.at("op"),
                            .tensor = one.at("tensor"),
                            .alone = DifferenceIn(one.at("alone"), path),
                            .drifted = DifferenceIn(one.at("drifted"), path),
                            .rules = {rules.at("op"), rules.at("names").get<std::vector<std::string>>()}});
  }
  return drift;
}

ModelReport ReportIn(const Json& file, const std::string& path) {
  ModelReport report = {.path = file.at("model"),
                        .reference = file.at("reference"),
                        .samples = file.at("samples"),
                        .invokes = file.at("invokes")};
  for (const Json& one : file.at("drifts")) report.drifts.push_back(DriftIn(one, path));
  for (const Json& one : file.at("runtimes")) report.runtimes.push_back(DriftIn(one, path));
  return report;
}

void RequireWhole(const Json& file, const std::string& path) {
  const host::Shard shard = host::ParseShard(file.at("shard"), path + ": shard");
  const ModelReport report = ReportIn(file, path);
  const int all = file.at("trial").at("samples");
  const int64_t required =
      host::FirstOfShard(all, {shard.index + 1, shard.count}) - host::FirstOfShard(all, shard);
  const auto is_whole = [&](const ModelDrift& drift) {
    return !drift.problem.empty() ? drift.samples < required : drift.samples == required;
  };
  if (all < shard.count || report.samples != required || report.runtimes.size() != 1 ||
      !std::all_of(report.drifts.begin(), report.drifts.end(), is_whole) || !is_whole(report.runtimes[0])) {
    throw host::BadInput(path,
                         fmt::format("{} of {} samples in shard {}", report.samples, all, ToString(shard)),
                         "all of the shard's samples, one or more, on one runtime");
  }
}

nlohmann::json WorkOf(const Json& file) {
  nlohmann::json work = {{"trial", nlohmann::json(file.at("trial"))},
                         {"reference", nlohmann::json(file.at("reference"))},
                         {"invokes", nlohmann::json(file.at("invokes"))}};
  for (const char* const key : {"drifts", "runtimes"}) {
    for (const Json& drift : file.at(key)) {
      work[key].push_back({drift.at("name").get<std::string>(), drift.at("layers").size()});
    }
  }
  return work;
}

Json WithContext(const Json& report, const Json& context) {
  Json json = {{"schema_version", 1}, {"context", context}};
  json.update(report);
  return json;
}

}  // namespace

const ShardKind kModelShards = {
    .verb = "model", .key = "drifts", .list = "model_shards", .require_whole = RequireWhole, .work = WorkOf};

std::string ModelResultsText(const ModelResults& results, const host::Environment& environment) {
  const ModelReport& report = results.report;
  const Json context = host::EnvironmentJson(environment);
  if (results.shard.count == 1) return host::JsonText(WithContext(ModelReportJson(report), context), 1);
  Json drifts = Json::array(), runtimes = Json::array();
  for (const ModelDrift& drift : report.drifts) drifts.push_back(JsonOf(drift));
  for (const ModelDrift& drift : report.runtimes) runtimes.push_back(JsonOf(drift));
  const TrialIdentity& trial = results.trial;
  return host::JsonText({{"schema_version", 1},
                         {"context", context},
                         {"shard", ToString(results.shard)},
                         {"trial",
                          {{"model_sha256", trial.model_sha256},
                           {"inputs_sha256", trial.inputs_sha256},
                           {"samples", trial.samples}}},
                         {"model", report.path},
                         {"reference", report.reference},
                         {"samples", report.samples},
                         {"invokes", report.invokes},
                         {"drifts", std::move(drifts)},
                         {"runtimes", std::move(runtimes)}},
                        1);
}

MergedModel MergeModel(const std::vector<std::string>& paths, const MergeOptions& options) {
  const ShardFiles files = ShardFiles::Read(paths, kModelShards, options);
  MergedModel merged = {.report = ReportIn(files.first().json, files.first().name),
                        .shards = options.is_partial ? ToString(files.Set()) : ""};
  for (const auto& [index, file] : files.shards()) {
    if (index == files.shards().begin()->first) continue;
    try {
      AddReport(ReportIn(file.json, file.name), &merged.report);
    } catch (const std::invalid_argument& error) {
      throw host::BadInput(file.name, error.what(), "those of the other shards");
    }
  }
  merged.json = host::JsonText(
      options.is_partial ? files.PartialResult()
                         : WithContext(ModelReportJson(merged.report), files.first().json.at("context")),
      1);
  return merged;
}

}  // namespace lutra::conformance

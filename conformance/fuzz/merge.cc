// SPDX-License-Identifier: Apache-2.0
// Collects shards, holds each against the first, and adds them up.

#include "conformance/fuzz/merge.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/fuzz/results.h"
#include "host/failures.h"
#include "host/parse_json.h"
#include "host/printable.h"
#include "host/shard.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kShards[] = "shards";

struct FuzzShard {
  host::Shard shard;
  Campaign campaign;
  Json file;
  FuzzResult result;
  std::string path;
};

FuzzShard ReadShard(const Json& file, const std::string& path) {
  if (!file.contains("shard")) {
    throw host::BadInput(path, "a whole run of `conformance fuzz`",
                         "results of shards: fuzz --cases N --shard i/n");
  }
  FuzzShard read = {.shard = host::ParseShard(file.at("shard"), path + ": shard"),
                    .campaign = {.first = file.at("campaign").at("first"),
                                 .cases = file.at("campaign").at("cases"),
                                 .required = file.at("campaign").at("required")},
                    .file = file,
                    .result = FuzzResultIn(file),
                    .path = path};
  const auto [campaign_first, campaign_cases] = std::pair(read.campaign.first, read.campaign.cases);
  if (campaign_first < 0 || campaign_cases < read.shard.count ||
      campaign_cases > std::numeric_limits<int64_t>::max() - campaign_first) {
    throw host::BadInput(
        path, fmt::format("{} cases from {} in {} shards", campaign_cases, campaign_first, read.shard.count),
        "a case or more for each shard");
  }
  const int64_t first = read.campaign.first + host::FirstOfShard(read.campaign.cases, read.shard);
  const int64_t end =
      read.campaign.first + host::FirstOfShard(read.campaign.cases, {read.shard.index + 1, read.shard.count});
  if (read.result.first != first || read.result.next != end) {
    throw host::BadInput(
        path,
        fmt::format("cases {} to {} of shard {}", read.result.first, read.result.next - 1,
                    ToString(read.shard)),
        fmt::format("{} to {}; was the run interrupted? fuzz --resume goes on", first, end - 1));
  }
  return read;
}

// What is the same for all shards of a campaign.
std::string CampaignOf(const FuzzShard& shard) {
  const Json& file = shard.file;
  nlohmann::json same = {{"shards", shard.shard.count}};
  for (const char* const key : {"seed", "ops", "invalid", "profile", "campaign", "backend"}) {
    same[key] = nlohmann::json(file.at(key));
  }
  for (const char* const key : {"version", "commit"}) same[key] = nlohmann::json(file.at("context").at(key));
  same["coverage"] = file.contains("coverage");
  return host::Printable(same.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// What a run of the same shard says again.
std::string SameOf(const Json& file) {
  nlohmann::json same(file);
  same.erase("context");
  same.erase("seconds");
  return same.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Shards {
 public:
  void Add(FuzzShard shard) {
    if (!shards_.empty()) {
      const FuzzShard& first = shards_.begin()->second;
      const std::string mine = CampaignOf(shard), whole = CampaignOf(first);
      if (mine != whole) {
        throw host::BadInput(shard.path, "another campaign: " + mine,
                             fmt::format("shards of one campaign, as {} is: {}", first.path, whole));
      }
    }
    const auto known = shards_.find(shard.shard.index);
    if (known == shards_.end()) {
      shards_.emplace(shard.shard.index, std::move(shard));
      return;
    }
    if (SameOf(known->second.file) != SameOf(shard.file)) {
      throw host::BadInput(
          shard.path,
          fmt::format("shard {} with other results than {} has", ToString(shard.shard), known->second.path),
          "one result of each shard");
    }
    // Of two runs of a shard the same is taken in whatever order they come.
    if (FuzzText(shard.file) < FuzzText(known->second.file)) known->second = std::move(shard);
  }

  const FuzzShard& first() const { return shards_.begin()->second; }
  std::vector<int> Indices() const {
    std::vector<int> indices;
    for (const auto& [index, shard] : shards_) indices.push_back(index);
    return indices;
  }
  FuzzResult Sum() const {
    FuzzResult sum = {.backend = first().result.backend, .first = first().campaign.first};
    for (const auto& [index, shard] : shards_) {
      FuzzResult next = shard.result;
      AddEarlier(sum, &next);
      sum = std::move(next);
    }
    return sum;
  }
  Json Files() const {
    Json files = Json::array();
    for (const auto& [index, shard] : shards_) files.push_back(shard.file);
    return files;
  }

 private:
  std::map<int, FuzzShard> shards_;
};

void AddFile(const FuzzFile& file, const MergeOptions& options, Shards* shards) {
  try {
    const Json json = host::ParseJson<Json>(file.text, file.path);
    const auto add = [&](const Json& one, const std::string& path) {
      FuzzShard shard = ReadShard(one, path);
      RequireDate(path, one.at("context").at("date"), options);
      shards->Add(std::move(shard));
    };
    if (!json.contains(kShards)) return add(json, file.path);
    int at = 0;
    for (const Json& one : json.at(kShards)) {
      add(one, fmt::format("{}: {}[{}]", file.path, kShards, at++));
    }
    if (at == 0) throw host::BadInput(file.path, "no shard", "one or more; merge the shards again");
  } catch (const nlohmann::json::exception&) {
    throw host::BadInput(file.path, "no results of `conformance fuzz`",
                         "what `fuzz --shard i/n --results` has written");
  }
}

}  // namespace

bool IsFuzzFile(const FuzzFile& file) {
  try {
    const auto json = host::ParseJson(file.text, file.path);
    return json.is_object() && (json.contains(kShards) || json.contains("unspecified"));
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

MergedFuzz MergeFuzz(const std::vector<FuzzFile>& files, const MergeOptions& options) {
  Shards shards;
  for (const FuzzFile& file : files) AddFile(file, options, &shards);
  const FuzzShard& first = shards.first();
  const host::ShardSet set = {shards.Indices(), first.shard.count};
  if (!options.is_partial && !set.Missing().empty()) {
    throw host::BadInput("merge", fmt::format("{} of {} shards", set.indices.size(), set.count),
                         "all; missing: " + host::RangesText(set.Missing()));
  }
  MergedFuzz merged = {.result = shards.Sum(),
                       .seed = first.file.at("seed"),
                       .required = first.campaign.required,
                       .shards = options.is_partial ? ToString(set) : ""};
  Json json;
  if (options.is_partial) {
    json = {{"schema_version", 1}, {kShards, shards.Files()}};
  } else {
    json = first.file;
    json.erase("shard");
    json.erase("campaign");
    PutFuzzResult(merged.result, first.file.contains("coverage"), &json);
  }
  merged.json = FuzzText(json);
  return merged;
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Adds the results of a campaign's shards.

#include "conformance/fuzz/merge.h"

#include <fmt/format.h>

#include <limits>

#include "conformance/fuzz/results.h"
#include "host/failures.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

Campaign CampaignIn(const Json& file) {
  const Json& campaign = file.at("campaign");
  return {.first = campaign.at("first"), .cases = campaign.at("cases"), .required = campaign.at("required")};
}

void RequireWhole(const Json& file, const std::string& path) {
  const host::Shard shard = host::ParseShard(file.at("shard"), path + ": shard");
  const Campaign campaign = CampaignIn(file);
  const FuzzResult result = FuzzResultIn(file);
  if (campaign.first < 0 || campaign.cases < shard.count ||
      campaign.cases > std::numeric_limits<int64_t>::max() - campaign.first) {
    throw host::BadInput(
        path, fmt::format("{} cases from {} in {} shards", campaign.cases, campaign.first, shard.count),
        "a case or more for each shard");
  }
  const int64_t first = campaign.first + host::FirstOfShard(campaign.cases, shard);
  const int64_t end = campaign.first + host::FirstOfShard(campaign.cases, {shard.index + 1, shard.count});
  if (result.first != first || result.next != end) {
    throw host::BadInput(
        path, fmt::format("cases {} to {} of shard {}", result.first, result.next - 1, ToString(shard)),
        fmt::format("{} to {}; was the run interrupted? fuzz --resume goes on", first, end - 1));
  }
}

nlohmann::json WorkOf(const Json& file) {
  nlohmann::json work = {{"coverage", file.contains("coverage")}};
  for (const char* const key : {"seed", "ops", "invalid", "profile", "campaign", "backend"}) {
    work[key] = nlohmann::json(file.at(key));
  }
  return work;
}

}  // namespace

const ShardKind kFuzzShards = {
    .verb = "fuzz", .key = "unspecified", .list = "shards", .require_whole = RequireWhole, .work = WorkOf};

MergedFuzz MergeFuzz(const std::vector<std::string>& paths, const MergeOptions& options) {
  const ShardFiles files = ShardFiles::Read(paths, kFuzzShards, options);
  const Campaign campaign = CampaignIn(files.first().json);
  FuzzResult sum = {.backend = files.first().json.at("backend"), .first = campaign.first};
  for (const auto& [index, file] : files.shards()) {
    FuzzResult next = FuzzResultIn(file.json);
    AddEarlier(sum, &next);
    sum = std::move(next);
  }
  Json json = files.first().json;
  if (options.is_partial) {
    json = files.PartialResult();
  } else {
    json.erase("shard");
    json.erase("campaign");
    PutFuzzResult(sum, json.contains("coverage"), &json);
  }
  return {.json = FuzzText(json),
          .result = std::move(sum),
          .seed = files.first().json.at("seed"),
          .required = campaign.required,
          .shards = options.is_partial ? ToString(files.Set()) : ""};
}

}  // namespace lutra::conformance

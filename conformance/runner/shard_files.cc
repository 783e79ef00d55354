// SPDX-License-Identifier: Apache-2.0
// Collects shards, and compares each with the first.

#include "conformance/runner/shard_files.h"

#include <fmt/format.h>

#include "host/failures.h"
#include "host/model_file.h"
#include "host/parse_json.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

std::string TextOf(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

host::Shard ShardOf(const Json& file, const std::string& path) {
  return host::ParseShard(file.at("shard"), path + ": shard");
}

// Returns a text that is the same for all shards of one work.
std::string WorkOf(const Json& file, const ShardKind& kind, const std::string& path) {
  nlohmann::json work = kind.work(file);
  work["shards"] = ShardOf(file, path).count;
  for (const char* const key : {"version", "commit"}) work[key] = nlohmann::json(file.at("context").at(key));
  return host::Printable(TextOf(work));
}

// Returns a text that is the same for a second run of the same shard.
std::string SameOf(const Json& file) {
  nlohmann::json same(file);
  same.erase("context");
  same.erase("seconds");
  return TextOf(same);
}

}  // namespace

ShardFiles ShardFiles::Read(const std::vector<std::string>& paths, const ShardKind& kind,
                            const MergeOptions& options) {
  ShardFiles files(kind);
  for (const std::string& path : paths) {
    try {
      files.AddFile(path, options);
    } catch (const nlohmann::json::exception&) {
      throw host::BadInput(path, fmt::format("no results of `conformance {}`", kind.verb),
                           fmt::format("what `{} --shard i/n --results` has written", kind.verb));
    }
  }
  const host::ShardSet set = files.Set();
  if (!options.is_partial && !set.Missing().empty()) {
    throw host::BadInput("merge", fmt::format("{} of {} shards", set.indices.size(), set.count),
                         "all; missing: " + host::RangesText(set.Missing()));
  }
  return files;
}

void ShardFiles::AddFile(const std::string& path, const MergeOptions& options) {
  const Json json = host::ParseJson<Json>(host::ReadInputText(path), path);
  const auto add = [&](const Json& one, const std::string& name) {
    if (!one.contains("shard")) {
      throw host::BadInput(name, fmt::format("a whole run of `conformance {}`", kind_.verb),
                           "results of shards: --shard i/n");
    }
    kind_.require_whole(one, name);
    RequireDate(name, one.at("context").at("date"), options);
    Add({one, name});
  };
  if (!json.contains(kind_.list)) return add(json, path);
  int at = 0;
  for (const Json& one : json.at(kind_.list)) add(one, fmt::format("{}: {}[{}]", path, kind_.list, at++));
  if (at == 0) throw host::BadInput(path, "no shard", "one or more; merge the shards again");
}

void ShardFiles::Add(const File& file) {
  const host::Shard shard = ShardOf(file.json, file.name);
  if (!shards_.empty()) {
    const std::string mine = WorkOf(file.json, kind_, file.name);
    const std::string whole = WorkOf(first().json, kind_, first().name);
    if (mine != whole) {
      throw host::BadInput(file.name, "another campaign: " + mine,
                           fmt::format("shards of one campaign, as {} is: {}", first().name, whole));
    }
  }
  count_ = shard.count;
  const auto [known, is_new] = shards_.emplace(shard.index, file);
  if (is_new) return;
  File& earlier = known->second;
  if (SameOf(earlier.json) != SameOf(file.json)) {
    throw host::BadInput(
        file.name, fmt::format("shard {} with other results than {} has", ToString(shard), earlier.name),
        "one result of each shard");
  }
  // If a shard was run twice, the choice does not depend on the order of the files.
  if (TextOf(nlohmann::json(file.json)) < TextOf(nlohmann::json(earlier.json))) earlier = file;
}

host::ShardSet ShardFiles::Set() const {
  host::ShardSet set = {.count = count_};
  for (const auto& [index, file] : shards_) set.indices.push_back(index);
  return set;
}

Json ShardFiles::PartialResult() const {
  Json files = Json::array();
  for (const auto& [index, file] : shards_) files.push_back(file.json);
  return {{"schema_version", 1}, {kind_.list, std::move(files)}};
}

bool IsShardFile(const std::string& path, const ShardKind& kind) {
  try {
    const auto json = host::ParseJson(host::ReadInputText(path), path);
    return json.is_object() && (json.contains(kind.key) || json.contains(kind.list));
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace lutra::conformance

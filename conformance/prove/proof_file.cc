// SPDX-License-Identifier: Apache-2.0
// Writes, reads and merges proofs.

#include "conformance/prove/proof_file.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "host/failures.h"
#include "host/model_file.h"
#include "host/parse_json.h"
#include "host/printable.h"
#include "host/result_json.h"
#include "host/sha256.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

std::string HexOf(const std::array<uint32_t, 8>& values) {
  std::string text;
  for (const uint32_t word : values) text += fmt::format("{:08x}", word);
  return text;
}

std::array<uint32_t, 8> ValuesOf(const std::string& hex, const std::string& path) {
  std::array<uint32_t, 8> values{};
  if (hex.size() != 64 || hex.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw host::BadInput(path, fmt::format("values \"{}\"", host::Printable(hex, 80)),
                         "64 hexadecimal digits");
  }
  for (size_t i = 0; i < 64; ++i) {
    const auto digit = static_cast<uint32_t>(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
    values[i / 8] = values[i / 8] << 4 | digit;
  }
  return values;
}

Json ProofOf(const Proof& proof, const ProofFile& file) {
  const auto source = file.sources.find(proof);
  return {{"table", proof.table},
          {"variant", proof.variant},
          {"sources_sha256", source != file.sources.end() ? Json(source->second) : Json(nullptr)},
          {"blocks", proof.blocks},
          {"of", proof.of},
          {"cases", proof.cases},
          {"reference", proof.reference},
          {"distinct", proof.DistinctValues()},
          {"values", HexOf(proof.values)},
          {"wrong", proof.wrong}};
}

int64_t Count(const Json& object, const char* key, const std::string& path) {
  const auto& value = object.at(key);
  if (!value.is_number_integer() || value.get<int64_t>() < 0) {
    throw host::BadInput(path, fmt::format("{} {}", key, host::Printable(value.dump(), 40)), "a count");
  }
  return value.get<int64_t>();
}

Json BodyOf(const ProofFile& file) {
  Json json = {{"command", file.command},
               {"platform", file.run.platform},
               {"rounding", file.run.rounding},
               {"compiler", file.run.compiler},
               {"shard", ToString(file.shard)}};
  if (file.sample > 1) json["sample"] = {{"one_of", file.sample}, {"seed", file.seed}};
  Json& proofs = json["proofs"] = Json::array();
  for (const Proof& proof : file.run.proofs) proofs.push_back(ProofOf(proof, file));
  Json& skipped = json["skipped"] = Json::array();
  for (const auto& [table, variant] : file.run.skipped)
    skipped.push_back({{"table", table}, {"variant", variant}});
  json["counterexamples"] = file.run.counterexamples;
  return json;
}

ProofFile ProofIn(const Json& json, const std::string& path) {
  if (json.at("schema_version") != 1) throw host::BadInput(path, "another schema_version", "1");
  ProofFile file = {.command = json.at("command"),
                    .shard = host::ParseShard(json.at("shard"), path + ": shard")};
  file.run.platform = json.at("platform");
  file.run.rounding = json.at("rounding");
  file.run.compiler = json.at("compiler");
  if (json.contains("sample")) {
    file.sample = json["sample"].at("one_of");
    file.seed = json["sample"].at("seed");
  }
  for (const Json& one : json.at("proofs")) {
    Proof proof;
    proof.table = one.at("table");
    proof.variant = one.at("variant");
    proof.blocks = Count(one, "blocks", path);
    proof.of = Count(one, "of", path);
    proof.cases = Count(one, "cases", path);
    proof.reference = Count(one, "reference", path);
    proof.values = ValuesOf(one.at("values"), path);
    proof.wrong = Count(one, "wrong", path);
    // The limits keep sums of shards within an int64.
    if (proof.blocks > proof.of || proof.of > INT32_MAX || proof.wrong > proof.cases ||
        proof.cases > std::numeric_limits<int64_t>::max() / INT32_MAX || proof.reference > proof.cases) {
      throw host::BadInput(path,
                           fmt::format("{} of {} blocks, {} cases, {} wrong", proof.blocks, proof.of,
                                       proof.cases, proof.wrong),
                           "at most all blocks, and at most all cases");
    }
    if (!one.at("sources_sha256").is_null()) file.sources[proof] = one["sources_sha256"];
    file.run.proofs.push_back(proof);
  }
  for (const Json& one : json.at("skipped")) file.run.skipped.push_back({one.at("table"), one.at("variant")});
  file.run.counterexamples = json.at("counterexamples").get<std::vector<std::string>>();
  return file;
}

Json Parse(const std::string& text, const std::string& path) {
  try {
    return host::ParseJson<Json>(text, path);
  } catch (const nlohmann::json::exception& error) {
    throw host::BadInput(path, host::Printable(error.what()), "a file of `conformance prove -o`");
  }
}

void RequireWhole(const Json& file, const std::string& path) { ProofIn(file, path); }

nlohmann::json WorkOf(const Json& file) {
  const ProofFile read = ProofIn(file, "");
  std::string sources;
  for (const auto& [proof, hash] : read.sources) sources += proof.table + proof.variant + hash;
  return {{"command", read.command},
          {"sources_sha256", host::Sha256(sources.data(), sources.size())},
          {"one_of", read.sample},
          {"seed", read.seed}};
}

}  // namespace

std::string ProofJson(const ProofFile& file, const host::Environment& environment) {
  Json json = {{"schema_version", 1}, {"context", host::EnvironmentJson(environment)}};
  json.update(BodyOf(file));
  return host::JsonText(json);
}

ProofFile ParseProofJson(const std::string& text, const std::string& path) {
  const Json json = Parse(text, path);
  try {
    return ProofIn(json, path);
  } catch (const nlohmann::json::exception& error) {
    throw host::BadInput(path, host::Printable(error.what()), "a file of `conformance prove -o`");
  }
}

const ShardKind kProofShards = {
    .verb = "prove", .key = "proofs", .list = "proof_shards", .require_whole = RequireWhole, .work = WorkOf};

MergedProofs MergeProofs(const std::vector<std::string>& paths, const MergeOptions& options) {
  const ShardFiles files = ShardFiles::Read(paths, kProofShards, options);
  MergedProofs merged = {.whole = ProofIn(files.first().json, files.first().name)};
  for (const auto& [index, file] : files.shards()) {
    if (index == files.shards().begin()->first) continue;
    AddPart(ProofIn(file.json, file.name).run, file.name, &merged.whole.run);
  }
  if (options.is_partial) {
    merged.json = host::JsonText(files.PartialResult());
    return merged;
  }
  merged.whole.shard = {};
  Json json = {{"schema_version", 1}, {"context", files.first().json.at("context")}};
  json.update(BodyOf(merged.whole));
  merged.json = host::JsonText(json);
  return merged;
}

}  // namespace lutra::conformance

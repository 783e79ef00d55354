// SPDX-License-Identifier: Apache-2.0
// Files of the shards of one work, as `fuzz`, `model` and `prove` write them.
//
//   const ShardFiles files = ShardFiles::Read(paths, kFuzzShards, options);
//   for (const auto& [index, file] : files.shards()) Add(file.json, &sum);
//
// A partial result is the list of its shards' files, and is merged like them: neither the order of the files
// nor a file that is named twice changes the result.

#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/runner/merge.h"
#include "host/shard.h"

namespace lutra::conformance {

// Says how a verb's files are read. Each has "shard", "context" and what the verb gives.
struct ShardKind {
  const char* verb;  // "fuzz"
  const char* key;   // A key that only this verb's files have.
  const char* list;  // The key of the files in a partial result.
  // Throws BadInput, naming the path, or what the JSON library throws, unless the file is a whole shard.
  void (*require_whole)(const nlohmann::ordered_json& file, const std::string& path);
  // Returns all that must be equal in the shards of a work, besides their number and the commit.
  nlohmann::json (*work)(const nlohmann::ordered_json& file);
};

class ShardFiles {
 public:
  struct File {
    nlohmann::ordered_json json;
    std::string name;  // The path, and the place in a partial result.
  };

  // Throws BadInput, naming the file, unless all are of one work and one commit, each shard is whole, no two
  // of one shard differ, dates are right, and, unless the result is partial, none is missing.
  static ShardFiles Read(const std::vector<std::string>& paths, const ShardKind& kind,
                         const MergeOptions& options);

  const std::map<int, File>& shards() const { return shards_; }  // One or more, by the shard's index.
  const File& first() const { return shards_.begin()->second; }
  host::ShardSet Set() const;
  nlohmann::ordered_json PartialResult() const;

 private:
  explicit ShardFiles(const ShardKind& kind) : kind_(kind) {}
  void AddFile(const std::string& path, const MergeOptions& options);
  void Add(const File& file);

  const ShardKind& kind_;
  int count_ = 0;
  std::map<int, File> shards_;
};

// Returns whether the file is a result of the verb, partial or not. False for a file that is no JSON.
bool IsShardFile(const std::string& path, const ShardKind& kind);

}  // namespace lutra::conformance

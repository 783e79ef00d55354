// SPDX-License-Identifier: Apache-2.0
// Parts of a work, which any scheduler can distribute to machines.
//
//   const Shard shard = ChosenShard(line.shard);   // Of --shard, else of googletest's variables.
//   for (const size_t i : WorkOfShard(costs, shard)) Run(cases[i]);
//
// Every machine computes the same parts, as they depend on the costs alone.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lutra::host {

// The second of four: index 2, count 4.
struct Shard {
  int index = 1, count = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

// Reads "2/4". Throws BadInput for anything else; `name` is where it stands.
Shard ParseShard(const std::string& text, const std::string& name = "--shard");
std::string ToString(Shard shard);
// ", shard 2/4", for the end of a line; empty if there is but one.
std::string ShardSuffix(Shard shard);

// The shard that the option names; where it is empty, that of the variables by which googletest's runners
// hand out work; else the whole. Throws BadInput for an option, and BadUsage for variables, that name none.
Shard ChosenShard(const std::string& option);

// Returns the positions, in order, of the shard's pieces of work. All shards have almost the same sum of
// `costs`: pieces are dealt out from the most expensive on, each to the shard with the least sum so far.
std::vector<size_t> WorkOfShard(const std::vector<int64_t>& costs, Shard shard);

// Some of the shards of a work.
struct ShardSet {
  std::vector<int> indices;  // In order, each once.
  int count = 1;

  // Returns the first 1,000 missing indices.
  std::vector<int> Missing() const;
};
// "1-3,7"; of two neighbours "1,2".
std::string RangesText(const std::vector<int>& indices);
// "1,3/7".
std::string ToString(const ShardSet& set);

// Returns the first of the shard's pieces among `count` equal ones. The shard ends where the next shard,
// which may be one behind the last, begins.
int64_t FirstOfShard(int64_t count, Shard shard);

}  // namespace lutra::host

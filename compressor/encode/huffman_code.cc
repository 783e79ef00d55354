// SPDX-License-Identifier: Apache-2.0
// Finds limited code lengths, and lookup tables of the smallest size.

#include "compressor/encode/huffman_code.h"

#include <algorithm>
#include <bit>
#include <deque>

#include "compressor/encode/elements.h"

namespace lutra::compressor {
namespace {

// Decoders hold no longer codes.
constexpr int kMaxCodeBits = 31;
// A leaf has 4 bits for how many bits of its lookup are its own.
constexpr int kMaxLookupBits = 15;
// A file's buffers begin at multiples of this, so entries up to the next multiple are free.
constexpr uint64_t kBufferUnit = 16;
// The most that `lookup_cost` may be, in entries; a power of two.
constexpr uint64_t kMostLookupCost = 4096;

// The tree of a canonical code. On each level the leaves come first, then the inner nodes, so that the
// descendants of neighbouring inner nodes are neighbours on every level below.
class CodeTree {
 public:
  // The code must be complete: `lengths` ascend and fill the tree; `weights` are those of the same symbols.
  CodeTree(std::span<const int> lengths, std::span<const uint64_t> weights) : levels_(LevelCount(lengths)) {
    for (int length : lengths) ++levels_[static_cast<size_t>(length)].leaves;
    levels_[0].inner = 1;
    for (size_t depth = 1; depth < levels_.size(); ++depth) {
      levels_[depth].first_symbol = levels_[depth - 1].first_symbol + levels_[depth - 1].leaves;
      levels_[depth].inner = 2 * levels_[depth - 1].inner - levels_[depth].leaves;
    }
    for (size_t depth = levels_.size() - 1; depth-- > 0;) {
      const Level& below = levels_[depth + 1];
      const auto weight = [&](size_t node) {
        return node < below.leaves ? weights[below.first_symbol + node] : below.weights[node - below.leaves];
      };
      for (size_t node = 0; node < levels_[depth].inner; ++node) {
        levels_[depth].weights.push_back(weight(2 * node) + weight(2 * node + 1));
      }
    }
    Plan(0);
  }

  // Divides the tree into lookups, so that all entries together, plus `lookup_cost` entries for each lookup
  // of the average symbol, are fewest. It goes from the deepest level up: a node costs its own table and
  // those of the inner nodes at which its lookup ends.
  void Plan(uint64_t lookup_cost) {
    const uint64_t total = levels_[0].weights[0];
    for (size_t depth = levels_.size(); depth-- > 0;) {
      Level& level = levels_[depth];
      level.lookup_bits.clear();
      level.costs = {0};
      level.entries = {0};
      for (size_t node = 0; node < level.inner; ++node) {
        size_t first = node;
        size_t last = node + 1;
        uint64_t best = UINT64_MAX;
        uint64_t best_entries = 0;
        int best_bits = 0;
        for (int bits = 1; bits <= kMaxLookupBits && first < last; ++bits) {
          const Level& below = levels_[depth + static_cast<size_t>(bits)];
          first = 2 * first - std::min(2 * first, below.leaves);
          last = 2 * last - std::min(2 * last, below.leaves);
          const uint64_t own = uint64_t{1} << bits;
          const uint64_t cost =
              own * total + level.weights[node] * lookup_cost + below.costs[last] - below.costs[first];
          if (cost > best) continue;
          best = cost;
          best_entries = own + below.entries[last] - below.entries[first];
          best_bits = bits;
        }
        level.lookup_bits.push_back(best_bits);
        level.costs.push_back(level.costs.back() + best);
        level.entries.push_back(level.entries.back() + best_entries);
      }
    }
  }

  // Counts the entries of all tables together.
  uint64_t entries() const { return levels_[0].entries[1]; }
  size_t leaves(int depth) const { return levels_[static_cast<size_t>(depth)].leaves; }
  size_t first_symbol(int depth) const { return levels_[static_cast<size_t>(depth)].first_symbol; }
  // Returns the bits of the lookup that begins at this inner node.
  int LookupBits(int depth, size_t node) const {
    return levels_[static_cast<size_t>(depth)].lookup_bits[node];
  }

 private:
  struct Level {
    size_t leaves = 0;
    size_t inner = 0;
    size_t first_symbol = 0;
    // The weights of the inner nodes.
    std::vector<uint64_t> weights;
    std::vector<int> lookup_bits;
    // costs[n]: the cost of the first n inner nodes together.
    std::vector<uint64_t> costs;
    std::vector<uint64_t> entries;
  };

  static size_t LevelCount(std::span<const int> lengths) { return static_cast<size_t>(lengths.back()) + 1; }

  std::vector<Level> levels_;
};

struct Table {
  int depth;
  size_t node;
  size_t at;
};

// Writes the tables for `symbols`, which are in the order of their codes, the shortest first.
std::vector<uint8_t> WriteTables(const CodeTree& tree, const std::vector<uint32_t>& symbols,
                                 int entry_bytes) {
  const int value_bits = entry_bytes == 2 ? 11 : 27;
  std::vector<uint8_t> entries;
  std::deque<Table> tables = {{0, 0, 0}};
  size_t end = size_t{1} << tree.LookupBits(0, 0);  // The end of the tables so far, where the next one goes.
  for (; !tables.empty(); tables.pop_front()) {
    const Table table = tables.front();
    const int bits = tree.LookupBits(table.depth, table.node);
    for (size_t fetched = 0; fetched >> bits == 0; ++fetched) {
      size_t node = table.node;
      int used = 0;
      bool leaf = false;
      while (used < bits && !leaf) {
        ++used;
        node = 2 * node + (fetched >> (bits - used) & 1);
        const size_t leaves = tree.leaves(table.depth + used);
        leaf = node < leaves;
        if (!leaf) node -= leaves;
      }
      const int depth = table.depth + used;
      size_t flag = 1;
      auto count = static_cast<size_t>(used);
      size_t value = 0;
      if (leaf) {
        value = symbols[tree.first_symbol(depth) + node];
      } else {
        const int next_bits = tree.LookupBits(depth, node);
        flag = 0;
        count = static_cast<size_t>(next_bits) - 1;
        value = end - (table.at + fetched);
        tables.push_back({depth, node, end});
        end += size_t{1} << next_bits;
      }
      Append(flag << (value_bits + 4) | count << value_bits | value, entry_bytes, &entries);
    }
  }
  return entries;
}

// Returns canonical codes for `symbols`, whose lengths ascend.
std::map<uint32_t, HuffmanCode::Code> CanonicalCodes(const std::vector<uint32_t>& symbols,
                                                     const std::vector<int>& lengths) {
  std::map<uint32_t, HuffmanCode::Code> codes;
  uint32_t next = 0;
  int length = 0;
  for (size_t i = 0; i < symbols.size(); ++i) {
    next <<= lengths[i] - length;
    length = lengths[i];
    codes.insert({symbols[i], {next++, length}});
  }
  return codes;
}

}  // namespace

std::vector<int> LimitedCodeLengths(std::span<const uint64_t> weights, int limit) {
  const size_t count = weights.size();
  const size_t taken = 2 * count - 2;
  // For each level, marks which items of the merged list are weights; the others are pairs of the level
  // before.
  std::vector<std::vector<bool>> is_weight(static_cast<size_t>(limit));
  std::vector<uint64_t> list;
  for (auto& level : is_weight) {
    std::vector<uint64_t> merged;
    size_t weight = 0;
    size_t pair = 0;
    while (merged.size() < taken) {
      const bool more_pairs = 2 * pair + 1 < list.size();
      if (weight == count && !more_pairs) break;
      const uint64_t pair_sum = more_pairs ? list[2 * pair] + list[2 * pair + 1] : 0;
      const bool take_weight = weight < count && (!more_pairs || weights[weight] <= pair_sum);
      merged.push_back(take_weight ? weights[weight++] : pair_sum);
      if (!take_weight) ++pair;
      level.push_back(take_weight);
    }
    list = std::move(merged);
  }
  std::vector<int> lengths(count, 0);
  size_t chosen = taken;
  for (size_t level = is_weight.size(); level-- > 0;) {
    const auto end = is_weight[level].begin() + static_cast<std::ptrdiff_t>(chosen);
    const auto leaves = static_cast<size_t>(std::count(is_weight[level].begin(), end, true));
    for (size_t i = 0; i < leaves; ++i) ++lengths[i];
    chosen = 2 * (chosen - leaves);
  }
  return lengths;
}

HuffmanCode BuildHuffmanCode(const std::map<uint32_t, uint64_t>& counts, int entry_bytes,
                             size_t bytes_before) {
  std::vector<std::pair<uint64_t, uint32_t>> descending;
  for (const auto& [symbol, count] : counts) descending.push_back({count, symbol});
  // A code has two leaves at least: both of them stand for a single symbol.
  if (descending.size() == 1) descending.push_back({0, descending[0].second});
  std::stable_sort(descending.begin(), descending.end(), [](auto& a, auto& b) { return a.first > b.first; });
  std::vector<uint64_t> weights;
  std::vector<uint32_t> symbols;
  for (const auto& [count, symbol] : descending) {
    weights.push_back(count);
    symbols.push_back(symbol);
  }
  const std::vector<uint64_t> ascending(weights.rbegin(), weights.rend());

  std::vector<int> lengths;
  uint64_t fewest_bytes = UINT64_MAX;
  for (int limit = std::bit_width(weights.size() - 1); limit <= kMaxCodeBits; ++limit) {
    std::vector<int> tried = LimitedCodeLengths(ascending, limit);
    if (tried.front() < limit) break;  // No code is as long as this limit, or a higher one.
    std::reverse(tried.begin(), tried.end());
    uint64_t bits = 0;
    for (size_t i = 0; i < weights.size(); ++i) bits += weights[i] * static_cast<uint64_t>(tried[i]);
    const uint64_t table_bytes = CodeTree(tried, weights).entries() * static_cast<uint64_t>(entry_bytes);
    const uint64_t bytes = (bits + 31) / 32 * 4 + table_bytes;
    if (bytes >= fewest_bytes) continue;
    fewest_bytes = bytes;
    lengths = std::move(tried);
  }

  CodeTree tree(lengths, weights);
  const auto blocks = [&] {
    return (bytes_before + tree.entries() * static_cast<uint64_t>(entry_bytes) + kBufferUnit - 1) /
           kBufferUnit;
  };
  const uint64_t fewest_blocks = blocks();
  uint64_t lookup_cost = kMostLookupCost;
  for (tree.Plan(lookup_cost); blocks() > fewest_blocks; tree.Plan(lookup_cost)) lookup_cost /= 2;

  HuffmanCode code;
  code.first_bits = tree.LookupBits(0, 0);
  code.longest = lengths.back();
  code.entry_bytes = entry_bytes;
  code.table = WriteTables(tree, symbols, entry_bytes);
  code.codes = CanonicalCodes(symbols, lengths);
  return code;
}

void FinishHuffmanStream(BitWriter* writer) {
  while (writer->bits() % 32 != 0) writer->Put(0, 1);
  writer->Put(0, 32);
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0

#include "compressor/encode/huffman_code.h"

#include <algorithm>
#include <bit>
#include <deque>

#include "compressor/encode/elements.h"

namespace lutra {
namespace {

// Decoders hold no more bits of a code at a time.
constexpr int kMaxCodeBits = 31;
// A leaf says with 4 bits how many of the bits of its lookup are its own.
constexpr int kMaxLookupBits = 15;

// The tree of a canonical code. On each level the leaves come first, then the inner nodes, so that a run of
// inner nodes has a run of descendants on every level below.
class CodeTree {
 public:
  // Of complete codes: the lengths descend and fill the tree.
  explicit CodeTree(const std::vector<int>& lengths) : height_(lengths.front()) {
    leaves_.assign(static_cast<size_t>(height_) + 1, 0);
    inner_.assign(static_cast<size_t>(height_) + 1, 0);
    for (int length : lengths) ++leaves_[static_cast<size_t>(length)];
    inner_[0] = 1;
    for (size_t depth = 1; depth < inner_.size(); ++depth) {
      inner_[depth] = 2 * inner_[depth - 1] - leaves_[depth];
    }
    PlanTables();
  }

  int height() const { return height_; }
  size_t leaves(int depth) const { return leaves_[static_cast<size_t>(depth)]; }
  // Entries of all tables of the cheapest plan.
  size_t entries() const { return prefix_[0][1]; }
  // Bits of the lookup that begins at this inner node.
  int LookupBits(int depth, size_t node) const { return bits_[static_cast<size_t>(depth)][node]; }

 private:
  // From the deepest level up: a node's tables cost the entries of its own and the tables of the inner nodes
  // it ends at. Of equals, the longest lookup, which is the quickest.
  void PlanTables() {
    const size_t levels = inner_.size();
    bits_.resize(levels);
    prefix_.assign(levels, {0});
    for (size_t depth = levels - 1; depth-- > 0;) {
      for (size_t node = 0; node < inner_[depth]; ++node) {
        size_t first = node;
        size_t last = node + 1;
        size_t best = SIZE_MAX;
        int best_bits = 0;
        for (int bits = 1; bits <= kMaxLookupBits && first < last; ++bits) {
          const size_t below = depth + static_cast<size_t>(bits);
          first = 2 * first - std::min(2 * first, leaves_[below]);
          last = 2 * last - std::min(2 * last, leaves_[below]);
          const size_t cost = (size_t{1} << bits) + prefix_[below][last] - prefix_[below][first];
          if (cost > best) continue;
          best = cost;
          best_bits = bits;
        }
        bits_[depth].push_back(static_cast<uint8_t>(best_bits));
        prefix_[depth].push_back(prefix_[depth].back() + best);
      }
    }
  }

  int height_;
  std::vector<size_t> leaves_;  // By depth.
  std::vector<size_t> inner_;
  std::vector<std::vector<uint8_t>> bits_;
  std::vector<std::vector<size_t>> prefix_;  // Entries of the tables of the first n inner nodes of a level.
};

struct Table {
  int depth;
  size_t node;
  size_t at;
};

// Symbols by code: those of the shortest codes first.
std::vector<uint8_t> WriteTables(const CodeTree& tree, const std::vector<uint32_t>& symbols,
                                 int entry_bytes) {
  const int value_bits = entry_bytes == 2 ? 11 : 27;
  std::vector<size_t> first_symbol(static_cast<size_t>(tree.height()) + 1, 0);
  for (int depth = 1; depth <= tree.height(); ++depth) {
    first_symbol[static_cast<size_t>(depth)] =
        first_symbol[static_cast<size_t>(depth) - 1] + tree.leaves(depth - 1);
  }
  std::vector<uint8_t> entries;
  std::deque<Table> tables = {{0, 0, 0}};
  size_t end = size_t{1} << tree.LookupBits(0, 0);  // Where the next table goes.
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
        value = symbols[first_symbol[static_cast<size_t>(depth)] + node];
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

// Codes in the order of the symbols, whose lengths ascend.
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
  // For each level, which items of the merged list are weights; the others are pairs of the level before.
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

HuffmanCode BuildHuffmanCode(const std::map<uint32_t, uint64_t>& counts, int entry_bytes) {
  std::vector<std::pair<uint64_t, uint32_t>> ascending;
  for (const auto& [symbol, count] : counts) ascending.push_back({count, symbol});
  // A code has two leaves: a lone symbol takes both.
  if (ascending.size() == 1) ascending.push_back({0, ascending[0].second});
  std::stable_sort(ascending.begin(), ascending.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<uint64_t> weights;
  std::vector<uint32_t> symbols;
  for (const auto& [count, symbol] : ascending) weights.push_back(count);
  for (auto item = ascending.rbegin(); item != ascending.rend(); ++item) symbols.push_back(item->second);

  const int shortest_limit = std::bit_width(ascending.size() - 1);
  std::vector<int> best_lengths;
  uint64_t best_bytes = UINT64_MAX;
  for (int limit = shortest_limit; limit <= kMaxCodeBits; ++limit) {
    std::vector<int> lengths = LimitedCodeLengths(weights, limit);
    if (lengths.front() < limit) break;  // No code reaches this limit, so none a higher one.
    uint64_t bits = 0;
    for (size_t i = 0; i < weights.size(); ++i) bits += weights[i] * static_cast<uint64_t>(lengths[i]);
    const uint64_t bytes =
        (bits + 31) / 32 * 4 + CodeTree(lengths).entries() * static_cast<uint64_t>(entry_bytes);
    if (bytes >= best_bytes) continue;
    best_bytes = bytes;
    best_lengths = std::move(lengths);
  }

  const CodeTree tree(best_lengths);
  HuffmanCode code;
  code.first_bits = tree.LookupBits(0, 0);
  code.longest = best_lengths.front();
  code.entry_bytes = entry_bytes;
  code.table = WriteTables(tree, symbols, entry_bytes);
  std::reverse(best_lengths.begin(), best_lengths.end());
  code.codes = CanonicalCodes(symbols, best_lengths);
  return code;
}

void FinishHuffmanStream(BitWriter* writer) {
  while (writer->bits() % 32 != 0) writer->Put(0, 1);
  writer->Put(0, 32);
}

}  // namespace lutra

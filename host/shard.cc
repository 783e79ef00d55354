// SPDX-License-Identifier: Apache-2.0
// Reads which part of the work is wanted, and divides the work.

#include "host/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <string_view>
#include <utility>

#include "host/failures.h"
#include "host/printable.h"

namespace lutra::host {
namespace {

constexpr char kTotal[] = "GTEST_TOTAL_SHARDS", kIndex[] = "GTEST_SHARD_INDEX";

// Returns the whole text as a number that is not negative.
std::optional<int> NumberIn(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::string Describe(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? fmt::format("no {}", variable)
                          : fmt::format("{}={}", variable, Printable(value, 40));
}

}  // namespace

Shard ParseShard(const std::string& text, const std::string& name) {
  const size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto index = NumberIn(std::string_view(text).substr(0, slash));
    const auto count = NumberIn(std::string_view(text).substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count) return {*index, *count};
  }
  throw BadInput(
      fmt::format("{}: found \"{}\", required: i/n with i from 1 to n", name, Printable(text, 40)));
}

std::string ToString(Shard shard) { return fmt::format("{}/{}", shard.index, shard.count); }

std::string ShardSuffix(Shard shard) { return shard.count == 1 ? "" : ", shard " + ToString(shard); }

Shard ChosenShard(const std::string& option) {
  if (!option.empty()) return ParseShard(option);
  const char* const total = std::getenv(kTotal);
  const char* const index = std::getenv(kIndex);
  if (total == nullptr && index == nullptr) return {};
  const std::optional<int> count = total == nullptr ? std::nullopt : NumberIn(total);
  const std::optional<int> at = index == nullptr ? std::nullopt : NumberIn(index);
  if (count && at && *at < *count) return {*at + 1, *count};
  throw BadUsage(
      fmt::format("found {}, {}; required: both, the index from 0 to one less than the total; "
                  "or neither",
                  Describe(kTotal), Describe(kIndex)));
}

std::vector<size_t> WorkOfShard(const std::vector<int64_t>& costs, Shard shard) {
  std::vector<size_t> order(costs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto comes_first = [&](size_t a, size_t b) {
    return std::pair(costs[b], a) < std::pair(costs[a], b);
  };
  std::sort(order.begin(), order.end(), comes_first);
  // Holds the cost of each shard so far; of equal costs the first shard comes first. If there are more shards
  // than pieces, some stay empty.
  using Load = std::pair<int64_t, int>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  const int filled = static_cast<int>(std::min(costs.size(), static_cast<size_t>(shard.count)));
  for (int i = 1; i <= filled; ++i) loads.emplace(0, i);
  std::vector<size_t> mine;
  for (const size_t piece : order) {
    const auto [cost, lightest] = loads.top();
    loads.pop();
    // A piece without a cost still is work.
    loads.emplace(cost + std::max<int64_t>(1, costs[piece]), lightest);
    if (lightest == shard.index) mine.push_back(piece);
  }
  std::sort(mine.begin(), mine.end());
  return mine;
}

std::vector<int> ShardSet::Missing() const {
  constexpr size_t kMost = 1000;
  std::vector<int> missing;
  auto next = indices.begin();
  for (int i = 1; i <= count && missing.size() < kMost; ++i) {
    if (next != indices.end() && *next == i) {
      ++next;
    } else {
      missing.push_back(i);
    }
  }
  return missing;
}

std::string RangesText(const std::vector<int>& indices) {
  std::string text;
  for (size_t i = 0; i < indices.size(); ++i) {
    const int first = indices[i];
    while (i + 1 < indices.size() && indices[i + 1] == indices[i] + 1) ++i;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (indices[i] > first) text += fmt::format("{}{}", indices[i] == first + 1 ? "," : "-", indices[i]);
  }
  return text;
}

std::string ToString(const ShardSet& set) { return fmt::format("{}/{}", RangesText(set.indices), set.count); }

int64_t FirstOfShard(int64_t count, Shard shard) {
  const int64_t before = shard.index - 1;
  return count / shard.count * before + std::min(count % shard.count, before);
}

}  // namespace lutra::host

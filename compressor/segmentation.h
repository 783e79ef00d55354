// SPDX-License-Identifier: Apache-2.0
// Segmentation: cuts a line of points into 1, 2, ... k segments at the least total cost, for all counts in
// one pass. Only kmeans.h uses it.
//
//   Segmentation<IntegerCosts<uint64_t>> best(costs, WholeRanges(costs.size(), 16, true), nullptr);
//   best.total(4); best.Ends(4);
//
// Costs::Cost(j, i) is the cost of the points [j, i) in one segment and must be monotone in the sense of
// Monge, as squared distances to the best centre are: then the best beginning of a last segment never
// moves left as its end moves right, and divide and conquer needs O(k m log m) costs. Of equal choices
// the leftmost is taken, so the result depends on the data alone.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lutra::compressor {

// Says where one segment may end: after `low` to `high` points, both included.
struct EndRange {
  uint32_t low = 0;
  uint32_t high = 0;
};

// Returns every possible end of segments 1 to `segments` of `points`; ranges[0] is the line's start. If
// `covers_all`, the last segment ends at the last point, which saves most of its work.
std::vector<EndRange> WholeRanges(uint32_t points, uint32_t segments, bool covers_all);

template <typename Costs>
class Segmentation {
 public:
  using Value = typename Costs::Value;

  // ranges[c] is for the end of segment c; lows and highs ascend strictly and low <= high. rest[i] is the
  // cost of leaving points [i, size) outside all segments; null: every point must be in a segment.
  Segmentation(const Costs& costs, std::vector<EndRange> ranges, const std::vector<Value>* rest)
      : ranges_(std::move(ranges)), begins_(ranges_.size()) {
    Value start = 0;
    Close(0, &start, rest);
    std::vector<Value> before(costs.size() + 1), row(costs.size() + 1);
    for (uint32_t c = 1; c < ranges_.size(); ++c) {
      const EndRange range = ranges_[c];
      begins_[c].resize(range.high - range.low + 1);
      Row task{costs, before.data(), row.data(), begins_[c].data() - range.low};
      Solve(task, range.low, range.high, ranges_[c - 1].low, ranges_[c - 1].high);
      Close(c, row.data() + range.low, rest);
      before.swap(row);
    }
  }

  // The largest count of segments.
  uint32_t segments() const { return static_cast<uint32_t>(ranges_.size()) - 1; }
  // The least cost with exactly that many segments.
  Value total(uint32_t segments) const { return totals_[segments]; }

  // Returns where each of the segments ends.
  std::vector<uint32_t> Ends(uint32_t segments) const {
    std::vector<uint32_t> ends(segments);
    uint32_t end = ends_[segments];
    for (uint32_t c = segments; c > 0; --c) {
      ends[c - 1] = end;
      end = begins_[c][end - ranges_[c].low];
    }
    return ends;
  }

 private:
  static constexpr uint32_t kLeafRows = 8;  // Fewer ends are solved one after the other.

  struct Row {
    const Costs& costs;
    const Value* before;
    Value* row;
    uint32_t* begins;
  };

  // Ends low to high, the last segment of which begins between first and last.
  static void Solve(const Row& task, uint32_t low, uint32_t high, uint32_t first, uint32_t last) {
    while (high - low >= kLeafRows) {
      const uint32_t middle = low + (high - low) / 2;
      const uint32_t begin = Choose(task, middle, first, last);
      Solve(task, low, middle - 1, first, begin);
      low = middle + 1;
      first = begin;
    }
    for (uint32_t end = low; end <= high; ++end) first = Choose(task, end, first, last);
  }

  static uint32_t Choose(const Row& task, uint32_t end, uint32_t first, uint32_t last) {
    const uint32_t begin =
        task.costs.BestBegin(task.before, first, std::min(last, end - 1), end, &task.row[end]);
    task.begins[end] = begin;
    return begin;
  }

  // Notes the best end of the last segment; values[0] belongs to the first end of its range.
  void Close(uint32_t segments, const Value* values, const std::vector<Value>* rest) {
    const EndRange range = ranges_[segments];
    uint32_t best_end = range.high;
    Value best = values[range.high - range.low];
    if (rest != nullptr) {
      best += (*rest)[best_end];
      for (uint32_t end = range.high; end-- > range.low;) {
        const Value value = values[end - range.low] + (*rest)[end];
        if (value <= best) {
          best = value;
          best_end = end;
        }
      }
    }
    totals_.push_back(best);
    ends_.push_back(best_end);
  }

  std::vector<EndRange> ranges_;
  std::vector<std::vector<uint32_t>> begins_;  // [segment][end - low]
  std::vector<Value> totals_;
  std::vector<uint32_t> ends_;
};

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Places buffers one by one, each as low as its conflicts allow, in several orders; then searches for a
// better order.

#include "runtime/memory_planner.h"

#include <string.h>

namespace lutra {
namespace {

constexpr int32_t kAlignment = 16;
constexpr int32_t kNoPlan = INT32_MAX;
// All orders of this many buffers are tried when nothing else reaches the bound.
constexpr size_t kMaxExhaustive = 8;

int64_t AlignUp(int64_t value) { return (value + kAlignment - 1) / kAlignment * kAlignment; }

class Planner {
 public:
  Planner(Span<PlanBuffer> buffers, Span<const PlanOverlap> overlaps, Span<uint8_t> workspace)
      : buffers_(buffers), overlaps_(overlaps), count_(buffers.size()) {
    uint8_t* next = workspace.data();
    const auto take = [&next](size_t bytes) {
      uint8_t* memory = next;
      next += bytes;
      return memory;
    };
    best_offset_ = reinterpret_cast<int32_t*>(take(4 * count_));
    order_ = reinterpret_cast<uint16_t*>(take(2 * count_));
    best_order_ = reinterpret_cast<uint16_t*>(take(2 * count_));
    first_overlap_ = reinterpret_cast<uint16_t*>(take(2 * (count_ + 1)));
    size_t overlap = 0;
    for (size_t i = 0; i <= count_; ++i) {
      while (overlap < overlaps_.size() && overlaps_[overlap].output < i) ++overlap;
      first_overlap_[i] = static_cast<uint16_t>(overlap);
    }
    for (size_t i = 0; i < count_; ++i) {
      order_[i] = static_cast<uint16_t>(i);
      if (buffers_[i].offset != kNoOffset) fixed_count_ = PutFixedFirst(i);
    }
  }

  PlanResult Run(const PlanOptions& options) {
    PlanResult result;
    result.bound_bytes = static_cast<int32_t>(Bound());
    if (!FixedPlacesFit(&result)) return result;
    // Sizes falling; first use, larger first; size times lifetime falling.
    constexpr Key kKeys[] = {&Planner::SizeKey, &Planner::FirstUseKey, &Planner::AreaKey};
    for (const Key key : kKeys) {
      SortOrder(key);
      Try();
      if (best_peak_ <= result.bound_bytes) break;
    }
    if (best_peak_ > result.bound_bytes && options.search_moves > 0) {
      Search(options.search_moves, result.bound_bytes);
      if (count_ - fixed_count_ <= kMaxExhaustive) TryAllOrders(result.bound_bytes);
    }
    if (best_peak_ == kNoPlan) {
      // In every order two inputs of a node need opposite directions: the plan has no overlaps.
      use_overlaps_ = false;
      if (!FixedPlacesFit(&result)) return result;
      Try();
    }
    for (size_t i = 0; i < count_; ++i) buffers_[i].offset = best_offset_[i];
    result.ok = best_peak_ != kNoPlan;
    result.peak_bytes = best_peak_;
    return result;
  }

 private:
  using Key = int64_t (Planner::*)(const PlanBuffer&) const;
  int64_t SizeKey(const PlanBuffer& b) const { return b.bytes; }
  int64_t FirstUseKey(const PlanBuffer& b) const {
    return -static_cast<int64_t>(b.first) * (int64_t{1} << 32) + b.bytes;
  }
  int64_t AreaKey(const PlanBuffer& b) const {
    return static_cast<int64_t>(b.bytes) * (b.last - b.first + 1);
  }

  size_t PutFixedFirst(size_t i) {
    const uint16_t moved = order_[fixed_count_];
    order_[fixed_count_] = static_cast<uint16_t>(i);
    order_[i] = moved;
    return fixed_count_ + 1;
  }

  // Insertion sort, stable, largest key first, of the buffers without a fixed place.
  void SortOrder(Key key) {
    for (size_t i = fixed_count_ + 1; i < count_; ++i) {
      const uint16_t moved = order_[i];
      const int64_t value = (this->*key)(buffers_[moved]);
      size_t j = i;
      for (; j > fixed_count_ && (this->*key)(buffers_[order_[j - 1]]) < value; --j) {
        order_[j] = order_[j - 1];
      }
      order_[j] = moved;
    }
  }

  const PlanOverlap* FindOverlap(size_t input, size_t output) const {
    if (!use_overlaps_) return nullptr;
    for (size_t i = first_overlap_[output]; i < first_overlap_[output + 1]; ++i) {
      if (overlaps_[i].input == input) return &overlaps_[i];
    }
    return nullptr;
  }

  // The open interval of addresses at which v may not start, because of the placed u.
  struct Interval {
    int64_t low;
    int64_t high;
    bool Contains(int64_t start) const { return low < start && start < high; }
  };
  Interval Forbidden(size_t v, size_t u) const {
    const PlanBuffer& a = buffers_[v];
    const PlanBuffer& b = buffers_[u];
    if (a.first > b.last || b.first > a.last) return {0, 0};
    const int64_t place = b.offset;
    if (const PlanOverlap* o = b.last == a.first ? FindOverlap(u, v) : nullptr) {
      return {place - o->forward, place + b.bytes + o->reverse - a.bytes};
    }
    if (const PlanOverlap* o = a.last == b.first ? FindOverlap(v, u) : nullptr) {
      return {place + b.bytes - a.bytes - o->reverse, place + o->forward};
    }
    return {place - a.bytes, place + b.bytes};
  }

  bool FixedPlacesFit(PlanResult* result) {
    for (size_t i = 0; i < fixed_count_; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (Forbidden(order_[i], order_[j]).Contains(buffers_[order_[i]].offset)) {
          result->collision[0] = order_[i];
          result->collision[1] = order_[j];
          return false;
        }
      }
    }
    return true;
  }

  // Places all buffers in order_, each as low as it goes. Returns the end, or kNoPlan if the plan
  // would not be better than the best one or asks a node for two directions.
  int32_t Place() {
    int64_t peak = 0;
    for (size_t i = 0; i < count_; ++i) {
      PlanBuffer& buffer = buffers_[order_[i]];
      if (i >= fixed_count_) {
        int64_t start = 0;
        for (bool moved = true; moved;) {
          moved = false;
          for (size_t j = 0; j < i; ++j) {
            const Interval interval = Forbidden(order_[i], order_[j]);
            if (interval.Contains(start)) {
              start = AlignUp(interval.high);
              moved = true;
            }
          }
        }
        if (start + buffer.bytes > INT32_MAX - kAlignment) return kNoPlan;
        buffer.offset = static_cast<int32_t>(start);
      }
      const int64_t end = AlignUp(static_cast<int64_t>(buffer.offset) + buffer.bytes);
      if (end > peak) peak = end;
      if (peak >= best_peak_) return kNoPlan;
    }
    return OneDirectionEach() ? static_cast<int32_t>(peak) : kNoPlan;
  }

  bool OneDirectionEach() const {
    for (size_t output = 0; output < count_ && use_overlaps_; ++output) {
      bool upwards = true;
      bool downwards = true;
      for (size_t i = first_overlap_[output]; i < first_overlap_[output + 1]; ++i) {
        const PlanOverlap& o = overlaps_[i];
        const RowOrder order = OrderOf(buffers_[o.input], buffers_[output], o.forward, o.reverse);
        upwards = upwards && order.upwards;
        downwards = downwards && order.downwards;
      }
      if (!upwards && !downwards) return false;
    }
    return true;
  }

  bool Try() {
    const int32_t peak = Place();
    if (peak == kNoPlan) return false;
    best_peak_ = peak;
    for (size_t i = 0; i < count_; ++i) best_offset_[i] = buffers_[i].offset;
    memcpy(best_order_, order_, count_ * sizeof(*order_));
    return true;
  }

  // A lower bound of the memory.
  int64_t Bound() const {
    int64_t bound = 0;
    for (const PlanBuffer& buffer : buffers_) {
      const int64_t here = StepBound(buffers_, overlaps_, buffer.first);
      if (here > bound) bound = here;
    }
    return AlignUp(bound);
  }

  // Moves one random buffer towards the front, and keeps the order unless it is worse.
  void Search(int32_t moves, int32_t bound) {
    if (best_peak_ != kNoPlan) memcpy(order_, best_order_, count_ * sizeof(*order_));
    const size_t free_count = count_ - fixed_count_;
    if (free_count < 2) return;
    uint32_t random = 1;
    const auto next = [&random](size_t below) {
      random = random * 1664525u + 1013904223u;
      return static_cast<size_t>((static_cast<uint64_t>(random) * below) >> 32);
    };
    for (int32_t move = 0; move < moves && best_peak_ > bound; ++move) {
      const size_t from = fixed_count_ + 1 + next(free_count - 1);
      const size_t to = fixed_count_ + next(from - fixed_count_);
      MoveTo(from, to);
      // An equal plan is kept too, or the search would never leave a plateau.
      const int32_t limit = best_peak_;
      if (best_peak_ != kNoPlan) ++best_peak_;
      if (!Try()) {
        best_peak_ = limit;
        MoveTo(to, from);
      }
    }
  }

  void MoveTo(size_t from, size_t to) {
    for (; from > to; --from) Swap(&order_[from], &order_[from - 1]);
    for (; from < to; ++from) Swap(&order_[from], &order_[from + 1]);
  }

  void TryAllOrders(int32_t bound) {
    uint16_t* first = order_ + fixed_count_;
    const size_t n = count_ - fixed_count_;
    for (size_t i = 1; i < n; ++i) {  // Start from the lowest permutation.
      const uint16_t moved = first[i];
      size_t j = i;
      for (; j > 0 && first[j - 1] > moved; --j) first[j] = first[j - 1];
      first[j] = moved;
    }
    do {
      Try();
    } while (best_peak_ > bound && NextPermutation(first, n));
  }

  static bool NextPermutation(uint16_t* values, size_t n) {
    if (n < 2) return false;
    size_t i = n - 1;
    while (i > 0 && values[i - 1] >= values[i]) --i;
    if (i == 0) return false;
    size_t j = n - 1;
    while (values[j] <= values[i - 1]) --j;
    Swap(&values[i - 1], &values[j]);
    for (size_t a = i, b = n - 1; a < b; ++a, --b) Swap(&values[a], &values[b]);
    return true;
  }

  static void Swap(uint16_t* a, uint16_t* b) {
    const uint16_t value = *a;
    *a = *b;
    *b = value;
  }

  Span<PlanBuffer> buffers_;
  Span<const PlanOverlap> overlaps_;
  size_t count_;
  size_t fixed_count_ = 0;
  int32_t best_peak_ = kNoPlan;
  bool use_overlaps_ = true;
  int32_t* best_offset_;
  uint16_t* order_;  // The fixed ones come first.
  uint16_t* best_order_;
  uint16_t* first_overlap_;  // One for each output, and one more at the end.
};

}  // namespace

int64_t StepBound(Span<const PlanBuffer> buffers, Span<const PlanOverlap> overlaps, uint16_t step) {
  int64_t alive = 0;
  for (const PlanBuffer& b : buffers) {
    if (b.first <= step && b.last >= step) alive += b.bytes;
  }
  for (const PlanOverlap& o : overlaps) {
    if (buffers[o.output].first != step) continue;
    const int64_t in = buffers[o.input].bytes;
    const int64_t out = buffers[o.output].bytes;
    int64_t nearest = o.forward < o.reverse ? o.forward : o.reverse;
    if (nearest < 0) nearest = 0;
    const int64_t together = in + nearest > out ? in + nearest : out;
    if (in + out > together) alive -= in + out - together;
  }
  return alive;
}

size_t PlanWorkspaceBytes(size_t buffer_count) {
  return buffer_count * (sizeof(int32_t) + 3 * sizeof(uint16_t)) + sizeof(uint16_t);
}

PlanResult PlanMemory(Span<PlanBuffer> buffers, Span<const PlanOverlap> overlaps, const PlanOptions& options,
                      Span<uint8_t> workspace) {
  if (workspace.size() < PlanWorkspaceBytes(buffers.size())) return {};
  if (buffers.empty()) return {.ok = true};
  return Planner(buffers, overlaps, workspace).Run(options);
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Chooses pairs of sizes near powers of two.

#include "conformance/generator/sizes.h"

#include <algorithm>
#include <bit>
#include <set>

namespace lutra::conformance {
namespace {

SizeList Powers(const PowerRange& range) {
  SizeList powers;
  for (int32_t power = range.least; power <= range.most; power *= 2) powers.push_back(power);
  return powers;
}

// A power of one dimension together with a power of another.
struct Meeting {
  size_t a, b;
  int32_t power_a, power_b;
  auto operator<=>(const Meeting&) const = default;
};

// Chooses a power for each dimension; 0: none is chosen yet.
class Chooser {
 public:
  Chooser(const std::vector<PowerRange>& ranges, const std::function<bool(const SizeList&)>& fits)
      : fits_(fits) {
    for (const PowerRange& range : ranges) powers_.push_back(Powers(range));
    for (size_t b = 0; b < powers_.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        for (const int32_t power_a : powers_[a]) {
          for (const int32_t power_b : powers_[b]) missing_.insert({a, b, power_a, power_b});
        }
      }
    }
  }
  bool done() const { return missing_.empty(); }
  // Returns the next choice; empty if the sizes of the next meeting are too large together.
  SizeList Next() {
    const Meeting meeting = *missing_.begin();
    missing_.erase(missing_.begin());
    SizeList chosen(powers_.size(), 0);
    chosen[meeting.a] = meeting.power_a;
    chosen[meeting.b] = meeting.power_b;
    if (!Fits(chosen)) return {};
    for (size_t d = 0; d < chosen.size(); ++d) {
      if (chosen[d] == 0) chosen[d] = Best(chosen, d);
    }
    for (size_t b = 0; b < chosen.size(); ++b) {
      for (size_t a = 0; a < b; ++a) missing_.erase({a, b, chosen[a], chosen[b]});
    }
    return chosen;
  }

 private:
  bool Fits(SizeList chosen) const {
    for (size_t d = 0; d < chosen.size(); ++d) {
      if (chosen[d] == 0) chosen[d] = powers_[d][0];
    }
    return fits_(chosen);
  }
  // Returns the power that has most meetings still missing; of equals, the search begins one later each time.
  int32_t Best(SizeList chosen, size_t d) {
    const SizeList& powers = powers_[d];
    int32_t best = powers[0];
    int most = -1;
    for (size_t i = 0; i < powers.size(); ++i) {
      chosen[d] = powers[(i + turn_) % powers.size()];
      if (!Fits(chosen)) continue;
      int met = 0;
      for (size_t other = 0; other < chosen.size(); ++other) {
        if (other == d || chosen[other] == 0) continue;
        const size_t a = std::min(other, d), b = std::max(other, d);
        met += static_cast<int>(missing_.count({a, b, chosen[a], chosen[b]}));
      }
      if (met <= most) continue;
      most = met;
      best = chosen[d];
    }
    ++turn_;
    return best;
  }

  const std::function<bool(const SizeList&)>& fits_;
  std::vector<SizeList> powers_;
  std::set<Meeting> missing_;
  size_t turn_ = 0;
};

}  // namespace

int32_t NextAround(int32_t power, int turn) {
  const int32_t size = power + turn % 3 - 1;
  return size < 1 ? 1 : size;
}

SizeList AroundPowers(int32_t least, int32_t most) {
  std::set<int32_t> sizes;
  for (const int32_t power : Powers({least, most})) {
    for (int turn = 0; turn < 3; ++turn) sizes.insert(NextAround(power, turn));
  }
  return {sizes.begin(), sizes.end()};
}

std::vector<SizeList> PairedSizes(const std::vector<PowerRange>& ranges,
                                  const std::function<bool(const SizeList&)>& fits) {
  Chooser chooser(ranges, fits);
  std::vector<SizeList> all;
  // Counts how often each power of each dimension was chosen.
  std::vector<std::vector<int>> turns(ranges.size(), std::vector<int>(32, 0));
  while (!chooser.done()) {
    SizeList sizes = chooser.Next();
    if (sizes.empty()) continue;
    for (size_t d = 0; d < sizes.size(); ++d) {
      int& turn = turns[d][static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(sizes[d])))];
      // Each dimension begins with another neighbour of the power, so that they do not change in step.
      sizes[d] = NextAround(sizes[d], turn++ + static_cast<int>(d));
    }
    all.push_back(std::move(sizes));
  }
  return all;
}

int64_t Product(const SizeList& sizes) {
  int64_t product = 1;
  for (const int32_t size : sizes) product *= size;
  return product;
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Cuts, removes and lowers choices as long as the case becomes smaller.

#include "conformance/fuzz/shrink.h"

#include <algorithm>
#include <tuple>

#include "conformance/oracle/model.h"

namespace lutra::conformance {
namespace {

// Choices that are removed or lowered one by one: sizes and attributes come first, data after them.
constexpr size_t kMostSingle = 400;
constexpr size_t kLargestChunk = 64;
// After so many random tries the case is taken for the smallest.
constexpr int kMostRandomTries = 3000;
constexpr int kMostTailDraws = 1024;

class Shrinker {
 public:
  Shrinker(const CaseDrawer& drawer, const std::function<bool(const Case&)>& fails,
           std::chrono::steady_clock::time_point deadline, Shrunk* best)
      : drawer_(drawer), fails_(fails), deadline_(deadline), best_(*best), size_(SizeOf(best->drawn.test)) {}

  void Run() {
    while (CutEnd() || RemoveChunks() || LowerChunks() || LowerSingles() || LowerWithOtherData()) {
    }
  }

 private:
  bool is_late() const { return std::chrono::steady_clock::now() >= deadline_; }

  // Takes `draws` if their case fails and is smaller.
  bool Try(const Draws& draws) {
    if (is_late()) return false;
    Draws made;
    std::optional<DrawnCase> drawn = drawer_.Redraw(best_.drawn.family, draws, &made);
    if (!drawn) return false;
    while (!made.empty() && made.back() == 0) made.pop_back();  // After the last, choices are 0.
    const CaseSize size = SizeOf(drawn->test);
    if (std::tuple(size, made.size(), made) >= std::tuple(size_, best_.draws.size(), best_.draws))
      return false;
    ++best_.tries;
    drawn->test.id = best_.drawn.test.id;
    if (!fails_(drawn->test)) return false;
    best_.drawn = std::move(*drawn);
    best_.draws = std::move(made);
    size_ = size;
    return true;
  }

  // Keeps the first half of the choices, three quarters, and so on.
  bool CutEnd() {
    for (size_t part = 2; part <= 64; part *= 2) {
      const size_t kept = part == 2 ? best_.draws.size() / 2 : best_.draws.size() - best_.draws.size() / part;
      if (kept < best_.draws.size() &&
          Try({best_.draws.begin(), best_.draws.begin() + static_cast<long>(kept)})) {
        return true;
      }
    }
    return false;
  }

  // Calls `change(draws, begin, end)` for chunks of fewer and fewer choices.
  template <typename Change>
  bool TryChunks(const Change& change) {
    bool has_changed = false;
    for (size_t chunk = kLargestChunk; chunk >= 1; chunk /= 2) {
      for (size_t begin = 0; begin < std::min(best_.draws.size(), kMostSingle) && !is_late();) {
        Draws draws = best_.draws;
        change(draws, begin, std::min(begin + chunk, draws.size()));
        // If it was taken, `begin` stays: later draws have moved there, or the next try changes nothing and
        // moves on.
        const bool taken = Try(draws);
        has_changed = has_changed || taken;
        if (!taken) begin += chunk;
      }
    }
    return has_changed;
  }
  bool RemoveChunks() {
    return TryChunks([](Draws& draws, size_t begin, size_t end) {
      draws.erase(draws.begin() + static_cast<long>(begin), draws.begin() + static_cast<long>(end));
    });
  }
  bool LowerChunks() {
    return TryChunks([](Draws& draws, size_t begin, size_t end) {
      std::fill(draws.begin() + static_cast<long>(begin), draws.begin() + static_cast<long>(end), 0);
    });
  }
  bool LowerSingles() {
    bool has_changed = false;
    for (size_t i = 0; i < std::min(best_.draws.size(), kMostSingle) && !is_late(); ++i) {
      // Large steps come first.
      for (uint64_t step = best_.draws[i] / 2 + 1; i < best_.draws.size() && step > 0; step /= 2) {
        while (i < best_.draws.size() && best_.draws[i] >= step) {
          Draws draws = best_.draws;
          draws[i] -= step;
          if (!Try(draws)) break;
          has_changed = true;
        }
      }
    }
    return has_changed;
  }

  // Lowers the draw to 0, or by some amount.
  void Lower(uint64_t* draw) {
    const bool by_some = *draw > 1 && random_.OneIn(2);
    const auto most = static_cast<int64_t>(std::min<uint64_t>(*draw - 1, INT64_MAX));
    *draw = by_some ? static_cast<uint64_t>(random_.Between(0, most)) : 0;
  }

  // Lowers or removes some choices, and draws all later ones anew: a smaller case may fail with other data
  // than the larger one.
  bool LowerWithOtherData() {
    for (int i = 0; i < kMostRandomTries && !is_late() && !best_.draws.empty(); ++i) {
      const auto last = static_cast<int>(std::min(best_.draws.size(), kMostSingle)) - 1;
      const auto at =
          static_cast<size_t>(random_.OneIn(2) ? random_.Int(0, last) : random_.Int(0, std::min(last, 30)));
      Draws draws(
          best_.draws.begin(),
          best_.draws.begin() + random_.Int(static_cast<int>(at) + 1, static_cast<int>(best_.draws.size())));
      Lower(&draws[at]);
      // Two sizes may depend on each other.
      if (random_.OneIn(3)) Lower(&draws[static_cast<size_t>(random_.Int(0, static_cast<int>(at)))]);
      if (random_.OneIn(4)) draws.erase(draws.begin() + static_cast<long>(at));
      const int bits = random_.Int(1, 8);
      for (int k = random_.OneIn(2) ? kMostTailDraws : 64; k > 0; --k)
        draws.push_back(random_.Next() >> (64 - bits));
      if (Try(draws)) return true;
    }
    return false;
  }

  Random random_{"shrink"};
  const CaseDrawer& drawer_;
  const std::function<bool(const Case&)>& fails_;
  const std::chrono::steady_clock::time_point deadline_;
  Shrunk& best_;
  CaseSize size_;
};

}  // namespace

CaseSize SizeOf(const Case& test) {
  const auto model = oracle::ReadModel(test.plain_model.empty() ? test.model : test.plain_model);
  CaseSize size;
  for (const auto& graph : model->subgraphs) {
    size.nodes += static_cast<int64_t>(graph->operators.size());
    for (const auto& tensor : graph->tensors) size.elements += oracle::ElementCount(tensor->shape);
  }
  return size;
}

Shrunk Shrink(const CaseDrawer& drawer, DrawnCase first, Draws draws,
              const std::function<bool(const Case& test)>& fails,
              std::chrono::steady_clock::time_point deadline) {
  Shrunk best = {.drawn = std::move(first), .draws = std::move(draws)};
  Shrinker(drawer, fails, deadline, &best).Run();
  return best;
}

}  // namespace lutra::conformance

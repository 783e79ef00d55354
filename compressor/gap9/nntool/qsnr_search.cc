// SPDX-License-Identifier: Apache-2.0
// nntool's search is a state machine that runs once or twice.

#include "compressor/gap9/nntool/qsnr_search.h"

#include <algorithm>
#include <map>

namespace lutra::compressor {
namespace {

constexpr double kMostDb = 120;
constexpr double kFirstDb = 30;
constexpr double kFirstStepDb = 15;
constexpr double kLastStepDb = 0.5;

// One run of the search, from a start to the best QSNR.
class Run {
 public:
  Run(std::vector<int> inputs, bool is_final, const QsnrProbeFn& probe, std::vector<QsnrStep>* steps)
      : inputs_(std::move(inputs)), is_final_(is_final), probe_(probe), steps_(*steps) {}

  // Sets *best, unless no QSNR up to 120 dB is good.
  void Search(double qsnr, double step, bool is_up, QsnrSearchResult* best) {
    bool any_good = false;
    for (;;) {
      const std::optional<int64_t> saved = Try({.qsnr_db = qsnr, .step_db = step, .is_up = is_up});
      if (!saved && qsnr == kMostDb) return;
      if (saved) {
        if (!any_good || *saved > best->saved_bytes) {
          best->qsnr_db = qsnr;
          best->saved_bytes = *saved;
        }
        any_good = true;
        if (step <= kLastStepDb || qsnr == 0) return;
      }
      // The search goes down after a success and up after a failure; a change of direction halves the step.
      const bool turns = saved.has_value() == is_up;
      if (turns) step /= 2;
      is_up = !saved;
      qsnr = is_up ? std::min(qsnr + step, kMostDb) : std::max(qsnr - step, 0.0);
    }
  }

  const std::vector<int>& inputs() const { return inputs_; }

 private:
  // Returns the saved bytes if all tried inputs validate, and no QSNR that is good so far saves more.
  std::optional<int64_t> Try(QsnrStep step) {
    step.is_final = is_final_;
    step.inputs = inputs_;
    const auto known = memory_.find(step.qsnr_db);
    std::optional<int64_t> saved;
    if (known != memory_.end()) {
      step.from_memory = true;
      saved = known->second;
    } else {
      const QsnrProbe probe = probe_(step.qsnr_db, inputs_);
      if (probe.saved_bytes > 0 && probe.saved_bytes >= most_saved_) {
        if (probe.bad.empty()) {
          saved = most_saved_ = probe.saved_bytes;
        } else {
          step.bad = probe.bad;
          if (!is_final_) inputs_ = probe.bad;
          most_saved_ = 0;
        }
      }
      memory_[step.qsnr_db] = saved;
    }
    step.is_good = saved.has_value();
    steps_.push_back(std::move(step));
    return saved;
  }

  std::vector<int> inputs_;
  bool is_final_;
  const QsnrProbeFn& probe_;
  std::vector<QsnrStep>& steps_;
  std::map<double, std::optional<int64_t>> memory_;
  int64_t most_saved_ = 0;
};

}  // namespace

QsnrSearchResult SearchQsnr(const std::vector<int>& inputs, const QsnrProbeFn& probe) {
  QsnrSearchResult result;
  Run first(inputs, false, probe, &result.steps);
  first.Search(kFirstDb, kFirstStepDb, false, &result);
  if (!result.qsnr_db || first.inputs() == inputs) return result;
  const double start = *result.qsnr_db;
  result.qsnr_db.reset();
  result.saved_bytes = 0;
  Run(inputs, true, probe, &result.steps).Search(start, kLastStepDb, true, &result);
  return result;
}

}  // namespace lutra::compressor

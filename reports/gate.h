// SPDX-License-Identifier: Apache-2.0
// Tells whether a comparison may pass: budgets of figures, and what fails.
//
//   Gate gate = {.fail_on = FailOn::kWorse, .budgets = ReadBudgets("budgets.yaml")};
//   const Verdicts verdicts = Judge(comparison, gate);     // Throws BadUsage for a budget that matches
//   nothing. return verdicts.failed ? 1 : 0;

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/compare.h"

namespace lutra::reports {

// The figures that match all four patterns have these limits. Of accuracy and auc more is better.
struct Budget {
  std::string platform = "*", model = "*", setting = "*", figure = "*";
  std::optional<double> max, max_increase_percent;
  std::optional<double> min, max_decrease_percent;  // For figures of which more is better.

  // "at most 60000", "at most +2 %"
  std::string Limits() const;
};

// Reads a list of them, YAML or JSON:
//
//   budgets:
//     - {model: "kws*", figure: arena_bytes, max: 60000}
//     - {platform: cortex-m4, figure: instructions, max_increase_percent: 1}
//
// Throws BadInput, naming `path`, for anything else.
std::vector<Budget> ParseBudgets(const std::string& text, const std::string& path);

enum class FailOn {
  kLost,   // What was lost fails.
  kWorse,  // And figures over their budgets; without budgets, bytes and instructions that grew.
};

struct Gate {
  FailOn fail_on = FailOn::kLost;
  std::string budget_file;  // Empty: there are no budgets.
  std::vector<Budget> budgets;
};

enum class Judgement {
  kFree,       // Nothing limits the figure.
  kWithin,     // Its limits.
  kOver,       // It fails.
  kUndecided,  // The times do not tell.
};
// "free", "within", "over", "undecided"
const char* ToString(Judgement judgement);

struct JudgedFigure {
  ComparedFigure figure;
  Judgement judgement = Judgement::kFree;
  std::string why;  // "at most +2 %", and of times what tells.
};

struct Verdicts {
  std::vector<JudgedFigure> figures;
  int over = 0, undecided = 0;
  bool failed = false;
};

// Throws BadUsage for a budget that matches no figure of either set.
Verdicts Judge(const Comparison& comparison, const Gate& gate);

}  // namespace lutra::reports

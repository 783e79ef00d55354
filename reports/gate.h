// SPDX-License-Identifier: Apache-2.0
// Decides whether a comparison passes, by budgets of figures.
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

// Limits of the figures that match all four patterns. For accuracy and auc more is better.
struct Budget {
  std::string platform = "*", model = "*", setting = "*", figure = "*";
  std::optional<double> max, max_increase_percent;
  std::optional<double> min, max_decrease_percent;  // If more is better.

  // "at most 60000", "at most +2 %"
  std::string Limits() const;
};

// Reads a list of budgets, in YAML or JSON:
//
//   budgets:
//     - {model: "kws*", figure: arena_bytes, max: 60000}
//     - {platform: cortex-m4, figure: instructions, max_increase_percent: 1}
//
// Throws BadInput, naming `path`, for any other text.
std::vector<Budget> ParseBudgets(const std::string& text, const std::string& path);

enum class FailOn {
  kLost,   // Losses fail.
  kWorse,  // Also figures over their budgets; without budgets, bytes and instructions that grew.
};

struct Gate {
  FailOn fail_on = FailOn::kLost;
  std::string budget_file;  // Empty: there are no budgets.
  std::vector<Budget> budgets;
};

enum class Judgement {
  kFree,       // No limit matches the figure.
  kWithin,     // Within its limits.
  kOver,       // Over a limit: the figure fails.
  kUndecided,  // The times leave it open.
};
// "free", "within", "over", "undecided"
const char* ToString(Judgement judgement);

struct JudgedFigure {
  ComparedFigure figure;
  Judgement judgement = Judgement::kFree;
  std::string why;  // "at most +2 %", and for times the evidence.
};

struct Verdicts {
  std::vector<JudgedFigure> figures;
  int over = 0, undecided = 0;
  bool failed = false;
};

// Throws BadUsage for a budget that matches no figure of either set.
Verdicts Judge(const Comparison& comparison, const Gate& gate);

}  // namespace lutra::reports

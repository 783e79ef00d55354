// SPDX-License-Identifier: Apache-2.0
// Reads budgets, and compares figures with them.

#include "reports/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "host/glob.h"
#include "host/parse_json.h"
#include "host/scores.h"
#include "host/strict_yaml.h"

namespace lutra::reports {
namespace {

constexpr const char* kFigures[] = {
    "model_bytes", "arena_bytes", "smallest_arena_bytes", "flash_bytes",  "text_bytes", "rodata_bytes",
    "data_bytes",  "bss_bytes",   "stack_bytes",          "instructions", "median_ns",  "accuracy",
    "auc",         "rmse",        "kernel_instructions",
};

class BudgetReader {
 public:
  explicit BudgetReader(const host::YamlSource& source) : source_(source) {}

  std::vector<Budget> Read(const YAML::Node& root) const {
    if (!root.IsMap() || root.size() != 1 || !root["budgets"] || !root["budgets"].IsSequence() ||
        root["budgets"].size() == 0) {
      source_.Refuse(root.Mark(), "something else", "the key \"budgets\" alone, with a list of them");
    }
    std::vector<Budget> budgets;
    for (const YAML::Node& node : root["budgets"]) budgets.push_back(ReadBudget(node));
    return budgets;
  }

 private:
  Budget ReadBudget(const YAML::Node& node) const {
    if (!node.IsMap()) source_.Refuse(node.Mark(), "no mapping", "figure and max or max_increase_percent");
    Budget budget;
    for (const auto& entry : node) ReadKey(entry.first.Scalar(), entry.second, &budget);
    if (!node["figure"]) source_.Refuse(node.Mark(), "a budget without \"figure\"", Names());
    if (std::none_of(std::begin(kFigures), std::end(kFigures),
                     [&](const char* name) { return host::Matches(budget.figure, name); })) {
      source_.Refuse(node["figure"].Mark(), fmt::format("figure \"{}\"", budget.figure), Names());
    }
    if (budget.Limits().empty()) source_.Refuse(node.Mark(), "a budget without a limit", LimitNames(budget));
    const bool limits_less = budget.max || budget.max_increase_percent;
    const bool limits_more = budget.min || budget.max_decrease_percent;
    if (host::MoreIsBetter(budget.figure) ? limits_less : limits_more) {
      source_.Refuse(node.Mark(), fmt::format("other limits of {}", budget.figure), LimitNames(budget));
    }
    return budget;
  }

  void ReadKey(const std::string& key, const YAML::Node& value, Budget* budget) const {
    const std::pair<const char*, std::string*> kPatterns[] = {{"platform", &budget->platform},
                                                              {"model", &budget->model},
                                                              {"setting", &budget->setting},
                                                              {"figure", &budget->figure}};
    for (const auto& [name, pattern] : kPatterns) {
      if (key != name) continue;
      if (!value.IsScalar() || value.Scalar().empty()) source_.Refuse(value.Mark(), "no " + key, "a pattern");
      *pattern = value.Scalar();
      return;
    }
    const std::pair<const char*, std::optional<double>*> kLimits[] = {
        {"max", &budget->max},
        {"max_increase_percent", &budget->max_increase_percent},
        {"min", &budget->min},
        {"max_decrease_percent", &budget->max_decrease_percent}};
    for (const auto& [name, limit] : kLimits) {
      if (key != name) continue;
      double number = 0;
      if (!value.IsScalar() || !YAML::convert<double>::decode(value, number) || !std::isfinite(number) ||
          number < 0) {
        source_.Refuse(value.Mark(), key + ": " + (value.IsScalar() ? value.Scalar() : "no number"),
                       "a number, 0 or more");
      }
      *limit = number;
      return;
    }
    source_.Refuse(
        value.Mark(), fmt::format("key \"{}\"", key),
        "platform, model, setting, figure, max, max_increase_percent, min or max_decrease_percent");
  }

  static std::string LimitNames(const Budget& budget) {
    return host::MoreIsBetter(budget.figure) ? "min or max_decrease_percent" : "max or max_increase_percent";
  }
  static std::string Names() {
    std::string names;
    for (const char* name : kFigures) names += (names.empty() ? "" : ", ") + std::string(name);
    return "a pattern of " + names;
  }

  const host::YamlSource& source_;
};

bool IsFor(const Budget& budget, const ComparedFigure& figure) {
  // Limits for figures of which more is better do not apply to others, and vice versa.
  if (figure.more_is_better != (budget.min || budget.max_decrease_percent)) return false;
  return host::Matches(budget.platform, figure.platform) && host::Matches(budget.model, figure.model) &&
         host::Matches(budget.setting, figure.setting) && host::Matches(budget.figure, figure.figure);
}

// Judges a time that exceeds a limit.
JudgedFigure JudgeTime(const ComparedFigure& figure, double over, const std::string& limit) {
  JudgedFigure judged = {figure, Judgement::kUndecided, limit};
  if (figure.few_runs) {
    judged.why += ", and the runs are too few to tell";
  } else if (over <= figure.deviation) {
    judged.why += fmt::format(", and equal runs differ by {:.0f} ns", figure.deviation);
  } else {
    judged.judgement = Judgement::kOver;
  }
  return judged;
}

JudgedFigure JudgeInTurns(const ComparedFigure& figure, double max_increase_percent,
                          const std::string& limit) {
  constexpr Judgement kJudgements[] = {Judgement::kWithin, Judgement::kOver, Judgement::kUndecided};
  const host::Pace pace = host::Judge(*figure.in_turns, max_increase_percent);
  return {figure, kJudgements[static_cast<int>(pace)], limit + "; in turns " + ToString(*figure.in_turns)};
}

// Judges a figure that may be worse than the old one by `percent`.
JudgedFigure JudgeChange(const ComparedFigure& figure, double percent, const std::string& limit) {
  if (figure.is_time && figure.in_turns) return JudgeInTurns(figure, percent, limit);
  const double sign = figure.more_is_better ? -1 : 1;
  const double change = sign * (*figure.after - *figure.before);
  if (change <= *figure.before * percent / 100) return {figure, Judgement::kWithin, limit};
  if (figure.is_time) return JudgeTime(figure, change, limit);
  return {figure, Judgement::kOver, limit};
}

JudgedFigure JudgeValue(const ComparedFigure& figure, double bound, const std::string& limit) {
  const double over = figure.more_is_better ? bound - *figure.after : *figure.after - bound;
  if (over <= 0) return {figure, Judgement::kWithin, limit};
  if (figure.is_time) return JudgeTime(figure, over, limit);
  return {figure, Judgement::kOver, limit};
}

// Takes the graver of two judgements; of equals, the first.
void TakeWorse(const JudgedFigure& other, JudgedFigure* judged) {
  constexpr int kOrder[] = {0, 1, 3, 2};  // The gravity of free, within, over, undecided.
  if (kOrder[static_cast<int>(other.judgement)] > kOrder[static_cast<int>(judged->judgement)])
    *judged = other;
}

JudgedFigure JudgeByBudget(const ComparedFigure& figure, const Budget& budget) {
  JudgedFigure judged = {figure, Judgement::kFree, ""};
  if (!figure.after) {
    if (figure.before) judged = {figure, Judgement::kOver, budget.Limits() + "; it is gone"};
    return judged;
  }
  if (budget.max) TakeWorse(JudgeValue(figure, *budget.max, fmt::format("at most {}", *budget.max)), &judged);
  if (budget.min)
    TakeWorse(JudgeValue(figure, *budget.min, fmt::format("at least {}", *budget.min)), &judged);
  const std::optional<double> percent =
      figure.more_is_better ? budget.max_decrease_percent : budget.max_increase_percent;
  if (!percent) return judged;
  const std::string limit = fmt::format("at most {}{} %", figure.more_is_better ? '-' : '+', *percent);
  TakeWorse(figure.before ? JudgeChange(figure, *percent, limit)
                          : JudgedFigure{figure, Judgement::kWithin, limit + "; there is no old figure"},
            &judged);
  return judged;
}

// Judges without budgets: bytes and instructions must not grow.
JudgedFigure JudgeByTrend(const ComparedFigure& figure) {
  const bool is_exact = figure.figure.ends_with("_bytes") || figure.figure.ends_with("instructions");
  if (!is_exact || !figure.before) return {figure, Judgement::kFree, ""};
  if (!figure.after) return {figure, Judgement::kOver, "must not grow; it is gone"};
  return JudgeChange(figure, 0, "must not grow");
}

void RequireMatches(const Comparison& comparison, const Gate& gate) {
  for (size_t i = 0; i < gate.budgets.size(); ++i) {
    const Budget& budget = gate.budgets[i];
    if (std::any_of(comparison.figures.begin(), comparison.figures.end(),
                    [&](const ComparedFigure& figure) { return IsFor(budget, figure); }))
      continue;
    std::set<std::string> names;
    for (const ComparedFigure& figure : comparison.figures) names.insert(figure.platform);
    throw host::BadUsage(fmt::format(
        "{}: budget {} matches nothing: platform {}, model {}, setting {}, figure {}; the results have "
        "platforms {}",
        gate.budget_file, i + 1, budget.platform, budget.model, budget.setting, budget.figure,
        fmt::join(names, ", ")));
  }
}

}  // namespace

std::string Budget::Limits() const {
  std::string text;
  const auto add = [&text](const std::string& limit) { text += (text.empty() ? "" : ", ") + limit; };
  if (max) add(fmt::format("at most {}", *max));
  if (max_increase_percent) add(fmt::format("at most +{} %", *max_increase_percent));
  if (min) add(fmt::format("at least {}", *min));
  if (max_decrease_percent) add(fmt::format("at most -{} %", *max_decrease_percent));
  return text;
}

std::vector<Budget> ParseBudgets(const std::string& text, const std::string& path) {
  const host::YamlSource source = {path, "budget", "see reports/README.md"};
  const auto read = [&](const YAML::Node& root) { return BudgetReader(source).Read(root); };
  // JSON may be indented with characters that YAML refuses.
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || text[begin] != '{') return host::ParseYaml(text, source, read);
  try {
    return host::ParseYaml(host::ParseJson<nlohmann::json>(text, path).dump(), source, read);
  } catch (const nlohmann::json::exception& error) {
    throw host::BadInput(fmt::format("{}: not JSON: {}; mend the file", path, error.what()));
  }
}

const char* ToString(Judgement judgement) {
  constexpr const char* kNames[] = {"free", "within", "over", "undecided"};
  return kNames[static_cast<int>(judgement)];
}

Verdicts Judge(const Comparison& comparison, const Gate& gate) {
  RequireMatches(comparison, gate);
  Verdicts verdicts;
  for (const ComparedFigure& figure : comparison.figures) {
    JudgedFigure judged = {figure, Judgement::kFree, ""};
    if (gate.fail_on == FailOn::kWorse && gate.budget_file.empty()) judged = JudgeByTrend(figure);
    for (const Budget& budget : gate.budgets) {
      if (IsFor(budget, figure)) TakeWorse(JudgeByBudget(figure, budget), &judged);
    }
    verdicts.over += judged.judgement == Judgement::kOver;
    verdicts.undecided += judged.judgement == Judgement::kUndecided;
    verdicts.figures.push_back(std::move(judged));
  }
  verdicts.failed = !comparison.lost.empty() || verdicts.over > 0;
  return verdicts;
}

}  // namespace lutra::reports

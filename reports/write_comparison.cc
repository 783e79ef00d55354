// SPDX-License-Identifier: Apache-2.0
// Writes a comparison for programs: JUnit's XML with a case for each figure, and JSON with everything.

#include <nlohmann/json.hpp>

#include "host/result_json.h"
#include "reports/junit_suite.h"
#include "reports/writers.h"

namespace lutra::reports {
namespace {

using Json = nlohmann::ordered_json;

std::string MessageOf(const JudgedFigure& judged) {
  const auto number = [](std::optional<double> value) { return value ? Json(*value).dump() : "none"; };
  return "old " + number(judged.figure.before) + ", new " + number(judged.figure.after) + ", " + judged.why;
}

Json ChangesJson(const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& change : changes) {
    list.push_back(
        {{"where", change.where}, {"what", change.what}, {"old", change.before}, {"new", change.after}});
  }
  return list;
}

Json FigureJson(const JudgedFigure& judged) {
  const ComparedFigure& figure = judged.figure;
  const auto number = [](std::optional<double> value) -> Json {
    if (!value) return nullptr;
    const auto whole = static_cast<int64_t>(*value);
    return static_cast<double>(whole) == *value ? Json(whole) : Json(*value);
  };
  constexpr const char* kTrends[] = {"none", "worse", "better"};
  Json json = {{"platform", figure.platform},
               {"model", figure.model},
               {"setting", figure.setting},
               {"figure", figure.figure},
               {"old", number(figure.before)},
               {"new", number(figure.after)},
               {"trend", kTrends[static_cast<int>(TrendOf(figure))]},
               {"judgement", ToString(judged.judgement)},
               {"why", judged.why.empty() ? Json(nullptr) : Json(judged.why)}};
  Json& turns = json["in_turns"] = nullptr;
  if (!figure.in_turns) return json;
  turns = {{"turns", figure.in_turns->turns},
           {"ratio", figure.in_turns->ratio},
           {"low", figure.in_turns->low},
           {"high", figure.in_turns->high},
           {"p", figure.in_turns->p}};
  return json;
}

}  // namespace

std::string WriteComparisonJunit(const Comparison& comparison, const Verdicts& verdicts) {
  JunitSuite lost, figures;
  for (const Change& change : comparison.lost) {
    lost.Add(change.where, change.what, "failure", "old " + change.before + ", new " + change.after);
  }
  for (const JudgedFigure& judged : verdicts.figures) {
    const char* const element = judged.judgement == Judgement::kOver        ? "failure"
                                : judged.judgement == Judgement::kUndecided ? "skipped"
                                                                            : nullptr;
    figures.Add(judged.figure.where, judged.figure.figure, element, MessageOf(judged));
  }
  return JunitText({{"lost", lost}, {"figures", figures}});
}

std::string WriteComparisonJson(const Comparison& comparison, const Verdicts& verdicts) {
  Json figures = Json::array();
  for (const JudgedFigure& judged : verdicts.figures) figures.push_back(FigureJson(judged));
  return host::JsonText({{"schema_version", host::kResultSchemaVersion},
                         {"failed", verdicts.failed},
                         {"over", verdicts.over},
                         {"undecided", verdicts.undecided},
                         {"lost", ChangesJson(comparison.lost)},
                         {"better", ChangesJson(comparison.better)},
                         {"other", ChangesJson(comparison.other)},
                         {"figures", figures}});
}

}  // namespace lutra::reports

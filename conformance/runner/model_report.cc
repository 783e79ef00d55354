// SPDX-License-Identifier: Apache-2.0
// Prints how a model drifts, as tables and as JSON.

#include "conformance/runner/model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

Json DifferenceJson(const Difference& d) {
  return {{"elements", d.elements},
          {"different", d.different},
          {"largest", d.largest},
          {"first_sample", d.first_sample < 0 ? Json(nullptr) : Json(d.first_sample)}};
}

std::string Share(const Difference& d) {
  if (d.elements == 0) return "-";
  if (d.different == 0) return "equal";
  return fmt::format("{:.3g} %, {:g}",
                     100.0 * static_cast<double>(d.different) / static_cast<double>(d.elements), d.largest);
}

// Returns the rule of the layer; empty if it computes nothing.
std::string RuleOf(const LayerDrift& layer) {
  return layer.drifted.elements > 0 ? Describe(layer.rules) : "";
}

}  // namespace

bool ModelReport::DiffersOnARuntime() const {
  return std::any_of(runtimes.begin(), runtimes.end(), [](const ModelDrift& drift) {
    const bool has_problem = !drift.problem.empty() && (drift.not_judged.empty() || !drift.is_refused);
    return has_problem || drift.output.different > 0 || FirstThatDiffers(drift) != nullptr;
  });
}

std::string ModelReport::DescribeNotJudged() const {
  constexpr size_t kMostNamed = 3;
  for (const ModelDrift& drift : runtimes) {
    if (drift.not_judged.empty()) continue;
    std::string text = fmt::format("{}: ", path);
    for (size_t i = 0; i < std::min(drift.not_judged.size(), kMostNamed); ++i) {
      const NotJudged& one = drift.not_judged[i];
      text += fmt::format("{}node {} ({})", i == 0 ? "" : ", ", one.index, one.op);
    }
    if (drift.not_judged.size() > kMostNamed)
      text += fmt::format(" and {} others", drift.not_judged.size() - kMostNamed);
    const auto judged = std::count_if(drift.layers.begin(), drift.layers.end(),
                                      [](const LayerDrift& layer) { return layer.drifted.elements > 0; });
    text += fmt::format(": oracle: found {}, required: operators and types of `conformance spec`; ",
                        drift.not_judged[0].why);
    if (drift.layers.empty())
      return text + (drift.output.elements > 0 ? "the output was judged" : "the output was not judged");
    return text +
           fmt::format("{} of {} layers were judged, those behind an unknown one with what the runtime gave",
                       judged, drift.layers.size());
  }
  return "";
}

std::string ModelReport::Summary() const {
  const ModelDrift& drift = runtimes.front();
  const auto wrong = std::count_if(drift.layers.begin(), drift.layers.end(),
                                   [](const LayerDrift& layer) { return layer.drifted.different > 0; });
  // If there are no layers, only the output is compared.
  const bool is_output_wrong = drift.layers.empty() && drift.output.different > 0;
  return fmt::format("{} samples, {} layers: {} wrong", drift.samples, drift.layers.size(),
                     wrong + (is_output_wrong ? 1 : 0));
}

void AddReport(const ModelReport& next, ModelReport* report) {
  report->samples += next.samples;
  for (size_t i = 0; i < report->drifts.size(); ++i) AddDrift(next.drifts[i], &report->drifts[i]);
  for (size_t i = 0; i < report->runtimes.size(); ++i) AddDrift(next.runtimes[i], &report->runtimes[i]);
}

namespace {

std::string Ending(const ModelDrift& drift) {
  std::string text;
  if (const LayerDrift* first = FirstThatDiffers(drift)) {
    text += fmt::format("  the first that differs: #{} {}, \"{}\" (sample {})\n", first->index, first->op,
                        first->tensor, first->drifted.first_sample);
  }
  text += drift.output.elements == 0
              ? "  output: not judged\n"
              : fmt::format("  output: {} of {} elements differ, by at most {:g}\n", drift.output.different,
                            drift.output.elements, drift.output.largest);
  if (drift.other_answers >= 0) {
    text += fmt::format("  another answer (largest output) in {} of {} samples\n", drift.other_answers,
                        drift.samples);
  }
  return text;
}

bool IsEqual(const ModelDrift& drift) {
  return FirstThatDiffers(drift) == nullptr && drift.output.different == 0;
}

std::string EqualLine(const ModelDrift& drift) {
  std::string where = drift.layers.empty() ? "every output" : "every layer";
  if (!drift.not_judged.empty()) where += " that is judged";
  return fmt::format("  equal in {}, {} samples\n", where, drift.samples);
}

std::string ProfileTable(const ModelDrift& drift) {
  std::string text = fmt::format("\n{}\n", drift.name);
  if (!drift.problem.empty()) return text + fmt::format("  nothing to compare: {}\n", drift.problem);
  if (IsEqual(drift)) return text + EqualLine(drift);
  text += fmt::format("  {:>3} {:<24}{:>16}{:>24}\n", "#", "operator", "alone", "with those before it");
  for (const LayerDrift& layer : drift.layers) {
    if (layer.drifted.different == 0 && layer.alone.different == 0) continue;
    text += fmt::format("  {:>3} {:<24}{:>16}{:>24}\n", layer.index, layer.op, Share(layer.alone),
                        Share(layer.drifted));
  }
  return text + Ending(drift);
}

std::string RuntimeTable(const ModelDrift& drift) {
  std::string text = fmt::format("\n{}\n", drift.name);
  if (!drift.problem.empty()) return text + fmt::format("  nothing to compare: {}\n", drift.problem);
  if (!drift.layers.empty()) {
    text += fmt::format("  {:>3} {:<24}{:>16}  {}\n", "#", "operator", "against it", "rule that explains it");
  }
  for (const LayerDrift& layer : drift.layers) {
    const std::string rule = RuleOf(layer);
    text += fmt::format("  {:>3} {:<24}{:>16}  {}\n", layer.index, layer.op, Share(layer.drifted),
                        rule.empty() ? "-" : rule);
  }
  return text + (IsEqual(drift) ? EqualLine(drift) : Ending(drift));
}

Json LayersJson(const ModelDrift& drift) {
  Json layers = Json::array();
  for (const LayerDrift& layer : drift.layers) {
    layers.push_back({{"index", layer.index},
                      {"op", layer.op},
                      {"tensor", layer.tensor},
                      {"alone", DifferenceJson(layer.alone)},
                      {"drifted", DifferenceJson(layer.drifted)}});
  }
  return layers;
}

Json RuntimeJson(const ModelDrift& drift) {
  Json layers = Json::array();
  for (const LayerDrift& layer : drift.layers) {
    const std::string rule = RuleOf(layer);
    layers.push_back({{"index", layer.index},
                      {"op", layer.op},
                      {"tensor", layer.tensor},
                      {"rule", rule.empty() ? Json(nullptr) : Json(rule)},
                      {"differs", layer.drifted.different},
                      {"elements", layer.drifted.elements},
                      {"largest", layer.drifted.largest}});
  }
  Json not_judged = Json::array();
  for (const NotJudged& one : drift.not_judged) {
    not_judged.push_back({{"index", one.index}, {"op", one.op}, {"why", one.why}});
  }
  const LayerDrift* first = FirstThatDiffers(drift);
  return {{"name", drift.name},
          {"problem", drift.problem.empty() ? Json(nullptr) : Json(drift.problem)},
          {"samples", drift.samples},
          {"layers", std::move(layers)},
          {"first_departure", first == nullptr ? Json(nullptr) : Json(first->index)},
          {"answers_changed", drift.other_answers < 0 ? Json(nullptr) : Json(drift.other_answers)},
          {"output", DifferenceJson(drift.output)},
          {"not_judged", std::move(not_judged)}};
}

}  // namespace

std::string ModelReportTable(const ModelReport& report) {
  std::string text = fmt::format("{}, against profile {}\n", report.path, report.reference);
  for (const ModelDrift& drift : report.drifts) text += ProfileTable(drift);
  for (const ModelDrift& drift : report.runtimes) text += RuntimeTable(drift);
  return text;
}

Json ModelReportJson(const ModelReport& report) {
  Json drifts = Json::array(), runtimes = Json::array();
  for (const ModelDrift& drift : report.drifts) {
    drifts.push_back({{"name", drift.name},
                      {"problem", drift.problem.empty() ? Json(nullptr) : Json(drift.problem)},
                      {"samples", drift.samples},
                      {"other_answers", drift.other_answers < 0 ? Json(nullptr) : Json(drift.other_answers)},
                      {"output", DifferenceJson(drift.output)},
                      {"layers", LayersJson(drift)}});
  }
  for (const ModelDrift& drift : report.runtimes) runtimes.push_back(RuntimeJson(drift));
  return {{"schema_version", 1},       {"model", report.path},      {"reference", report.reference},
          {"samples", report.samples}, {"invokes", report.invokes}, {"drifts", drifts},
          {"runtimes", runtimes}};
}

}  // namespace lutra::conformance

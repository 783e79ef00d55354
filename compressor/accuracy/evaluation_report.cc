// SPDX-License-Identifier: Apache-2.0
// Writes an evaluation as a table and as JSON.

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "compressor/accuracy/evaluate.h"
#include "host/json_archive.h"
#include "host/printable.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

// If there are more classes, only the rows with an error are shown.
constexpr size_t kWholeMatrix = 12;

std::string ConfusionTable(const std::vector<std::vector<int64_t>>& confusion) {
  std::string text = "\nlabel: answers (how many)\n";
  for (size_t label = 0; label < confusion.size(); ++label) {
    std::string row;
    int64_t wrong = 0;
    for (size_t answer = 0; answer < confusion.size(); ++answer) {
      if (confusion[label][answer] == 0) continue;
      row += fmt::format("  {} ({})", answer, confusion[label][answer]);
      wrong += answer != label ? confusion[label][answer] : 0;
    }
    if (!row.empty() && (wrong > 0 || confusion.size() <= kWholeMatrix))
      text += fmt::format("{:>5}:{}\n", label, row);
  }
  return text;
}

std::string InputsTable(const Evaluation& result) {
  const bool is_of_answers = FindMetric(result.metric)->is_of_answers();
  std::string text = is_of_answers
                         ? fmt::format("\n{:>6} {:>7} {:>6} {:>9}\n", "input", "answer", "label", "margin")
                         : fmt::format("\n{:>6} {:>12}\n", "input", "error");
  for (size_t i = 0; i < result.inputs.size(); ++i) {
    const InputResult& input = result.inputs[i];
    text += is_of_answers ? fmt::format("{:>6} {:>7} {:>6} {:>9.4f}{}\n", i, input.answer, input.label,
                                        input.margin, input.answer == input.label ? "" : "  wrong")
                          : fmt::format("{:>6} {:>12.6g}\n", i, input.error);
  }
  return text;
}

std::string LayersTable(const std::vector<LayerResult>& layers) {
  std::string text = fmt::format("\n{:>5} {:<24} {:>9}\n", "#", "operator", "QSNR dB");
  for (const LayerResult& layer : layers) {
    text += fmt::format("{:>5} {:<24} {:>9}\n", layer.index, host::Printable(layer.op),
                        std::isinf(layer.qsnr_db) ? "equal" : fmt::format("{:.2f}", layer.qsnr_db));
  }
  return text;
}

}  // namespace

std::string EvaluationTable(const std::string& path, const Evaluation& result,
                            const std::vector<LayerResult>& layers, bool per_input) {
  std::string text = fmt::format("{}: {} {:.4f} over {} inputs", host::Printable(path), result.metric,
                                 result.value, result.count);
  if (FindMetric(result.metric)->is_of_answers()) text += fmt::format(", mean margin {:.4f}", result.margin);
  if (result.interval) text += fmt::format(", 95 % confidence {}", IntervalText(result.interval));
  text += "\n";
  if (!result.confusion.empty()) text += ConfusionTable(result.confusion);
  if (per_input) text += InputsTable(result);
  if (!layers.empty()) text += LayersTable(layers);
  return text;
}

namespace {

template <typename T>
std::optional<T> If(bool exists, const T& value) {
  return exists ? std::optional<T>(value) : std::nullopt;
}

// A sample's figures, in the words of the metric.
struct InputReport {
  InputResult input;
  bool is_of_answers, has_label;
};

template <typename Archive>
void Fields(Archive& archive, const InputReport& report) {
  const InputResult& input = report.input;
  archive("answer", If(report.is_of_answers, input.answer));
  archive("label", If(report.has_label, input.label));
  archive("margin", If(report.is_of_answers, input.margin));
  archive("error", If(!report.is_of_answers, input.error));
}

struct EvaluationReport {
  std::string model;
  const Evaluation& result;
  std::optional<std::vector<InputReport>> inputs;
  std::optional<std::vector<LayerResult>> layers;
};

template <typename Archive>
void Fields(Archive& archive, const EvaluationReport& report) {
  const Evaluation& result = report.result;
  const bool is_of_answers = FindMetric(result.metric)->is_of_answers();
  archive("schema_version", host::kResultSchemaVersion);
  archive("model", report.model);
  archive("metric", result.metric);
  archive("value", result.value);
  archive("count", result.count);
  archive("confidence_interval", result.interval);
  archive("margin", If(is_of_answers, result.margin));
  archive("confusion", If(is_of_answers, result.confusion));
  archive("inputs", report.inputs);
  archive("layers", report.layers);
}

}  // namespace

template <typename Archive>
void Fields(Archive& archive, const LayerResult& layer) {
  archive("index", layer.index);
  archive("op", layer.op);
  archive("equal", std::isinf(layer.qsnr_db));
  archive("qsnr_db", layer.qsnr_db);
  archive("tensor", layer.tensor);
}

std::string EvaluationJson(const std::string& path, const Evaluation& result,
                           const std::vector<LayerResult>& layers, bool per_input, bool with_layers) {
  EvaluationReport report = {path, result, {}, If(with_layers, layers)};
  if (per_input) report.inputs.emplace();
  for (size_t i = 0; per_input && i < result.inputs.size(); ++i) {
    const MetricFacts& metric = *FindMetric(result.metric);
    const bool has_label = metric.is_of_answers() || metric.kind == MetricFacts::kAuc;
    report.inputs->push_back({result.inputs[i], metric.is_of_answers(), has_label});
  }
  return host::JsonText(host::ToJson(report), 1);
}

}  // namespace lutra::compressor

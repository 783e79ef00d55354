// SPDX-License-Identifier: Apache-2.0
// An evaluation as a table and as JSON.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "compressor/accuracy/evaluate.h"
#include "compressor/accuracy/interval_json.h"
#include "host/printable.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

using Json = nlohmann::ordered_json;

// With more classes than this, only the rows with an error are shown.
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
  const bool is_accuracy = result.metric == "accuracy";
  std::string text = is_accuracy
                         ? fmt::format("\n{:>6} {:>7} {:>6} {:>9}\n", "input", "answer", "label", "margin")
                         : fmt::format("\n{:>6} {:>12}\n", "input", "error");
  for (size_t i = 0; i < result.inputs.size(); ++i) {
    const InputResult& input = result.inputs[i];
    text += is_accuracy ? fmt::format("{:>6} {:>7} {:>6} {:>9.4f}{}\n", i, input.answer, input.label,
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
  std::string text =
      fmt::format("{}: {} {:.4f} over {} inputs", path, result.metric, result.value, result.count);
  if (result.metric == "accuracy") {
    text += fmt::format(", mean margin {:.4f}, 95 % confidence {}", result.margin,
                        host::ConfidenceText(result.value, result.count));
  }
  text += "\n";
  if (!result.confusion.empty()) text += ConfusionTable(result.confusion);
  if (per_input) text += InputsTable(result);
  if (!layers.empty()) text += LayersTable(layers);
  return text;
}

std::string EvaluationJson(const std::string& path, const Evaluation& result,
                           const std::vector<LayerResult>& layers, bool per_input, bool with_layers) {
  const bool is_accuracy = result.metric == "accuracy";
  Json object = {{"schema_version", 1},
                 {"model", path},
                 {"metric", result.metric},
                 {"value", result.value},
                 {"count", result.count},
                 {"confidence_interval", is_accuracy ? IntervalJson(result.value, result.count) : Json()},
                 {"margin", is_accuracy ? Json(result.margin) : Json()},
                 {"confusion", is_accuracy ? Json(result.confusion) : Json()},
                 {"inputs", Json()},
                 {"layers", Json()}};
  if (per_input) {
    object["inputs"] = Json::array();
    for (const InputResult& input : result.inputs) {
      object["inputs"].push_back(
          {{"answer", is_accuracy ? Json(input.answer) : Json()},
           {"label", result.metric != "rmse" ? Json(input.label) : Json()},
           {"margin", is_accuracy && std::isfinite(input.margin) ? Json(input.margin) : Json()},
           {"error", is_accuracy ? Json() : Json(input.error)}});
    }
  }
  if (with_layers) {
    object["layers"] = Json::array();
    for (const LayerResult& layer : layers) {
      const bool equal = std::isinf(layer.qsnr_db);
      object["layers"].push_back(
          {{"index", layer.index},
           {"op", layer.op},
           {"equal", equal},
           {"qsnr_db", equal || std::isnan(layer.qsnr_db) ? Json() : Json(layer.qsnr_db)}});
    }
  }
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lutra::compressor

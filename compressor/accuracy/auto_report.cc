// SPDX-License-Identifier: Apache-2.0
// The result of auto as a table and as JSON.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "compressor/accuracy/auto.h"
#include "compressor/accuracy/interval_json.h"
#include "host/printable.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

std::string ConfidenceLine(double before, double after, int64_t count) {
  return fmt::format("95 % confidence: {} before, {} after\n", host::ConfidenceText(before, count),
                     host::ConfidenceText(after, count));
}

}  // namespace

std::string AutoTable(const AutoResult& result) {
  std::string text;
  for (const SearchStep& step : result.steps) {
    text += fmt::format("QSNR {:<9} step {:<8} {:<4} {:>5} inputs  {}\n", step.qsnr_db, step.step_db,
                        step.is_up ? "up" : "down", step.inputs,
                        step.from_memory ? (step.is_good ? "good, from memory" : "bad, from memory")
                        : step.is_good   ? "good"
                                         : fmt::format("{} bad", step.bad));
  }
  text += fmt::format("{:>6} {:<20} {:>8} {:>8} {:>4} {:<12} {:>8} {:>8}\n", "tensor", "name", "bytes",
                      "stored", "bits", "codec", "dec. us", "QSNR dB");
  for (const AutoTensor& tensor : result.tensors) {
    text += fmt::format("{:>6} {:<20} {:>8} {:>8} {:>4} {:<12} {:>8.2f} {:>8}\n", tensor.index,
                        host::ShortName(tensor.name, 20), tensor.original_bytes, tensor.bytes, tensor.bits,
                        tensor.codec, tensor.decode_us, QsnrText(tensor.qsnr_db, tensor.is_moved));
  }
  text += fmt::format(
      "{}: {} bytes become {} ({:.1f} %), accuracy {:.4f} becomes {:.4f} over {} inputs, {} of those "
      "that were right are wrong; {} evaluations\n",
      result.path, result.bytes_before, result.bytes_after,
      100.0 * static_cast<double>(result.bytes_after) / static_cast<double>(result.bytes_before),
      result.fitted.value_before, result.fitted.value_after, result.fitted.count, result.fitted.lost,
      result.evaluations);
  text += ConfidenceLine(result.fitted.value_before, result.fitted.value_after, result.fitted.count);
  if (result.constants) {
    text += fmt::format(
        "weights and biases: {} bytes become {} ({:.1f} %), as GAP9's engine reads them\n",
        result.constants->before, result.constants->after,
        100.0 * static_cast<double>(result.constants->after) / static_cast<double>(result.constants->before));
  }
  text += result.decoding_text;
  if (result.decode_us) {
    text += fmt::format("decoding, measured: {:.2f} us of an inference on this machine\n", *result.decode_us);
  }
  if (result.held_out) {
    text += fmt::format(
        "fitted on these {} inputs; on {} others accuracy {:.4f} becomes {:.4f}, {} of those that were right "
        "are wrong\n",
        result.fitted.count, result.held_out->count, result.held_out->value_before,
        result.held_out->value_after, result.held_out->lost);
    text +=
        ConfidenceLine(result.held_out->value_before, result.held_out->value_after, result.held_out->count);
  }
  return text;
}

std::string AutoJson(const AutoResult& result) {
  using Json = nlohmann::ordered_json;
  Json tensors = Json::array(), steps = Json::array();
  for (const AutoTensor& tensor : result.tensors) {
    tensors.push_back({{"index", tensor.index},
                       {"name", tensor.name},
                       {"bits", tensor.bits},
                       {"codec", tensor.codec},
                       {"original_bytes", tensor.original_bytes},
                       {"bytes", tensor.bytes},
                       {"decode_us", tensor.decode_us},
                       {"qsnr_db", std::isinf(tensor.qsnr_db) ? Json() : Json(tensor.qsnr_db)},
                       {"moved", tensor.is_moved}});
  }
  for (const SearchStep& step : result.steps) {
    steps.push_back({{"qsnr_db", step.qsnr_db},
                     {"step_db", step.step_db},
                     {"up", step.is_up},
                     {"final", step.is_final},
                     {"from_memory", step.from_memory},
                     {"inputs", step.inputs},
                     {"good", step.is_good},
                     {"bad", step.bad}});
  }
  Json pareto = Json::array();
  for (const ParetoPoint& point : result.pareto) {
    pareto.push_back({{"bytes", point.bytes},
                      {"value", point.value},
                      {"held_out", point.held_out ? Json(*point.held_out) : Json()},
                      {"confidence_interval", IntervalJson(point.value, result.fitted.count)},
                      {"held_out_confidence_interval",
                       point.held_out ? IntervalJson(*point.held_out, result.held_out->count) : Json()},
                      {"result", point.is_result}});
  }
  Json held_out;
  if (result.held_out) {
    held_out = {
        {"count", result.held_out->count},
        {"value_before", result.held_out->value_before},
        {"value_after", result.held_out->value_after},
        {"confidence_interval_before", IntervalJson(result.held_out->value_before, result.held_out->count)},
        {"confidence_interval_after", IntervalJson(result.held_out->value_after, result.held_out->count)},
        {"lost", result.held_out->lost}};
  }
  const Json object = {
      {"schema_version", 1},
      {"model", result.path},
      {"reaches_goal", result.reaches_goal},
      {"bytes_before", result.bytes_before},
      {"bytes_after", result.bytes_after},
      {"value_before", result.fitted.value_before},
      {"value_after", result.fitted.value_after},
      {"confidence_interval_before", IntervalJson(result.fitted.value_before, result.fitted.count)},
      {"confidence_interval_after", IntervalJson(result.fitted.value_after, result.fitted.count)},
      {"lost", result.fitted.lost},
      {"count", result.fitted.count},
      {"evaluations", result.evaluations},
      {"decoding", result.decoding},
      {"decode_us", result.decode_us ? Json(*result.decode_us) : Json()},
      {"constant_bytes_before", result.constants ? Json(result.constants->before) : Json()},
      {"constant_bytes_after", result.constants ? Json(result.constants->after) : Json()},
      {"held_out", held_out},
      {"tensors", tensors},
      {"steps", steps},
      {"pareto", pareto},
      {"settings", Json::parse(WritePlan(result.plan))},
      {"spec", result.spec}};
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lutra::compressor

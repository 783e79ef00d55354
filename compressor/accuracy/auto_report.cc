// SPDX-License-Identifier: Apache-2.0
// The result of auto as a table and as JSON.

#include <fmt/format.h>

#include "compressor/accuracy/auto.h"
#include "compressor/accuracy/metric.h"
#include "host/compression_fields.h"
#include "host/printable.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

std::string ConfidenceLine(const host::AnswerChange& change) {
  return fmt::format("95 % confidence: {} before, {} after, the change {}\n",
                     IntervalText(change.interval_before), IntervalText(change.interval_after),
                     IntervalText(change.interval_of_change));
}

// Returns "accuracy 0.9420 becomes 0.9400", and how many answers were lost.
std::string ChangeText(const std::string& metric, const host::AnswerChange& change,
                       const std::string& over_inputs) {
  std::string text =
      fmt::format("{} {:.4f} becomes {:.4f}{}", metric, change.value_before, change.value_after, over_inputs);
  if (change.lost) text += fmt::format(", {} of those that were right are wrong", *change.lost);
  return text;
}

}  // namespace

std::string AutoTable(const AutoResult& made) {
  const host::AutoSummary& result = made.summary;
  std::string text;
  for (const host::SearchStep& step : result.steps) {
    text += fmt::format("QSNR {:<9} step {:<8} {:<4} {:>5} inputs  {}\n", step.qsnr_db, step.step_db,
                        step.is_up ? "up" : "down", step.inputs,
                        step.from_memory ? (step.is_good ? "good, from memory" : "bad, from memory")
                        : step.is_good   ? "good"
                                         : fmt::format("{} bad", step.bad));
  }
  text += fmt::format("{:>6} {:<20} {:>8} {:>8} {:>4} {:<12} {:>8} {:>8}\n", "tensor", "name", "bytes",
                      "stored", "bits", "codec", "dec. us", "QSNR dB");
  for (const host::ChosenTensor& tensor : result.tensors) {
    text += fmt::format("{:>6} {:<20} {:>8} {:>8} {:>4} {:<12} {:>8.2f} {:>8}\n", tensor.index,
                        host::ShortName(tensor.name, 20), tensor.original_bytes, tensor.bytes, tensor.bits,
                        tensor.codec, tensor.decode_us, QsnrText(tensor.qsnr_db, tensor.is_moved));
  }
  text += fmt::format(
      "{}: {} bytes become {} ({:.1f} %), {}; {} evaluations\n", host::Printable(result.model),
      result.bytes_before, result.bytes_after,
      100.0 * static_cast<double>(result.bytes_after) / static_cast<double>(result.bytes_before),
      ChangeText(result.metric, result.fitted, fmt::format(" over {} inputs", result.fitted.count)),
      result.evaluations);
  text += ConfidenceLine(result.fitted);
  text += StrippedText(result.stripped);
  if (result.constant_bytes_before) {
    text += fmt::format("weights and biases: {} bytes become {} ({:.1f} %), as GAP9's engine reads them\n",
                        *result.constant_bytes_before, *result.constant_bytes_after,
                        100.0 * static_cast<double>(*result.constant_bytes_after) /
                            static_cast<double>(*result.constant_bytes_before));
  }
  text += made.decoding_text;
  if (result.decode_us) {
    text += fmt::format("decoding, measured: {:.2f} us of an inference on this machine\n", *result.decode_us);
  }
  if (result.held_out) {
    text += fmt::format("fitted on these {} inputs; on {} others {}\n", result.fitted.count,
                        result.held_out->count, ChangeText(result.metric, *result.held_out, ""));
    text += ConfidenceLine(*result.held_out);
  }
  return text;
}

std::string SensitivityTable(const host::AutoSummary& summary) {
  std::string text = fmt::format("{:>6} {:<20} {:>4} {:<12} {:>10} {:>8} {:>8} {:>8}\n", "tensor", "alone",
                                 "bits", "codec", "error", "changed", "bytes", "dec. us");
  for (const host::TensorSensitivity& tensor : *summary.sensitivity) {
    for (const host::WidthSensitivity& width : tensor.widths) {
      text += fmt::format("{:>6} {:<20} {:>4} {:<12} {:>10.3g} {:>8} {:>8} {:>8.2f}\n", tensor.index,
                          host::ShortName(tensor.name, 20), width.bits, width.codec, width.error,
                          width.answers_changed ? std::to_string(*width.answers_changed) : "-", width.bytes,
                          width.decode_us);
    }
  }
  return text;
}

std::string SensitivityJson(const host::AutoSummary& summary) {
  const host::SensitivitySummary file = {.model = summary.model,
                                         .metric = summary.metric,
                                         .count = summary.fitted.count,
                                         .tensors = *summary.sensitivity};
  return host::JsonText(host::ToJson(file), 1);
}

std::string AutoJson(const AutoResult& result) { return host::JsonText(host::ToJson(result.summary), 1); }

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// The keys of the reports of `compress pack`, `bin` and `auto`, each named once for writing and reading.
//
//   fmt::print("{}", JsonText(ToJson(summary)));

#pragma once

#include "host/compression_result.h"
#include "host/json_archive.h"
#include "host/scores.h"

namespace lutra::host {

template <typename Archive, Is<CodecUse> Record>
void Fields(Archive& archive, Record& use) {
  archive("codec", use.codec);
  archive("tensors", use.tensors);
  archive("original_bytes", use.original_bytes);
  archive("bytes", use.bytes);
  archive("decode_us", use.decode_us);
}

template <typename Archive, Is<LeftOutCodec> Record>
void Fields(Archive& archive, Record& codec) {
  archive("codec", codec.codec);
  archive("saved_bytes", codec.saved_bytes);
  archive("decode_us", codec.decode_us);
}

template <typename Archive, Is<DecodingSummary> Record>
void Fields(Archive& archive, Record& decoding) {
  archive("decode_us", decoding.decode_us);
  archive("inference_us", decoding.inference_us);
  archive("codecs", decoding.codecs);
  archive.IfAny("left_out", decoding.left_out);
}

template <typename Archive, Is<PackedConstant> Record>
void Fields(Archive& archive, Record& tensor) {
  archive("subgraph", tensor.subgraph);
  archive("index", tensor.index);
  archive("name", tensor.name);
  archive("type", tensor.type);
  archive("shape", tensor.shape);
  archive("consumers", tensor.consumers);
  archive("bytes", tensor.bytes);
  archive.Derived("compressed", tensor.codec.has_value());
  archive("codec", tensor.codec);
  archive("bits", tensor.bits);
  archive("values", tensor.values);
  archive("stored_bytes", tensor.stored_bytes);
  archive("decode_us", tensor.decode_us);
  archive("why_not", tensor.why_not);
}

template <typename Archive, Is<PackSummary> Record>
void Fields(Archive& archive, Record& pack) {
  archive.Derived("schema_version", kResultSchemaVersion);
  archive("model", pack.model);
  archive("bytes_before", pack.bytes_before);
  archive("bytes_after", pack.bytes_after);
  archive("decoding", pack.decoding);
  archive("warnings", pack.warnings);
  archive("tensors", pack.tensors);
  archive("stripped", pack.stripped);
}

template <typename Archive, Is<ByteTotal> Record>
void Fields(Archive& archive, Record& total) {
  archive("original_bytes", total.original_bytes);
  archive("compressed_bytes", total.compressed_bytes);
}

template <typename Archive, Is<NntoolRow> Record>
void Fields(Archive& archive, Record& row) {
  archive("original_bytes", row.original_bytes);
  archive("compressed_bytes", row.compressed_bytes);
  archive("added_into_bias", row.is_added_into_bias);
}

template <typename Archive, typename Record>
void PlaceFields(Archive& archive, Record& place) {
  archive("subgraph", place.subgraph);
  archive("index", place.index);
  archive("name", place.name);
  archive("step", place.step);
  archive("operator", place.op);
}

template <typename Archive, Is<BinnedConstant> Record>
void Fields(Archive& archive, Record& tensor) {
  PlaceFields(archive, tensor);
  archive("type", tensor.type);
  archive("shape", tensor.shape);
  archive("original_bytes", tensor.original_bytes);
  archive("compressed_bytes", tensor.compressed_bytes);
  archive("table_bytes", tensor.table_bytes);
  archive("bits", tensor.bits);
  archive("tables", tensor.tables);
  archive.Derived("lossless", tensor.qsnr_db == std::numeric_limits<double>::infinity());
  archive("qsnr_db", tensor.qsnr_db);
  archive("moved", tensor.is_moved);
  archive("sparse", tensor.is_sparse);
  archive("exact", tensor.is_exact);
  archive("enabled", tensor.is_enabled);
  archive("settings", tensor.settings);
  archive("applied", tensor.is_applied);
  archive.NullIfEmpty("note", tensor.note);
  archive("nntool", tensor.nntool);
}

template <typename Archive, Is<LeftOutConstant> Record>
void Fields(Archive& archive, Record& tensor) {
  PlaceFields(archive, tensor);
  archive("reason", tensor.reason);
}

template <typename Archive, Is<BinSummary> Record>
void Fields(Archive& archive, Record& bin) {
  archive.Derived("schema_version", kResultSchemaVersion);
  archive("model", bin.model);
  archive("tensors", bin.tensors);
  archive("left_out", bin.left_out);
  archive("total", bin.total);
  archive("nntool_total", bin.nntool_total);
}

// Visits all but the number of samples and the number of lost answers, whose keys are elsewhere in the files.
template <typename Archive, typename Record>
void ValueFields(Archive& archive, Record& change) {
  archive("value_before", change.value_before);
  archive("value_after", change.value_after);
  archive("confidence_interval_before", change.interval_before);
  archive("confidence_interval_after", change.interval_after);
  archive("confidence_interval_of_change", change.interval_of_change);
}

template <typename Archive, Is<AnswerChange> Record>
void Fields(Archive& archive, Record& change) {
  archive("count", change.count);
  ValueFields(archive, change);
  archive("lost", change.lost);
}

template <typename Archive, Is<ChosenTensor> Record>
void Fields(Archive& archive, Record& tensor) {
  archive("index", tensor.index);
  archive("name", tensor.name);
  archive("bits", tensor.bits);
  archive("codec", tensor.codec);
  archive("original_bytes", tensor.original_bytes);
  archive("bytes", tensor.bytes);
  archive("decode_us", tensor.decode_us);
  archive("qsnr_db", tensor.qsnr_db);
  archive("moved", tensor.is_moved);
}

template <typename Archive, Is<SearchStep> Record>
void Fields(Archive& archive, Record& step) {
  archive("qsnr_db", step.qsnr_db);
  archive("step_db", step.step_db);
  archive("up", step.is_up);
  archive("final", step.is_final);
  archive("from_memory", step.from_memory);
  archive("inputs", step.inputs);
  archive("good", step.is_good);
  archive("bad", step.bad);
}

template <typename Archive, Is<ParetoPoint> Record>
void Fields(Archive& archive, Record& point) {
  archive("bytes", point.bytes);
  archive("value", point.value);
  archive("held_out", point.held_out);
  archive("confidence_interval", point.confidence_interval);
  archive("held_out_confidence_interval", point.held_out_confidence_interval);
  archive("result", point.is_result);
}

template <typename Archive, Is<WidthSensitivity> Record>
void Fields(Archive& archive, Record& width) {
  archive("bits", width.bits);
  archive("codec", width.codec);
  archive("error", width.error);
  archive("answers_changed", width.answers_changed);
  archive("bytes", width.bytes);
  archive("decode_us", width.decode_us);
}

template <typename Archive, Is<TensorSensitivity> Record>
void Fields(Archive& archive, Record& tensor) {
  archive("subgraph", tensor.subgraph);
  archive("index", tensor.index);
  archive("name", tensor.name);
  archive("original_bytes", tensor.original_bytes);
  archive("widths", tensor.widths);
}

template <typename Archive, Is<SensitivitySummary> Record>
void Fields(Archive& archive, Record& file) {
  archive.Derived("schema_version", kResultSchemaVersion);
  archive("model", file.model);
  archive("metric", file.metric);
  archive("count", file.count);
  archive("tensors", file.tensors);
}

template <typename Archive, Is<AutoSummary> Record>
void Fields(Archive& archive, Record& result) {
  archive.Derived("schema_version", kResultSchemaVersion);
  archive("model", result.model);
  archive("metric", result.metric);
  archive("reaches_goal", result.reaches_goal);
  archive("bytes_before", result.bytes_before);
  archive("bytes_after", result.bytes_after);
  ValueFields(archive, result.fitted);
  archive("lost", result.fitted.lost);
  archive("count", result.fitted.count);
  archive("evaluations", result.evaluations);
  archive("decoding", result.decoding);
  archive("decode_us", result.decode_us);
  archive("constant_bytes_before", result.constant_bytes_before);
  archive("constant_bytes_after", result.constant_bytes_after);
  archive("held_out", result.held_out);
  archive("tensors", result.tensors);
  archive("steps", result.steps);
  archive("pareto", result.pareto);
  archive.IfAny("sensitivity", result.sensitivity);
  archive("settings", result.settings);
  archive("spec", result.spec);
  archive("stripped", result.stripped);
}

}  // namespace lutra::host

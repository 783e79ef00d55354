// SPDX-License-Identifier: Apache-2.0
// The keys of result files, each named once for writing and reading: Fields(archive, record) visits a
// record's figures in the order of the file, for the archives of json_archive.h.

#pragma once

#include "host/json_archive.h"
#include "host/result.h"

namespace lutra::host {

template <typename Archive, typename Record>
void CountFields(Archive& archive, Record& counts) {
  archive("instructions", counts.instructions);
  archive("loads", counts.loads);
  archive("stores", counts.stores);
  archive("vector_instructions", counts.vector_instructions);
}

// Reads the four keys, or writes them if something was counted.
template <typename Archive, typename Record>
void CountFieldsIfAny(Archive& archive, Record& counts) {
  if (Archive::kReads || counts.any()) CountFields(archive, counts);
}

// A file without timed models says nothing of a clock.
template <typename Archive, typename Record>
void EnvironmentFields(Archive& archive, Record& environment, bool is_timed) {
  archive("program", environment.program);
  archive("version", environment.version);
  archive("commit", environment.commit);
  archive("date", environment.date);
  archive("platform", environment.platform);
  archive("cpu", environment.cpu);
  archive("compiler", environment.compiler);
  archive("build_type", environment.build_type);
  archive("rounding", environment.rounding);
  if (is_timed) {
    archive.NullIfEmpty("clock", environment.clock);
    archive.IfNot("clock_resolution_ns", int64_t{0}, environment.clock_resolution_ns);
    archive("noise", environment.noise);
  }
  archive.IfAny("command", environment.command);
}

template <typename Archive, Is<RecordResult> Record>
void Fields(Archive& archive, Record& record) {
  archive("kind", record.kind);
  archive("count", record.count);
  archive("bytes", record.bytes);
}

template <typename Archive, Is<BufferResult> Record>
void Fields(Archive& archive, Record& buffer) {
  archive("tensor", buffer.tensor);
  archive("subgraph", buffer.subgraph);
  archive("name", buffer.name);
  archive("offset_bytes", buffer.offset_bytes);
  archive("bytes", buffer.bytes);
  archive("first_step", buffer.first_step);
  archive("last_step", buffer.last_step);
}

template <typename Archive, Is<RowGroupResult> Record>
void Fields(Archive& archive, Record& group) {
  archive("first_step", group.first_step);
  archive("last_step", group.last_step);
}

template <typename Archive, Is<ArenaResult> Record>
void Fields(Archive& archive, Record& arena) {
  archive("given_bytes", arena.given_bytes);
  archive("used_bytes", arena.used_bytes);
  archive("persistent_bytes", arena.persistent_bytes);
  archive("activation_bytes", arena.activation_bytes);
  archive("scratch_bytes", arena.scratch_bytes);
  archive("compression_bytes", arena.compression_bytes);
  archive("smallest_working_bytes", arena.smallest_working_bytes);
  archive("records", arena.records);
  archive.IfNot("buffers", std::vector<BufferResult>(), arena.buffers);
  archive.IfNot("row_groups", std::vector<RowGroupResult>(), arena.row_groups);
}

template <typename Archive, Is<InferenceResult> Record>
void Fields(Archive& archive, Record& inference) {
  archive("runs", inference.runs);
  archive("min_ns", inference.min_ns);
  archive("median_ns", inference.median_ns);
  archive("mad_ns", inference.mad_ns);
  archive("p95_ns", inference.p95_ns);
  archive.IfNot("runs_per_time", int64_t{1}, inference.runs_per_time);
  CountFieldsIfAny(archive, inference.counts);
}

template <typename Archive, Is<OperatorResult> Record>
void Fields(Archive& archive, Record& op) {
  archive("index", op.index);
  archive("type", op.type);
  archive("name", op.name);
  archive.NullIfEmpty("kernel", op.kernel);
  archive("median_ns", op.median_ns);
  archive("share", op.share);
  archive("macs", op.macs);
  archive("prepared_bytes", op.prepared_bytes);
  archive("ref_median_ns", op.ref_median_ns);
  // An operator always has this key, null where nothing was counted.
  archive("instructions", op.counts.instructions);
  CountFieldsIfAny(archive, op.counts);
  archive.NullIfEmpty("delegate", op.delegate);
  archive.IfAny("reads", op.reads);
}

template <typename Archive, Is<PartitionResult> Record>
void Fields(Archive& archive, Record& partition) {
  archive("nodes", partition.nodes);
  archive("median_ns", partition.median_ns);
  archive("cycles", partition.cycles);
  archive("bytes_moved", partition.bytes_moved);
}

template <typename Archive, Is<DeclinedResult> Record>
void Fields(Archive& archive, Record& declined) {
  archive("node", declined.node);
  archive("reason", declined.reason);
}

template <typename Archive, Is<DelegateResult> Record>
void Fields(Archive& archive, Record& delegate) {
  archive("name", delegate.name);
  archive("partitions", delegate.partitions);
  archive("declined", delegate.declined);
}

template <typename Archive, Is<DecodedTensorResult> Record>
void Fields(Archive& archive, Record& tensor) {
  archive("index", tensor.index);
  archive("name", tensor.name);
  archive("codec", tensor.codec);
  archive("bytes", tensor.bytes);
  archive("ns", tensor.ns);
  archive.IfNot("passes", int64_t{1}, tensor.passes);
}

template <typename Archive, Is<DecompressionResult> Record>
void Fields(Archive& archive, Record& decompression) {
  archive("policy", decompression.policy);
  archive.IfNot("outside_bytes", int64_t{0}, decompression.outside_bytes);
  archive("total_ns", decompression.total_ns);
  archive("share", decompression.share);
  archive("tensors", decompression.tensors);
  CountFieldsIfAny(archive, decompression.counts);
}

template <typename Archive, Is<LayerTraffic> Record>
void Fields(Archive& archive, Record& layer) {
  archive("index", layer.index);
  archive("type", layer.type);
  archive("name", layer.name);
  archive("l3_l2_plain_bytes", layer.l3_l2_plain_bytes);
  archive("l3_l2_bytes", layer.l3_l2_bytes);
  archive("l2_l1_plain_bytes", layer.l2_l1_plain_bytes);
  archive("l2_l1_bytes", layer.l2_l1_bytes);
  archive("l1_l2_bytes", layer.l1_l2_bytes);
  archive("lut_bytes", layer.lut_bytes);
  archive("offset_bytes", layer.offset_bytes);
  archive("tiles", layer.tiles);
  archive("commands", layer.commands);
  archive("unaligned_starts", layer.unaligned_starts);
}

template <typename Archive, Is<UnreadTensor> Record>
void Fields(Archive& archive, Record& tensor) {
  archive("index", tensor.index);
  archive("name", tensor.name);
  archive("codec", tensor.codec);
}

template <typename Archive, Is<TrafficResult> Record>
void Fields(Archive& archive, Record& traffic) {
  archive("engine", traffic.engine);
  archive("total", traffic.total);
  archive("layers", traffic.layers);
  archive("unread", traffic.unread);
}

template <typename Archive, Is<FlashResult> Record>
void Fields(Archive& archive, Record& flash) {
  archive("text_bytes", flash.text_bytes);
  archive("rodata_bytes", flash.rodata_bytes);
  archive("data_bytes", flash.data_bytes);
  archive("bss_bytes", flash.bss_bytes);
}

template <typename Archive, Is<StackResult> Record>
void Fields(Archive& archive, Record& stack) {
  archive("given_bytes", stack.given_bytes);
  archive("used_bytes", stack.used_bytes);
}

template <typename Archive, Is<TensorResult> Record>
void Fields(Archive& archive, Record& tensor) {
  archive("name", tensor.name);
  archive("type", tensor.type);
  archive("shape", tensor.shape);
  archive("crc32", tensor.crc32);
}

template <typename Archive, Is<EvaluationResult> Record>
void Fields(Archive& archive, Record& evaluation) {
  archive("metric", evaluation.metric);
  archive("value", evaluation.value);
  archive("count", evaluation.count);
  archive("confidence_interval", evaluation.confidence_interval);
}

template <typename Archive, Is<AgainstResult> Record>
void Fields(Archive& archive, Record& against) {
  archive("commit", against.commit);
  archive("turns", against.times.turns);
  archive("old_median_ns", against.times.old_median_ns);
  archive("new_median_ns", against.times.new_median_ns);
  archive("ratio", against.times.ratio);
  archive("low", against.times.low);
  archive("high", against.times.high);
  archive("p", against.times.p);
}

// The facts about the model's file; of one that was refused, its path alone is written.
template <typename Archive, typename Record>
void ModelFields(Archive& archive, Record& result) {
  archive("path", result.path);
  if (!Archive::kReads && result.refused()) return;
  archive("bytes", result.bytes);
  archive("sha256", result.sha256);
  archive("operators", result.operators);
  archive("macs", result.macs);
}

// The figures of a run of the model.
template <typename Archive, typename Record>
void RunFields(Archive& archive, Record& result) {
  archive("kernels", result.kernels);
  archive("memory", result.memory);
  archive.IfNot("repack", std::string("auto"), result.repack);
  archive("profile", result.profile);
  archive("arena", result.arena);
  archive("init_ns", result.init_ns);
  archive("prepare_ns", result.prepare_ns);
  archive("inference", result.inference);
  archive("operators", result.op_results);
  archive("delegates", result.delegates);
  archive("decompression", result.decompression);
  archive("traffic", result.traffic);
  archive("inputs", result.inputs);
  archive("outputs", result.outputs);
  archive("evaluation", result.evaluation);
  archive.IfAny("flash", result.flash);
  archive.IfAny("stack", result.stack);
  archive.IfAny("against", result.against);
}

template <typename Archive, Is<KernelResult> Record>
void Fields(Archive& archive, Record& kernel) {
  archive("table", kernel.table);
  archive("variant", kernel.variant);
  CountFields(archive, kernel.counts);
}

template <typename Archive, Is<TestsResult> Record>
void Fields(Archive& archive, Record& tests) {
  archive("run", tests.run);
  archive("passed", tests.passed);
  archive("failed", tests.failed);
  archive("skipped", tests.skipped);
  archive("why_skipped", tests.why_skipped);
}

template <typename Archive, Is<Mismatch> Record>
void Fields(Archive& archive, Record& mismatch) {
  archive.Required("output", mismatch.output);
  archive.Required("index", mismatch.index);
  archive.Required("expected", mismatch.expected);
  archive.Required("actual", mismatch.actual);
  archive.Required("different", mismatch.different);
  archive.Required("elements", mismatch.elements);
  archive.Required("largest", mismatch.largest);
  archive.Required("rules", mismatch.rules);
}

template <typename Archive, Is<CaseResult> Record>
void Fields(Archive& archive, Record& result) {
  archive.Required("id", result.id);
  archive.Required("op", result.op);
  archive.Required("verdict", result.verdict);
  archive.IfNot("frozen", true, result.is_frozen);
  archive.IfNot("outside", std::string(), result.outside);
  archive.IfNot("must_refuse", false, result.must_refuse);
  archive.IfAny("profile", result.profile);
  archive.IfAny("why", result.why);
  archive.IfAny("mismatch", result.mismatch);
}

template <typename Archive, Is<SelectedShard> Record>
void Fields(Archive& archive, Record& shard) {
  archive.Required("shard", shard.index);
  archive.Required("cases", shard.cases);
  archive.Required("sha256", shard.sha256);
}

template <typename Archive, Is<Selection> Record>
void Fields(Archive& archive, Record& selection) {
  archive.Required("filter", selection.filter);
  archive.Required("shard", selection.shard);
  archive.IfAny("ids", selection.ids);
  archive.Required("golden", selection.golden);
  archive.Required("cases", selection.cases);
  archive.Required("all_cases", selection.all_cases);
  archive.IfAny("parts", selection.parts);
}

// Visits all keys but those that follow from the cases: the summary, how many cases are not frozen, which
// operators never ran.
template <typename Archive, typename Record>
void ConformanceFields(Archive& archive, Record& result) {
  archive.Required("profile", result.profile);
  archive.Required("backend", result.backend);
  archive.Required("command", result.command);
  archive.Required("bound", result.bound);
  archive.IfAny("bounds", result.bounds);
  archive.IfAny("selection", result.selection);
}

}  // namespace lutra::host

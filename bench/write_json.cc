// SPDX-License-Identifier: Apache-2.0

#include <nlohmann/json.hpp>

#include "bench/writers.h"

namespace lutra::bench {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// File names and tensor names may be any bytes; JSON is UTF-8.
std::string Dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json Context(const host::Environment& e) {
  Json json = {{"program", e.program},   {"version", e.version},
               {"commit", e.commit},     {"date", e.date},
               {"platform", e.platform}, {"cpu", e.cpu},
               {"compiler", e.compiler}, {"build_type", e.build_type},
               {"rounding", e.rounding}, {"clock", e.clock.empty() ? Json(nullptr) : Json(e.clock)},
               {"noise", e.noise}};
  if (!e.command.empty()) json["command"] = e.command;
  return json;
}

void AddCounts(const std::optional<host::Counts>& counts, Json* json) {
  if (!counts) return;
  (*json)["instructions"] = counts->instructions;
  (*json)["loads"] = counts->loads;
  (*json)["stores"] = counts->stores;
  (*json)["vector_instructions"] = OrNull(counts->vector_instructions);
}

Json Inference(const host::InferenceResult& inference) {
  const auto time = [&](int64_t ns) { return inference.timed ? Json(ns) : Json(nullptr); };
  Json json = {{"runs", inference.runs},
               {"min_ns", time(inference.min_ns)},
               {"median_ns", time(inference.median_ns)},
               {"mad_ns", time(inference.mad_ns)},
               {"p95_ns", time(inference.p95_ns)}};
  AddCounts(inference.counts, &json);
  return json;
}

Json Arena(const host::ArenaResult& arena) {
  Json records = Json::array();
  for (const host::RecordResult& r : arena.records) {
    records.push_back({{"kind", r.kind}, {"count", r.count}, {"bytes", r.bytes}});
  }
  return {{"given_bytes", arena.given_bytes},
          {"used_bytes", arena.used_bytes},
          {"persistent_bytes", arena.persistent_bytes},
          {"activation_bytes", arena.activation_bytes},
          {"scratch_bytes", arena.scratch_bytes},
          {"compression_bytes", arena.compression_bytes},
          {"smallest_working_bytes", OrNull(arena.smallest_working_bytes)},
          {"records", records}};
}

Json Tensors(const std::vector<host::TensorResult>& tensors) {
  Json list = Json::array();
  for (const host::TensorResult& t : tensors) {
    list.push_back({{"name", t.name}, {"type", t.type}, {"shape", t.shape}, {"crc32", t.crc32}});
  }
  return list;
}

Json Decompression(const std::optional<host::DecompressionResult>& decompression) {
  if (!decompression) return nullptr;
  Json tensors = Json::array();
  for (const host::DecodedTensorResult& t : decompression->tensors) {
    tensors.push_back(
        {{"index", t.index}, {"name", t.name}, {"codec", t.codec}, {"bytes", t.bytes}, {"ns", OrNull(t.ns)}});
  }
  Json json = {{"policy", decompression->policy},
               {"total_ns", OrNull(decompression->total_ns)},
               {"share", OrNull(decompression->share)},
               {"tensors", tensors}};
  AddCounts(decompression->counts, &json);
  return json;
}

Json Model(const host::ModelResult& r) {
  return {{"path", r.path},
          {"bytes", r.bytes},
          {"sha256", r.sha256},
          {"operators", r.operators},
          {"macs", r.macs}};
}

Json Refused(const host::ModelResult& r) {
  Json json = {{"model", {{"path", r.path}}}, {"status", "refused"}, {"error", r.error}};
  for (const char* key : {"kernels", "memory", "profile", "arena", "init_ns", "prepare_ns", "inference",
                          "operators", "decompression", "inputs", "outputs", "evaluation"}) {
    json[key] = nullptr;
  }
  return json;
}

Json Result(const host::ModelResult& r) {
  if (!r.error.empty()) return Refused(r);
  Json operators = Json::array();
  for (const host::OperatorResult& op : r.op_results) {
    operators.push_back({{"index", op.index},
                         {"type", op.type},
                         {"name", op.name},
                         {"kernel", op.kernel.empty() ? Json(nullptr) : Json(op.kernel)},
                         {"median_ns", OrNull(op.median_ns)},
                         {"share", OrNull(op.share)},
                         {"macs", op.macs},
                         {"instructions", nullptr}});
    AddCounts(op.counts, &operators.back());
  }
  Json json = {{"model", Model(r)},
               {"status", "ok"},
               {"error", nullptr},
               {"kernels", r.kernels},
               {"memory", r.memory},
               {"profile", r.profile},
               {"arena", Arena(r.arena)},
               {"init_ns", OrNull(r.init_ns)},
               {"prepare_ns", OrNull(r.prepare_ns)},
               {"inference", Inference(r.inference)},
               {"operators", operators},
               {"decompression", Decompression(r.decompression)},
               {"inputs", Tensors(r.inputs)},
               {"outputs", Tensors(r.outputs)},
               {"evaluation", nullptr}};
  if (r.evaluation) {
    json["evaluation"] = {
        {"metric", r.evaluation->metric}, {"value", r.evaluation->value}, {"count", r.evaluation->count}};
  }
  if (r.flash) {
    json["flash"] = {{"text_bytes", r.flash->text_bytes},
                     {"rodata_bytes", r.flash->rodata_bytes},
                     {"data_bytes", r.flash->data_bytes},
                     {"bss_bytes", r.flash->bss_bytes}};
  }
  if (r.stack) json["stack"] = {{"given_bytes", r.stack->given_bytes}, {"used_bytes", r.stack->used_bytes}};
  return json;
}

}  // namespace

std::string WriteJson(const host::BenchmarkReport& report) {
  Json results = Json::array();
  for (const host::ModelResult& r : report.results) results.push_back(Result(r));
  return Dump({{"schema_version", 1}, {"context", Context(report.environment)}, {"results", results}});
}

std::string WriteTrace(const host::BenchmarkReport& report) {
  Json events = Json::array();
  int process = 0;
  for (const host::ModelResult& r : report.results) {
    ++process;
    if (!r.inference.timed) continue;
    events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", process}, {"args", {{"name", r.path}}}});
    for (const host::OperatorResult& op : r.op_results) {
      events.push_back({{"name", op.type},
                        {"cat", "operator"},
                        {"ph", "X"},
                        {"ts", static_cast<double>(op.trace_start_ns) / 1e3},
                        {"dur", static_cast<double>(op.trace_ns) / 1e3},
                        {"pid", process},
                        {"tid", 1},
                        {"args", {{"index", op.index}, {"output", op.name}, {"macs", op.macs}}}});
    }
  }
  return Dump({{"displayTimeUnit", "ns"}, {"traceEvents", events}});
}

std::string WriteGoogleBenchmark(const host::BenchmarkReport& report) {
  Json benchmarks = Json::array();
  const auto add = [&benchmarks](const std::string& name, int64_t iterations, int64_t ns) {
    benchmarks.push_back({{"name", name},
                          {"run_name", name},
                          {"run_type", "iteration"},
                          {"repetitions", 1},
                          {"repetition_index", 0},
                          {"threads", 1},
                          {"iterations", iterations},
                          {"real_time", ns},
                          {"cpu_time", ns},
                          {"time_unit", "ns"}});
  };
  for (const host::ModelResult& r : report.results) {
    if (!r.error.empty() || !r.inference.timed) continue;
    add(r.path, r.inference.runs, r.inference.median_ns);
    for (const host::OperatorResult& op : r.op_results) {
      if (!op.median_ns) continue;
      add(r.path + "/" + std::to_string(op.index) + ":" + op.type, r.inference.runs, *op.median_ns);
    }
  }
  Json context = Context(report.environment);
  context["executable"] = report.environment.program;
  context["library_build_type"] = report.environment.build_type == "Debug" ? "debug" : "release";
  return Dump({{"context", context}, {"benchmarks", benchmarks}});
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0

#include "reports/read_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/model_file.h"
#include "reports/known_names.h"
#include "reports/schema.h"

namespace lutra::reports {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kSchemaVersion = 1;

bool Has(const Json& json, const char* key) { return json.contains(key) && !json[key].is_null(); }

std::string Text(const Json& json, const char* key) {
  return Has(json, key) ? json[key].get<std::string>() : "";
}

int64_t Number(const Json& json, const char* key) { return Has(json, key) ? json[key].get<int64_t>() : 0; }

template <typename T = int64_t>
std::optional<T> Optional(const Json& json, const char* key) {
  return Has(json, key) ? std::optional<T>(json[key].get<T>()) : std::nullopt;
}

// The members of a list that may be absent.
const Json& List(const Json& json, const char* key) {
  static const Json empty = Json::array();
  return Has(json, key) ? json[key] : empty;
}

Context ReadContext(const Json& json) {
  return {.program = Text(json, "program"),
          .version = Text(json, "version"),
          .commit = Text(json, "commit"),
          .date = Text(json, "date"),
          .cpu = Text(json, "cpu"),
          .compiler = Text(json, "compiler"),
          .build_type = Text(json, "build_type"),
          .rounding = Text(json, "rounding"),
          .clock = Text(json, "clock"),
          .command = Text(json, "command"),
          .noise = List(json, "noise").get<std::vector<std::string>>()};
}

Arena ReadArena(const Json& json) {
  Arena arena = {.given_bytes = Number(json, "given_bytes"),
                 .used_bytes = Number(json, "used_bytes"),
                 .persistent_bytes = Number(json, "persistent_bytes"),
                 .activation_bytes = Number(json, "activation_bytes"),
                 .scratch_bytes = Number(json, "scratch_bytes"),
                 .compression_bytes = Number(json, "compression_bytes"),
                 .smallest_working_bytes = Optional(json, "smallest_working_bytes")};
  for (const Json& r : List(json, "records")) {
    arena.records.push_back({Text(r, "kind"), Number(r, "count"), Number(r, "bytes")});
  }
  return arena;
}

Decompression ReadDecompression(const Json& json) {
  Decompression decompression = {.policy = Text(json, "policy"),
                                 .total_ns = Optional(json, "total_ns"),
                                 .instructions = Optional(json, "instructions"),
                                 .share = Optional<double>(json, "share")};
  for (const Json& t : json["tensors"]) {
    decompression.tensors.push_back(
        {Text(t, "name"), Text(t, "codec"), Number(t, "bytes"), Optional(t, "ns")});
  }
  return decompression;
}

std::string Crcs(const Json& tensors) {
  std::string text;
  for (const Json& tensor : tensors) {
    if (!text.empty()) text += ' ';
    text += Text(tensor, "crc32");
  }
  return text;
}

void ReadInference(const Json& json, ModelRun* run) {
  run->runs = Number(json, "runs");
  run->median_ns = Optional(json, "median_ns");
  run->mad_ns = Optional(json, "mad_ns");
  run->instructions = Optional(json, "instructions");
  run->loads = Optional(json, "loads");
  run->stores = Optional(json, "stores");
  run->vector_instructions = Optional(json, "vector_instructions");
}

ModelRun ReadModelRun(const Json& json) {
  const Json& model = json["model"];
  ModelRun run = {.path = Text(model, "path"), .sha256 = Text(model, "sha256")};
  run.name = fs::path(run.path).filename().string();
  if (run.name.ends_with(".tflite")) run.name.resize(run.name.size() - 7);
  run.bytes = Number(model, "bytes");
  run.macs = Number(model, "macs");
  if (json["status"] != "ok") {
    run.error = Text(json, "error").empty() ? "refused" : Text(json, "error");
    return run;
  }
  run.kernels = Text(json, "kernels");
  run.memory = Text(json, "memory");
  run.profile = Text(json, "profile");
  if (Has(json, "arena")) run.arena = ReadArena(json["arena"]);
  if (Has(json, "inference")) ReadInference(json["inference"], &run);
  for (const Json& op : List(json, "operators")) {
    run.operators.push_back(
        {Text(op, "type"), Text(op, "kernel"), Optional(op, "median_ns"), Optional(op, "instructions")});
  }
  if (Has(json, "decompression")) run.decompression = ReadDecompression(json["decompression"]);
  run.inputs = Crcs(List(json, "inputs"));
  run.outputs = Crcs(List(json, "outputs"));
  if (Has(json, "evaluation")) {
    const Json& e = json["evaluation"];
    run.evaluation = {Text(e, "metric"), e["value"].get<double>(), Number(e, "count")};
  }
  if (Has(json, "flash")) {
    const Json& f = json["flash"];
    run.flash = {Number(f, "text_bytes"), Number(f, "rodata_bytes"), Number(f, "data_bytes"),
                 Number(f, "bss_bytes")};
  }
  if (Has(json, "stack")) {
    run.stack = {Optional(json["stack"], "given_bytes"), Number(json["stack"], "used_bytes")};
  }
  return run;
}

ConformanceRun ReadConformance(const Json& json, const std::string& path) {
  ConformanceRun run = {
      .profile = Text(json, "profile"), .backend = Text(json, "backend"), .command = Text(json, "command")};
  for (const Json& c : json["cases"]) {
    run.cases.push_back({Text(c, "id"), Text(c, "op"), Text(c, "verdict"), Text(c, "why")});
  }
  if (Number(json["summary"], "cases") != static_cast<int64_t>(run.cases.size())) {
    throw host::BadInput(
        fmt::format("{}: cases: found {}, required: {}, as its summary says; make the file again", path,
                    run.cases.size(), Number(json["summary"], "cases")));
  }
  return run;
}

TestRun ReadTests(const Json& json) {
  return {.run = Number(json, "run"),
          .passed = Number(json, "passed"),
          .failed = Number(json, "failed"),
          .skipped = Number(json, "skipped"),
          .why_skipped = List(json, "why_skipped").get<std::vector<std::string>>()};
}

CompressionReport ReadCompression(const Json& json) {
  CompressionReport report = {.model = fs::path(Text(json, "model")).filename().string(),
                              .of_file = Has(json, "bytes_before")};
  const Json& total = report.of_file ? json : json["total"];
  report.before = Number(total, report.of_file ? "bytes_before" : "original_bytes");
  report.after = Number(total, report.of_file ? "bytes_after" : "compressed_bytes");
  for (const Json& t : json["tensors"]) {
    if (Has(t, "original_bytes")) {
      const bool applied = t["applied"];
      report.tensors.push_back({.name = Text(t, "name"),
                                .codec = applied ? "binned" : "left as it is",
                                .before = Number(t, "original_bytes"),
                                .after = Number(t, applied ? "compressed_bytes" : "original_bytes"),
                                .bits = Optional(t, "bits"),
                                .qsnr_db = applied ? Optional<double>(t, "qsnr_db") : std::nullopt});
    } else if (Has(t, "stored_bytes")) {
      report.tensors.push_back({.name = Text(t, "name"),
                                .codec = Text(t, "codec"),
                                .before = Number(t, "bytes"),
                                .after = Number(t, "stored_bytes"),
                                .bits = Optional(t, "bits")});
    }
  }
  return report;
}

// Before anything else in the file is looked at: another version may mean something else by it.
void CheckVersion(const Json& json, const std::string& path) {
  if (!json.is_object() || !json.contains("schema_version")) {
    throw host::BadInput(
        fmt::format("{}: schema-version: found none, required: {}; only results of generic_benchmark, "
                    "device_results and conformance are read, and reports of compress",
                    path, kSchemaVersion));
  }
  if (json["schema_version"] != kSchemaVersion) {
    throw host::BadInput(
        fmt::format("{}: schema-version: found {}, required: {}; {}", path,
                    json["schema_version"].dump(-1, ' ', true, Json::error_handler_t::replace),
                    kSchemaVersion, "use a make_report as new as the file"));
  }
}

std::vector<fs::path> ExpandFolders(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    const size_t before = files.size();
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    if (files.size() == before) {
      throw host::BadInput(
          fmt::format("{}: found no .json, required: a folder of result files", path.string()));
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

}  // namespace

std::string PlatformOf(const fs::path& file, const std::string& context_platform) {
  const std::string name = file.filename().string();
  const std::string stem = name.substr(0, name.find('.'));
  const bool is_folder =
      std::find(std::begin(kPlatformNames), std::end(kPlatformNames), stem) != std::end(kPlatformNames);
  return is_folder || stem.starts_with(context_platform + "-") ? stem : context_platform;
}

ResultFile ParseResultFile(const std::string& text, const std::string& path) {
  static const Json result_schema = Json::parse(ResultSchemaText());
  static const Json compression_schema = Json::parse(CompressionSchemaText());
  try {
    const Json json = Json::parse(text);
    CheckVersion(json, path);
    // Results say where they come from; reports of compress are the same everywhere.
    const bool is_compression = json.contains("tensors") && !json.contains("context");
    const auto errors = SchemaErrors(is_compression ? compression_schema : result_schema, json);
    if (!errors.empty()) {
      throw host::BadInput(
          fmt::format("{}: {}{}; make the file again", path, errors.front(),
                      errors.size() == 1 ? "" : fmt::format(" (and {} more)", errors.size() - 1)));
    }
    ResultFile file = {.path = path};
    if (is_compression) {
      file.compression = ReadCompression(json);
      return file;
    }
    file.platform = PlatformOf(path, json["context"]["platform"]);
    file.context = ReadContext(json["context"]);
    for (const Json& result : List(json, "results")) file.models.push_back(ReadModelRun(result));
    if (Has(json, "conformance")) file.conformance = ReadConformance(json["conformance"], path);
    if (Has(json, "tests")) file.tests = ReadTests(json["tests"]);
    for (const Json& k : List(json, "kernels")) {
      file.kernels.push_back({Text(k, "table"), Text(k, "variant"), Number(k, "instructions")});
    }
    return file;
  } catch (const Json::exception& error) {
    throw host::BadInput(fmt::format("{}: not a result file: {}", path, error.what()));
  }
}

std::vector<ResultFile> ReadResultFiles(const std::vector<fs::path>& paths) {
  std::vector<ResultFile> files;
  for (const fs::path& path : ExpandFolders(paths)) {
    const host::AlignedBytes bytes = host::ReadFileBytes(path);
    files.push_back(ParseResultFile({bytes.span().begin(), bytes.span().end()}, path.string()));
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const ResultFile& a, const ResultFile& b) { return a.platform < b.platform; });
  return files;
}

}  // namespace lutra::reports

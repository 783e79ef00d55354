// SPDX-License-Identifier: Apache-2.0
// Finds, checks and reads the files of a report.

#include "reports/read_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/model_file.h"
#include "host/parse_json.h"
#include "host/printable.h"
#include "host/result_json.h"
#include "reports/known_names.h"
#include "reports/schema.h"
#include "reports/views.h"

namespace lutra::reports {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool Has(const Json& json, const char* key) { return json.contains(key) && !json[key].is_null(); }

std::string Text(const Json& json, const char* key) {
  return Has(json, key) ? json[key].get<std::string>() : "";
}

int64_t Number(const Json& json, const char* key) { return Has(json, key) ? json[key].get<int64_t>() : 0; }

template <typename T = int64_t>
std::optional<T> Optional(const Json& json, const char* key) {
  return Has(json, key) ? std::optional<T>(json[key].get<T>()) : std::nullopt;
}

AccuracyChange ReadAccuracy(const Json& json) {
  return {.before = json["value_before"],
          .after = json["value_after"],
          .count = Number(json, "count"),
          .lost = Number(json, "lost")};
}

// Reads the part that only `compress auto` has.
void ReadAuto(const Json& json, CompressionReport* report) {
  report->fitted = ReadAccuracy(json);
  if (Has(json, "held_out")) report->held_out = ReadAccuracy(json["held_out"]);
  for (const Json& point : json.value("pareto", Json::array())) {
    report->pareto.push_back({.bytes = Number(point, "bytes"),
                              .value = point["value"],
                              .held_out = Optional<double>(point, "held_out"),
                              .is_result = point["result"]});
  }
  if (Has(json, "settings")) {
    report->settings = json["settings"].dump(1, ' ', false, Json::error_handler_t::replace);
  }
  report->spec = Text(json, "spec");
}

CompressionReport ReadCompression(const Json& json) {
  CompressionReport report = {.model = fs::path(Text(json, "model")).filename().string(),
                              .of_file = Has(json, "bytes_before")};
  const Json& total = report.of_file ? json : json["total"];
  report.before = Number(total, report.of_file ? "bytes_before" : "original_bytes");
  report.after = Number(total, report.of_file ? "bytes_after" : "compressed_bytes");
  if (Has(json, "value_before")) ReadAuto(json, &report);
  for (const Json& t : json["tensors"]) {
    if (Has(t, "original_bytes") && Has(t, "bytes")) {
      report.tensors.push_back({.name = Text(t, "name"),
                                .codec = Text(t, "codec"),
                                .before = Number(t, "original_bytes"),
                                .after = Number(t, "bytes"),
                                .bits = Optional(t, "bits"),
                                .qsnr_db = Optional<double>(t, "qsnr_db"),
                                .is_moved = Optional<bool>(t, "moved").value_or(false)});
    } else if (Has(t, "original_bytes")) {
      const bool applied = t["applied"];
      report.tensors.push_back({.name = Text(t, "name"),
                                .codec = applied ? "binned" : "left as it is",
                                .before = Number(t, "original_bytes"),
                                .after = Number(t, applied ? "compressed_bytes" : "original_bytes"),
                                .bits = Optional(t, "bits"),
                                .qsnr_db = applied ? Optional<double>(t, "qsnr_db") : std::nullopt,
                                .is_moved = Optional<bool>(t, "moved").value_or(false)});
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

AcceleratedRun::Cost ReadCost(const Json& json) {
  return {.cycles = Number(json, "cycles"),
          .bytes = Number(json, "bytes"),
          .copied_bytes = Number(json, "copied_bytes"),
          .cycles_with_copies = Number(json, "cycles_with_copies")};
}

AcceleratedRun ReadAccelerated(const Json& json) {
  AcceleratedRun run = {.accelerator = Text(json, "accelerator"),
                        .model = fs::path(Text(json, "model")).stem().string(),
                        .config = Text(json, "config"),
                        .mode = Text(json, "mode"),
                        .threads = Number(json, "threads"),
                        .nodes = Number(json, "nodes"),
                        .partitions = Number(json, "partitions"),
                        .differences = Number(json, "differences"),
                        .cost = ReadCost(json),
                        .utilisation = json["utilisation"]};
  for (const Json& layer : json["layers"]) {
    const int64_t bound =
        std::max({Number(layer, "gemm_cycles"), Number(layer, "alu_cycles"), Number(layer, "bus_cycles")});
    run.layers.push_back({.index = Number(layer, "index"),
                          .op = Text(layer, "op"),
                          .cycles = Number(layer, "cycles"),
                          .bound_cycles = bound,
                          .bytes = Number(layer, "bytes"),
                          .utilisation = layer["utilisation"]});
  }
  for (const Json& node : json["declined"])
    run.declined.push_back({Number(node, "node"), Text(node, "op"), Text(node, "reason")});
  const auto by_index = [](const auto& a, const auto& b) { return a.index < b.index; };
  std::stable_sort(run.layers.begin(), run.layers.end(), by_index);
  std::stable_sort(run.declined.begin(), run.declined.end(), by_index);
  if (!Has(json, "gains")) return run;
  const Json& gains = json["gains"];
  run.gains = {ReadCost(gains["one_thread"]), ReadCost(gains["two_threads"]), ReadCost(gains["nodes_apart"])};
  return run;
}

// Before anything else in the file is looked at: another version may mean something else by it.
void CheckVersion(const Json& json, const std::string& path) {
  if (!json.is_object() || !json.contains("schema_version")) {
    throw host::BadInput(
        fmt::format("{}: schema-version: found none, required: {}; only results of generic_benchmark, "
                    "device_results and conformance are read, and reports of compress and vta",
                    path, host::kResultSchemaVersion));
  }
  if (json["schema_version"] != host::kResultSchemaVersion) {
    throw host::BadInput(
        fmt::format("{}: schema-version: found {}, required: {}; {}", path,
                    json["schema_version"].dump(-1, ' ', true, Json::error_handler_t::replace),
                    host::kResultSchemaVersion, "use a make_report as new as the file"));
  }
}

// Throws BadInput if two files say the same of one platform: which of them counts nobody would see.
void RequireOther(const ResultFile& a, const ResultFile& b) {
  const auto refuse = [&](const std::string& what) {
    throw host::BadInput(
        fmt::format("{} and {}: found {} of platform {} in both, required: once; leave one out", a.path,
                    b.path, what, a.platform));
  };
  if (!a.HasPlatform() || !b.HasPlatform()) return;
  if (a.results.conformance && b.results.conformance &&
      a.results.conformance->backend == b.results.conformance->backend &&
      a.results.conformance->profile == b.results.conformance->profile) {
    refuse("conformance results of " + host::Printable(a.results.conformance->backend));
  }
  if (a.results.tests && b.results.tests) refuse("tests");
  if (a.results.kernels && b.results.kernels) refuse("kernels");
  for (const host::ModelResult& model : a.models()) {
    for (const host::ModelResult& other : b.models()) {
      if (model.refused() && other.refused()) continue;  // In any setting.
      if (model.path == other.path && model.kernels == other.kernels && model.memory == other.memory &&
          PolicyOf(model) == PolicyOf(other)) {
        refuse(host::Printable(model.path));
      }
    }
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

const std::vector<host::ModelResult>& ResultFile::models() const {
  static const std::vector<host::ModelResult> kNone;
  return results.models ? *results.models : kNone;
}

const std::vector<host::KernelResult>& ResultFile::kernels() const {
  static const std::vector<host::KernelResult> kNone;
  return results.kernels ? *results.kernels : kNone;
}

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
  static const Json accelerator_schema = Json::parse(AcceleratorSchemaText());
  try {
    const Json json = host::ParseJson<Json>(text, path);
    CheckVersion(json, path);
    // Results say where they come from; reports of compress and vta are the same everywhere.
    const bool is_report = !json.contains("context");
    const bool is_compression = is_report && json.contains("tensors");
    const bool is_accelerated = is_report && json.contains("accelerator");
    const auto errors = SchemaErrors(is_compression   ? compression_schema
                                     : is_accelerated ? accelerator_schema
                                                      : result_schema,
                                     json);
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
    if (is_accelerated) {
      file.accelerated = ReadAccelerated(json);
      return file;
    }
    file.results = host::ReadResultJson(json, path);
    if (file.results.conformance) {
      if (const std::string missing = WhatIsMissing(*file.results.conformance); !missing.empty()) {
        throw host::BadInput(fmt::format("{}: conformance: {}", path, missing));
      }
    }
    file.platform = PlatformOf(path, file.results.environment.platform);
    return file;
  } catch (const Json::exception& error) {
    throw host::BadInput(fmt::format("{}: not a result file: {}", path, error.what()));
  }
}

std::vector<ResultFile> ReadResultFiles(const std::vector<fs::path>& paths,
                                        std::vector<std::string>* refusals) {
  std::vector<ResultFile> files;
  const size_t refused = refusals->size();
  for (const fs::path& path : ExpandFolders(paths)) {
    try {
      files.push_back(ParseResultFile(host::ReadInputText(path), path.string()));
    } catch (const host::BadInput& refusal) {
      refusals->push_back(refusal.what());
    }
  }
  if (files.empty()) {
    const std::string first = (*refusals)[refused];
    refusals->erase(refusals->begin() + static_cast<std::ptrdiff_t>(refused));
    throw host::BadInput(first);
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const ResultFile& a, const ResultFile& b) { return a.platform < b.platform; });
  for (size_t i = 0; i < files.size(); ++i) {
    for (size_t k = i + 1; k < files.size() && files[k].platform == files[i].platform; ++k) {
      RequireOther(files[i], files[k]);
    }
  }
  return files;
}

}  // namespace lutra::reports

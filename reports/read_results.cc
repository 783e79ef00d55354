// SPDX-License-Identifier: Apache-2.0
// Finds, checks and reads the files of a report.

#include "reports/read_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/accelerator_fields.h"
#include "host/compression_fields.h"
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

std::string FileNameOf(const std::string& path) { return fs::path(path).filename().string(); }

CompressionReport ReportOf(const host::PackSummary& pack) {
  CompressionReport report = {.model = FileNameOf(pack.model),
                              .of_file = true,
                              .before = pack.bytes_before,
                              .after = pack.bytes_after};
  for (const host::PackedConstant& t : pack.tensors) {
    if (!t.stored_bytes) continue;
    report.tensors.push_back({.name = t.name,
                              .codec = t.codec.value_or(""),
                              .before = t.bytes,
                              .after = *t.stored_bytes,
                              .bits = t.bits});
  }
  return report;
}

// Returns a quality; empty if nothing was lost.
std::optional<double> Loss(double qsnr_db) {
  return std::isinf(qsnr_db) ? std::nullopt : std::optional<double>(qsnr_db);
}

CompressionReport ReportOf(const host::BinSummary& bin) {
  CompressionReport report = {.model = FileNameOf(bin.model),
                              .before = bin.total.original_bytes,
                              .after = bin.total.compressed_bytes};
  for (const host::BinnedConstant& t : bin.tensors) {
    report.tensors.push_back({.name = t.name,
                              .codec = t.is_applied ? "binned" : "left as it is",
                              .before = t.original_bytes,
                              .after = t.is_applied ? t.compressed_bytes : t.original_bytes,
                              .bits = t.bits,
                              .qsnr_db = t.is_applied ? Loss(t.qsnr_db) : std::nullopt,
                              .is_moved = t.is_moved});
  }
  return report;
}

CompressionReport ReportOf(const host::AutoSummary& found) {
  CompressionReport report = {
      .model = FileNameOf(found.model),
      .of_file = true,
      .before = found.bytes_before,
      .after = found.bytes_after,
      .tensors = {},
      .metric = found.metric,
      .fitted = found.fitted,
      .held_out = found.held_out,
      .pareto = found.pareto,
      .sensitivity = found.sensitivity.value_or(std::vector<host::TensorSensitivity>()),
      .settings = found.settings.text,
      .spec = found.spec};
  for (const host::ChosenTensor& t : found.tensors) {
    report.tensors.push_back({.name = t.name,
                              .codec = t.codec,
                              .before = t.original_bytes,
                              .after = t.bytes,
                              .bits = t.bits,
                              .qsnr_db = Loss(t.qsnr_db),
                              .is_moved = t.is_moved});
  }
  return report;
}

// Verbs write different records, which these keys distinguish.
CompressionReport ReadCompression(const Json& json) {
  if (!json.contains("bytes_before")) return ReportOf(host::FromJson<host::BinSummary>(json));
  if (json.contains("value_before")) return ReportOf(host::FromJson<host::AutoSummary>(json));
  return ReportOf(host::FromJson<host::PackSummary>(json));
}

host::AcceleratedRun ReadAccelerated(const Json& json) {
  auto run = host::FromJson<host::AcceleratedRun>(json);
  run.model = fs::path(run.model).stem().string();
  const auto by_index = [](const auto& a, const auto& b) { return a.index < b.index; };
  std::stable_sort(run.layers.begin(), run.layers.end(), by_index);
  std::stable_sort(run.declined.begin(), run.declined.end(), by_index);
  return run;
}

// Checks the version before other keys, since these may have another meaning in another version.
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

// Throws BadInput if two files have a result for the same: no reader would see which of them counts.
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

}  // namespace

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
    // Result files record where they come from; reports of compress and vta are the same everywhere.
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
    if (is_compression || is_accelerated) {
      host::Under(path.c_str(), [&] {
        if (is_compression) file.compression = ReadCompression(json);
        if (is_accelerated) file.accelerated = ReadAccelerated(json);
      });
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

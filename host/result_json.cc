// SPDX-License-Identifier: Apache-2.0
// Writes and reads result files in JSON: the archives that visit result_fields.h, and the file around the
// records.

#include "host/result_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "host/failures.h"
#include "host/model_file.h"
#include "host/parse_json.h"
#include "host/result_fields.h"

namespace lutra::host {
namespace {

OutJson Convert(const Environment& environment, bool is_timed) {
  OutJson json = OutJson::object();
  JsonWriter writer(&json);
  EnvironmentFields(writer, environment, is_timed);
  return json;
}

OutJson Convert(const ModelResult& result) {
  OutJson model = OutJson::object();
  JsonWriter model_writer(&model);
  ModelFields(model_writer, result);
  OutJson json = {{"model", model},
                  {"status", result.refused() ? "refused" : "ok"},
                  {"error", result.refused() ? OutJson(result.error) : OutJson(nullptr)}};
  JsonWriter writer(&json, !result.refused());
  RunFields(writer, result);
  return json;
}

OutJson Convert(const ConformanceResult& result) {
  OutJson json = OutJson::object();
  JsonWriter writer(&json);
  ConformanceFields(writer, result);
  const std::optional<size_t> not_frozen = CountNotFrozen(result);
  json["not_frozen"] = not_frozen ? OutJson(*not_frozen) : OutJson(nullptr);
  json["operators_never_ran"] = OperatorsThatNeverRan(result).size();
  OutJson& summary = json["summary"] = {{"cases", result.cases.size()}};
  for (int i = 0; i < kVerdictCount; ++i) summary[ToString(static_cast<Verdict>(i))] = 0;
  for (const CaseResult& c : result.cases) {
    OutJson& count = summary[ToString(c.verdict)];
    count = count.get<int>() + 1;
  }
  writer.Required("cases", result.cases);
  return json;
}

ModelResult ReadModel(const InJson& json) {
  ModelResult result;
  JsonReader model(json.at("model"));
  ModelFields(model, result);
  JsonReader reader(json);
  reader("error", result.error);
  if (json.at("status") != "ok") {
    if (result.error.empty()) result.error = "refused";
    return result;
  }
  result.error.clear();
  RunFields(reader, result);
  return result;
}

// Throws unless an id can name a folder, and be a part of a line of text.
void RequireName(const std::string& id) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (!id.empty() && id.find('/') == std::string::npos && std::none_of(id.begin(), id.end(), is_control))
    return;
  throw BadInput(fmt::format(
      "cases: id: found \"{}\", required: a name without control characters and slashes", Printable(id, 80)));
}

ConformanceResult ReadConformance(const InJson& json) {
  ConformanceResult result;
  JsonReader reader(json);
  ConformanceFields(reader, result);
  result.has_manifest = json.contains("not_frozen") && !json["not_frozen"].is_null();
  reader.Required("cases", result.cases);
  for (const CaseResult& one : result.cases) RequireName(one.id);
  // If cases were removed or a count was edited, the counts do not agree.
  const InJson again = InJson::parse(Convert(result).dump());
  for (const char* const key : {"summary", "not_frozen", "operators_never_ran"}) {
    if (json.contains(key) && again[key] != json[key]) {
      throw BadInput(fmt::format("{}: found {}, required: {}, as its cases say; make the file again", key,
                                 json[key].dump(-1, ' ', true, InJson::error_handler_t::replace),
                                 again[key].dump()));
    }
  }
  return result;
}

}  // namespace

std::string JsonText(const OutJson& json, int indent) {
  return json.dump(indent, ' ', false, OutJson::error_handler_t::replace) + "\n";
}

OutJson EnvironmentJson(const Environment& environment) { return Convert(environment, true); }

std::string WriteResultJson(const ResultFile& file, int indent) {
  OutJson json = {{"schema_version", kResultSchemaVersion},
                  {"context", Convert(file.environment, file.models.has_value())}};
  if (file.models) {
    OutJson& results = json["results"] = OutJson::array();
    for (const ModelResult& result : *file.models) results.push_back(Convert(result));
  }
  if (file.conformance) json["conformance"] = Convert(*file.conformance);
  JsonWriter writer(&json);
  writer.IfAny("kernels", file.kernels);
  writer.IfAny("tests", file.tests);
  return JsonText(json, indent);
}

namespace {

ResultFile ReadFields(const InJson& json) {
  ResultFile file;
  JsonReader context(json.at("context"));
  EnvironmentFields(context, file.environment, true);
  const auto has = [&json](const char* key) { return json.contains(key) && !json[key].is_null(); };
  if (has("results")) {
    file.models.emplace();
    for (const InJson& result : json["results"].get_ref<const InJson::array_t&>()) {
      file.models->push_back(ReadModel(result));
    }
  }
  if (has("conformance")) file.conformance = ReadConformance(json["conformance"]);
  JsonReader reader(json);
  reader("kernels", file.kernels);
  reader("tests", file.tests);
  return file;
}

}  // namespace

ResultFile ReadResultJson(const InJson& json, const std::string& path) {
  ResultFile file;
  Under(path.c_str(), [&] { file = ReadFields(json); });
  return file;
}

ResultFile ParseResultJson(const std::string& text, const std::string& path) {
  try {
    const InJson json = ParseJson(text, path);
    if (json.at("schema_version") != kResultSchemaVersion) {
      throw BadInput(fmt::format("{}: schema-version: found {}, required: {}; make the file again", path,
                                 json.at("schema_version").dump(), kResultSchemaVersion));
    }
    return ReadResultJson(json, path);
  } catch (const InJson::exception& error) {
    throw BadInput(fmt::format("{}: not a result file: {}", path, error.what()));
  }
}

ConformanceResult ReadConformanceResult(const std::string& path) {
  return *std::move(ReadConformanceFile(path).conformance);
}

ResultFile ReadConformanceFile(const std::string& path) {
  ResultFile file = ParseResultJson(ReadInputText(path), path);
  if (!file.conformance) {
    throw BadInput(fmt::format(
        "{}: results: found none of conformance, required: what `conformance run --results` writes", path));
  }
  return file;
}

}  // namespace lutra::host

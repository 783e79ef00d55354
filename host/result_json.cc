// SPDX-License-Identifier: Apache-2.0
// Result files as JSON and back: the archives that result_fields.h is visited with, and the file around the
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

using OutJson = nlohmann::ordered_json;  // Keys stay in the order of result_fields.h.
using InJson = nlohmann::json;

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

class Writer {
 public:
  static constexpr bool kReads = false;

  // `is_known`: else every key is null.
  explicit Writer(OutJson* json, bool is_known = true) : json_(*json), is_known_(is_known) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    json_[key] = is_known_ ? Convert(value) : OutJson(nullptr);
  }
  template <typename T>
  void Required(const char* key, const T& value) {
    (*this)(key, value);
  }
  void NullIfEmpty(const char* key, const std::string& text) {
    json_[key] = is_known_ && !text.empty() ? OutJson(text) : OutJson(nullptr);
  }
  void IfAny(const char* key, const std::string& text) {
    if (!text.empty()) (*this)(key, text);
  }
  template <typename T>
  void IfAny(const char* key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  template <typename T>
  void IfNot(const char* key, const T& usual, const T& value) {
    if (value != usual) (*this)(key, value);
  }

 private:
  template <typename T>
  static OutJson Convert(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return OutJson(value);
    } else if constexpr (std::is_same_v<T, Verdict>) {
      return OutJson(ToString(value));
    } else if constexpr (IsOptional<T>::value) {
      return value ? Convert(*value) : OutJson(nullptr);
    } else {
      return ConvertParts(value);
    }
  }
  template <typename T>
  static OutJson ConvertParts(const T& record) {
    OutJson json = OutJson::object();
    Writer writer(&json);
    Fields(writer, record);
    return json;
  }
  template <typename T>
  static OutJson ConvertParts(const std::vector<T>& list) {
    OutJson json = OutJson::array();
    for (const T& element : list) json.push_back(Convert(element));
    return json;
  }
  template <typename T>
  static OutJson ConvertParts(const std::map<std::string, T>& named) {
    OutJson json = OutJson::object();
    for (const auto& [name, value] : named) json[name] = Convert(value);
    return json;
  }

  OutJson& json_;
  bool is_known_;
};

// Sums of figures must not overflow, and a fraction or a larger number is no figure of ours.
int64_t WholeNumber(const InJson& json, int64_t most) {
  const bool is_whole = json.is_number_integer();
  const bool fits = json.is_number_unsigned() ? json.get<uint64_t>() <= static_cast<uint64_t>(most)
                                              : is_whole && json.get<int64_t>() >= -most;
  if (is_whole && fits) return json.get<int64_t>();
  throw BadInput(fmt::format("found {}, required: a whole number up to {}",
                             json.dump(-1, ' ', true, InJson::error_handler_t::replace), most));
}

// Runs `read`; what it refuses is under this key.
template <typename Read>
void Under(const char* key, const Read& read) {
  try {
    read();
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", key, error.what()));
  }
}

class Reader {
 public:
  static constexpr bool kReads = true;

  // Throws if the JSON is no object.
  explicit Reader(const InJson& json) : json_(json) {
    static_cast<void>(json.get_ref<const InJson::object_t&>());
  }

  template <typename T>
  void operator()(const char* key, T& value) {
    const auto place = json_.find(key);
    if (place != json_.end() && !place->is_null()) Under(key, [&] { Convert(*place, &value); });
  }
  template <typename T>
  void Required(const char* key, T& value) {
    Under(key, [&] { Convert(json_.at(key), &value); });
  }
  // JSON has no number for what is not finite.
  void Required(const char* key, double& value) {
    const InJson& json = json_.at(key);
    value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
  }
  void NullIfEmpty(const char* key, std::string& text) { (*this)(key, text); }
  template <typename T>
  void IfAny(const char* key, T& value) {
    (*this)(key, value);
  }
  template <typename T>
  void IfNot(const char* key, const T&, T& value) {
    (*this)(key, value);
  }

 private:
  template <typename T>
  static void Convert(const InJson& json, T* value) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      *value = static_cast<T>(WholeNumber(json, sizeof(T) < sizeof(int64_t) ? INT32_MAX : kMostFigure));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      *value = json.get<T>();
    } else if constexpr (std::is_same_v<T, Verdict>) {
      *value = VerdictOf(json.get<std::string>());
    } else if constexpr (IsOptional<T>::value) {
      Convert(json, &value->emplace());
    } else {
      ConvertParts(json, value);
    }
  }
  template <typename T>
  static void ConvertParts(const InJson& json, T* record) {
    Reader reader(json);
    Fields(reader, *record);
  }
  template <typename T>
  static void ConvertParts(const InJson& json, std::vector<T>* list) {
    for (const InJson& element : json.get_ref<const InJson::array_t&>()) {
      Convert(element, &list->emplace_back());
    }
  }
  template <typename T>
  static void ConvertParts(const InJson& json, std::map<std::string, T>* named) {
    for (const auto& member : json.get_ref<const InJson::object_t&>()) {
      Under(member.first.c_str(), [&] { Convert(member.second, &(*named)[member.first]); });
    }
  }

  const InJson& json_;
};

OutJson Convert(const Environment& environment, bool is_timed) {
  OutJson json = OutJson::object();
  Writer writer(&json);
  EnvironmentFields(writer, environment, is_timed);
  return json;
}

OutJson Convert(const ModelResult& result) {
  OutJson model = OutJson::object();
  Writer model_writer(&model);
  ModelFields(model_writer, result);
  OutJson json = {{"model", model},
                  {"status", result.refused() ? "refused" : "ok"},
                  {"error", result.refused() ? OutJson(result.error) : OutJson(nullptr)}};
  Writer writer(&json, !result.refused());
  RunFields(writer, result);
  return json;
}

OutJson Convert(const ConformanceResult& result) {
  OutJson json = OutJson::object();
  Writer writer(&json);
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
  Reader model(json.at("model"));
  ModelFields(model, result);
  Reader reader(json);
  reader("error", result.error);
  if (json.at("status") != "ok") {
    if (result.error.empty()) result.error = "refused";
    return result;
  }
  result.error.clear();
  RunFields(reader, result);
  return result;
}

// An id is the name of a folder, and stands in lines of text.
void RequireName(const std::string& id) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (!id.empty() && id.find('/') == std::string::npos && std::none_of(id.begin(), id.end(), is_control))
    return;
  throw BadInput(fmt::format(
      "cases: id: found \"{}\", required: a name without control characters and slashes", Printable(id, 80)));
}

ConformanceResult ReadConformance(const InJson& json) {
  ConformanceResult result;
  Reader reader(json);
  ConformanceFields(reader, result);
  result.has_manifest = json.contains("not_frozen") && !json["not_frozen"].is_null();
  reader.Required("cases", result.cases);
  for (const CaseResult& one : result.cases) RequireName(one.id);
  // Whoever cut cases out, or edited a count, made another file of it.
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
  Writer writer(&json);
  writer.IfAny("kernels", file.kernels);
  writer.IfAny("tests", file.tests);
  return JsonText(json, indent);
}

namespace {

ResultFile ReadFields(const InJson& json) {
  ResultFile file;
  Reader context(json.at("context"));
  EnvironmentFields(context, file.environment, true);
  const auto has = [&json](const char* key) { return json.contains(key) && !json[key].is_null(); };
  if (has("results")) {
    file.models.emplace();
    for (const InJson& result : json["results"].get_ref<const InJson::array_t&>()) {
      file.models->push_back(ReadModel(result));
    }
  }
  if (has("conformance")) file.conformance = ReadConformance(json["conformance"]);
  Reader reader(json);
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
  ResultFile file = ParseResultJson(ReadInputText(path), path);
  if (!file.conformance) {
    throw BadInput(fmt::format(
        "{}: results: found none of conformance, required: what `conformance run --results` writes", path));
  }
  return *std::move(file.conformance);
}

}  // namespace lutra::host

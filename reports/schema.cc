// SPDX-License-Identifier: Apache-2.0
// Checks result files against the schemas that are built in.

#include "reports/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/accelerator_schema_json.h"
#include "reports/compression_schema_json.h"
#include "reports/schema_json.h"

namespace lutra::reports {
namespace {

using Json = nlohmann::json;

constexpr size_t kLongestShown = 60;

bool HasType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

class Validator {
 public:
  Validator(const Json& root, UnknownKeys unknown) : root_(root), unknown_(unknown) {}

  // Returns false if there was an error.
  bool Check(const Json& schema, const Json& value, const std::string& place) {
    const size_t before = errors_.size();
    if (schema.contains("$ref")) {
      Check(root_.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))), value, place);
    }
    CheckValue(schema, value, place);
    if (value.is_object()) CheckObject(schema, value, place);
    if (value.is_array() && schema.contains("items")) {
      for (size_t i = 0; i < value.size(); ++i) {
        Check(schema["items"], value[i], place + "/" + std::to_string(i));
      }
    }
    if (schema.contains("anyOf") && std::none_of(schema["anyOf"].begin(), schema["anyOf"].end(),
                                                 [&](const Json& s) { return Holds(s, value); })) {
      Add(place, value, "one of " + schema["anyOf"].dump());
    }
    // A condition adds no names: all of them are in the schema's own properties.
    if (schema.contains("if") && Holds(schema["if"], value)) {
      Validator then(root_, UnknownKeys::kAllowed);
      then.Check(schema["then"], value, place);
      errors_.insert(errors_.end(), then.errors_.begin(), then.errors_.end());
    }
    return errors_.size() == before;
  }

  const std::vector<std::string>& errors() const { return errors_; }

 private:
  bool Holds(const Json& schema, const Json& value) const {
    return Validator(root_, UnknownKeys::kAllowed).Check(schema, value, "");
  }

  void CheckValue(const Json& schema, const Json& value, const std::string& place) {
    if (schema.contains("type")) {
      const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
      if (std::none_of(types.begin(), types.end(), [&](const Json& t) { return HasType(value, t); })) {
        Add(place, value, schema["type"].dump());
      }
    }
    if (schema.contains("const") && value != schema["const"]) Add(place, value, schema["const"].dump());
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
      Add(place, value, "one of " + schema["enum"].dump());
    }
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) {
      Add(place, value, "at least " + schema["minimum"].dump());
    }
  }

  void CheckObject(const Json& schema, const Json& value, const std::string& place) {
    for (const Json& key : schema.value("required", Json::array())) {
      if (!value.contains(key)) errors_.push_back(fmt::format("{}: required: {}", Name(place), key.dump()));
    }
    if (!schema.contains("properties")) return;
    for (const auto& [key, member] : value.items()) {
      if (schema["properties"].contains(key)) {
        Check(schema["properties"][key], member, place + "/" + key);
      } else if (unknown_ == UnknownKeys::kReported) {
        errors_.push_back(fmt::format("{}/{}: not in the schema", place, key));
      }
    }
  }

  static std::string Name(const std::string& place) { return place.empty() ? "/" : place; }

  void Add(const std::string& place, const Json& value, const std::string& required) {
    std::string found = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (found.size() > kLongestShown) found = found.substr(0, kLongestShown) + "...";
    errors_.push_back(fmt::format("{}: found {}, required: {}", Name(place), found, required));
  }

  const Json& root_;
  UnknownKeys unknown_;
  std::vector<std::string> errors_;
};

}  // namespace

std::vector<std::string> SchemaErrors(const Json& schema, const Json& value, UnknownKeys unknown) {
  Validator validator(schema, unknown);
  validator.Check(schema, value, "");
  return validator.errors();
}

const char* ResultSchemaText() { return kSchemaJson; }

const char* CompressionSchemaText() { return kCompressionSchemaJson; }

const char* AcceleratorSchemaText() { return kAcceleratorSchemaJson; }

}  // namespace lutra::reports

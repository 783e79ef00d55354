// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of bounds.

#include "conformance/runner/bounds.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "conformance/oracle/operators.h"
#include "host/model_file.h"
#include "host/parse_json.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

using InJson = nlohmann::json;

[[noreturn]] void Fail(const std::string& path, const std::string& found, const std::string& required) {
  throw host::BadInput(fmt::format(
      "{}: bounds: found {}, required: {}; `conformance bounds` writes such a file", path, found, required));
}

int BoundIn(const InJson& value, const std::string& op, const std::string& path) {
  const bool is_whole = value.is_number_integer();
  const bool is_bound = is_whole && (value.is_number_unsigned() || value.get<int64_t>() >= 0) &&
                        value.get<uint64_t>() <= kLargestBound;
  if (!is_bound) {
    Fail(path,
         fmt::format("{} for {}", value.dump(-1, ' ', true, InJson::error_handler_t::replace).substr(0, 40),
                     op),
         fmt::format("a whole number from 0 to {}", kLargestBound));
  }
  return value.get<int>();
}

}  // namespace

host::Bounds ParseBounds(const std::string& text, const std::string& path) {
  host::Bounds bounds;
  try {
    const InJson file = host::ParseJson(text, path);
    if (!file.is_object() || !file.contains("schema_version") || file["schema_version"] != 1) {
      Fail(path, "no schema_version 1", "{\"schema_version\": 1, \"bounds\": {\"CONV_2D\": 1}}");
    }
    if (!file.contains("bounds") || !file["bounds"].is_object()) {
      Fail(path, "no \"bounds\"", "an object of operators and numbers");
    }
    for (const auto& [op, value] : file["bounds"].items()) {
      if (oracle::FindOperator(op) == nullptr && op != kComposite) {
        Fail(path, fmt::format("\"{}\"", host::Printable(op, 40)),
             "an operator that `conformance list` names");
      }
      bounds[op] = BoundIn(value, op, path);
    }
  } catch (const InJson::exception&) {
    Fail(path, "no JSON", "{\"schema_version\": 1, \"bounds\": {\"CONV_2D\": 1}}");
  }
  return bounds;
}

host::Bounds ReadBounds(const std::string& path) { return ParseBounds(host::ReadInputText(path), path); }

std::string BoundsJson(const host::Bounds& bounds) {
  return nlohmann::ordered_json{{"schema_version", 1}, {"bounds", bounds}}.dump(1) + "\n";
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Parses JSON from files that may be damaged or hostile.
//
//   const nlohmann::json file = ParseJson(text, path);

#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/failures.h"

namespace lutra::host {

// No file of these programs is nested deeper. Printing and copying a value recurse for each level.
inline constexpr int kDeepestJson = 64;

// Throws nlohmann's exceptions for a text that is no JSON, and BadInput, naming `path`, for a text that is
// nested deeper than kDeepestJson, and for a key that an object has twice, since all values but one would be
// dropped.
template <typename Json = nlohmann::json>
Json ParseJson(std::string_view text, const std::string& path) {
  std::vector<std::set<std::string>> keys;  // Of each object that is open.
  const auto check = [&](int depth, typename Json::parse_event_t event, const Json& parsed) {
    if (depth > kDeepestJson) {
      throw BadInput(fmt::format("{}: json: found more than {} levels, required: fewer; make the file again",
                                 path, kDeepestJson));
    }
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.template get<std::string>()).second) {
      throw BadInput(
          fmt::format("{}: json: found key {} twice in an object, required: each key once; take one out",
                      path, parsed.dump(-1, ' ', false, Json::error_handler_t::replace)));
    }
    return true;
  };
  return Json::parse(text, check);
}

}  // namespace lutra::host

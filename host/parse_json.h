// SPDX-License-Identifier: Apache-2.0
// JSON that somebody else wrote, parsed.
//
//   const nlohmann::json file = ParseJson(text, path);

#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "host/failures.h"

namespace lutra::host {

// No file of ours is deeper. Printing and copying a value call themselves for each level.
inline constexpr int kDeepestJson = 64;

// Throws nlohmann's exceptions for what is no JSON, and BadInput, naming `path`, for what is nested deeper
// than any file of ours.
template <typename Json = nlohmann::json>
Json ParseJson(std::string_view text, const std::string& path) {
  const auto check = [&path](int depth, typename Json::parse_event_t, const Json&) {
    if (depth > kDeepestJson) {
      throw BadInput(fmt::format("{}: json: found more than {} levels, required: fewer; make the file again",
                                 path, kDeepestJson));
    }
    return true;
  };
  return Json::parse(text, check);
}

}  // namespace lutra::host

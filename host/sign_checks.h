// SPDX-License-Identifier: Apache-2.0
// Checks the sign of an option's number. CLI11 has such checks, whose messages print the largest double in
// full.
//
//   app.add_option("--max-seconds", seconds)->check(PositiveNumber());   // "found 0, required: more than 0"

#pragma once

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

namespace lutra::host {

inline CLI::Validator PositiveNumber() {
  const auto check = [](const std::string& value) -> std::string {
    if (std::strtod(value.c_str(), nullptr) > 0) return "";
    return "found " + value + ", required: more than 0";
  };
  return {check, "POSITIVE"};
}

inline CLI::Validator NonNegativeNumber() {
  const auto check = [](const std::string& value) -> std::string {
    if (std::strtod(value.c_str(), nullptr) >= 0) return "";
    return "found " + value + ", required: 0 or more";
  };
  return {check, "NONNEGATIVE"};
}

}  // namespace lutra::host

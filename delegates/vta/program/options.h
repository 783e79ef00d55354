// SPDX-License-Identifier: Apache-2.0
// The delegate's options as texts, for `vta` and --delegate-options.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "delegates/vta/driver/delegate.h"

namespace lutra::vta::sim {

struct Options {
  DriverOptions driver;
  SimpleDelegateOptions partitions;
};

// The names of a table's rows.
template <typename Rows>
std::vector<std::string> RowNames(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

// Returns mode, add, threads, config and profile, and the names of SimpleDelegateOptions.
std::vector<std::string> OptionKeys();

// Parses texts by these keys; missing ones are as in Options. Throws BadUsage, with `where` before the key:
// "--" for an option, "vta." for one of several delegates.
Options ParseOptions(const std::map<std::string, std::string>& texts, const std::string& where);

// "1x16_i8w8a32_15_15_18_17"
std::string NameOf(const Config& config);

}  // namespace lutra::vta::sim

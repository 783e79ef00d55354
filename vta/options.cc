// SPDX-License-Identifier: Apache-2.0
// Names to values, and what does not go together.

#include "vta/options.h"

#include <fmt/format.h>

#include <vector>

#include "host/failures.h"
#include "vta/findings.h"

namespace lutra::vta::sim {
namespace {

// The number of `text` among the names.
size_t Find(const std::string& what, const std::string& text, const std::vector<std::string>& names) {
  std::string all;
  for (size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return i;
    all += (i == 0 ? "" : ", ") + names[i];
  }
  throw host::BadUsage(fmt::format("{}: found '{}', required: one of {}", what, text, all));
}

}  // namespace

DriverOptions ParseOptions(const std::map<std::string, std::string>& texts, const std::string& where) {
  DriverOptions options;
  size_t profile = 0;
  for (const auto& [key, text] : texts) {
    const std::string what = where + key;
    if (key == "mode") {
      options.mode = static_cast<Mode>(Find(what, text, {kModeNames, kModeNames + kModeCount}));
    } else if (key == "add") {
      options.add =
          static_cast<AddScaling>(Find(what, text, {kAddScalingNames, kAddScalingNames + kAddScalingCount}));
    } else if (key == "threads") {
      options.threads = static_cast<uint32_t>(Find(what, text, {"1", "2"}) + 1);
    } else if (key == "profile") {
      profile = Find(what, text, {kProfileNames, kProfileNames + kProfileCount});
    } else if (key == "config") {
      std::vector<std::string> names;
      for (const NamedConfig& named : kConfigs) names.emplace_back(named.name);
      options.config = kConfigs[Find(what, text, names)].config;
    }
  }
  if (profile != 0) {
    throw host::BadUsage(
        fmt::format("{}profile {}: found mode {}, which needs MUL on the ALU, required: a profile that has "
                    "it; take reference",
                    where, kProfileNames[profile], kModeNames[static_cast<int>(options.mode)]));
  }
  return options;
}

}  // namespace lutra::vta::sim

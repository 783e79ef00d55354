// SPDX-License-Identifier: Apache-2.0
// Names to values, and what does not go together.

#include "vta/options.h"

#include <fmt/format.h>

#include <charconv>
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

int32_t ParseCount(const std::string& what, const std::string& text) {
  int32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0) {
    throw host::BadUsage(fmt::format("{}: found '{}', required: a number from 0 on", what, text));
  }
  return count;
}

// Where the key's count is kept; null: the key is none of these.
int32_t* FindCount(const std::string& key, SimpleDelegateOptions* partitions) {
  if (key == "max_delegated_partitions") return &partitions->max_delegated_partitions;
  if (key == "min_nodes_per_partition") return &partitions->min_nodes_per_partition;
  if (key == "max_nodes_per_partition") return &partitions->max_nodes_per_partition;
  return nullptr;
}

}  // namespace

Options ParseOptions(const std::map<std::string, std::string>& texts, const std::string& where) {
  Options all;
  DriverOptions& options = all.driver;
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
    } else if (int32_t* const count = FindCount(key, &all.partitions)) {
      *count = ParseCount(what, text);
    }
  }
  if (profile != 0) {
    throw host::BadUsage(
        fmt::format("{}profile {}: found mode {}, which needs MUL on the ALU, required: a profile that has "
                    "it; take reference",
                    where, kProfileNames[profile], kModeNames[static_cast<int>(options.mode)]));
  }
  return all;
}

std::string NameOf(const Config& config) {
  return fmt::format("{}x{}_i{}w{}a{}_{}_{}_{}_{}", config.batch(), config.block(), 1 << config.log_inp_width,
                     1 << config.log_wgt_width, 1 << config.log_acc_width, config.log_uop_buff_size,
                     config.log_inp_buff_size, config.log_wgt_buff_size, config.log_acc_buff_size);
}

}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// Parses names to values, and refuses combinations that exclude each other.

#include "delegates/vta/program/options.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "delegates/vta/simulator/findings.h"
#include "host/failures.h"

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

struct Parsed {
  Options options;
  size_t profile = 0;
};

struct Key {
  const char* name;
  void (*read)(const std::string& what, const std::string& text, Parsed* parsed);
};

const Key kKeys[] = {
    {"mode",
     [](const std::string& what, const std::string& text, Parsed* parsed) {
       parsed->options.driver.mode = static_cast<Mode>(Find(what, text, RowNames(kModes)));
     }},
    {"add",
     [](const std::string& what, const std::string& text, Parsed* parsed) {
       parsed->options.driver.add =
           static_cast<AddScaling>(Find(what, text, {kAddScalingNames, kAddScalingNames + kAddScalingCount}));
     }},
    {"threads",
     [](const std::string& what, const std::string& text, Parsed* parsed) {
       parsed->options.driver.threads = static_cast<uint32_t>(Find(what, text, {"1", "2"}) + 1);
     }},
    {"config",
     [](const std::string& what, const std::string& text, Parsed* parsed) {
       parsed->options.driver.config = kConfigs[Find(what, text, RowNames(kConfigs))].config;
     }},
    {"profile",
     [](const std::string& what, const std::string& text, Parsed* parsed) {
       parsed->profile = Find(what, text, {kProfileNames, kProfileNames + kProfileCount});
     }},
    {"max_delegated_partitions",
     [](const std::string& what, const std::string& text, Parsed* parsed) {
       parsed->options.partitions.max_delegated_partitions = ParseCount(what, text);
     }},
    {"min_nodes_per_partition",
     [](const std::string& what, const std::string& text, Parsed* parsed) {
       parsed->options.partitions.min_nodes_per_partition = ParseCount(what, text);
     }},
    {"max_nodes_per_partition",
     [](const std::string& what, const std::string& text, Parsed* parsed) {
       parsed->options.partitions.max_nodes_per_partition = ParseCount(what, text);
     }},
};

}  // namespace

std::vector<std::string> OptionKeys() { return RowNames(kKeys); }

Options ParseOptions(const std::map<std::string, std::string>& texts, const std::string& where) {
  Parsed parsed;
  for (const Key& key : kKeys) {
    const auto text = texts.find(key.name);
    if (text != texts.end()) key.read(where + key.name, text->second, &parsed);
  }
  if (parsed.profile != 0) {
    throw host::BadUsage(
        fmt::format("{}profile {}: found mode {}, which needs MUL on the ALU, required: a profile that has "
                    "it; take reference",
                    where, kProfileNames[parsed.profile], FactsOf(parsed.options.driver.mode).name));
  }
  return parsed.options;
}

std::string NameOf(const Config& config) {
  return fmt::format("{}x{}_i{}w{}a{}_{}_{}_{}_{}", config.batch(), config.block(), 1 << config.log_inp_width,
                     1 << config.log_wgt_width, 1 << config.log_acc_width, config.log_uop_buff_size,
                     config.log_inp_buff_size, config.log_wgt_buff_size, config.log_acc_buff_size);
}

}  // namespace lutra::vta::sim

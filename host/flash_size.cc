// SPDX-License-Identifier: Apache-2.0
// Adds the lines of a platform's table that name one of the operators.

#include "host/flash_size.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace lutra::host {
namespace {

struct Table {
  std::string_view platform;
  std::string_view text;
};

constexpr Table kTables[] = {
#include "host/flash_tables.inc"
    {"", ""},  // An array without tables would have no elements.
};

// Returns whether a firmware with these operators keeps the sections of a line with these names.
bool IsKept(const std::vector<std::string>& names, const std::vector<std::string>& operators) {
  const bool all_but = names.front() == "all-but";
  return std::any_of(operators.begin(), operators.end(), [&](const std::string& name) {
    const bool is_named = std::find(names.begin(), names.end(), name) != names.end();
    return all_but ? !is_named && name != kRowGroupsToken : is_named;
  });
}

}  // namespace

FlashSize FlashSizeIn(std::string_view table, const std::vector<std::string>& operators) {
  FlashSize size;
  size_t alone_bytes = 0;
  std::istringstream lines{std::string(table)};
  std::string line;
  while (std::getline(lines, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    size_t bytes = 0;
    std::vector<std::string> names;
    if (words >> bytes) names.assign(std::istream_iterator<std::string>(words), {});
    if (names.empty()) throw std::runtime_error("flash.txt: required: BYTES WORD..., found: " + line);
    if (names.front() == "alone") {
      if (operators == std::vector<std::string>(names.begin() + 1, names.end())) alone_bytes = bytes;
    } else if (names.front() == "ram") {
      size.static_ram_bytes += bytes;
    } else if (names.front() == "each") {
      size.code_bytes += bytes * static_cast<size_t>(std::count_if(
                                     operators.begin(), operators.end(),
                                     [](const std::string& name) { return name != kRowGroupsToken; }));
    } else if (names.front() == "base" || IsKept(names, operators)) {
      size.code_bytes += bytes;
    }
  }
  if (alone_bytes != 0) size.code_bytes = alone_bytes;
  return size;
}

std::optional<FlashSize> FlashSizeOf(const std::string& platform, const std::vector<std::string>& operators) {
  for (const Table& table : kTables) {
    if (table.platform == platform && !platform.empty()) return FlashSizeIn(table.text, operators);
  }
  return std::nullopt;
}

}  // namespace lutra::host

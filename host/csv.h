// SPDX-License-Identifier: Apache-2.0
// Names from models and files as cells of a table of comma-separated values.

#pragma once

#include <string>
#include <string_view>

#include "host/printable.h"

namespace lutra::host {

// RFC 4180: quoted where needed, quotes doubled. A name becomes one line. If it begins like a formula, which
// a spreadsheet would compute, an apostrophe is put before it.
inline std::string CsvField(const std::string& name) {
  std::string text = Printable(name);
  if (!text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Makes text safe for HTML and XML, inside elements and inside double quotes, and for a terminal that shows
// these files.

#pragma once

#include <algorithm>
#include <string>

#include "host/printable.h"

namespace lutra::host {

inline std::string Markup(const std::string& text) {
  std::string line = text;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  std::string escaped;
  for (const char c : Printable(line)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Text made safe for HTML and XML, inside elements and inside double quotes.

#pragma once

#include <string>

namespace lutra::host {

inline std::string Markup(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
  }
  return escaped;
}

}  // namespace lutra::host

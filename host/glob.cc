// SPDX-License-Identifier: Apache-2.0
// Goes through the text once, and after a mismatch back to the last star only.

#include "host/glob.h"

namespace lutra::host {

bool Matches(const std::string& pattern, const std::string& text) {
  // After a mismatch the last star matches one character more.
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string::npos;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace lutra::host

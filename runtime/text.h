// SPDX-License-Identifier: Apache-2.0
// Comparison of names. C libraries for microcontrollers have a strcmp of 700 bytes.

#pragma once

namespace lutra {

inline bool SameText(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b) {
    if (*a == '\0') return true;
  }
  return false;
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Patterns of names: * stands for any characters, ? for one.
//
//   Matches("int8.conv_2d.*", test.id)

#pragma once

#include <string>

namespace lutra::host {

// Returns whether the whole of `text` matches.
bool Matches(const std::string& pattern, const std::string& text);

}  // namespace lutra::host

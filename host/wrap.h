// SPDX-License-Identifier: Apache-2.0
// Text for people in lines that a terminal of the usual width shows whole.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lutra::host {

// No line that goes to a terminal is longer.
inline constexpr size_t kColumns = 80;

// The columns that a Printable text takes: one for each of its characters.
size_t Width(std::string_view printable);

// `text` with its lines of more than kColumns broken at spaces, or, where a word is longer than a line,
// behind its commas, or else anywhere. What follows a break begins at column `indent`; without one, where the
// line's last column of a table begins, or its text.
std::string Wrapped(std::string_view text, std::optional<size_t> indent = std::nullopt);

}  // namespace lutra::host

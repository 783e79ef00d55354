// SPDX-License-Identifier: Apache-2.0
// Breaks text for people into lines that fit a terminal of the usual width.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lutra::host {

// No line that is printed on a terminal is longer.
inline constexpr size_t kColumns = 80;

// The columns that a Printable text takes: one for each of its characters.
size_t Width(std::string_view printable);

// Returns `text` with its lines of more than kColumns broken at spaces or, if a word is longer than a line,
// behind its commas, or else anywhere. The text after a break begins at column `indent`; without one, at the
// column where the last column of a table, or the line's text, begins.
std::string Wrapped(std::string_view text, std::optional<size_t> indent = std::nullopt);

}  // namespace lutra::host

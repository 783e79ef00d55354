// SPDX-License-Identifier: Apache-2.0
// Makes text from models and adapters safe to print on a terminal or in one line.
//
//   fmt::print("{}\n", Printable(tensor.name));     // "a\x1b[2Jb" for a name that would clear the screen

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lutra::host {

// The text in UTF-8 without anything that moves the cursor: control characters, bytes that are no UTF-8, and
// marks that change the direction of writing become \n, \t, \xNN or \uNNNN. At most `most` characters, then
// an ellipsis stands for the rest; 0: all of them.
std::string Printable(std::string_view text, size_t most = 0);

// The longest beginning of a Printable text with at most `most` bytes and whole characters.
std::string_view Beginning(std::string_view printable, size_t most);

// Returns a Printable name in at most `most` bytes: if it is longer, its end and a shorter part of its
// beginning, around "...". Converters make names of hundreds of bytes, whose ends differ more than their
// middles.
std::string ShortName(std::string_view name, size_t most);

// "47,672".
std::string Grouped(int64_t value);

}  // namespace lutra::host

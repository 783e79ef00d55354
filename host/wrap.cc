// SPDX-License-Identifier: Apache-2.0
// Breaks lines, a line at a time.

#include "host/wrap.h"

#include <algorithm>

namespace lutra::host {
namespace {

// The first `columns` characters.
std::string_view Front(std::string_view text, size_t columns) {
  size_t bytes = 0;
  for (size_t count = 0; bytes < text.size() && count < columns; ++count) {
    ++bytes;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) ++bytes;
  }
  return text.substr(0, bytes);
}

// Returns the column behind the last gap of two spaces in the left half of a line, or behind the spaces at
// its start.
size_t IndentOf(std::string_view line) {
  size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > kColumns / 2) return 0;
  for (size_t at = 2; at < std::min(line.size(), kColumns / 2); ++at) {
    if (line[at - 2] == ' ' && line[at - 1] == ' ' && line[at] != ' ') indent = Width(line.substr(0, at));
  }
  return indent;
}

// Returns how many bytes of a line that is too long stay before a break: more than its indent.
size_t BreakOf(std::string_view line, size_t indent) {
  const std::string_view front = Front(line, kColumns);
  const size_t least = std::max(line.find_first_not_of(' '), indent);
  // A line may also end at a space just behind the part that fits.
  const size_t space = line.substr(0, std::min(front.size() + 1, line.size())).find_last_of(' ');
  if (space != std::string_view::npos && space > least) return space;
  const size_t comma = front.find_last_of(',');
  if (comma != std::string_view::npos && comma > least) return comma + 1;
  return front.size();
}

std::string WrappedLine(std::string line, size_t indent) {
  std::string text;
  while (Width(line) > kColumns) {
    const size_t end = BreakOf(line, indent);
    const size_t next = std::min(line.find_first_not_of(' ', end), line.size());
    text += line.substr(0, line.find_last_not_of(' ', end - 1) + 1);
    line.erase(0, next);
    if (line.empty()) return text;
    text += '\n';
    line.insert(0, indent, ' ');
  }
  return text + line;
}

}  // namespace

size_t Width(std::string_view printable) {
  return static_cast<size_t>(std::count_if(printable.begin(), printable.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string Wrapped(std::string_view text, std::optional<size_t> indent) {
  std::string wrapped;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    wrapped += WrappedLine(std::string(line), indent.value_or(IndentOf(line)));
    if (end < text.size()) wrapped += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

}  // namespace lutra::host

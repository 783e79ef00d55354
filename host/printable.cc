// SPDX-License-Identifier: Apache-2.0
// Escapes characters that must not be printed. UTF-8 is decoded strictly (RFC 3629): without overlong forms
// and surrogates.

#include "host/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace lutra::host {
namespace {

// Returns whether the byte continues a character of UTF-8.
bool IsContinuation(char byte) { return (static_cast<uint8_t>(byte) & 0xc0) == 0x80; }

// The code point at the start of `text`, and its number of bytes; 0 if it is no UTF-8.
struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;
};

CodePoint Decode(std::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  uint32_t value = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if (!IsContinuation(text[i])) return {};
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (overlong || surrogate || value > 0x10ffff) return {};
  return {value, bytes};
}

bool IsControl(uint32_t c) { return c < 0x20 || (c >= 0x7f && c <= 0x9f); }

// Returns whether the character separates lines or paragraphs, or changes the direction of text.
bool IsMark(uint32_t c) {
  return c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

std::string Escaped(uint32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  return c < 0x100 ? fmt::format("\\x{:02x}", c) : fmt::format("\\u{:04x}", c);
}

}  // namespace

std::string Printable(std::string_view text, size_t most) {
  std::string result;
  for (size_t count = 0; !text.empty(); ++count) {
    if (most != 0 && count == most) return result + "…";
    const CodePoint c = Decode(text);
    if (c.bytes == 0) {
      result += Escaped(static_cast<uint8_t>(text[0]));
    } else if (IsControl(c.value) || IsMark(c.value)) {
      result += Escaped(c.value);
    } else {
      result += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return result;
}

std::string_view Beginning(std::string_view printable, size_t most) {
  if (printable.size() <= most) return printable;
  while (most > 0 && IsContinuation(printable[most])) --most;
  return printable.substr(0, most);
}

std::string ShortName(std::string_view name, size_t most) {
  constexpr std::string_view kBetween = "...";
  const std::string text = Printable(name);
  if (text.size() <= most) return text;
  const size_t front = (most - kBetween.size()) / 3;
  size_t end = text.size() - (most - kBetween.size() - front);
  while (end < text.size() && IsContinuation(text[end])) ++end;
  return fmt::format("{}{}{}", Beginning(text, front), kBetween, text.substr(end));
}

std::string Grouped(int64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    const size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace lutra::host

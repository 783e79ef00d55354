// SPDX-License-Identifier: Apache-2.0
// Joins words to lines, and writes them.

#include "platforms/common/report.h"

#include "platforms/common/semihosting.h"

namespace lutra::platforms {

TextLine::~TextLine() {
  line_[length_++] = '\n';
  const semihosting::File out = semihosting::OpenStandardOutput();
  semihosting::Write(out, line_, length_);
  semihosting::Close(out);
}

TextLine& TextLine::Text(const char* word) {
  BeginWord();
  for (; *word != '\0'; ++word) Append(*word);
  return *this;
}

TextLine& TextLine::Number(intptr_t value) {
  BeginWord();
  if (value < 0) Append('-');
  uintptr_t rest = static_cast<uintptr_t>(value);
  if (value < 0) rest = 0 - rest;
  uintptr_t unit = 1;
  while (rest / unit >= 10) unit *= 10;
  for (; unit > 0; unit /= 10) {
    Append(static_cast<char>('0' + rest / unit % 10));
  }
  return *this;
}

TextLine& TextLine::Hex(uint32_t value) {
  BeginWord();
  for (int shift = 28; shift >= 0; shift -= 4) {
    Append("0123456789abcdef"[(value >> shift) & 15]);
  }
  return *this;
}

void TextLine::BeginWord() {
  if (length_ > 0) Append(' ');
}

void TextLine::Append(char character) {
  if (length_ < kCapacity - 1) line_[length_++] = character;
}

}  // namespace lutra::platforms

// SPDX-License-Identifier: Apache-2.0
#include "platforms/common/report.h"

#include "platforms/common/semihosting.h"

namespace lutra {

ReportLine::ReportLine(const char* kind) {
  for (const char* c = "lutra1"; *c != '\0'; ++c) Append(*c);
  Text(kind);
}

ReportLine::~ReportLine() {
  line_[length_++] = '\n';
  const semihosting::File out = semihosting::OpenStandardOutput();
  semihosting::Write(out, line_, length_);
  semihosting::Close(out);
}

ReportLine& ReportLine::Text(const char* word) {
  Append(' ');
  for (; *word != '\0'; ++word) Append(*word);
  return *this;
}

ReportLine& ReportLine::Number(intptr_t value) {
  Append(' ');
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

ReportLine& ReportLine::Hex(uint32_t value) {
  Append(' ');
  for (int shift = 28; shift >= 0; shift -= 4) {
    Append("0123456789abcdef"[(value >> shift) & 15]);
  }
  return *this;
}

void ReportLine::Append(char character) {
  if (length_ < kCapacity - 1) line_[length_++] = character;
}

}  // namespace lutra

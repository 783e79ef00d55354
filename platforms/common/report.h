// SPDX-License-Identifier: Apache-2.0
// The lines that a firmware prints on the host's standard output: reports, `lutra1 <kind> <word> <word>...`,
// and answers to a program that asks, which have no `lutra1`. The 1 is the version of this protocol.
//
//   ReportLine("output").Number(0).Text("crc32").Hex(crc);
//
// prints `lutra1 output 0 crc32 d1ab159e` when the object dies.

#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lutra::platforms {

// Words with one space between them.
class TextLine {
 public:
  TextLine() = default;
  ~TextLine();
  TextLine(const TextLine&) = delete;
  TextLine& operator=(const TextLine&) = delete;

  TextLine& Text(const char* word);
  TextLine& Number(intptr_t value);
  TextLine& Hex(uint32_t value);
  // A name and a number of bytes.
  TextLine& Bytes(const char* name, size_t value) { return Text(name).Number(static_cast<intptr_t>(value)); }

 private:
  void Append(char character);
  void BeginWord();

  // A longer line is cut.
  static constexpr size_t kCapacity = 240;
  char line_[kCapacity];
  size_t length_ = 0;
};

class ReportLine : public TextLine {
 public:
  explicit ReportLine(const char* kind) { Text("lutra1").Text(kind); }
};

}  // namespace lutra::platforms

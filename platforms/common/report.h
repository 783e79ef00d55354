// SPDX-License-Identifier: Apache-2.0
// The lines a firmware prints: `lutra1 <kind> <word> <word>...`, on the host's
// standard output. The 1 is the version of this protocol.
//
//   ReportLine("output").Number(0).Text("crc32").Hex(crc);
//
// prints `lutra1 output 0 crc32 d1ab159e` when the object dies.

#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lutra {

class ReportLine {
 public:
  explicit ReportLine(const char* kind);
  ~ReportLine();
  ReportLine(const ReportLine&) = delete;
  ReportLine& operator=(const ReportLine&) = delete;

  ReportLine& Text(const char* word);
  ReportLine& Number(intptr_t value);
  ReportLine& Hex(uint32_t value);
  // A name and a number of bytes.
  ReportLine& Bytes(const char* name, size_t value) {
    return Text(name).Number(static_cast<intptr_t>(value));
  }

 private:
  void Append(char character);

  // A longer line is cut.
  static constexpr size_t kCapacity = 240;
  char line_[kCapacity];
  size_t length_ = 0;
};

}  // namespace lutra

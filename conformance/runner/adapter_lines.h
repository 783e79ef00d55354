// SPDX-License-Identifier: Apache-2.0
// Reads the text of the adapter protocol: lines from the bytes that were received, answers from lines. Any
// line is either an answer or none; nothing that an adapter writes is an error here.
//
//   ReceivedLines lines;
//   lines.Append(chunk, count);
//   for (std::string line; lines.Take(&line);) ParseAnswer(line);

#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace lutra::conformance {

struct AdapterAnswer {
  enum Kind { kOk, kUnsupported, kRefused, kError, kCrash, kTimeout, kInterrupted };
  Kind kind = kOk;
  std::string why;  // Printable. For a crash: the signal or exit code, and the last line of stderr.
};

class ReceivedLines {
 public:
  void Append(const char* bytes, size_t count) { buffered_.append(bytes, count); }
  void Clear() { buffered_.clear(); }
  // The next whole line, without its end. False if there is none yet.
  bool Take(std::string* line);
  // The bytes that came after the last line that was taken.
  const std::string& Rest() const { return buffered_; }
  // True if that is longer than any answer.
  bool TooLong() const;

 private:
  std::string buffered_;
};

// "<name> <version>" of the answer to `hello 1`; nothing if the line is no such answer.
std::optional<std::string> ParseGreeting(const std::string& line);
// The answer to a case: kOk to kError; nothing if the line is no answer of the protocol.
std::optional<AdapterAnswer> ParseAnswer(const std::string& line);

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// The exceptions that end a program's work, and the exit codes that scripts rely on. RunMain
// (run_main.h) turns the one into the other.
//
//   throw BadInput(fmt::format("{}: npy: not in C order; save the array again with numpy.save", path));

#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

#include "host/printable.h"

namespace lutra::host {

inline constexpr int kExitOk = 0;
// The measured runtime or model is wrong: a failed case, a difference, a lint error.
inline constexpr int kExitWrong = 1;
inline constexpr int kExitUsage = 2;
// The program could not do its work: a file, a model or data is not what it should be, or memory ran out.
inline constexpr int kExitBadInput = 3;

// An exception whose what() is one line, whatever characters the names in it have.
class LineError : public std::runtime_error {
 public:
  explicit LineError(const std::string& line) : std::runtime_error(Printable(line)) {}
};

// A file, a model or data that is not what it should be. what() is one line that begins with its name.
class BadInput : public LineError {
 public:
  using LineError::LineError;
  // "<name>: found <found>, required: <required>".
  BadInput(const std::string& name, const std::string& found, const std::string& required)
      : LineError(name + ": found " + found + ", required: " + required) {}
};

// Options that do not go together. what() names them; RunMain says the program and --help around it.
class BadUsage : public LineError {
 public:
  using LineError::LineError;
};

// The runtime that is measured broke its contract. what() is one line.
class WrongResult : public LineError {
 public:
  using LineError::LineError;
};

// The system refused memory. what() is one line that says how much was asked for and what to do.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(size_t bytes) noexcept;
  const char* what() const noexcept override { return text_; }

 private:
  char text_[160];
};

// The line for any failed allocation; that of OutOfMemory says how much was asked for.
const char* MemoryText(const std::bad_alloc& failure) noexcept;

}  // namespace lutra::host

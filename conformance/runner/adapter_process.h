// SPDX-License-Identifier: Apache-2.0
// A runtime on the other side of two pipes, where adapters/protocol.h serves it.
//
//   AdapterProcess adapter("./my_adapter", std::chrono::seconds(10));
//   AdapterAnswer answer = adapter.Run(id, folder);   // starts it; again after a crash
//
// The adapter is not trusted: it may print anything, answer late, twice or never, close its pipes, die, or
// leave processes behind. In each case Run returns an answer within the timeout. All processes that the
// adapter started end with it, or with this program, however that ends.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "conformance/runner/adapter_lines.h"
#include "host/descriptor.h"
#include "host/process_group.h"

namespace lutra::conformance {

class AdapterProcess {
 public:
  // `command` is for the shell. Nothing is started yet.
  AdapterProcess(std::string command, std::chrono::milliseconds timeout);
  ~AdapterProcess();
  AdapterProcess(const AdapterProcess&) = delete;
  AdapterProcess& operator=(const AdapterProcess&) = delete;

  // "<name> <version>" of the adapter's greeting. Throws BadInput if it does not greet.
  const std::string& Greeting();
  // Returns kInterrupted if this program was interrupted (host/interrupt.h).
  AdapterAnswer Run(const std::string& id, const std::filesystem::path& folder);
  // Ends the adapter; the next case starts it anew.
  void Restart();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Event { kReady, kEnd, kTimeout, kInterrupted };

  void Start();
  // Ends it and all that it started: at once, or after a short time to leave by itself. Returns how it ended.
  std::string Stop(bool at_once);
  // Waits until the descriptor can be read or written (`events` of poll).
  Event Wait(int descriptor, short events, Clock::time_point deadline) const;
  Event Send(const std::string& line, Clock::time_point deadline);
  Event Receive(std::string* line, Clock::time_point deadline);
  // Returns the text that the adapter has written without a question; empty if none.
  std::string Unasked();
  // Returns the answer that stands for one that did not come.
  AdapterAnswer Failed(Event event);
  // The last line on stderr since the last case began, and how the process ended.
  std::string WithLastWords(const std::string& text) const;

  std::string command_;
  std::chrono::milliseconds timeout_;
  std::string greeting_;
  std::optional<host::ProcessGroup> group_;  // Not there before the adapter is started, and after its end.
  host::Descriptor to_, from_;
  ReceivedLines received_;
  host::Descriptor stderr_;  // A file without a name.
  off_t stderr_begin_ = 0;   // Begin of the last case's text in the file.
};

}  // namespace lutra::conformance

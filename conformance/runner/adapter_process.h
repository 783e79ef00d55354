// SPDX-License-Identifier: Apache-2.0
// A runtime on the other side of two pipes; adapters/protocol.h is its end.
//
//   AdapterProcess adapter("./my_adapter", std::chrono::seconds(10));
//   AdapterAnswer answer = adapter.Run(id, folder);   // starts it; again after a crash

#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "conformance/runner/adapter_lines.h"

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
  AdapterAnswer Run(const std::string& id, const std::filesystem::path& folder);

 private:
  enum class Line { kOk, kEnd, kTimeout };

  void Start();
  void Stop();
  bool Send(const std::string& line);
  Line Receive(std::string* line);
  // How the process ended, after its end of the pipe closed.
  std::string Epitaph();

  std::string command_;
  std::chrono::milliseconds timeout_;
  std::string greeting_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  ReceivedLines received_;
  std::filesystem::path stderr_;
};

}  // namespace lutra::conformance

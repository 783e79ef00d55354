// SPDX-License-Identifier: Apache-2.0
// A program in a process group of its own: all that it starts ends with the object, or with this process,
// however that ends.
//
//   ProcessGroup group({"/bin/sh", "-c", line}, {.output = pipe});  // Throws std::system_error.
//   group.WaitForEnd();
//   std::string how = HowItEnded(group.End());                      // "exit code 1", "signal 9 (Killed)"

#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "host/descriptor.h"
#include "host/guardian.h"

namespace lutra::host {

// The program's standard streams; -1 is this process's own stream.
struct StandardStreams {
  int input = -1, output = -1, errors = -1;
};

class ProcessGroup {
 public:
  // `words` are the program's path and its arguments.
  ProcessGroup(const std::vector<std::string>& words, const StandardStreams& streams);
  ~ProcessGroup() { End(); }
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  // Is readable (poll) once the program has ended; -1 where the system has no such descriptors.
  int descriptor() const { return descriptor_.get(); }
  // The program may leave processes in its group that run on.
  bool HasEnded() const;
  // Returns false if the program still runs after that time.
  bool WaitForEnd(std::chrono::duration<double> limit = std::chrono::hours(24 * 365)) const;
  // Ends all processes of the group, and returns the program's status as waitpid does; the first status again
  // if it is called again.
  int End();

 private:
  pid_t id_ = -1;
  Descriptor descriptor_;
  std::unique_ptr<Guarded> guarded_;
  int status_ = 0;
};

// Returns words for a status of waitpid.
std::string HowItEnded(int status);

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Removes what must not outlive this process, however it ends: temporary files and folders, and the processes
// it started.
//
//   const Guarded folder(Guarded::kFolder, path);                       // Removed with the object.
//   const Guarded adapter(Guarded::kProcessGroup, std::to_string(pid)); // Killed with the object.
//
// A second process waits for the end of this one and does then what is left to do, also after SIGKILL. It is
// started with the first object, and ends with this process.

#pragma once

#include <string>

namespace lutra::host {

class Guarded {
 public:
  enum Kind : char { kFile = 'n', kFolder = 'f', kProcessGroup = 'g' };

  // Without room for a second process the destructor alone remains.
  Guarded(Kind kind, const std::string& name);
  // Removes the file, or the folder with all that is in it; kills the processes of the group. Never fails.
  ~Guarded();
  // Leaves it alone from now on.
  void Release();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

 private:
  Kind kind_;
  std::string name_;
  bool is_released_ = false;
};

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Removes temporary files and folders, and ends the processes that this process started, however it ends.
//
//   const Guarded folder(Guarded::kFolder, path);                       // Removed with the object.
//   const Guarded adapter(Guarded::kProcessGroup, std::to_string(pid)); // Killed with the object.
//
// A second process waits for the end of this one and then removes and ends what is left, also after SIGKILL.
// It starts with the first object, and ends after this process.

#pragma once

#include <string>

namespace lutra::host {

class Guarded {
 public:
  enum Kind : char { kFile = 'n', kFolder = 'f', kProcessGroup = 'g' };

  // If the second process cannot be started, only the destructor cleans up.
  Guarded(Kind kind, const std::string& name);
  // Removes the file, or the folder with all that is in it; kills the processes of the group. Never fails.
  ~Guarded();
  // The object no longer removes or ends anything.
  void Release();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

 private:
  Kind kind_;
  std::string name_;
  bool is_released_ = false;
};

}  // namespace lutra::host

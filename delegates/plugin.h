// SPDX-License-Identifier: Apache-2.0
// Delegates in shared libraries (lutra/delegate_plugin.h).
//
//   const std::unique_ptr<OwnedDelegate> npu = LoadPlugin("./npu.so");   // Throws BadInput.

#pragma once

#include <memory>
#include <string>

#include "delegates/delegates.h"

namespace lutra::delegates {

// Returns whether a name of --delegate is the file of a library: it has a slash.
bool IsPlugin(const std::string& name);

// The library stays loaded. If one of its functions throws later, or makes a kernel that cannot run, the
// program ends with the exit code of bad input and a line that names the library: the runtime cannot be left
// by an exception.
std::unique_ptr<OwnedDelegate> LoadPlugin(const std::string& path);

}  // namespace lutra::delegates

// SPDX-License-Identifier: Apache-2.0
// Delegates in shared libraries (lutra/delegate_plugin.h).
//
//   const std::unique_ptr<OwnedDelegate> npu = LoadPlugin("./npu.so");   // Throws BadInput.

#pragma once

#include <memory>
#include <string>

#include "delegates/delegates.h"

namespace lutra::delegates {

// Returns whether a name of --delegate is a library's file: it contains a slash.
bool IsPlugin(const std::string& name);

// The library stays loaded. If one of its functions throws later, or creates a kernel that cannot run, the
// program ends with the exit code of bad input and a line that names the library: exceptions cannot pass
// through the runtime.
std::unique_ptr<OwnedDelegate> LoadPlugin(const std::string& path);

}  // namespace lutra::delegates

// SPDX-License-Identifier: Apache-2.0
// Code of a user's library may call exit(0): a program must not end by that as if all were well.
//
//   WatchForExit("./my.so");                   // Before any of its code runs, dlopen included.
//   void* const library = dlopen("./my.so", RTLD_NOW);

#pragma once

#include <string>

namespace lutra::host {

// From now on, until the program has returned to RunMain, exit() says on stderr that the library ended the
// program, and makes the exit code 3.
void WatchForExit(const std::string& library);

// For RunMain, and for those who end the program by exit() with a message of their own.
void EndWatchForExit() noexcept;

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Makes a program fail if the code of a user's library calls exit(0), which would look like success.
//
//   WatchForExit("./my.so");                   // Before any of its code runs, dlopen included.
//   void* const library = dlopen("./my.so", RTLD_NOW);

#pragma once

#include <string>

#include "host/failures.h"

namespace lutra::host {

// From now on, until the program has returned to RunMain, exit() says on stderr that a library ended the
// program, and makes the exit code 3. Of several libraries it names all.
void WatchForExit(const std::string& library);

// RunMain calls this.
void EndWatchForExit() noexcept;

// Prints the refusal and ends the program with exit code 3. For code that must not throw, because the runtime
// or a library calls it.
[[noreturn]] void EndRefusing(const BadInput& refusal);

}  // namespace lutra::host

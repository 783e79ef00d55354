// SPDX-License-Identifier: Apache-2.0
// Code of a user's library may call exit(0): a program must not end by that as if all were well.
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

// Says what is refused, and ends the program with exit code 3: where no exception can pass, because the
// runtime or a library has called.
[[noreturn]] void EndRefusing(const BadInput& refusal);

}  // namespace lutra::host

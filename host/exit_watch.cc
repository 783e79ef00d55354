// SPDX-License-Identifier: Apache-2.0

#include "host/exit_watch.h"

#include <cstdio>
#include <cstdlib>

#include "host/failures.h"
#include "host/printable.h"

namespace lutra::host {
namespace {

// Never destroyed: exit() destroys what is static.
const std::string* watched = nullptr;

void RefuseExit() {
  if (watched == nullptr) return;
  std::fflush(stdout);
  std::fprintf(stderr,
               "%s: found a library that ends the program, required: functions that return; take exit() out "
               "of it\n",
               Printable(*watched).c_str());
  std::_Exit(kExitBadInput);
}

}  // namespace

void WatchForExit(const std::string& library) {
  static const bool is_registered = std::atexit(RefuseExit) == 0;
  if (is_registered) watched = new std::string(library);
}

void EndWatchForExit() noexcept { watched = nullptr; }

}  // namespace lutra::host

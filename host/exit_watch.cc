// SPDX-License-Identifier: Apache-2.0

#include "host/exit_watch.h"

#include <cstdio>
#include <cstdlib>

#include "host/printable.h"

namespace lutra::host {
namespace {

bool is_watching = false;

// The string is never destroyed: exit() would destroy static objects before it is used.
std::string& Libraries() {
  static auto& names = *new std::string;
  return names;
}

void RefuseExit() {
  if (!is_watching) return;
  std::fflush(stdout);
  std::fprintf(stderr,
               "%s: found a library that ends the program, required: functions that return; take exit() out "
               "of it\n",
               Printable(Libraries()).c_str());
  std::_Exit(kExitBadInput);
}

}  // namespace

void WatchForExit(const std::string& library) {
  static const bool is_registered = std::atexit(RefuseExit) == 0;
  is_watching = is_registered;
  std::string& names = Libraries();
  names += (names.empty() ? "" : ", ") + library;
}

void EndWatchForExit() noexcept { is_watching = false; }

void EndRefusing(const BadInput& refusal) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", refusal.what());
  // Exit handlers are skipped: the library is in the middle of a call, and has handlers of its own.
  std::_Exit(kExitBadInput);
}

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Notes signals: their number, and a byte in a pipe.

#include "host/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace lutra::host {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM};

std::atomic<int> noted = 0;
int ends[2] = {-1, -1};
struct sigaction before[sizeof kSignals / sizeof *kSignals];

void Note(int signal) {
  const int error = errno;
  int none = 0;
  noted.compare_exchange_strong(none, signal);
  if (write(ends[1], "", 1) < 0) errno = error;
}

}  // namespace

InterruptScope::InterruptScope() {
  if (ends[0] < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  struct sigaction action = {};
  action.sa_handler = Note;
  // A second signal ends the program.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (int i = 0; i < static_cast<int>(sizeof kSignals / sizeof *kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    // A signal that nohup or a shell's `&` ignores stays ignored.
    if (before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptScope::~InterruptScope() {
  for (int i = 0; i < static_cast<int>(sizeof kSignals / sizeof *kSignals); ++i) {
    sigaction(kSignals[i], &before[i], nullptr);
  }
}

int InterruptSignal() { return noted; }
int InterruptDescriptor() { return ends[0]; }

}  // namespace lutra::host

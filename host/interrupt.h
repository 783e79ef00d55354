// SPDX-License-Identifier: Apache-2.0
// Lets long work keep its results so far when the program is interrupted.
//
//   const InterruptScope scope;                   // SIGINT, SIGTERM and SIGHUP are noted
//   for (...) {
//     if (InterruptSignal() != 0) break;          // on any thread
//     ...
//   }
//   report.Write(...);                            // RunMain ends the program as the signal would have
//
// The second signal ends the program at once.

#pragma once

namespace lutra::host {

class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

// The first signal that came in an InterruptScope; 0: none.
int InterruptSignal();
// A descriptor that is readable once one came, for poll; -1 before the first InterruptScope.
int InterruptDescriptor();

}  // namespace lutra::host

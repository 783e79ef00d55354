// SPDX-License-Identifier: Apache-2.0
// Gives a program a larger stack if its caller's limit (ulimit -s) is too small.

#pragma once

namespace lutra::host {

// Calls `call(context)` on a stack of at least 8 MB: the present one or, if the limit is lower, a new one.
// Threads that are started later have as much. `call` must not throw. Returns false, without calling it, if
// there is no memory for a stack.
bool CallWithRoom(void (*call)(void* context), void* context) noexcept;

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// A program's stack, where its caller's limit (ulimit -s) leaves too little of one.

#pragma once

namespace lutra::host {

// Calls `call(context)` on a stack of at least 8 MB: this one, or, where the limit is lower, one of its own.
// Threads that are started later have as much. `call` does not throw. False if there is no room for a stack;
// then nothing was called.
bool CallWithRoom(void (*call)(void* context), void* context) noexcept;

}  // namespace lutra::host

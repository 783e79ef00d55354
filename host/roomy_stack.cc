// SPDX-License-Identifier: Apache-2.0
// Runs this thread on another stack, with the same signal mask and handlers.

#include "host/roomy_stack.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <cstddef>

namespace lutra::host {
namespace {

// The usual limit of a stack.
constexpr size_t kStackBytes = size_t{8} << 20;

// makecontext can only pass integers, so these are passed here.
struct {
  void (*call)(void*);
  void* context;
  ucontext_t caller, callee;
} on_stack;

void Call() { on_stack.call(on_stack.context); }

// Gives threads enough stack: they take the limit for its size, and have memory of their own.
void GiveThreadsRoom() {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, kStackBytes) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

}  // namespace

bool CallWithRoom(void (*call)(void* context), void* context) noexcept {
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes) {
    call(context);
    return true;
  }
  // Pages are allocated when they are used; the lowest one is inaccessible, so that an overflow touches
  // nothing else.
  void* const stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return false;
  mprotect(stack, 4096, PROT_NONE);
  GiveThreadsRoom();
  on_stack.call = call;
  on_stack.context = context;
  getcontext(&on_stack.callee);
  on_stack.callee.uc_stack = {.ss_sp = stack, .ss_flags = 0, .ss_size = kStackBytes};
  on_stack.callee.uc_link = &on_stack.caller;
  makecontext(&on_stack.callee, Call, 0);
  swapcontext(&on_stack.caller, &on_stack.callee);
  munmap(stack, kStackBytes);
  return true;
}

}  // namespace lutra::host

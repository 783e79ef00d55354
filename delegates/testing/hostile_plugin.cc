// SPDX-License-Identifier: Apache-2.0
// Libraries that break the rules for delegates; each is built with another LUTRA_HOSTILE.

#include <cstdlib>
#include <stdexcept>

#include "delegates/example/example_delegate.cc"
#include "lutra/delegate_plugin.h"

#define NULL_NAME 1
#define NULL_QUESTION 2
#define NULL_CREATE 3
#define NULL_EVAL 4
#define NULL_TEXT 5
#define OTHER_VERSION 6
#define THROWS_AT_ONCE 7
#define THROWS_IN_NAME 8
#define THROWS_IN_QUESTION 9
#define THROWS_IN_CREATE 10
#define THROWS_IN_PREPARE 11
#define THROWS_IN_EVAL 12
#define THROWS_A_NUMBER 13
#define ENDS_AT_ONCE 14
#define ENDS_IN_EVAL 15

namespace {

using lutra::Delegate;
using lutra::Status;

template <int kWhere>
void MayThrow() {
  if (kWhere == LUTRA_HOSTILE) throw std::runtime_error("on purpose");
  if (kWhere == THROWS_AT_ONCE && LUTRA_HOSTILE == ENDS_AT_ONCE) std::exit(0);
  if (kWhere == THROWS_IN_EVAL && LUTRA_HOSTILE == ENDS_IN_EVAL) std::exit(0);
}

bool TakesAll(const void* state, const lutra::DelegateNode& node, const char** reason) {
  MayThrow<THROWS_IN_QUESTION>();
  if (LUTRA_HOSTILE == THROWS_A_NUMBER) throw 5;
  return lutra::kExampleDelegate.IsNodeSupportedByDelegate(state, node, reason);
}

Status Create(void*, lutra::DelegatePrepareContext&, lutra::DelegateKernel* kernel) {
  MayThrow<THROWS_IN_CREATE>();
  kernel->Prepare = [](void*, lutra::DelegatePrepareContext&) {
    MayThrow<THROWS_IN_PREPARE>();
    return Status::kOk;
  };
  kernel->Eval = [](void*, lutra::DelegateEvalContext&) {
    MayThrow<THROWS_IN_EVAL>();
    return Status::kOk;
  };
  if (LUTRA_HOSTILE == NULL_EVAL) kernel->Eval = nullptr;
  return Status::kOk;
}

const char* Name(const void*) {
  MayThrow<THROWS_IN_NAME>();
  return LUTRA_HOSTILE == NULL_TEXT ? nullptr : "hostile";
}

}  // namespace

extern "C" uint32_t lutra_delegate_plugin(const lutra::DelegateLayout*, Delegate* delegate) {
  MayThrow<THROWS_AT_ONCE>();
  *delegate = {.Name = LUTRA_HOSTILE == NULL_NAME ? nullptr : Name,
               .IsNodeSupportedByDelegate = LUTRA_HOSTILE == NULL_QUESTION ? nullptr : TakesAll,
               .CreateDelegateKernelInterface = LUTRA_HOSTILE == NULL_CREATE ? nullptr : Create};
  return LUTRA_HOSTILE == OTHER_VERSION ? 2 : 0;
}

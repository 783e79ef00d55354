// SPDX-License-Identifier: Apache-2.0
// The delegate of delegates/README.md: FULLY_CONNECTED of int8, on the CPU.
//
//   const lutra::Delegate* const delegates[] = {&lutra::kExampleDelegate};
//   const lutra::Status status = interpreter.AllocateTensors({.delegates = delegates});

#pragma once

#include "lutra/delegate.h"

namespace lutra {

// Hidden, unless the runtime is a shared library: programs have this delegate, too, and a library that they
// load means its own.
#if !LUTRA_SHARED_RUNTIME
[[gnu::visibility("hidden")]]
#endif
extern const Delegate kExampleDelegate;

}  // namespace lutra

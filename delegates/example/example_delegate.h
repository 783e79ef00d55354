// SPDX-License-Identifier: Apache-2.0
// The delegate of delegates/README.md: FULLY_CONNECTED of int8, on the CPU.
//
//   const lutra::Delegate* const delegates[] = {&lutra::kExampleDelegate};
//   const lutra::Status status = interpreter.AllocateTensors({.delegates = delegates});

#pragma once

#include "lutra/delegate.h"

namespace lutra {

extern const Delegate kExampleDelegate;

}  // namespace lutra

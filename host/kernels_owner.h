// SPDX-License-Identifier: Apache-2.0
// Frees the kernels of an interpreter's delegates when its scope ends.
//
//   MicroInterpreter interpreter(model, AllOps(), arena);
//   const KernelsOwner owner(&interpreter);
//   const Status status = interpreter.AllocateTensors(delegates);

#pragma once

#include "lutra/micro_interpreter.h"

namespace lutra::host {

class KernelsOwner {
 public:
  explicit KernelsOwner(MicroInterpreter* interpreter) : interpreter_(interpreter) {}
  KernelsOwner(const KernelsOwner&) = delete;
  KernelsOwner& operator=(const KernelsOwner&) = delete;
  ~KernelsOwner() { interpreter_->FreeKernels(); }

 private:
  MicroInterpreter* interpreter_;
};

}  // namespace lutra::host

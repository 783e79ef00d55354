// SPDX-License-Identifier: Apache-2.0
// Holds the objects of Lutra that tflite::MicroInterpreter has, in memory whose type programs need not see.

#pragma once

#include <stddef.h>

#include "lutra/micro_interpreter.h"
#include "lutra/model.h"
#include "lutra/options.h"
#include "lutra/profiler.h"

namespace tflite {
class MicroInterpreter;
}

namespace lutra::compat {

struct Held {
  static void* operator new(size_t, void* room) { return room; }

  Model model;
  Profiler profiler;
  alignas(MicroInterpreter) unsigned char interpreter[sizeof(MicroInterpreter)];
};

struct HeldInterpreter : MicroInterpreter {
  using MicroInterpreter::MicroInterpreter;
  static void* operator new(size_t, void* room) { return room; }
};

// hooks.cc: fills the calls for an interpreter's profilers.
struct Hooks {
  void (*connect)(tflite::MicroInterpreter& interpreter, Profiler* profiler);

  static void Connect(tflite::MicroInterpreter& interpreter, Profiler* profiler);
  static void Begin(void* user, int node);
  static void End(void* user, int node);
  static void BeginDecode(void* user, int node, int operand);
  static void EndDecode(void* user, int node, int operand);
  static const char* NameOfNode(const tflite::MicroInterpreter& interpreter, int node);
};

// decoder.cc
struct Decoder {
  DecodeFn decode;
};

}  // namespace lutra::compat

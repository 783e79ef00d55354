// SPDX-License-Identifier: Apache-2.0
// Profiler: hooks that Invoke calls around each operator and around each decoding.
//
//   static const lutra::Profiler profiler = {.user = &timer, .begin = BeginNode, .end = EndNode};
//   interpreter.set_profiler(&profiler);
//
// Any hook may be null. `node` is the position of the node in MicroInterpreter::node(). A CALL_ONCE
// node's own time does not contain that of the nodes it runs.
//
// begin_decode and end_decode bracket each decoding of a compressed tensor: `operand` is the number of
// a compressed input, or OutputOperand(i) of TFLM_DECODE. Inputs are decoded before
// begin, unless the operator decodes them itself; TFLM_DECODE decodes between begin and end. With policy
// at-init all decoding happens in AllocateTensors.

#pragma once

namespace lutra {

struct Profiler {
  void* user = nullptr;
  void (*begin)(void* user, int node) = nullptr;
  void (*end)(void* user, int node) = nullptr;
  void (*begin_decode)(void* user, int node, int operand) = nullptr;
  void (*end_decode)(void* user, int node, int operand) = nullptr;
};

}  // namespace lutra

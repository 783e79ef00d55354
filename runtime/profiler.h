// SPDX-License-Identifier: Apache-2.0
// Profiler: a hook that Invoke calls around each operator.
//
//   struct Timer { uint64_t started; uint64_t ticks[100]; };
//   const Profiler profiler = {&timer, BeginNode, EndNode};
//
// Called with the position of the node in MicroInterpreter::node(). A CALL_ONCE node's own time
// does not contain that of the nodes it runs.
//
// Each decoding of a compressed tensor is bracketed by begin_decode and end_decode, where they are
// set: `operand` is the number of a compressed input, or MicroContext::OutputOperand(i) of
// TFLM_DECODE. Inputs are decoded before begin; TFLM_DECODE decodes between begin and end. With
// policy at-init all of it happens in AllocateTensors.

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
